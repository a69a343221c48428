// Where the reports of a run go, and in which form.
import { htmlReport, jsonReports, junitReport, markdownReport, prettyReports, type Report, sarifReport } from '../../../check/cli.ts';
import type { Arguments } from '../../args/command.ts';
import { printable } from '../../terminal/terminal.ts';
import { destinations } from './destinations.ts';

type Form = (reports: readonly Report[], options: { readonly color: boolean; readonly verbose: boolean }) => string;

const forms: ReadonlyMap<string, Form> = new Map<string, Form>([
  ['pretty', prettyReports],
  ['json', jsonReports],
  ['junit', junitReport],
  ['sarif', sarifReport],
  ['html', htmlReport],
  ['markdown', markdownReport],
]);

export interface Reporters {
  write(reports: readonly Report[]): void;
  /** Prints the verdicts when all reports go to files. */
  sum(reports: readonly Report[]): void;
}

/** What to do with the reports; refused before anything is started. */
export function reportTo(args: Arguments): Reporters {
  const verbose = args.values['verbose'] === true;
  const all = destinations(args, forms);
  return {
    write(reports) {
      for (const { form, file, write } of all) {
        const color = file === undefined && process.stdout.isTTY === true && process.env['NO_COLOR'] === undefined;
        write(form(reports, { color, verbose }));
      }
    },
    sum(reports) {
      if (all.some(({ file }) => file === undefined)) return;
      for (const { target, problem, runs } of reports) {
        const verdicts = [...(problem === undefined ? [] : [problem.message]), ...runs.map(({ verdict }) => verdict)];
        process.stderr.write(`${printable(target)}: ${verdicts.map(printable).join(' ')}\n`);
      }
    },
  };
}
