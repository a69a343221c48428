// The client's own command, where it is installed and can say the whole entry: it knows its files better than we do.
import { spawn } from 'node:child_process';
import { isDeepStrictEqual } from 'node:util';
import { systemProgram } from '../node/system-program.ts';
import { withoutSecrets } from '../text/secret-entries.ts';
import { type Applied, backedUp, type Change, type Plan, placeOf, recorded, recordOf, type Terms } from './change.ts';
import type { InstalledServer } from './client.ts';
import { changed, readConfigFile } from './config-file.ts';
import { changedBeside, readServers } from './edit/edit.ts';
import { Refusal } from './edit/refusal.ts';
import type { Journal } from './journal.ts';

const longestMs = 120_000;
const mostOutput = 4_000;
/** So long what it has said may be on its way once it has ended. */
const pipesMs = 1_000;

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
  const { name, file, entry } = plan.change;
  const place = placeOf(plan.change);
  const { text: before } = readConfigFile(file);
  const present = (await readServers(before ?? '', place)).get(name);
  if (!isDeepStrictEqual(present, plan.previous)) throw changed(file);
  const id = journal.newId();
  const backup = before === undefined ? undefined : backedUp(journal, id, before);
  const said = await run(command);
  const { text } = readConfigFile(file);
  const failed = (why: string): Refusal => {
    // What was there before stays in the journal only where it is needed.
    if (text === before) journal.discard(id);
    const kept = text === before ? 'The file is as it was' : `${file} is not as it was. Before: ${backup ?? 'there was no file'}`;
    const output = `It said: ${withoutSecretText(said.output.trim()) || 'nothing'}`;
    return new Refusal('unproven', `${command[0]} ${why}`, { hint: `${kept}\n${output}\nTo edit the file instead, pass --edit` });
  };
  if (said.code !== 0) throw failed(said.code === null ? 'did not end by itself' : `ended with ${said.code}`);
  const found = await readServers(text ?? '', place).then(
    (servers) => servers.get(name),
    () => {
      throw failed('has left a file that cannot be read');
    },
  );
  if (entry === undefined && found !== undefined) throw failed(`ended well, and "${name}" is still in ${file}`);
  if (entry !== undefined && found === undefined) throw failed(`ended well, and "${name}" is not in ${file}`);
  if (entry !== undefined && !startsTheSame(found, entry)) throw failed(`ended well, and wrote something else than "${name}" as asked`);
  const beside = await changedBeside(before ?? '', text ?? '', place, name);
  const record = recordOf(plan, { id, batch, by: 'command', state: 'done', entry: found, before, after: text, folders: [] });
  recorded(journal, record);
  return { record, backup, retried: false, overwrote: false, beside };
}

/** What decides which server is started or reached; a client may add settings of its own. */
function startsTheSame(found: unknown, entry: object): boolean {
  const parts = ['command', 'args', 'url', 'env', 'headers', 'cwd'];
  const said = (one: unknown, part: string): unknown => {
    const value: unknown = Reflect.get(Object(one), part);
    // An empty list says what none says.
    return typeof value === 'object' && Object.keys(value ?? {}).length === 0 ? undefined : value;
  };
  return parts.every((part) => isDeepStrictEqual(said(found, part), said(entry, part)));
}

function withoutSecretText(text: string): string {
  return String(withoutSecrets(text));
}

/** Whether the command wrote what we would have written. */
export function wroteAsAsked({ record }: Applied, entry: object | undefined): boolean {
  return entry === undefined || isDeepStrictEqual(record.entry, entry);
}

function run([program = '', ...args]: readonly string[]): Promise<{ readonly code: number | null; readonly output: string }> {
  const child = spawn(program, args, { stdio: ['ignore', 'pipe', 'pipe'], timeout: longestMs, killSignal: 'SIGKILL', windowsHide: true });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text: string) => {
      if (output.length < mostOutput) output += text.slice(0, mostOutput);
    });
  }
  return new Promise((resolve, reject) => {
    child.once('error', (cause) => reject(new Refusal('unreadable', `${program} could not be started: ${cause.message}`, { cause })));
    // A process of its own may keep the pipes open for ever.
    child.once('exit', (code) => {
      const done = (): void => {
        for (const stream of [child.stdout, child.stderr]) stream.destroy();
        resolve({ code, output });
      };
      const timer = setTimeout(done, pipesMs);
      child.once('close', () => {
        clearTimeout(timer);
        done();
      });
    });
  });
}
