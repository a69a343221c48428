import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Command, stdio } from '../../src/connect/stdio.ts';
import { spawnFailure } from '../../src/connect/stdio-failure.ts';
import { children } from './stdio-fixture.ts';

let folder = '';

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'stdio-'));
  writeFileSync(join(folder, 'plain'), 'text');
  writeFileSync(join(folder, 'script'), '#!/nowhere/interpreter\n');
  chmodSync(join(folder, 'script'), 0o755);
  mkdirSync(join(folder, 'sub'));
});

afterAll(() => rmSync(folder, { recursive: true }));

const refused = async (command: Command) => {
  const error = await stdio(command)
    .open()
    .then(
      () => undefined,
      (reason) => reason,
    );
  expect(error).toMatchObject({ name: 'VivariumError', code: 'ERR_CONNECT' });
  expect(error.failure).toMatchObject({ phase: 'open', target: stdio(command).target, elapsedMs: expect.any(Number) });
  const { cause, hint, target } = error.failure;
  expect(error.message.startsWith(`${cause}; ${hint}`)).toBe(true);
  // In a log of several servers it must be seen which it was; the end of a very long command line is not needed for that.
  expect(error.message).toContain(target.slice(0, 200));
  expect(error.message).not.toMatch(/\n/);
  return error.message as string;
};

describe('a process that cannot be started says why', () => {
  it('when there is no such command', async () => {
    expect(await refused({ command: 'no-such-command' })).toBe(
      'There is no command no-such-command on PATH; install it, or write its full path',
    );
  });

  it('when a whole command line was given as the command', async () => {
    expect(await refused({ command: 'node server.js' })).toMatch(/There is no program node server.js; .* the rest as args/);
  });

  it('when there is no such file', async () => {
    expect(await refused({ command: './nothing', cwd: folder })).toMatch(/^There is no file .\/nothing; check the path/);
  });

  it('when the working folder is missing, or is none', async () => {
    expect(await refused({ command: process.execPath, cwd: join(folder, 'none') })).toMatch(/^The working folder .*none does not exist; /);
    expect(await refused({ command: process.execPath, cwd: join(folder, 'plain') })).toMatch(/^The working folder .*plain is no folder; /);
  });

  it('when the interpreter of a script is missing', async () => {
    expect(await refused({ command: './script', cwd: folder })).toMatch(/^.\/script exists, but what its first line names/);
  });

  it('when the file may not be executed', async () => {
    expect(await refused({ command: join(folder, 'plain') })).toMatch(/plain may not be executed; chmod \+x /);
    expect(await refused({ command: 'plain', env: { PATH: folder } })).toMatch(/plain may not be executed; chmod \+x /);
  });

  it('when it is a folder', async () => {
    expect(await refused({ command: join(folder, 'sub') })).toMatch(/sub is a folder, not a program; /);
  });

  it('when the arguments are too long, or cannot be passed', async () => {
    expect(await refused({ command: process.execPath, args: ['x'.repeat(3_000_000)] })).toMatch(/are too long for the system; /);
    expect(await refused({ command: process.execPath, args: ['a\0b'] })).toMatch(
      /cannot be started with these arguments: .*; neither null/,
    );
  });

  it.each([
    ['EMFILE', /Too many files are open/],
    ['EAGAIN', /no room for another process/],
    ['ENOEXEC', /is no program/],
    ['EWHAT', /could not be started: the text/],
  ])('when the system says %s', async (code, cause) => {
    const failure = await spawnFailure(Object.assign(new Error('the text'), { code }), { command: 'x' }, '');
    expect(failure.cause).toMatch(cause);
  });

  it('and leaves nothing behind', () => {
    expect(children()).toEqual(childrenBefore);
  });
});

const childrenBefore = children();

describe('a description that cannot be right is refused at once', () => {
  it.each([
    [{ command: '' }, {}],
    [{ command: 'x', args: 'y' as never }, {}],
    [{ command: 'x', args: [1 as never] }, {}],
    [{ command: 'x' }, { maxMessageBytes: 0 }],
    [{ command: 'x' }, { graceMs: -1 }],
  ])('%j %j', (command, options) => {
    expect(() => stdio(command, options)).toThrow(expect.objectContaining({ code: 'ERR_CONFIG' }));
  });
});
