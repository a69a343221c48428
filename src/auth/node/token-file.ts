// Tokens in a file that only its owner can read, shared by all processes of that user.
import { createHash, randomUUID } from 'node:crypto';
import { mkdir, open, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { withLock } from '../../node/lock.ts';
import { mustBeOwn, ownFolder } from '../../node/own-folder.ts';
import { stateFolder } from '../../node/user-folders.ts';
import type { TokenStore } from '../client/token-store.ts';

/** Default: `vivarium/tokens.json` in the folder for the state of programs. */
export function fileTokens(path: string = defaultPath()): TokenStore {
  const folder = dirname(path);
  const prepare = async (): Promise<void> => {
    mustBeOwn(path, 'file');
    // A folder of the user's own choice is theirs to open; ours is not.
    if (path === defaultPath()) ownFolder(folder);
    else await mkdir(folder, { recursive: true, mode: 0o700 });
  };
  return {
    get: async (key) => (await load(path)).get(key),
    async set(key, value, expected) {
      await prepare();
      return withLock(`${path}.lock`, async () => {
        const entries = await load(path);
        if (entries.get(key) !== expected) return false;
        if (value === undefined) entries.delete(key);
        else entries.set(key, value);
        await write(path, entries);
        return true;
      });
    },
    async lock(key, work, signal) {
      await prepare();
      return withLock(`${path}.${createHash('sha256').update(key).digest('hex').slice(0, 16)}.lock`, work, signal);
    },
  };
}

function defaultPath(): string {
  return join(stateFolder(process.platform === 'win32' ? process.env['LOCALAPPDATA'] : undefined), 'tokens.json');
}

/** A file that cannot be understood counts as empty: tokens can be had again. */
async function load(path: string): Promise<Map<string, string>> {
  const text = await read(path);
  try {
    const value: unknown = text === undefined ? {} : JSON.parse(text);
    const entries = typeof value === 'object' && value !== null ? Object.entries(value) : [];
    return new Map(entries.filter((entry): entry is [string, string] => typeof entry[1] === 'string'));
  } catch {
    return new Map();
  }
}

async function read(path: string): Promise<string | undefined> {
  mustBeOwn(path, 'file');
  const handle = await open(path, 'r').catch((error: unknown) => {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined;
    throw error;
  });
  if (handle === undefined) return undefined;
  try {
    // Copied or restored by someone with other habits.
    if (process.platform !== 'win32' && ((await handle.stat()).mode & 0o077) !== 0) await handle.chmod(0o600);
    return await handle.readFile('utf8');
  } finally {
    await handle.close();
  }
}

/** Whole or not at all. */
async function write(path: string, entries: ReadonlyMap<string, string>): Promise<void> {
  const draft = `${path}.${randomUUID()}`;
  try {
    const handle = await open(draft, 'wx', 0o600);
    try {
      await handle.writeFile(`${JSON.stringify(Object.fromEntries(entries), undefined, 2)}\n`);
      await handle.sync();
    } finally {
      await handle.close();
    }
    await rename(draft, path);
  } catch (error) {
    await rm(draft, { force: true });
    throw error;
  }
}
