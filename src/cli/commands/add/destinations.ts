// Which clients a command line means, and which file of each.
import { homedir } from 'node:os';
import { relative } from 'node:path';
import { type ClientRow, type Folders, pathFor, type Scope } from '../../../install/client.ts';
import { clientById, clients, scopes } from '../../../install/clients.ts';
import { readServers } from '../../../install/edit/edit.ts';
import { Refusal } from '../../../install/edit/refusal.ts';
import { fileOf, foldersOf, installedBy } from '../../../install/folders.ts';
import { readSettings } from '../../../install/read-settings.ts';
import { near } from '../../../text/did-you-mean.ts';
import { type Arguments, CommandError, exitCodes, type Flag } from '../../args/command.ts';
import { list } from '../../args/flag-values.ts';

export interface Destination {
  readonly client: ClientRow;
  readonly scope: Scope;
  readonly file: string;
}

export const clientFlags: Readonly<Record<string, Flag>> = {
  client: {
    type: 'string',
    short: 'c',
    value: 'id',
    multiple: true,
    help: 'A client: claude-code, cursor, codex, … (vivarium clients lists them)',
  },
  all: { type: 'boolean', help: 'Every client that is installed' },
  scope: {
    type: 'string',
    value: 'project|user|local',
    help: 'For this folder, for all of yours, or for you in this folder (Claude Code); default: project, where the client has such a file',
  },
};

export function destinationsOf(args: Arguments, folders: Folders = foldersOf(process.cwd())): Destination[] {
  const scope = scopeOf(args);
  const chosen = chosenClients(args, folders);
  const found = chosen.map((client) => destinationOf(client, scope, folders, args.values['all'] === true));
  const there = found.filter((one) => one !== undefined);
  if (there.length > 0) return there;
  throw new CommandError(exitCodes.usage, `No client that was chosen has a file for the scope ${scope}`);
}

/** Of whatever clients: for what is looked for rather than written. */
export function everyDestination(args: Arguments, folders: Folders = foldersOf(process.cwd())): Destination[] {
  const asked = scopeOf(args);
  const rows = (args.lists['client'] ?? []).length > 0 ? chosenClients(args, folders) : clients;
  return allOf(rows, folders).filter(({ scope }) => asked === undefined || scope === asked);
}

function allOf(rows: readonly ClientRow[], folders: Folders): Destination[] {
  return rows.flatMap((client) =>
    scopes.flatMap((scope) => {
      const file = fileOf(client, scope, folders);
      return file === undefined ? [] : [{ client, scope, file }];
    }),
  );
}

/** Files of any client that have a server of that name; those that cannot be read are passed over. */
export async function filesWith(name: string, folders: Folders = foldersOf(process.cwd())): Promise<Destination[]> {
  const found: Destination[] = [];
  for (const one of allOf(clients, folders)) {
    try {
      const text = readSettings(one.file) ?? '';
      const path = pathFor(one.client, one.scope, folders.project);
      const isKnown = found.some(({ file, scope }) => file === one.file && scope === one.scope);
      if (!isKnown && (await readServers(text, { format: one.client.format, path })).has(name)) found.push(one);
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
    }
  }
  return found;
}

function destinationOf(client: ClientRow, asked: Scope | undefined, folders: Folders, lenient: boolean): Destination | undefined {
  // A home folder is no project: its files would be everybody's.
  const usual: Scope = client.files.project === undefined || folders.project === homedir() ? 'user' : 'project';
  const scope = asked ?? usual;
  const file = fileOf(client, scope, folders);
  if (file !== undefined) return { client, scope, file };
  if (lenient) return undefined;
  throw new CommandError(exitCodes.usage, `${client.name} has no file for the scope ${scope}`, {
    hint: `It has ${scopes
      .filter((one) => client.files[one] !== undefined)
      .map((one) => `--scope ${one}`)
      .join(', ')}`,
  });
}

function chosenClients(args: Arguments, folders: Folders): ClientRow[] {
  const ids = (args.lists['client'] ?? []).flatMap(list);
  if (ids.length > 0) return [...new Set(ids)].map(known);
  const installed = clients.filter((client) => installedBy(client, folders) !== undefined);
  const names = installed.map(({ id }) => id).join(', ');
  if (installed.length === 0)
    throw new CommandError(exitCodes.usage, 'No client was found on this machine', {
      hint: 'Name one with --client; vivarium clients --all lists them',
    });
  if (args.values['all'] === true || installed.length === 1) return installed;
  throw new CommandError(exitCodes.usage, `Which client? Installed are ${names}`, { hint: `--client ${installed[0]?.id}, or --all` });
}

function known(id: string): ClientRow {
  const client = clientById(id);
  if (client !== undefined) return client;
  const ids = clients.map((one) => one.id);
  const meant = ids.find((one) => id.length > 2 && one.startsWith(id)) ?? near(id, ids);
  throw new CommandError(exitCodes.usage, `There is no client ${id}`, {
    hint: meant === undefined ? `There are ${ids.join(', ')}` : `Did you mean ${meant}?`,
  });
}

function scopeOf({ values }: Arguments): Scope | undefined {
  const { scope } = values;
  if (scope === undefined || scopes.includes(scope as Scope)) return scope as Scope | undefined;
  throw new CommandError(exitCodes.usage, `--scope takes ${scopes.join(', ')}, not ${String(scope)}`);
}

/** As a person would write it: from the project, or from home. */
export function shortPath(file: string): string {
  const near = relative(process.cwd(), file);
  if (!near.startsWith('..')) return near;
  const own = relative(homedir(), file);
  return own.startsWith('..') ? file : `~/${own}`;
}
