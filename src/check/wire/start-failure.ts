// Why a program could not be started, in one sentence: the system names the command even when something else is missing.
import { existsSync, statSync } from 'node:fs';
import { resolve } from 'node:path';
import { visible } from '../model/evidence.ts';

export function startFailure(error: unknown, { command, cwd }: { readonly command: string; readonly cwd?: string }): string {
  const { code, message } = error as NodeJS.ErrnoException;
  const name = visible(command);
  if (cwd !== undefined && !isFolder(cwd)) return `there is no folder ${visible(cwd)} to start it in`;
  if (code === 'ENOENT' || code === 'ENOTDIR') {
    if (!/[\\/]/.test(command)) return `there is no program ${name} on PATH`;
    if (!existsSync(resolve(cwd ?? '.', command))) return `there is no file ${name}`;
    return `${name} is there, but what its first line names to run it is not`;
  }
  if (code === 'EACCES') return `${name} may not be executed`;
  return `${name} could not be started: ${visible(String(message))}`;
}

function isFolder(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
}
