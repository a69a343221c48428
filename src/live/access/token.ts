// The token of `vivarium live --http`: made once, kept where only its owner can read it, and used again.
import { randomBytes } from 'node:crypto';
import { link, readFile, stat, unlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { mustBeOwn, ownFolder } from '../../node/own-folder.ts';

export interface KeptToken {
  readonly token: string;
  readonly file: string;
}

/** Clients were told the old one, so it stays as long as the file does. */
export async function keptToken(folder: string): Promise<KeptToken> {
  const file = join(folder, 'token');
  ownFolder(folder);
  const fresh = join(folder, `.token-${process.pid}-${randomBytes(6).toString('hex')}`);
  await writeFile(fresh, `${randomBytes(32).toString('base64url')}\n`, { mode: 0o600, flag: 'wx' });
  try {
    // Whole or not at all, and never over one that is there: another server may be starting, too.
    await link(fresh, file);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  } finally {
    await unlink(fresh);
  }
  return { token: await read(file), file };
}

async function read(file: string): Promise<string> {
  mustBeOwn(file, 'file');
  if (process.platform !== 'win32' && ((await stat(file)).mode & 0o077) !== 0)
    throw new Error(`${file} can be read by others: delete it, and a new token is made`);
  const token = (await readFile(file, 'utf8')).trim();
  if (!/^[\w-]{32,}$/.test(token)) throw new Error(`${file} holds no token: delete it, and a new one is made`);
  return token;
}
