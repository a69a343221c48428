// Files of a repository that say how it is worked in: none of them leads to a program of its own, to a file without an end, or past the sandbox.
import { spawnSync } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { chooseNode } from '../../../src/live/languages/javascript/choose-node.ts';
import { configuredLoad } from '../../../src/live/session/project-config.ts';
import { readPlainFile } from '../../../src/node/plain-file.ts';
import { systemProgram } from '../../../src/node/system-program.ts';

let folder: string;
const at = (...names: string[]): string => join(folder, ...names);

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'hostile-'));
  mkdirSync(at('.git'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

function program(...names: string[]): void {
  mkdirSync(at(...names, '..'), { recursive: true });
  writeFileSync(at(...names), '#!/bin/sh\ntouch ran\n');
  chmodSync(at(...names), 0o755);
}

describe('a project that chooses its Node', () => {
  it.each(['./node', '../../evil', '/tmp/evil', '$(touch ran)', '22; touch ran', 'v22/../../evil', '\u001b[2J22'])(
    'cannot name a program: %j',
    async (said) => {
      program('node');
      writeFileSync(at('.nvmrc'), said);
      const { command, note = '' } = await chooseNode(folder, folder);
      expect(command).toBe(process.execPath);
      expect(note).toMatch(/^[\x20-\x7e]*$/);
    },
  );

  it('cannot make it wait for a range that is too long', async () => {
    writeFileSync(at('package.json'), JSON.stringify({ engines: { node: '1 || '.repeat(100_000) } }));
    expect(await chooseNode(folder, folder)).toMatchObject({ command: process.execPath, note: expect.stringContaining('no version') });
  });

  it.each(['.nvmrc', '.node-version', 'package.json'])('cannot make it read a device, or a pipe, in the place of %s', async (name) => {
    symlinkSync('/dev/zero', at(name));
    expect(await chooseNode(folder, folder)).toEqual({ command: process.execPath });
    rmSync(at(name));
    expect(spawnSync('mkfifo', [at(name)]).status).toBe(0);
    expect(await chooseNode(folder, folder)).toEqual({ command: process.execPath });
  });
});

describe('vivarium.config.json', () => {
  it.each([
    [{ live: { load: ['a.ts'], sandbox: false } }, 'live.sandbox'],
    [{ live: { sandbox: { write: true } } }, 'live.sandbox'],
    [{ live: { env: ['ANTHROPIC_API_KEY'] } }, 'live.env'],
    [{ live: { node: './node' } }, 'live.node'],
  ])('can widen nothing: %j', (config, said) => {
    writeFileSync(at('vivarium.config.json'), JSON.stringify(config));
    expect(() => configuredLoad(folder)).toThrow(said);
  });

  it('cannot hide members in a prototype', () => {
    writeFileSync(at('vivarium.config.json'), '{"live":{"__proto__":{"load":["/etc/passwd"]}}}');
    expect(() => configuredLoad(folder)).toThrow('__proto__');
  });

  it('is not read when it is a device', () => {
    symlinkSync('/dev/zero', at('vivarium.config.json'));
    expect(() => configuredLoad(folder)).toThrow('no plain file');
  });
});

describe('a program of the system', () => {
  it('is never one that the project brings along', () => {
    program('node_modules', '.bin', 'bwrap');
    program('tools', 'bwrap');
    const other = mkdtempSync(join(tmpdir(), 'elsewhere-'));
    mkdirSync(join(other, 'node_modules', '.bin'), { recursive: true });
    writeFileSync(join(other, 'node_modules', '.bin', 'bwrap'), '');
    chmodSync(join(other, 'node_modules', '.bin', 'bwrap'), 0o755);
    const hostile = [at('node_modules', '.bin'), 'node_modules/.bin', '.', '', folder, at('tools'), join(other, 'node_modules', '.bin')];
    expect(systemProgram('bwrap', folder, hostile.join(delimiter))).toBeUndefined();
    const good = mkdtempSync(join(tmpdir(), 'system-'));
    writeFileSync(join(good, 'bwrap'), '');
    chmodSync(join(good, 'bwrap'), 0o755);
    expect(systemProgram('bwrap', folder, [...hostile, good].join(delimiter))).toBe(join(good, 'bwrap'));
    for (const path of [other, good]) rmSync(path, { recursive: true });
  });
});

it('a plain file is read up to its limit', () => {
  writeFileSync(at('file'), 'text');
  expect([readPlainFile(at('file'), 4), readPlainFile(at('file'), 3), readPlainFile(folder, 99), readPlainFile(at('none'), 9)]).toEqual([
    'text',
    undefined,
    undefined,
    undefined,
  ]);
});
