// A file that says who is at work: one process at a time, and none that has died.
import { randomUUID } from 'node:crypto';
import { readFile, stat, unlink, utimes, writeFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import { setTimeout as pause } from 'node:timers/promises';
import { mustBeOwn } from './own-folder.ts';

const beatMs = 5_000;
/** Without a beat for so long, nobody is there: a process that was stopped for a while, or a machine that is gone. */
const silentMs = 60_000;
/** For removing what a dead process has left, which takes no time. */
const clearingMs = 10_000;
const pollMs = 20;

/** `path`: of the lock file, whose folder exists. */
export async function withLock<T>(path: string, work: () => Promise<T>, signal?: AbortSignal): Promise<T> {
  const mine = JSON.stringify({ id: randomUUID(), pid: process.pid, host: hostname() });
  while (!(await create(path, mine))) {
    signal?.throwIfAborted();
    // Another user's would be waited for as long as they please.
    mustBeOwn(path, 'file');
    if (await isAbandoned(path)) await clear(path);
    else await pause(pollMs * (1 + Math.random()), undefined, signal === undefined ? {} : { signal });
  }
  const beat = setInterval(() => utimes(path, new Date(), new Date()).catch(() => undefined), beatMs);
  beat.unref();
  try {
    signal?.throwIfAborted();
    return await work();
  } finally {
    clearInterval(beat);
    // Unless it was taken away meanwhile.
    if ((await textOf(path)) === mine) await remove(path);
  }
}

async function create(path: string, text: string): Promise<boolean> {
  try {
    await writeFile(path, text, { flag: 'wx', mode: 0o600 });
    return true;
  } catch (error) {
    if (codeOf(error) === 'EEXIST') return false;
    throw error;
  }
}

async function isAbandoned(path: string): Promise<boolean> {
  const [text, age] = await Promise.all([textOf(path), ageOf(path)]);
  if (text === undefined || age === undefined) return false;
  if (age > silentMs) return true;
  // Just created, and not yet written.
  if (text === '') return age > clearingMs;
  try {
    const { pid, host } = JSON.parse(text) as { readonly pid?: unknown; readonly host?: unknown };
    return host === hostname() && typeof pid === 'number' && !isAlive(pid);
  } catch {
    return age > clearingMs;
  }
}

/** Two must not clear at once: the slower one would remove the lock of whoever came in between. */
async function clear(path: string): Promise<void> {
  const clearing = `${path}.clearing`;
  if (!(await create(clearing, ''))) {
    if (((await ageOf(clearing)) ?? 0) > clearingMs) await remove(clearing);
    await pause(pollMs);
    return;
  }
  try {
    if (await isAbandoned(path)) await remove(path);
  } finally {
    await remove(clearing);
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return codeOf(error) === 'EPERM';
  }
}

async function textOf(path: string): Promise<string | undefined> {
  return readFile(path, 'utf8').catch(() => undefined);
}

async function ageOf(path: string): Promise<number | undefined> {
  const status = await stat(path).catch(() => undefined);
  return status === undefined ? undefined : Date.now() - status.mtimeMs;
}

async function remove(path: string): Promise<void> {
  await unlink(path).catch(() => undefined);
}

function codeOf(error: unknown): unknown {
  return error instanceof Error && 'code' in error ? error.code : undefined;
}
