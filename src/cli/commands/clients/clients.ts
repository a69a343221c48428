// vivarium clients: which clients are here, which files they read, which servers they have, and which of those cannot work.
import type { ClientRow, Folders } from '../../../install/client.ts';
import { clients as rows, scopes } from '../../../install/clients.ts';
import { fileOf, foldersOf, installedBy } from '../../../install/folders.ts';
import { Journal } from '../../../install/journal.ts';
import { repair } from '../../../install/repair.ts';
import { type Arguments, type Command, CommandError, exitCodes, resultFlags } from '../../args/command.ts';
import { visible } from '../../terminal/confirm.ts';
import { printable } from '../../terminal/terminal.ts';
import { shortPath } from '../add/destinations.ts';
import { show } from '../add/finish.ts';
import { type ListedFile, readListed } from './listed-servers.ts';

interface ListedClient {
  readonly id: string;
  readonly name: string;
  readonly installed: string | undefined;
  readonly files: readonly ListedFile[];
}

export const clients: Command = {
  name: 'clients',
  summary: 'List the clients on this machine, their files and servers, and which of those are broken',
  usage: 'clients [options]',
  flags: {
    all: { type: 'boolean', help: 'Also clients that are not installed' },
    repair: { type: 'boolean', help: 'Clean up what an interrupted add or remove has left' },
    ...resultFlags,
  },
  examples: [
    ['vivarium clients', 'who would read which file'],
    ['vivarium clients --repair', 'after a command was killed or the power went'],
  ],
  async run(args) {
    if (args.positionals.length > 0)
      throw new CommandError(exitCodes.usage, `clients takes no argument, not ${args.positionals.join(' ')}`);
    if (args.values['repair'] === true) {
      const journal = new Journal();
      return journal.exclusively(() => repaired(args, journal));
    }
    const folders = foldersOf(process.cwd());
    const found = await Promise.all(rows.map((client) => listed(client, folders)));
    const shown =
      args.values['all'] === true ? found : found.filter(({ installed, files }) => installed !== undefined || files.some(hasFile));
    show(
      args,
      shown,
      shown.length === 0 ? ['No client was found on this machine; --all lists those that are known'] : shown.flatMap(linesOf),
    );
    return exitCodes.ok;
  },
};

async function repaired(args: Arguments, journal: Journal): Promise<number> {
  const repairs = await repair(journal);
  const lines = repairs.map(({ record: { name, file, entry }, made, draft, problem }) => {
    const what = `${entry === undefined ? 'removing' : 'adding'} "${visible(name)}" in ${shortPath(file)}`;
    if (problem !== undefined) return `Interrupted ${what}: left as it is. ${problem}`;
    return `Interrupted ${what}: it was ${made ? 'done' : 'not done'}${draft === undefined ? '' : `; removed ${draft}`}`;
  });
  show(
    args,
    repairs.map(({ record: { name, file }, made, draft, problem }) => ({ name, file, made, draft, problem })),
    lines.length === 0 ? ['There is nothing to repair'] : lines,
  );
  return repairs.some(({ problem }) => problem !== undefined) ? exitCodes.failed : exitCodes.ok;
}

async function listed(client: ClientRow, folders: Folders): Promise<ListedClient> {
  const files = scopes.flatMap((scope) => {
    const file = fileOf(client, scope, folders);
    return file === undefined ? [] : [readListed(client, scope, file)];
  });
  const all = (await Promise.all(files)).filter(({ scope, servers }) => scope !== 'local' || servers.length > 0);
  return { id: client.id, name: client.name, installed: installedBy(client, folders), files: all };
}

function linesOf({ id, name, installed, files }: ListedClient): string[] {
  return [
    printable(`${name} (${id})${installed === undefined ? ', not installed' : ''}`),
    ...files.flatMap(({ scope, file, exists, problem, servers, more }) => [
      printable(`  ${scope.padEnd(8)} ${shortPath(file)}${exists ? '' : ' (no file)'}${problem === undefined ? '' : `: ${problem}`}`),
      ...servers.map(
        (one) =>
          `    ${visible(one.name)}  ${printable(one.target)}${one.problem === undefined ? '' : `  BROKEN: ${printable(one.problem)}`}`,
      ),
      ...(more === undefined ? [] : [`    and ${more} more`]),
    ]),
  ];
}

function hasFile({ exists }: ListedFile): boolean {
  return exists;
}
