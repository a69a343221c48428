// How many files a stdio server loads before it has answered `initialize`, counted by Node's own module hooks.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { createInterface } from 'node:readline';
import { pathToFileURL } from 'node:url';
import { expect, it } from 'vitest';
import { built, root } from './tree.ts';

const maxFiles = 25;
const maxCliFiles = 5;
const here = join(root, 'test/house/start-path');

const initialize = {
  jsonrpc: '2.0',
  id: 1,
  method: 'initialize',
  params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'start-path', version: '1.0.0' } },
};

it(`a server on stdio answers initialize with at most ${maxFiles} files loaded`, async () => {
  built('serve/stdio.js');
  const files = await loadedFiles([join(here, 'stdio.mjs')]);
  expect(files).toContain('dist/server/index.js');
  expect(files.length, files.join('\n')).toBeLessThanOrEqual(maxFiles);
});

it(`vivarium serve needs at most ${maxCliFiles} files of its own besides`, async () => {
  const files = await loadedFiles([built('cli/main.js'), 'serve', join(here, 'server.mjs')]);
  const cli = files.filter((path) => path.startsWith('dist/cli/'));
  expect(cli).toContain('dist/cli/main.js');
  expect(cli.length, cli.join('\n')).toBeLessThanOrEqual(maxCliFiles);
  expect(files.length - cli.length, files.join('\n')).toBeLessThanOrEqual(maxFiles);
});

it('counts what import and require load, before the answer and not after', async () => {
  const contents = `
    import 'ajv';
    process.stdout.write(JSON.stringify({ id: 1, result: { protocolVersion: '2025-11-25' } }) + '\\n');
    await import('zod');
  `;
  const files = await loadedFiles(['--input-type=module', '--eval', contents]);
  expect(files).toContain('node_modules/ajv/dist/ajv.js');
  expect(files).toContain('node_modules/ajv/dist/core.js');
  expect(files.filter((path) => path.includes('zod'))).toEqual([]);
});

/** The files that `node ...args` has loaded when it writes its answer, without those of the test itself. */
async function loadedFiles(args: readonly string[]): Promise<string[]> {
  const folder = mkdtempSync(join(tmpdir(), 'start-path-'));
  const log = join(folder, 'files');
  const preload = pathToFileURL(join(here, 'preload.mjs')).href;
  const child = spawn(process.execPath, ['--import', preload, ...args], { cwd: root, env: { ...process.env, LOADED_FILES: log } });
  const errors: Buffer[] = [];
  child.stderr.on('data', (chunk: Buffer) => errors.push(chunk));
  const exited = once(child, 'exit');
  try {
    child.stdin.on('error', () => {});
    child.stdin.write(`${JSON.stringify(initialize)}\n`);
    const answer = await Promise.race([once(createInterface(child.stdout), 'line'), exited.then(() => undefined)]);
    if (answer === undefined) throw new Error(`ended without an answer:\n${Buffer.concat(errors)}`);
    expect(JSON.parse(answer[0])).toMatchObject({ id: 1, result: { protocolVersion: '2025-11-25' } });
    const [before = ''] = readFileSync(log, 'utf8').split('answered\n');
    const files = new Set(before.split('\n').filter((path) => path !== '' && !path.startsWith(here)));
    return [...files].map((path) => relative(root, path));
  } finally {
    child.kill();
    await exited;
    rmSync(folder, { recursive: true });
  }
}
