// A recorded change taken back, and an entry taken out, in a file that may have been changed by others since.
import { isDeepStrictEqual } from 'node:util';
import { withoutSecrets } from '../text/secret-entries.ts';
import { digestOf } from './config-file.ts';
import { addServer, type Place, readServers, removeServer, saysTheSame } from './edit/edit.ts';
import { Refusal } from './edit/refusal.ts';
import type { JournalRecord } from './journal.ts';
import { takenBack, takenBackElsewhere } from './splice.ts';

export interface Restored {
  /** Undefined: there was no file. */
  readonly text: string | undefined;
  /** That were made for it, the outermost first. */
  readonly folders: readonly string[];
}

/** A journal may be long, and a file large. */
const mostSteps = 200;
const mostCharacters = 64 * 1024 * 1024;

/** The text without the change. Refuses with `conflict` where others changed the entry. `past` are the changes of the file. */
export async function takeBack(now: string | undefined, record: JournalRecord, past: readonly JournalRecord[]): Promise<Restored> {
  const { splice, place, name, entry, previous, dropped = [], folders } = record;
  const exact = stepBack(now, record);
  if (exact !== undefined) return { ...exact, folders };
  const text = now ?? '';
  const present = (await readServers(text, place)).get(name);
  // Somebody else has taken it back already.
  if (isDeepStrictEqual(present, previous)) return { text: now, folders: [] };
  if (!isDeepStrictEqual(present, entry)) throw conflict(record, present);
  if (previous === undefined) return withoutEntry(text, place, name, past);
  const wanted = await addServer(text, place, name, previous as object, { replace: true, extras: dropped });
  // Where the text of the change is still there it is taken out as it was put in: comments and blanks included.
  const candidate = takenBackElsewhere(splice, text);
  const isSame = candidate !== undefined && (await saysTheSame(candidate, wanted, place));
  return { text: isSame ? candidate : wanted, folders: [] };
}

/** The text without the entry, and as it was before our changes as far as nobody else has written. */
export async function withoutEntry(now: string, place: Place, name: string, past: readonly JournalRecord[]): Promise<Restored> {
  const own = past.filter(isAbout(place, name));
  const extras = own.flatMap((record) => record.extras ?? []);
  const wanted = await removeServer(now, place, name, extras);
  const lists = extras.map(({ path }) => path);
  const isWanted = (text: string): Promise<boolean> => saysTheSame(text, wanted, place, lists);
  return (await earliest(now, past, isWanted)) ?? (await pickedOut(now, own, isWanted)) ?? { text: wanted, folders: [] };
}

/** A file may keep servers in several places. */
export function isAbout(place: Place, name: string): (record: JournalRecord) => boolean {
  return (record) => record.name === name && isDeepStrictEqual(record.place.path, place.path);
}

type Judge = (text: string) => Promise<boolean>;

/** The oldest text that says what is wanted, on the way back through changes that are all ours. */
async function earliest(now: string, past: readonly JournalRecord[], isWanted: Judge): Promise<Restored | undefined> {
  let text: string | undefined = now;
  let [found, seen]: [Restored | undefined, number] = [undefined, 0];
  const folders = new Set<string>();
  for (const record of past.toReversed().slice(0, mostSteps)) {
    const before = stepBack(text, record);
    if (before === undefined) break;
    ({ text } = before);
    seen += text?.length ?? 0;
    if (seen > mostCharacters) break;
    for (const folder of record.folders) folders.add(folder);
    if (await isWanted(text ?? '')) found = { text, folders: [...folders].sort((a, b) => a.length - b.length) };
  }
  return found;
}

/** What our changes of this entry have put in, taken out of a text that others have changed elsewhere. */
async function pickedOut(now: string, own: readonly JournalRecord[], isWanted: Judge): Promise<Restored | undefined> {
  let text = now;
  let expected = own.at(-1)?.entry;
  for (const { splice, entry, previous, before, folders } of own.toReversed().slice(0, mostSteps)) {
    const picked = isDeepStrictEqual(entry, expected) ? takenBackElsewhere(splice, text) : undefined;
    if (picked === undefined) return undefined;
    [text, expected] = [picked, previous];
    if (previous !== undefined) continue;
    if (!(await isWanted(text))) return undefined;
    return text === '' && before === undefined ? { text: undefined, folders } : { text, folders: [] };
  }
  return undefined;
}

/** Undefined where the text is not what the change has left. */
function stepBack(now: string | undefined, { splice, before, after }: JournalRecord): Pick<Restored, 'text'> | undefined {
  if (digestOf(now) !== after) return undefined;
  const text = before === undefined ? undefined : takenBack(now ?? '', splice);
  return digestOf(text) === before ? { text } : undefined;
}

function conflict({ name, file, entry }: JournalRecord, present: unknown): Refusal {
  const shown = (value: unknown): string => (value === undefined ? 'nothing' : JSON.stringify(withoutSecrets(value)));
  const [was, is] = [shown(entry), shown(present)];
  const why = was === is ? 'only a secret in it differs' : `it was ${was}, and is ${is}`;
  return new Refusal('conflict', `"${name}" in ${file} has been changed since: ${why}`, {
    hint: `Change it by hand, or take it out: vivarium remove ${name}`,
  });
}
