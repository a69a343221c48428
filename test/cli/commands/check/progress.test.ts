// However a run of check ends, what it started ends with it.
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, expect, it, vi } from 'vitest';
import { isAlive } from '../../../serve/child.ts';
import { Started } from '../../started.ts';
import { vivarium } from '../../vivarium.ts';

const folders: string[] = [];
afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true });
});

function newFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'vivarium-'));
  folders.push(folder);
  return folder;
}

/** Answers, and leaves a program behind that has none of its streams. */
const leaving = `
const { spawn } = require('node:child_process');
const { pid } = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)'], { stdio: 'ignore' });
require('node:fs').appendFileSync('pids', pid + '\\n');
const greeting = { protocolVersion: '2025-11-25', capabilities: {}, serverInfo: { name: 'leaving', version: '1' } };
require('node:readline').createInterface({ input: process.stdin }).on('line', (line) => {
  const { id, method } = JSON.parse(line);
  if (id !== undefined) console.log(JSON.stringify({ jsonrpc: '2.0', id, result: method === 'initialize' ? greeting : {} }));
}).on('close', () => process.exit());
`;

/** Hears neither the end of its input nor SIGTERM, and says nothing. */
const deaf = `
process.on('SIGTERM', () => undefined);
require('node:fs').appendFileSync('pids', process.pid + '\\n');
process.stderr.write('here');
setInterval(() => undefined, 1000);
`;

const pidsIn = (folder: string): number[] => readFileSync(join(folder, 'pids'), 'utf8').trim().split('\n').map(Number);

it('leaves nothing behind that a server started', { timeout: 60_000 }, async () => {
  const cwd = newFolder();
  const args = ['check', '--spec-version', '2025-11-25', '--only', 'ping', '--', process.execPath, '-e', leaving];
  expect((await vivarium(args, { cwd })).code).toBe(0);
  const pids = pidsIn(cwd);
  await vi.waitFor(() => expect(pids.filter(isAlive)).toEqual([]), { timeout: 60_000 });
});

it.each([
  ['SIGTERM', 143],
  ['SIGHUP', 129],
] as const)('leaves nothing behind when %s ends it', { timeout: 60_000 }, async (signal, code) => {
  const cwd = newFolder();
  const run = new Started(['check', '--', process.execPath, '-e', deaf], { cwd });
  const pids = await vi.waitFor(() => pidsIn(cwd), { timeout: 60_000 });
  run.process.kill(signal);
  expect(await run.ended).toBe(code);
  await vi.waitFor(() => expect(pids.filter(isAlive)).toEqual([]), { timeout: 60_000 });
});

it('leaves nothing behind when it is interrupted twice, also while cases are made', { timeout: 60_000 }, async () => {
  const cwd = newFolder();
  const run = new Started(['check', '--generate', 'cases.json', '--', process.execPath, '-e', deaf], { cwd });
  const pids = await vi.waitFor(() => pidsIn(cwd), { timeout: 60_000 });
  const again = setInterval(() => run.process.kill('SIGINT'), 100);
  expect(await run.ended).toBe(130);
  clearInterval(again);
  await vi.waitFor(() => expect(pids.filter(isAlive)).toEqual([]), { timeout: 60_000 });
});
