// A change of one entry in one file: planned as text, then written, watched for a moment and recorded.

import { setTimeout as pause } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import type { ClientRow, Scope } from './client.ts';
import { type ConfigFile, changed, digestOf, foldersMissing, readConfigFile, removeFolders, writeConfigFile } from './config-file.ts';
import { addServer, type Extra, type Place, readServers, removeServer } from './edit/edit.ts';
import { Refusal } from './edit/refusal.ts';
import type { Journal, JournalRecord } from './journal.ts';
import { spliceOf } from './splice.ts';
import { takeBack } from './take-back.ts';

export interface Change {
  readonly client: ClientRow;
  readonly scope: Scope;
  readonly file: string;
  readonly name: string;
  /** Undefined removes it. */
  readonly entry: object | undefined;
  readonly extras?: readonly Extra[];
  readonly replace?: boolean;
  readonly tools?: readonly string[];
}

export interface Plan {
  readonly change: Change;
  readonly config: ConfigFile;
  /** Undefined: there will be no file. */
  readonly after: string | undefined;
  readonly previous: unknown;
  /** The record of the change that this one takes back. */
  readonly undoes?: JournalRecord;
  readonly undo?: true;
}

export interface Applied {
  readonly record: JournalRecord;
  readonly backup: string | undefined;
  /** Another program took our entry away meanwhile, and it was put there again. */
  readonly retried: boolean;
  /** Another program's change was replaced by ours, and could not be kept. */
  readonly overwrote: boolean;
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
    const made = latest(journal, change);
    if (previous === undefined) throw new Refusal('missing', `There is no server called "${change.name}" in ${change.file}`);
    if (made === undefined || !isDeepStrictEqual(made.entry, previous))
      return { change, config, previous, after: await removeServer(before, place, change.name) };
    return { change, config, previous, after: await takeBack(before, made), undoes: made };
  }
  const { replace = false, extras = [] } = change;
  const after = await addServer(before, place, change.name, change.entry, { replace, extras });
  return { change, config, previous, after: config.text === undefined || after !== before ? after : config.text };
}

/** Takes back what a record says, and keeps what others have changed since. */
export async function planUndo(record: JournalRecord, client: ClientRow): Promise<Plan> {
  const { scope, file, name, previous, entry } = record;
  const change: Change = { client, scope, file, name, entry: previous as object | undefined, replace: true };
  return settled(change, async (config) => {
    const after = config.text === undefined && record.after !== undefined ? undefined : await takeBack(config.text ?? '', record);
    return { change, config, previous: entry, after, undoes: record, undo: true };
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

function again({ change, undo, undoes }: Plan, journal: Journal): Promise<Plan> {
  return undo === true && undoes !== undefined ? planUndo(undoes, change.client) : planChange(change, journal);
}

async function onStray(plan: Plan, stray: string, journal: Journal): Promise<Plan> {
  const now = readConfigFile(plan.change.file);
  const { after, previous } = await planOn({ ...now, text: stray }, plan.change, journal);
  return { ...plan, config: now, after, previous };
}

async function write(
  { change, config, after, previous, undoes, undo }: Plan,
  journal: Journal,
  { batch }: Terms,
): Promise<{ record: JournalRecord; overwrote: boolean; strayText(): string | undefined; close(): void }> {
  const { client, scope, name, file, entry, tools } = change;
  const id = journal.newId();
  if (config.text !== undefined) journal.backUp(id, config.text);
  let record: JournalRecord = {
    version: 1,
    id,
    batch,
    at: new Date().toISOString(),
    state: 'planned',
    by: 'edit',
    client: client.id,
    scope,
    name,
    file,
    place: placeOf(change),
    ...(previous !== undefined && { previous }),
    ...(entry !== undefined && { entry }),
    before: digestOf(config.text),
    after: digestOf(after),
    splice: spliceOf(config.text ?? '', after ?? ''),
    folders: after === undefined ? (undoes?.folders ?? []) : foldersMissing(config.target),
    ...(tools !== undefined && { tools }),
    ...(undo !== undefined && { undo }),
  };
  journal.put(record);
  try {
    const written = await writeConfigFile(config, after, {
      mode: scope === 'user' ? 0o600 : 0o644,
      onDraft: (draft) => {
        record = { ...record, draft };
        journal.put(record);
      },
    });
    if (after === undefined) removeFolders(record.folders);
    const { draft: _, ...done } = record;
    record = { ...done, state: 'done' };
    journal.put(record);
    if (undoes !== undefined) journal.put({ ...undoes, state: 'undone' });
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

/** The newest change that put the entry there and has not been taken back. */
function latest(journal: Journal, { file, name }: Change): JournalRecord | undefined {
  const last = journal.records().findLast((one) => one.file === file && one.name === name && one.state === 'done');
  return last?.entry === undefined ? undefined : last;
}

function placeOf({ client }: Change): Place {
  return { format: client.format, path: client.path };
}
