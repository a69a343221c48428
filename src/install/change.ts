// A change of one entry in one file: planned as text, then written, watched for a moment and recorded.

import { setTimeout as pause } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import { type ClientRow, pathFor, type Scope } from './client.ts';
import { type ConfigFile, changed, digestOf, foldersMissing, readConfigFile, removeFolders, writeConfigFile } from './config-file.ts';
import { addServer, type Extra, extrasIn, type Place, readServers } from './edit/edit.ts';
import { orRefuse, Refusal } from './edit/refusal.ts';
import type { Journal, JournalRecord } from './journal.ts';
import { spliceOf } from './splice.ts';
import { isAbout, takeBack, withoutEntry } from './take-back.ts';

export interface Change {
  readonly client: ClientRow;
  readonly scope: Scope;
  readonly file: string;
  readonly name: string;
  /** Of its servers, where the client's table does not say it. */
  readonly path?: readonly string[];
  /** Undefined removes it. */
  readonly entry: object | undefined;
  readonly extras?: readonly Extra[];
  readonly replace?: boolean;
  /** It holds a secret in clear text: a file that is made for it is for its owner only. */
  readonly isPrivate?: boolean;
  readonly tools?: readonly string[];
}

export interface Plan {
  readonly change: Change;
  readonly config: ConfigFile;
  /** Undefined: there will be no file. */
  readonly after: string | undefined;
  readonly previous: unknown;
  /** That were made for a file which is removed. */
  readonly folders?: readonly string[];
  /** Put beside the entry, and taken away with it. */
  readonly extras?: readonly Extra[];
  readonly dropped?: readonly Extra[];
  /** Who put the entry there that is removed, as far as the journal knows. */
  readonly made?: JournalRecord;
  /** The record of the change that this one takes back. */
  readonly undoes?: JournalRecord;
}

export interface Applied {
  readonly record: JournalRecord;
  readonly backup: string | undefined;
  /** Another program took our entry away meanwhile, and it was put there again. */
  readonly retried: boolean;
  /** Another program's change was replaced by ours, and could not be kept. */
  readonly overwrote: boolean;
  /** What else the client's own command has changed in the file, by name. */
  readonly beside?: readonly string[];
}

export interface Terms {
  readonly batch: string;
  /** So long the file is watched for a program that writes what it has read before. */
  readonly settleMs?: number;
}

const usualSettleMs = 250;
/** So often another program may write while we prepare; nothing of ours is written then. */
const mostBeaten = 8;
/** A file that is just being written is empty or ends too early. */
const readings = 4;
const readingMs = 60;

export async function planChange(change: Change, journal: Journal): Promise<Plan> {
  return settled(change, async (config) => planOn(config, change, journal));
}

async function planOn(config: ConfigFile, change: Change, journal: Journal): Promise<Plan> {
  const place = placeOf(change);
  const before = config.text ?? '';
  const previous = (await readServers(before, place)).get(change.name);
  if (change.entry === undefined) {
    if (previous === undefined) throw new Refusal('missing', `There is no server called "${change.name}" in ${change.file}`);
    const past = journal.past(change.file);
    const { text: after, folders } = await withoutEntry(before, place, change.name, past);
    const own = past.filter(isAbout(place, change.name));
    const extras = own.flatMap((record) => record.extras ?? []);
    const dropped = await extrasOnlyIn(before, after ?? '', place, extras);
    const made = own.findLast(({ entry }) => isDeepStrictEqual(entry, previous));
    return { change, config, previous, after, folders, dropped, ...(made !== undefined && { made }) };
  }
  const { replace = false, extras = [] } = change;
  const after = await addServer(before, place, change.name, change.entry, { replace, extras });
  return { change, config, previous, after, extras: await extrasOnlyIn(after, before, place, extras) };
}

/** Those that are in `one` and not in `other`. */
async function extrasOnlyIn(one: string, other: string, place: Place, extras: readonly Extra[]): Promise<readonly Extra[]> {
  const there = await extrasIn(other, place, extras);
  return (await extrasIn(one, place, extras)).filter((extra) => !there.includes(extra));
}

/** Takes back what a record says, and keeps what others have changed since. */
export async function planUndo(record: JournalRecord, client: ClientRow, journal: Journal): Promise<Plan> {
  const { scope, file, name, previous, entry } = record;
  const { path } = record.place;
  const change: Change = { client, scope, file, name, path, entry: previous as object | undefined, replace: true };
  return settled(change, async (config) => {
    const isGone = config.text === undefined && record.after !== undefined;
    const { text: after, folders } = isGone ? { text: undefined, folders: [] } : await takeBack(config.text, record, journal.past(file));
    return { change, config, previous: entry, after, folders, undoes: record };
  });
}

export function changesNothing({ config, after }: Plan): boolean {
  return config.text === after;
}

/** Refuses with `changed` where another program keeps writing the file. */
export async function applyPlan(plan: Plan, journal: Journal, terms: Terms): Promise<Applied> {
  let current = plan;
  let [retried, overwrote] = [false, false];
  for (let beaten = 0; ; ) {
    let record: JournalRecord;
    let stray: string | undefined;
    try {
      const written = await write(current, journal, terms);
      record = written.record;
      overwrote ||= written.overwrote;
      await pause(terms.settleMs ?? usualSettleMs);
      stray = written.strayText();
      written.close();
    } catch (error) {
      if (!(error instanceof Refusal) || error.reason !== 'changed' || ++beaten > mostBeaten) throw error;
      current = await again(plan, journal);
      continue;
    }
    const kept = stray === undefined && (await isThere(plan.change));
    if (kept) return { record, backup: record.before === undefined ? undefined : journal.backupOf(record.id), retried, overwrote };
    journal.drop(record);
    if (retried) throw changed(plan.change.file);
    retried = true;
    // What a program wrote into the file that we replaced is what it wants there.
    current = stray === undefined || stray.trim() === '' ? await again(plan, journal) : await onStray(plan, stray, journal);
  }
}

async function again(plan: Plan, journal: Journal): Promise<Plan> {
  const { change, undoes } = plan;
  return asAgreed(undoes === undefined ? await planChange(change, journal) : await planUndo(undoes, change.client, journal), plan);
}

/** Somebody has seen what would be replaced or removed: anything else there is not ours to touch. */
function asAgreed(now: Plan, { previous, change }: Plan): Plan {
  if (isDeepStrictEqual(now.previous, previous)) return now;
  throw new Refusal('conflict', `Another program has changed "${change.name}" in ${change.file} meanwhile`, {
    hint: 'Look at the file, then try again',
  });
}

async function onStray(plan: Plan, stray: string, journal: Journal): Promise<Plan> {
  const now = readConfigFile(plan.change.file);
  return { ...asAgreed(await planOn({ ...now, text: stray }, plan.change, journal), plan), config: now };
}

async function write(
  plan: Plan,
  journal: Journal,
  { batch }: Terms,
): Promise<{ record: JournalRecord; overwrote: boolean; strayText(): string | undefined; close(): void }> {
  const { change, config, after } = plan;
  const { scope, entry } = change;
  const id = journal.newId();
  if (config.text !== undefined) backedUp(journal, id, config.text);
  const folders = after === undefined ? (plan.folders ?? []) : foldersMissing(config.target);
  let record: JournalRecord = recordOf(plan, { id, batch, by: 'edit', state: 'planned', entry, before: config.text, after, folders });
  recorded(journal, record);
  try {
    const written = await writeConfigFile(config, after, {
      mode: scope !== 'project' || change.isPrivate === true ? 0o600 : 0o666,
      onDraft: (draft) => {
        record = { ...record, draft };
        journal.put(record);
      },
    });
    if (after === undefined) removeFolders(record.folders);
    const { draft: _, ...done } = record;
    record = { ...done, state: 'done' };
    journal.put(record);
    return { ...written, record };
  } catch (error) {
    if (after !== undefined) removeFolders(record.folders);
    journal.drop(record);
    throw error;
  }
}

async function isThere(change: Change): Promise<boolean> {
  return settled(change, async (config) => {
    const found = (await readServers(config.text ?? '', placeOf(change))).get(change.name);
    return isDeepStrictEqual(found, change.entry);
  }).catch(() => false);
}

/** Read again where it seems damaged or empty: somebody may be at it. */
async function settled<T>({ file }: Change, work: (config: ConfigFile) => Promise<T>): Promise<T> {
  for (let reading = 1; ; reading++) {
    try {
      const config = readConfigFile(file);
      if (config.text === undefined || config.text.trim() !== '' || reading >= readings) return await work(config);
    } catch (error) {
      const isPassing = error instanceof Refusal && error.reason === 'damaged';
      if (!isPassing || reading >= readings) throw located(error, file);
    }
    await pause(readingMs);
  }
}

function located(error: unknown, file: string): unknown {
  if (!(error instanceof Refusal) || error.message.includes(file)) return error;
  const { reason, message, hint } = error;
  return new Refusal(reason, `${file} is left as it is: ${message}`, { cause: error, ...(hint !== undefined && { hint }) });
}

/** Without a journal nothing could be taken back: nothing is written then. */
export function recorded(journal: Journal, record: JournalRecord): void {
  orRefuse('The journal cannot be written', () => journal.put(record));
}

export function backedUp(journal: Journal, id: string, text: string): string {
  return orRefuse('The journal cannot be written', () => journal.backUp(id, text));
}

interface Done extends Pick<JournalRecord, 'id' | 'batch' | 'by' | 'state' | 'entry' | 'folders'> {
  /** The texts of the file; undefined where there was, or is, none. */
  readonly before: string | undefined;
  readonly after: string | undefined;
}

/** What a change does to its file, for the journal. */
export function recordOf(
  { change, previous, extras = [], dropped = [], undoes }: Plan,
  { before, after, entry, ...how }: Done,
): JournalRecord {
  const { client, scope, name, file, tools } = change;
  return {
    version: 1,
    ...how,
    at: new Date().toISOString(),
    client: client.id,
    scope,
    name,
    file,
    place: placeOf(change),
    ...(previous !== undefined && { previous }),
    ...(entry !== undefined && { entry }),
    before: digestOf(before),
    after: digestOf(after),
    splice: spliceOf(before ?? '', after ?? ''),
    ...(tools !== undefined && { tools }),
    ...(extras.length > 0 && { extras }),
    ...(dropped.length > 0 && { dropped }),
    ...(undoes !== undefined && { undo: true, undoes: undoes.id }),
  };
}

export function placeOf({ client, scope, path }: Change): Place {
  return { format: client.format, path: path ?? pathFor(client, scope, process.cwd()) };
}
