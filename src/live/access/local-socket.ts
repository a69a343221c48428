// The local socket of a live server: how a person in the project's folder finds the sessions of the agent.
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { realpathSync } from 'node:fs';
import { chmod, readdir, stat, unlink } from 'node:fs/promises';
import { createConnection, createServer, type Socket } from 'node:net';
import { dirname, join } from 'node:path';
import { mustBeOwn, ownFolder } from '../../node/own-folder.ts';
import { runFolder } from '../../node/user-folders.ts';

/** A socket somebody may listen on. */
export interface Door {
  readonly path: string;
  /** Of the server. */
  readonly pid: number;
  /** Of its project. */
  readonly folder: string;
}

export interface OpenDoor {
  readonly path: string;
  close(): Promise<void>;
}

const maxConnections = 16;
/** The systems allow 104 to 108 bytes. */
const maxPathBytes = 103;
const kind = '.sock';

/** Each server has a socket of its own, so that none takes another's away. */
export async function openDoor(project: string, connected: (socket: Socket) => void, folder: string = runFolder()): Promise<OpenDoor> {
  if (process.platform === 'win32') throw new Error('there are no local sockets with an owner on Windows');
  const path = join(folder, `${keyOf(realpathSync(project))}-${process.pid}${kind}`);
  if (Buffer.byteLength(path) > maxPathBytes) throw new Error(`the path ${path} is too long for a socket`);
  ownFolder(folder);
  // Of a process that had our number before.
  await discard(path);
  const sockets = new Set<Socket>();
  const server = createServer({ allowHalfOpen: true }, (socket) => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
    connected(socket);
  });
  server.maxConnections = maxConnections;
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(path, resolve);
  });
  await chmod(path, 0o600);
  // It must never be what keeps a server alive.
  server.unref();
  const close = async (): Promise<void> => {
    for (const socket of sockets) socket.destroy();
    // Node removes the file.
    await new Promise<void>((resolve) => server.close(() => resolve()));
  };
  return { path, close };
}

/**
 * Those of the nearest folder that has any, from the project's own upwards; the newest first. They may be dead. Throws where other
 * users control one: whoever listens there gets the code that is to be evaluated.
 */
export async function findDoors(project: string, folder: string = runFolder()): Promise<readonly Door[]> {
  mustBeOwn(folder, 'folder');
  const names = (await readdir(folder).catch(() => [])).filter((name) => name.endsWith(kind));
  for (let at = realpathSync(project); ; at = dirname(at)) {
    const key = `${keyOf(at)}-`;
    const found = names.filter((name) => name.startsWith(key));
    if (found.length > 0) {
      const doors = await Promise.all(found.map((name) => doorAt(join(folder, name), Number(name.slice(key.length, -kind.length)), at)));
      return doors
        .filter((door) => door !== undefined)
        .sort((a, b) => b.since - a.since)
        .map(({ since: _, ...door }) => door);
    }
    if (dirname(at) === at) return [];
  }
}

/** Whether somebody listens there, asked of the system alone: a server that is stopped would not answer. */
export async function isOpen(path: string): Promise<boolean> {
  const socket = createConnection(path);
  try {
    await once(socket, 'connect');
    return true;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    return code !== 'ECONNREFUSED' && code !== 'ENOENT';
  } finally {
    socket.destroy();
  }
}

/** Its server ended without a farewell. */
export async function discard(path: string): Promise<void> {
  await unlink(path).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'ENOENT') throw error;
  });
}

async function doorAt(path: string, pid: number, folder: string): Promise<(Door & { readonly since: number }) | undefined> {
  mustBeOwn(path, 'socket');
  try {
    return { path, pid, folder, since: (await stat(path)).ctimeMs };
  } catch {
    // Closed meanwhile.
    return undefined;
  }
}

function keyOf(folder: string): string {
  return createHash('sha256').update(folder).digest('hex').slice(0, 16);
}
