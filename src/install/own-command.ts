// The client's own command, where it is installed and can say the whole entry: it knows its files better than we do.
import { spawn } from 'node:child_process';
import { isDeepStrictEqual } from 'node:util';
import { systemProgram } from '../node/system-program.ts';
import type { Applied, Change, Plan, Terms } from './change.ts';
import type { InstalledServer } from './client.ts';
import { digestOf, readConfigFile } from './config-file.ts';
import { readServers } from './edit/edit.ts';
import { Refusal } from './edit/refusal.ts';
import type { Journal, JournalRecord } from './journal.ts';
import { spliceOf } from './splice.ts';

const longestMs = 120_000;
const mostOutput = 4_000;

/** Program and arguments; undefined where the file is edited. */
export function ownCommand(
  { client, scope, name, entry }: Change,
  server: InstalledServer | undefined,
  project: string,
  path: string = process.env['PATH'] ?? '',
): readonly string[] | undefined {
  const own = client.own?.[scope];
  const program = own && systemProgram(own.program, project, path);
  if (own === undefined || program === undefined) return undefined;
  const args = entry === undefined ? own.remove?.(name) : server && own.add(name, entry, server);
  return args === undefined ? undefined : [program, ...args];
}

/** Runs it and reads the file again: what counts is what is there afterwards. */
export async function applyByCommand(plan: Plan, command: readonly string[], journal: Journal, { batch }: Terms): Promise<Applied> {
  const { client, scope, name, file, entry, tools } = plan.change;
  const before = plan.config.text;
  const id = journal.newId();
  const backup = before === undefined ? undefined : journal.backUp(id, before);
  const said = await run(command);
  const { text } = readConfigFile(file);
  const place = { format: client.format, path: client.path };
  const found = (await readServers(text ?? '', place)).get(name);
  if ((found === undefined) !== (entry === undefined)) {
    throw new Refusal(
      'unproven',
      `${command[0]} ended with ${said.code}, and "${name}" is ${found === undefined ? 'not' : 'still'} in ${file}`,
      {
        hint: `It said: ${said.output.trim() || 'nothing'}\nTo edit the file instead, pass --edit`,
      },
    );
  }
  const record: JournalRecord = {
    version: 1,
    id,
    batch,
    at: new Date().toISOString(),
    state: 'done',
    by: 'command',
    client: client.id,
    scope,
    name,
    file,
    place,
    ...(plan.previous !== undefined && { previous: plan.previous }),
    ...(found !== undefined && { entry: found }),
    before: digestOf(before),
    after: digestOf(text),
    splice: spliceOf(before ?? '', text ?? ''),
    folders: [],
    ...(tools !== undefined && { tools }),
    ...(plan.undo !== undefined && { undo: plan.undo }),
  };
  journal.put(record);
  if (plan.undoes !== undefined) journal.put({ ...plan.undoes, state: 'undone' });
  return { record, backup, retried: false, overwrote: false };
}

/** Whether the command wrote what we would have written. */
export function wroteAsAsked({ record }: Applied, entry: object | undefined): boolean {
  return entry === undefined || isDeepStrictEqual(record.entry, entry);
}

function run([program = '', ...args]: readonly string[]): Promise<{ readonly code: number | null; readonly output: string }> {
  const child = spawn(program, args, { stdio: ['ignore', 'pipe', 'pipe'], timeout: longestMs, windowsHide: true });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text: string) => {
      if (output.length < mostOutput) output += text.slice(0, mostOutput);
    });
  }
  return new Promise((resolve, reject) => {
    child.once('error', (cause) => reject(new Refusal('unreadable', `${program} could not be started: ${cause.message}`, { cause })));
    child.once('close', (code) => resolve({ code, output }));
  });
}
