// Where reports go: each --reporter with its name and, behind "=", its file.
import { statSync, writeFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { type Arguments, CommandError, exitCodes } from './command.ts';

export interface Destination<Form> {
  readonly form: Form;
  readonly file: string | undefined;
  write(text: string): void;
}

/** Refused before anything is started: a form that is not known, and a file that could not be written. */
export function destinations<Form>({ lists }: Arguments, forms: ReadonlyMap<string, Form>, of = ''): readonly Destination<Form>[] {
  return (lists['reporter'] ?? ['pretty']).map((given) => {
    const [, name = '', file] = /^([^=]+)(?:=(.+))?$/.exec(given) ?? [];
    const form = forms.get(name);
    if (form === undefined) {
      throw new CommandError(exitCodes.usage, `There is no reporter "${name}"${of}`, { hint: `There are ${[...forms.keys()].join(', ')}` });
    }
    if (file !== undefined) mustBeWritable(file);
    return { form, file, write: (text) => write(text, file) };
  });
}

export function mustBeWritable(file: string): void {
  const folder = dirname(resolve(file));
  if (statSync(folder, { throwIfNoEntry: false })?.isDirectory() !== true)
    throw new CommandError(exitCodes.usage, `There is no folder ${folder} for ${file}`);
  if (statSync(file, { throwIfNoEntry: false })?.isDirectory() === true) throw new CommandError(exitCodes.usage, `${file} is a folder`);
}

function write(text: string, file: string | undefined): void {
  if (file === undefined) process.stdout.write(text);
  else writeText(file, text);
}

export function writeText(file: string, text: string): void {
  try {
    writeFileSync(file, text);
  } catch (cause) {
    throw new CommandError(exitCodes.usage, `${file} cannot be written: ${(cause as Error).message}`, { cause });
  }
}
