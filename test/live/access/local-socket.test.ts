// The local socket of a live server, and the token it keeps.
import { chmodSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { createConnection, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { discard, findDoors, openDoor } from '../../../src/live/access/local-socket.ts';
import { keptToken } from '../../../src/live/access/token.ts';

let root: string;
let run: string;
let project: string;

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'local-'));
  run = join(root, 'run');
  project = join(root, 'project');
  mkdirSync(join(project, 'src'), { recursive: true });
});

afterEach(() => rmSync(root, { recursive: true, force: true }));

const modeOf = (path: string): number => statSync(path).mode & 0o777;

describe('the local socket', () => {
  it('is for its owner only, and gone when it is closed', async () => {
    const door = await openDoor(project, (socket) => socket.end(), run);
    expect([modeOf(run), modeOf(door.path)]).toEqual([0o700, 0o600]);
    await door.close();
    expect(readdirSync(run)).toEqual([]);
  });

  it('closes a folder to others that was open to them', async () => {
    mkdirSync(run, { mode: 0o755 });
    const door = await openDoor(project, (socket) => socket.end(), run);
    expect(modeOf(run)).toBe(0o700);
    await door.close();
  });

  it('is found from the folder of the project, from those in it and by another name of it, but not from beside it', async () => {
    const door = await openDoor(project, (socket) => socket.end(), run);
    const alias = join(root, 'alias');
    symlinkSync(project, alias);
    mkdirSync(join(root, 'other'));
    for (const folder of [project, join(project, 'src'), alias]) {
      expect(await findDoors(folder, run)).toEqual([{ path: door.path, pid: process.pid, folder: project }]);
    }
    expect(await findDoors(join(root, 'other'), run)).toEqual([]);
    await door.close();
  });

  it('takes the place of one that a dead process with its number left behind', async () => {
    const door = await openDoor(project, (socket) => socket.end(), run);
    await door.close();
    writeFileSync(door.path, '');
    const again = await openDoor(project, (socket) => socket.end('hello'), run);
    expect(await heard(again.path)).toBe('hello');
    await again.close();
  });

  it('is one of several when several serve the project: the newest comes first', async () => {
    const door = await openDoor(project, (socket) => socket.end(), run);
    const older = door.path.replace(`-${process.pid}.`, '-1.');
    const another = createServer().listen(older);
    await new Promise((resolve) => another.once('listening', resolve));
    chmodSync(door.path, 0o600);
    const found = await findDoors(project, run);
    expect(found.map(({ pid }) => pid).sort()).toEqual([1, process.pid].sort());
    another.close();
    await discard(older);
    expect((await findDoors(project, run)).map(({ pid }) => pid)).toEqual([process.pid]);
    await door.close();
  });

  it('says so when the path is too long for the system', async () => {
    await expect(openDoor(project, (socket) => socket.end(), join(run, 'x'.repeat(100)))).rejects.toThrow('too long for a socket');
  });

  it('lets go of who is connected when it is closed', async () => {
    const door = await openDoor(project, () => undefined, run);
    const socket = createConnection(door.path);
    await new Promise((resolve) => socket.once('connect', resolve));
    const closed = new Promise((resolve) => socket.once('close', resolve));
    socket.resume();
    await door.close();
    await closed;
  });
});

describe('the kept token', () => {
  it('is made once, for its owner only, and used again', async () => {
    const { token, file } = await keptToken(run);
    expect(token).toMatch(/^[\w-]{43}$/);
    expect([modeOf(run), modeOf(file)]).toEqual([0o700, 0o600]);
    expect(readFileSync(file, 'utf8').trim()).toBe(token);
    expect(await keptToken(run)).toEqual({ token, file });
    expect(readdirSync(run)).toEqual(['token']);
  });

  it('is the same for servers that start together', async () => {
    const tokens = await Promise.all(Array.from({ length: 8 }, () => keptToken(run)));
    expect(new Set(tokens.map(({ token }) => token)).size).toBe(1);
  });

  it('is refused when others could read it, or it leads elsewhere, or it is none', async () => {
    const { file } = await keptToken(run);
    chmodSync(file, 0o644);
    await expect(keptToken(run)).rejects.toThrow('can be read by others');
    rmSync(file);
    writeFileSync(join(root, 'elsewhere'), 'x'.repeat(43), { mode: 0o600 });
    symlinkSync(join(root, 'elsewhere'), file);
    await expect(keptToken(run)).rejects.toThrow();
    rmSync(file);
    writeFileSync(file, 'short', { mode: 0o600 });
    await expect(keptToken(run)).rejects.toThrow('holds no token');
  });
});

function heard(path: string): Promise<string> {
  return new Promise((resolve, reject) => {
    let text = '';
    const socket = createConnection(path);
    socket.on('data', (chunk) => {
      text += chunk;
    });
    socket.once('error', reject).once('close', () => resolve(text));
  });
}
