// Where the reports of a run go, and in which form.
import { writeFileSync } from 'node:fs';
import { prettyReport } from '../check/report/pretty.ts';
import type { Report } from '../check/report.ts';
import { type Arguments, CommandError, exitCodes } from './command.ts';

type Form = (reports: readonly Report[], options: { readonly color: boolean; readonly verbose: boolean }) => string | Promise<string>;

const forms: ReadonlyMap<string, Form> = new Map<string, Form>([
  ['pretty', (reports, options) => reports.map((report) => prettyReport(report, options)).join('\n')],
  ['json', (reports) => `${JSON.stringify(reports.length === 1 ? reports[0] : reports, null, 2)}\n`],
]);

/** What to do with the reports; refused before anything is started. */
export function reportTo({ lists, values }: Arguments): readonly ((reports: readonly Report[]) => Promise<void>)[] {
  const verbose = values['verbose'] === true;
  return (lists['reporter'] ?? ['pretty']).map((given) => {
    const [, name = '', file] = /^([^=]+)(?:=(.+))?$/.exec(given) ?? [];
    const form = forms.get(name);
    if (form === undefined) {
      throw new CommandError(exitCodes.usage, `There is no reporter "${name}"`, { hint: `There are ${[...forms.keys()].join(', ')}` });
    }
    return async (reports) => {
      const color = file === undefined && process.stdout.isTTY === true && process.env['NO_COLOR'] === undefined;
      const text = await form(reports, { color, verbose });
      if (file === undefined) process.stdout.write(text);
      else writeFileSync(file, text);
    };
  });
}
