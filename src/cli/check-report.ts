// Where the reports of a run go, and in which form.
import { jsonReports, prettyReports } from '../check/report/fleet-lines.ts';
import { htmlReport } from '../check/report/html.ts';
import { junitReport } from '../check/report/junit.ts';
import { markdownReport } from '../check/report/markdown.ts';
import { sarifReport } from '../check/report/sarif.ts';
import type { Report } from '../check/report.ts';
import { destinations } from './check-destinations.ts';
import type { Arguments } from './command.ts';

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
export function reportTo(args: Arguments): readonly ((reports: readonly Report[]) => void)[] {
  const verbose = args.values['verbose'] === true;
  return destinations(args, forms).map(({ form, file, write }) => (reports) => {
    const color = file === undefined && process.stdout.isTTY === true && process.env['NO_COLOR'] === undefined;
    write(form(reports, { color, verbose }));
  });
}
