// add --list and add --undo: what was added, and the last change taken back.
import { changesNothing, planUndo } from '../../../install/change.ts';
import { clientById, isNamedLikeFileOf } from '../../../install/clients.ts';
import { foldersOf } from '../../../install/folders.ts';
import type { Journal, JournalRecord } from '../../../install/journal.ts';
import { ownCommand } from '../../../install/own-command.ts';
import { CommandError, exitCodes } from '../../args/command.ts';
import { printable } from '../../terminal/terminal.ts';
import { shortPath } from './destinations.ts';
import { orFail } from './perform.ts';
import type { PlannedChange } from './report.ts';

/** What stands in the files because of us, as far as the journal knows. */
export function added(journal: Journal): JournalRecord[] {
  const last = new Map<string, JournalRecord>();
  for (const record of journal.records())
    if (record.state === 'done') last.set(JSON.stringify([record.file, record.place.path, record.name]), record);
  return [...last.values()].filter(({ entry }) => entry !== undefined);
}

export function addedLines(records: readonly JournalRecord[]): string[] {
  if (records.length === 0) return ['Nothing has been added with vivarium add'];
  return records.map(({ name, client, scope, file, at }) =>
    printable(`${name}  ${clientById(client)?.name ?? client} (${scope}, ${shortPath(file)}), ${minute(at)}`),
  );
}

/** The tools of servers that were added before, for names that several would share. */
export function toolsOfOthers(journal: Journal, name: string): ReadonlyMap<string, readonly string[]> {
  return new Map(
    added(journal).flatMap((record) => (record.name === name || record.tools === undefined ? [] : [[record.name, record.tools]])),
  );
}

/** The newest command line that has not been undone, as plans that take it back, the last first. */
export async function undoPlans(
  journal: Journal,
  useCommand: boolean,
): Promise<{ readonly plans: PlannedChange[]; readonly lines: readonly string[] }> {
  const records = journal.standing();
  const batch = records.at(-1)?.batch;
  if (batch === undefined) throw new CommandError(exitCodes.failed, 'There is nothing to undo');
  const plans: PlannedChange[] = [];
  const taken = records.filter((one) => one.batch === batch).reverse();
  for (const record of taken) {
    const client = clientById(record.client);
    if (client === undefined) throw new CommandError(exitCodes.failed, `The client ${record.client} is not known to this version`);
    if (!isNamedLikeFileOf(client, record.file, foldersOf(process.cwd())))
      throw new CommandError(exitCodes.failed, `The journal names ${printable(record.file)}, which ${client.name} never reads`);
    const plan = await orFail(() => planUndo(record, client, journal));
    const mayCommand = useCommand && record.by === 'command' && plan.change.entry === undefined && !changesNothing(plan);
    const command = mayCommand ? ownCommand(plan.change, undefined, process.cwd()) : undefined;
    plans.push({ plan, command, notes: [], shared: [] });
  }
  const [{ name, entry, previous, at } = taken[0] as JournalRecord] = taken;
  const what = entry === undefined ? 'removed' : previous === undefined ? 'added' : 'replaced';
  return { plans, lines: [printable(`Taken back: "${name}" was ${what} on ${minute(at)}`)] };
}

function minute(at: string): string {
  return `${at.slice(0, 16).replace('T', ' ')} UTC`;
}
