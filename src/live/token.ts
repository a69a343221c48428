// The token of `vivarium live --http`: made once, kept where only its owner can read it, and used again.
import { randomBytes } from 'node:crypto';
import { chmod, constants, link, lstat, mkdir, open, unlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

export interface KeptToken {
  readonly token: string;
  readonly file: string;
}

/** Clients were told the old one, so it stays as long as the file does. */
export async function keptToken(folder: string): Promise<KeptToken> {
  const file = join(folder, 'token');
  await ownFolder(folder);
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

/** Made if need be, and closed to everybody else. */
export async function ownFolder(folder: string): Promise<void> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const { mode, uid } = await lstat(folder);
  if (!isOurs(uid)) throw new Error(`${folder} belongs to somebody else`);
  if (isOpen(mode)) await chmod(folder, 0o700);
}

async function read(file: string): Promise<string> {
  const handle = await open(file, constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0));
  try {
    const { mode, uid } = await handle.stat();
    if (!isOurs(uid) || isOpen(mode)) throw new Error(`${file} can be read by others: delete it, and a new token is made`);
    const token = (await handle.readFile('utf8')).trim();
    if (!/^[\w-]{32,}$/.test(token)) throw new Error(`${file} holds no token: delete it, and a new one is made`);
    return token;
  } finally {
    await handle.close();
  }
}

function isOurs(uid: number): boolean {
  return process.getuid === undefined || uid === process.getuid();
}

function isOpen(mode: number): boolean {
  return process.platform !== 'win32' && (mode & 0o077) !== 0;
}
