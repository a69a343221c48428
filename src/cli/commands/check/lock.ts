// --lock: what a server offers, kept in a file and compared with what it offers now.
import { existsSync } from 'node:fs';
import { type CheckOptions, lockText, readLock, type Surface } from '../../../check/cli.ts';
import { type Arguments, CommandError, exitCodes } from '../../args/command.ts';
import { readText } from '../../args/read-file.ts';
import { mustBeWritable, write } from '../../terminal/output.ts';

export interface LockUse {
  readonly options: Pick<CheckOptions, 'lock' | 'onSurface'>;
  /** Writes the file, where that was asked for; returns what to tell. */
  readonly finish: () => string | undefined;
}

/** Refused before anything is started: a file that cannot be read, or a wish to write without a file. */
export function lockUse({ values }: Arguments): LockUse {
  const file = values['lock'];
  const update = values['update-lock'] === true;
  if (typeof file !== 'string') {
    if (update) throw new CommandError(exitCodes.usage, '--update-lock needs --lock <file>');
    return { options: {}, finish: () => undefined };
  }
  let surface: Surface | undefined;
  const onSurface = (one: Surface): void => {
    surface ??= one;
  };
  if (!update) return { options: { lock: lockIn(file) }, finish: () => undefined };
  mustBeWritable(file);
  return {
    options: { onSurface },
    finish() {
      if (surface === undefined) return undefined;
      write(lockText(surface), file);
      return `What it offers is written to ${file}`;
    },
  };
}

function lockIn(file: string): NonNullable<CheckOptions['lock']> {
  if (!existsSync(file))
    throw new CommandError(exitCodes.usage, `There is no ${file}`, { hint: `vivarium check --lock ${file} --update-lock …` });
  const lock = readLock(readText(file, { mostMiB: 64 }));
  if ('problem' in lock) throw new CommandError(exitCodes.usage, `${file} ${lock.problem}`);
  return lock;
}
