// Why a process could not be started, and what to do about it.
import { constants } from 'node:fs';
import { access, stat } from 'node:fs/promises';
import { delimiter, resolve } from 'node:path';
import { cut } from '../jsonrpc/error.ts';
import { printable } from '../text/printable.ts';
import type { Command } from './stdio-options.ts';

export interface SpawnFailure {
  readonly cause: string;
  readonly hint?: string;
}

/** The system names the command even when something else is missing, so it is looked for here. */
export async function spawnFailure(error: unknown, command: Command, path: string): Promise<SpawnFailure> {
  const { code, message } = error as NodeJS.ErrnoException;
  const name = shown(command.command);
  switch (code) {
    case 'ENOENT':
    case 'ENOTDIR':
    case 'EACCES':
      return (await folderFailure(command.cwd)) ?? (code === 'EACCES' ? await notAllowed(command, path) : await notFound(command, path));
    case 'E2BIG':
      return { cause: `The arguments and environment of ${name} are too long for the system`, hint: 'put what is long into a file' };
    case 'ENOEXEC':
      return { cause: `${name} is no program`, hint: 'a script needs a first line such as #!/usr/bin/env node' };
    case 'EAGAIN':
    case 'ENOMEM':
      return { cause: `The system has no room for another process (${code})`, hint: 'end some and try again' };
    case 'EMFILE':
    case 'ENFILE':
      return { cause: `Too many files are open to start ${name} (${code})`, hint: 'close some channels or raise the limit (ulimit -n)' };
    case 'EINVAL':
    case 'ERR_INVALID_ARG_VALUE':
    case 'ERR_INVALID_ARG_TYPE':
      return {
        cause: `${name} cannot be started with these arguments: ${shown(String(message))}`,
        hint: 'neither null bytes nor, for a batch file, line breaks can be passed',
      };
    default:
      return { cause: `${name} could not be started: ${shown(error instanceof Error ? error.message : String(error))}` };
  }
}

async function folderFailure(cwd: string | undefined): Promise<SpawnFailure | undefined> {
  if (cwd === undefined) return undefined;
  const hint = 'correct cwd, or leave it out';
  try {
    if (!(await stat(cwd)).isDirectory()) return { cause: `The working folder ${shown(cwd)} is no folder`, hint };
    await access(cwd, constants.X_OK);
    return undefined;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT' || code === 'ENOTDIR') return { cause: `The working folder ${shown(cwd)} does not exist`, hint };
    return { cause: `The working folder ${shown(cwd)} may not be entered (${code})`, hint };
  }
}

async function notFound(command: Command, path: string): Promise<SpawnFailure> {
  const name = shown(command.command);
  if ((await found(command, path)) !== undefined) {
    return { cause: `${name} exists, but what its first line names to run it does not`, hint: 'install that, or correct the line' };
  }
  if (/\s/.test(command.command)) {
    return { cause: `There is no program ${name}`, hint: 'no shell splits it: write the program as command and the rest as args' };
  }
  if (/[\\/]/.test(command.command)) return { cause: `There is no file ${name}`, hint: 'check the path; a relative one starts at cwd' };
  return { cause: `There is no command ${name} on PATH`, hint: 'install it, or write its full path' };
}

async function notAllowed(command: Command, path: string): Promise<SpawnFailure> {
  const file = (await found(command, path)) ?? command.command;
  const isFolder = await stat(file).then(
    (stats) => stats.isDirectory(),
    () => false,
  );
  if (isFolder) return { cause: `${shown(file)} is a folder, not a program`, hint: 'write the path of the program in it' };
  return { cause: `${shown(file)} may not be executed`, hint: `chmod +x ${shown(file)}, or run it with its interpreter as command` };
}

async function found({ command, cwd = '.' }: Command, path: string): Promise<string | undefined> {
  const folders = /[\\/]/.test(command) ? [''] : path.split(delimiter);
  for (const folder of folders) {
    const file = resolve(cwd, folder, command);
    const isThere = await stat(file).then(
      () => true,
      () => false,
    );
    if (isThere) return file;
  }
  return undefined;
}

function shown(text: string): string {
  return printable(cut(text));
}
