// The servers of one file: found without starting anything.
import { type ClientRow, pathFor, type Scope } from '../../../install/client.ts';
import { readServers } from '../../../install/edit/edit.ts';
import { Refusal } from '../../../install/edit/refusal.ts';
import { readSettings } from '../../../install/read-settings.ts';
import { CommandError } from '../../args/command.ts';
import { entryOf } from '../../target/client-config.ts';
import { quote } from '../../terminal/terminal.ts';
import { maskText } from '../record/masking.ts';
import { problemOf } from './server-problem.ts';

export interface ListedServer {
  readonly name: string;
  readonly target: string;
  readonly problem?: string;
}

export interface ListedFile {
  /** `local`: in the user's file, for this repository only. */
  readonly scope: Scope;
  readonly file: string;
  readonly exists: boolean;
  readonly problem?: string;
  readonly servers: readonly ListedServer[];
  /** So many more are in it. */
  readonly more?: number;
}

/** Nobody reads on. */
const mostServers = 1_000;
/** Members of an extension of Goose that runs within it, which has no command. */
const builtIn: ReadonlySet<unknown> = new Set(['builtin', 'platform', 'frontend', 'inline_python']);

export async function readListed(client: ClientRow, scope: Scope, file: string): Promise<ListedFile> {
  const common = { scope, file };
  try {
    const text = readSettings(file);
    if (text === undefined) return { ...common, exists: false, servers: [] };
    const path = pathFor(client, scope, process.cwd());
    const all = [...(await readServers(text, { format: client.format, path }))];
    const shown = all.slice(0, mostServers).flatMap(([name, raw]) => listedServer(name, raw, file, client, scope !== 'user'));
    return { ...common, exists: true, servers: shown, ...(all.length > mostServers && { more: all.length - mostServers }) };
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    return { ...common, exists: true, problem: error.message, servers: [] };
  }
}

function listedServer(name: string, raw: unknown, file: string, client: ClientRow, isHere: boolean): ListedServer[] {
  const type = (raw as { readonly type?: unknown } | null)?.type;
  if (builtIn.has(type)) return [];
  try {
    const entry = entryOf(name, raw, file);
    const problem = problemOf(entry, raw, client, isHere ? process.cwd() : undefined);
    const target = 'url' in entry ? entry.url : [entry.command, ...entry.args].map(quote).join(' ');
    return [{ name, target: maskText(target), ...(problem !== undefined && { problem }) }];
  } catch (error) {
    if (!(error instanceof CommandError)) throw error;
    return [{ name, target: '', problem: error.message }];
  }
}
