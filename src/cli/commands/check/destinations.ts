// Where reports go: each --reporter with its name and, behind "=", its file.
import { type Arguments, CommandError, exitCodes } from '../../args/command.ts';
import { mustBeWritable, write } from '../../terminal/output.ts';

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
