// Plans carried out one after the other, each with its outcome: one that fails leaves the others as they are.
import { type Applied, applyPlan, changesNothing, type Plan } from '../../../install/change.ts';
import { Refusal } from '../../../install/edit/refusal.ts';
import type { Journal } from '../../../install/journal.ts';
import { applyByCommand, wroteAsAsked } from '../../../install/own-command.ts';
import { CommandError, exitCodes } from '../../args/command.ts';
import { visible } from '../../terminal/confirm.ts';
import { printable } from '../../terminal/terminal.ts';
import { shortPath } from './destinations.ts';
import type { PlannedChange } from './report.ts';

export interface Performed {
  readonly client: string;
  readonly scope: string;
  readonly file: string;
  readonly name: string;
  readonly outcome: 'written' | 'unchanged' | 'failed';
  readonly backup?: string;
  readonly problem?: string;
  readonly lines: readonly string[];
}

export async function perform(changes: readonly PlannedChange[], journal: Journal): Promise<Performed[]> {
  const batch = journal.newId();
  const done: Performed[] = [];
  for (const change of changes) done.push(await performOne(change, journal, batch));
  return done;
}

async function performOne({ plan, command }: PlannedChange, journal: Journal, batch: string): Promise<Performed> {
  const { client, scope, file, name, entry } = plan.change;
  const common = { client: client.id, scope, file, name };
  const short = printable(shortPath(file));
  if (changesNothing(plan)) {
    if (plan.undoes !== undefined) journal.put({ ...plan.undoes, state: 'undone' });
    return { ...common, outcome: 'unchanged', lines: [] };
  }
  try {
    const applied =
      command === undefined ? await applyPlan(plan, journal, { batch }) : await applyByCommand(plan, command, journal, { batch });
    const next = entry === undefined ? undefined : client.next[scope];
    return {
      ...common,
      outcome: 'written',
      ...(applied.backup !== undefined && { backup: applied.backup }),
      lines: [
        `${deed(plan)} ${client.name} (${short})${next === undefined ? '' : `. ${next}`}`,
        ...warnings(applied, short, wroteAsAsked(applied, entry)),
      ],
    };
  } catch (error) {
    // What was written before has to be told: one that fails does not end the others.
    const { message, hint } = error as Error & { readonly hint?: string };
    const lines = [`Not changed: ${client.name}. ${message}${hint === undefined ? '' : `\n  ${hint}`}`];
    return { ...common, outcome: 'failed', problem: message, lines };
  }
}

function deed({ change, previous, undoes }: Plan): string {
  if (change.entry === undefined) return 'Removed from';
  if (undoes !== undefined) return 'Restored in';
  return previous === undefined ? 'Added to' : 'Replaced in';
}

function warnings({ retried, overwrote, backup, beside = [] }: Applied, file: string, asked: boolean): string[] {
  const others = beside.slice(0, 10).map(visible).join(', ');
  return [
    ...(beside.length > 0
      ? [`  Its command also changed ${others}${beside.length > 10 ? ' and more' : ''}. Before: ${backup ?? 'no file'}`]
      : []),
    ...(retried ? [`  Another program wrote ${file} at the same time and dropped the change; it was made again`] : []),
    ...(overwrote ? [`  Another program wrote ${file} in the same moment, and its change was lost: look at it. Before: ${backup}`] : []),
    ...(asked ? [] : ['  Its command wrote the entry in another form than we would have']),
  ];
}

/** Refusals of a plan, as a command fails. */
export async function orFail<T>(work: () => Promise<T>, lead = ''): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    const code = error.reason === 'missing' || error.reason === 'exists' ? exitCodes.failed : exitCodes.usage;
    throw new CommandError(code, `${lead}${error.message}`, { cause: error, ...(error.hint !== undefined && { hint: error.hint }) });
  }
}
