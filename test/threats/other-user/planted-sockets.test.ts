// Another user of the machine puts sockets where ours are looked for, to be given our code or to answer in our place.
import { spawn } from 'node:child_process';
import { chmodSync, chownSync, lchownSync, mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, symlinkSync } from 'node:fs';
import { createServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { ownImage } from 'vivarium/live';
import { notRun } from '../../../scripts/prepare.mjs';
import { findDoors, openDoor } from '../../../src/live/access/local-socket.ts';
import { visitProcess } from '../../../src/live/image/image-process.ts';
import { runFolder } from '../../../src/node/user-folders.ts';
import { vivarium } from '../../cli/vivarium.ts';
import { openLab } from '../../live/fixture.ts';

const stranger = 65534;
const dist = fileURLToPath(new URL('../../../dist/live/', import.meta.url));
let root: string;

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'planted-'));
  onTestFinished(() => rmSync(root, { recursive: true, force: true }));
});

/** Whoever connects is noted. */
async function trap(path: string): Promise<Socket[]> {
  const came: Socket[] = [];
  const server = createServer((socket) => came.push(socket.on('error', () => undefined).resume())).listen(path);
  onTestFinished(() => {
    for (const socket of came) socket.destroy();
    server.close();
  });
  await new Promise((resolve) => server.once('listening', resolve));
  chmodSync(path, 0o777);
  chownSync(path, stranger, stranger);
  return came;
}

function give(path: string): void {
  lchownSync(path, stranger, stranger);
}

function run(
  command: string,
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
): Promise<{ code: number | null; said: string }> {
  const child = spawn(command, args, { cwd: root, env: { ...process.env, ...env } });
  let said = '';
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text: string) => {
      said += text;
    });
  return new Promise((resolve) => child.once('close', (code) => resolve({ code, said })));
}

describe.skipIf(process.getuid?.() !== 0)('a socket of another user', () => {
  it('is not given the code of vivarium eval', async () => {
    const folder = runFolder(root);
    mkdirSync(folder, { recursive: true });
    const { path, close } = await openDoor(root, (socket) => socket.end(), folder);
    await close();
    const came = await trap(path.replace(String(process.pid), '4194304'));
    for (const [planted, owner] of [
      [folder, stranger],
      [folder, 0],
    ] as const) {
      chownSync(planted, owner, owner);
      await expect(findDoors(root, folder)).rejects.toThrow('belongs to another user');
      const { code, stdout, stderr } = await vivarium(['eval', '1 + 1'], { cwd: root, env: { HOME: root } });
      expect([code, stdout, stderr]).toEqual([expect.not.toBeOneOf([0]), '', expect.stringContaining('belongs to another user')]);
    }
    expect(came).toEqual([]);
  });

  it('is not listened on beside our own: a server opens none in their folder', async () => {
    const folder = join(root, 'run');
    mkdirSync(folder, { mode: 0o777 });
    give(folder);
    await expect(openDoor(root, (socket) => socket.end(), folder)).rejects.toThrow('run belongs to another user');
    expect(readdirSync(folder)).toEqual([]);
  });

  it.each(['the folder', 'the socket'])('is not worked in with --attach, where %s is theirs', async (what) => {
    await using lab = await openLab({ attach: true });
    const folder = join(lab.folder, '.vivarium');
    mkdirSync(folder, { mode: 0o700 });
    const came = await trap(join(folder, `here-${process.pid}.sock`));
    if (what === 'the folder') {
      chownSync(join(folder, `here-${process.pid}.sock`), 0, 0);
      give(folder);
    }
    const { isError, text } = await lab.evaluate('1', { session: `here-${process.pid}` });
    expect([isError, text]).toEqual([
      true,
      expect.stringMatching(what === 'the folder' ? /belongs to another user/ : /There is no session/),
    ]);
    const listed = await lab.call('sessions', { action: 'list' });
    expect(listed.text).not.toContain('to be worked in');
    if (what === 'the folder') expect(listed.text).toContain('Running programs cannot be attached to');
    expect(came).toEqual([]);
  });

  it('is not connected to that took the place of one that was found', async () => {
    const path = join(root, 'here-1.sock');
    const came = await trap(path);
    const events = { printed: () => undefined, ended: () => undefined };
    expect(() => visitProcess(path, events)).toThrow('here-1.sock belongs to another user');
    expect(came).toEqual([]);
  });

  it('is not told where an image of a person is waited for', async () => {
    await using lab = await openLab({ engines: [ownImage()] });
    const folder = join(lab.folder, '.vivarium');
    mkdirSync(folder, { mode: 0o777 });
    give(folder);
    expect((await lab.evaluate('1')).text).toContain('.vivarium belongs to another user');
    expect(readdirSync(folder)).toEqual([]);
  });
});

describe.skipIf(process.getuid?.() !== 0)('another user', () => {
  it('cannot connect to the socket of a live server', async () => {
    chmodSync(root, 0o755);
    let came = 0;
    const { path, close } = await openDoor(root, () => came++, join(root, 'run'));
    onTestFinished(close);
    const program = `require('node:net').connect(${JSON.stringify(path)}, () => process.exit(1)).on('error', (error) => console.log(error.code))`;
    const child = spawn(process.execPath, ['-e', program], {
      cwd: '/',
      uid: stranger,
      gid: stranger,
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    let said = '';
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      said += text;
    });
    await new Promise((resolve) => child.once('close', resolve));
    expect([said, came]).toEqual(['EACCES\n', 0]);
  });
});

describe('a link in the place of .vivarium', () => {
  const here = join(dist, 'languages/javascript/here.js');

  it('is not followed by a program with vivarium/here, which runs and says so', async () => {
    mkdirSync(join(root, 'elsewhere'), { mode: 0o755 });
    symlinkSync('elsewhere', join(root, '.vivarium'));
    const { code, said } = await run(process.execPath, ['--import', here, '-e', 'console.log("it runs")']);
    expect([code, said]).toEqual([0, expect.stringContaining('it runs')]);
    expect(said).toContain('.vivarium is a symbolic link');
    expect([readdirSync(join(root, 'elsewhere')), statSync(join(root, 'elsewhere')).mode & 0o777]).toEqual([[], 0o755]);
  });

  it.skipIf(notRun('sbcl'))('is not followed by a Lisp with run-server.lisp', async () => {
    mkdirSync(join(root, 'elsewhere'), { mode: 0o755 });
    symlinkSync('elsewhere', join(root, '.vivarium'));
    const args = [
      '--noinform',
      '--disable-debugger',
      '--load',
      join(dist, 'languages/lisp/bridge/run-server.lisp'),
      '--eval',
      '(sb-ext:exit)',
    ];
    const { said } = await run('sbcl', args, { XDG_CACHE_HOME: join(root, 'cache') });
    expect(said).toContain('.vivarium is a link, or belongs to another user');
    expect([readdirSync(join(root, 'elsewhere')), statSync(join(root, 'elsewhere')).mode & 0o777]).toEqual([[], 0o755]);
  });

  it('is not followed by --attach', async () => {
    await using lab = await openLab({ attach: true });
    symlinkSync(root, join(lab.folder, '.vivarium'));
    expect((await lab.call('sessions', { action: 'list' })).text).toContain('.vivarium is a symbolic link');
  });
});
