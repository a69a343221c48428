// How a command is started on Windows: what is typed is found by its extension, and a batch file needs cmd.exe to read it.
import { existsSync } from 'node:fs';
import { win32 } from 'node:path';

export interface WindowsCommand {
  readonly file: string;
  readonly args: readonly string[];
  /** The arguments are quoted already. */
  readonly verbatim: boolean;
}

type Variables = Readonly<Record<string, string | undefined>>;

export function windowsCommand(
  { command, args = [], cwd }: { readonly command: string; readonly args?: readonly string[]; readonly cwd?: string },
  env: Variables,
  exists: (path: string) => boolean = existsSync,
): WindowsCommand {
  const file = findProgram(command, env, cwd, exists);
  // Handed on as it is, the system would look for it in the working folder first.
  if (file === undefined)
    throw Object.assign(new Error(`spawn ${command} ENOENT`), { code: 'ENOENT', syscall: `spawn ${command}`, path: command });
  if (!/\.(?:cmd|bat)$/i.test(file)) return { file, args, verbatim: false };
  const shell = variable(env, 'COMSPEC') ?? win32.join(variable(env, 'SYSTEMROOT') ?? 'C:\\Windows', 'System32', 'cmd.exe');
  return { file: shell, args: ['/e:ON', '/v:OFF', '/d', '/s', '/c', `"${batchLine(file, args)}"`], verbatim: true };
}

/** As the command line finds it, except that the working folder is not searched: a file that lies there is not a program one asked for. */
export function findProgram(
  command: string,
  env: Variables,
  cwd: string | undefined,
  exists: (path: string) => boolean,
): string | undefined {
  const endings = (variable(env, 'PATHEXT') ?? '.COM;.EXE;.BAT;.CMD').split(';').filter((ending) => ending !== '');
  const hasEnding = endings.some((ending) => command.toLowerCase().endsWith(ending.toLowerCase()));
  const names = hasEnding ? [command] : endings.map((ending) => command + ending.toLowerCase());
  const isPath = /[\\/]/.test(command) || /^[a-z]:/i.test(command);
  const folders = isPath ? [cwd ?? '.'] : (variable(env, 'PATH') ?? '').split(';').filter((folder) => folder !== '');
  for (const folder of folders) {
    for (const name of names) {
      const path = win32.resolve(folder.replace(/^"(.*)"$/, '$1'), name);
      if (exists(path)) return path;
    }
  }
  return undefined;
}

/**
 * A command line that cmd.exe, reading it once for itself and once more where a batch file says %*, takes for exactly these
 * arguments. Inside quotes nothing is special but the quote and the percent sign, so everything doubtful is quoted.
 */
export function batchLine(file: string, args: readonly string[]): string {
  return [file, ...args].map((arg, index) => batchArgument(arg, index === 0)).join(' ');
}

function batchArgument(arg: string, always: boolean): string {
  // Nothing keeps a line break from ending the command there.
  if (/[\0\r\n]/.test(arg)) throw Object.assign(new Error('A batch file takes no argument with a line break'), { code: 'EINVAL' });
  const escaped = arg
    // Backslashes count double before a quote, and a quote is doubled.
    .replace(/(?<!\\)(\\*)"/g, '$1$1""')
    // %cd:~,% is an empty part of the working folder: the first percent sign stays alone and names no variable.
    .replaceAll('%', '%%cd:~,%');
  const plain = !always && arg !== '' && !arg.endsWith('\\') && /^[\w#$*+\-./:?@\\\u00a0-\uffff]*$/.test(arg);
  return plain ? escaped : `"${escaped.replace(/(?<!\\)(\\+)$/, '$1$1')}"`;
}

export function variable(env: Variables, name: string): string | undefined {
  const key = Object.keys(env).find((one) => one.toUpperCase() === name);
  return key === undefined ? undefined : env[key];
}
