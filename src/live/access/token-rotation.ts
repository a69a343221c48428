// A new token in the place of the kept one, and servers that run already taking it.
import { randomBytes } from 'node:crypto';
import { rename, stat, unlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { ownFolder } from '../../node/own-folder.ts';
import { type KeptToken, keptToken } from './token.ts';

/** Whoever reads the file has the old token or the new one, never a part of either. */
export async function rotateToken(folder: string): Promise<KeptToken> {
  ownFolder(folder);
  const file = join(folder, 'token');
  const fresh = join(folder, `.token-${process.pid}-${randomBytes(6).toString('hex')}`);
  try {
    await writeFile(fresh, `${randomBytes(32).toString('base64url')}\n`, { mode: 0o600, flag: 'wx' });
    await rename(fresh, file);
  } catch (error) {
    await unlink(fresh).catch(() => undefined);
    throw error;
  }
  return keptToken(folder);
}

/**
 * Tells of another token in the file. One that was deleted is made anew, and one that cannot be used (such as a file that others
 * can read) changes nothing. Gives a way to stop watching.
 */
export function watchToken({ token, file }: KeptToken, changed: (token: string) => void, everyMs = 1_000): () => void {
  let [known, seen, busy] = [token, '', false];
  const look = async (): Promise<void> => {
    const found = await stat(file).catch(() => undefined);
    const now = found === undefined ? 'deleted' : `${found.ino} ${found.mtimeMs} ${found.ctimeMs} ${found.mode}`;
    if (now === seen) return;
    const { token: next } = await keptToken(dirname(file));
    seen = now;
    if (next === known) return;
    known = next;
    changed(next);
  };
  const timer = setInterval(() => {
    if (busy) return;
    busy = true;
    void look()
      .catch(() => undefined)
      .finally(() => {
        busy = false;
      });
  }, everyMs);
  timer.unref();
  return () => clearInterval(timer);
}
