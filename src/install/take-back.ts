// A recorded change taken back, in a file that may have been changed by others since.
import { isDeepStrictEqual } from 'node:util';
import { digestOf } from './config-file.ts';
import { addServer, readServers, removeServer, saysTheSame } from './edit/edit.ts';
import { Refusal } from './edit/refusal.ts';
import type { JournalRecord } from './journal.ts';
import { takenBack, takenBackElsewhere } from './splice.ts';

/** The text without the change; undefined where there was no file before it. Refuses with `conflict` where others changed the entry. */
export async function takeBack(now: string, record: JournalRecord): Promise<string | undefined> {
  const { splice, place, name, entry, previous } = record;
  if (digestOf(now) === record.after) {
    if (record.before === undefined) return undefined;
    const text = takenBack(now, splice);
    if (digestOf(text) === record.before) return text;
  }
  const present = (await readServers(now, place)).get(name);
  if (!isDeepStrictEqual(present, entry)) throw conflict(record, present);
  const wanted =
    previous === undefined
      ? await removeServer(now, place, name)
      : await addServer(now, place, name, previous as object, { replace: true });
  // Where the text of the change is still there it is taken out as it was put in: comments and blanks included.
  const candidate = takenBackElsewhere(splice, now);
  return candidate !== undefined && (await saysTheSame(candidate, wanted, place)) ? candidate : wanted;
}

function conflict({ name, file, entry }: JournalRecord, present: unknown): Refusal {
  const shown = (value: unknown): string => (value === undefined ? 'nothing' : JSON.stringify(value));
  return new Refusal('conflict', `"${name}" in ${file} has been changed since: it was ${shown(entry)}, and is ${shown(present)}`, {
    hint: 'Change it by hand, or with vivarium remove',
  });
}
