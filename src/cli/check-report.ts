// Where the reports of a run go, and in which form.
import { writeFileSync } from 'node:fs';
import { jsonReports, prettyReports } from '../check/report/fleet-lines.ts';
import { htmlReport } from '../check/report/html.ts';
import { junitReport } from '../check/report/junit.ts';
import { markdownReport } from '../check/report/markdown.ts';
import { sarifReport } from '../check/report/sarif.ts';
import type { Report } from '../check/report.ts';
import { type Arguments, CommandError, exitCodes } from './command.ts';

type Form = (reports: readonly Report[], options: { readonly color: boolean; readonly verbose: boolean }) => string;

const forms: ReadonlyMap<string, Form> = new Map<string, Form>([
  ['pretty', prettyReports],
  ['json', jsonReports],
  ['junit', junitReport],
  ['sarif', sarifReport],
  ['html', htmlReport],
  ['markdown', markdownReport],
]);

/** What to do with the reports; refused before anything is started. */
export function reportTo({ lists, values }: Arguments): readonly ((reports: readonly Report[]) => void)[] {
  const verbose = values['verbose'] === true;
  return (lists['reporter'] ?? ['pretty']).map((given) => {
    const [, name = '', file] = /^([^=]+)(?:=(.+))?$/.exec(given) ?? [];
    const form = forms.get(name);
    if (form === undefined) {
      throw new CommandError(exitCodes.usage, `There is no reporter "${name}"`, { hint: `There are ${[...forms.keys()].join(', ')}` });
    }
    return (reports) => {
      const color = file === undefined && process.stdout.isTTY === true && process.env['NO_COLOR'] === undefined;
      const text = form(reports, { color, verbose });
      if (file === undefined) process.stdout.write(text);
      else writeFileSync(file, text);
    };
  });
}
