// The end of `add` and `remove`: shown, agreed to, done, told.

import { changesNothing } from '../../../install/change.ts';
import type { Journal } from '../../../install/journal.ts';
import type { Finding } from '../../../install/look.ts';
import { withoutSecrets } from '../../../text/secret-entries.ts';
import { type Arguments, exitCodes } from '../../args/command.ts';
import { confirm } from '../../terminal/confirm.ts';
import { printableJson, printableLines } from '../../terminal/terminal.ts';
import { perform } from './perform.ts';
import { needLines, type PlannedChange, planLines } from './report.ts';

interface Head {
  readonly lines: readonly string[];
  readonly trials: readonly object[];
  readonly findings: readonly Finding[];
}

export async function finish(
  args: Arguments,
  changes: readonly PlannedChange[],
  journal: Journal,
  question: string,
  head: Head = { lines: [], trials: [], findings: [] },
): Promise<number> {
  const isJson = args.values['format'] === 'json';
  const lines = [...head.lines, ...(await Promise.all(changes.map(planLines))).flat()];
  if (!isJson) process.stdout.write(`${lines.join('\n').replace(/^\n/, '')}\n`);
  const told = { trials: head.trials, findings: head.findings };
  const isDry = args.values['dry-run'] === true;
  const isNothing = changes.every(({ plan }) => changesNothing(plan));
  if (isDry || isNothing) {
    // An undo that finds nothing is done with: the next one means the change before.
    if (!isDry && changes.some(({ plan }) => plan.undoes !== undefined)) await journal.exclusively(() => perform(changes, journal));
    if (isJson) process.stdout.write(`${printableJson({ ...told, changes: changes.map(planned) }, 2)}\n`);
    return exitCodes.ok;
  }
  await confirm([], question, args.values['yes'] === true, 'Nothing was written');
  // Not while somebody thinks: other commands wait meanwhile. What has changed since is planned anew.
  const done = await journal.exclusively(() => perform(changes, journal));
  const canBeUndone = done.some(({ outcome }) => outcome === 'written') && changes.every(({ plan }) => plan.undoes === undefined);
  show(args, { ...told, changes: done.map(({ lines: _, ...one }) => one) }, [
    '',
    ...done.flatMap((one) => one.lines),
    ...(done.some(({ outcome }) => outcome === 'written') ? needLines(changes) : []),
    ...(canBeUndone ? ['To take it back: vivarium add --undo'] : []),
  ]);
  return done.some(({ outcome }) => outcome === 'failed') ? exitCodes.failed : exitCodes.ok;
}

export function show(args: Arguments, value: unknown, lines: readonly string[]): void {
  const text = args.values['format'] === 'json' ? printableJson(value, 2) : lines.map(printableLines).join('\n');
  process.stdout.write(`${text}\n`);
}

function planned({ plan, command, notes }: PlannedChange): object {
  const { client, scope, file, name, entry } = plan.change;
  const shown = { entry: withoutSecrets(entry), ...(command !== undefined && { command: withoutSecrets(command) }) };
  return { client: client.id, scope, file, name, ...shown, notes, changes: !changesNothing(plan) };
}
