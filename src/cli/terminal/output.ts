// Where the result of a command goes.
import {
  accessSync,
  closeSync,
  constants,
  fchmodSync,
  fstatSync,
  ftruncateSync,
  lstatSync,
  openSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { dirname, resolve } from 'node:path';
import { isTrustedOwner } from '../../node/own-folder.ts';
import { CommandError, exitCodes } from '../args/command.ts';

export function write(text: string | Uint8Array, file?: string): void {
  if (file === undefined) process.stdout.write(text);
  else orRefuse(file, () => writeFileSync(file, text));
}

/** Before anything is asked of a server: a result that cannot be kept may have cost something. */
export function refuseUnwritable({ output, save }: Readonly<Record<string, unknown>>): void {
  if (typeof output === 'string') mustBeWritable(output);
  if (typeof save === 'string') {
    orRefuse(save, () => {
      if (statSync(save, { throwIfNoEntry: false })?.isDirectory() === false) throw new Error('it is no folder');
    });
  }
}

export function mustBeWritable(file: string): void {
  orRefuse(file, () => {
    const found = statSync(file, { throwIfNoEntry: false });
    if (found?.isDirectory() === true) throw new Error('it is a folder');
    const folder = dirname(resolve(file));
    if (statSync(folder, { throwIfNoEntry: false })?.isDirectory() !== true) throw new Error(`there is no folder ${folder}`);
    accessSync(found === undefined ? folder : file, constants.W_OK);
  });
}

/** By a name of the system's, such as /dev/stdout: what it leads to, a file too, is somebody else's to begin and to guard. */
export function isOpenStream(file: string): boolean {
  return /^\/(?:dev|proc\/(?:self|\d+))\/(?:stdin|stdout|stderr|fd\/\d+)$/.test(resolve(file));
}

/** A new file that only its owner can read; so is one that was there before. One of another user is left as it is. */
export function openPrivate(file: string): number {
  return orRefuse(file, () => {
    const link = lstatSync(file, { throwIfNoEntry: false });
    if (isOpenStream(file)) return openSync(file, constants.O_WRONLY | constants.O_APPEND);
    const descriptor = openSync(file, constants.O_WRONLY | constants.O_CREAT, 0o600);
    try {
      const found = fstatSync(descriptor);
      if (!isTrustedOwner(found) || !isTrustedOwner(link ?? found)) throw new Error('it belongs to another user: choose another file');
      if (!found.isFile()) return descriptor;
      if (process.platform !== 'win32') fchmodSync(descriptor, 0o600);
      ftruncateSync(descriptor);
      return descriptor;
    } catch (error) {
      closeSync(descriptor);
      throw error;
    }
  });
}

export function orRefuse<T>(file: string, work: () => T): T {
  try {
    return work();
  } catch (cause) {
    throw new CommandError(exitCodes.usage, `${file} cannot be written: ${(cause as Error).message}`, { cause });
  }
}
