// vivarium remove: a server taken out of the configuration of clients; what add has changed is restored byte for byte.
import { type Plan, planChange } from '../../../install/change.ts';
import { Refusal } from '../../../install/edit/refusal.ts';
import { Journal } from '../../../install/journal.ts';
import { ownCommand } from '../../../install/own-command.ts';
import { type Command, CommandError, exitCodes, resultFlags } from '../../args/command.ts';
import { visible } from '../../terminal/confirm.ts';
import { printable } from '../../terminal/terminal.ts';
import { clientFlags, everyDestination, filesWith, shortPath } from '../add/destinations.ts';
import { finish } from '../add/finish.ts';
import { added } from '../add/history.ts';
import type { PlannedChange } from '../add/report.ts';

export const remove: Command = {
  name: 'remove',
  summary: 'Remove a server from the clients that have it',
  usage: 'remove <name> [options]',
  flags: {
    client: clientFlags['client'] as (typeof clientFlags)[string],
    scope: { ...(clientFlags['scope'] as (typeof clientFlags)[string]), help: 'Of this folder, or of all of yours (default: both)' },
    'dry-run': { type: 'boolean', help: 'Show what would be removed, and write nothing' },
    edit: { type: 'boolean', help: "Edit the file even where the client's own command is installed" },
    yes: { type: 'boolean', short: 'y', help: 'Remove it without asking' },
    ...resultFlags,
  },
  examples: [
    ['vivarium remove notes', 'from every client that has it'],
    ['vivarium remove notes --client cursor --scope user', 'from one file'],
  ],
  async run(args) {
    const [name, ...more] = args.positionals;
    if (name === undefined || more.length > 0)
      throw new CommandError(exitCodes.usage, 'remove takes one name', { hint: 'vivarium clients lists the servers of every client' });
    const journal = new Journal();
    const changes: PlannedChange[] = [];
    const warned = new Set<string>();
    for (const { client, scope, file } of everyDestination(args)) {
      const first = changes.findIndex(({ plan }) => plan.change.file === file && plan.change.scope === scope);
      const earlier = changes[first];
      if (earlier !== undefined) {
        changes[first] = { ...earlier, shared: [...earlier.shared, client.name] };
        continue;
      }
      const plan = await planned({ client, scope, file, name, entry: undefined }, journal, warned);
      if (plan === undefined) continue;
      const useCommand = args.values['edit'] !== true && plan.made?.by !== 'edit';
      changes.push({ plan, command: useCommand ? ownCommand(plan.change, undefined, process.cwd()) : undefined, notes: [], shared: [] });
    }
    // The folder that was made first is empty last.
    if (changes.length > 0) return finish(args, changes.reverse(), journal, 'Remove it?');
    const holders = await holdersOf(name, journal);
    const who = args.lists['client'] === undefined && args.values['scope'] === undefined ? 'No client' : 'No client that was chosen';
    throw new CommandError(exitCodes.failed, `${who} has a server called "${visible(name)}"`, {
      hint: holders.length === 0 ? 'vivarium clients lists the servers of every client' : `It is in ${holders.join(', ')}`,
    });
  },
};

/** Files of other clients and scopes that have it, and files elsewhere that it was added to. */
async function holdersOf(name: string, journal: Journal): Promise<string[]> {
  const here = await filesWith(name);
  const elsewhere = added(journal).filter((one) => one.name === name && !here.some(({ file }) => file === one.file));
  return [
    ...here.map(({ client, scope, file }) => `${printable(shortPath(file))} (--client ${client.id} --scope ${scope})`),
    ...elsewhere.map(({ file, client }) => `${printable(file)} (${client}; run this in its folder)`),
  ];
}

async function planned(change: Parameters<typeof planChange>[0], journal: Journal, warned: Set<string>): Promise<Plan | undefined> {
  try {
    return await planChange(change, journal);
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    // One file that cannot be read keeps nobody from removing it elsewhere.
    if (error.reason !== 'missing' && !warned.has(error.message)) process.stderr.write(`warning: ${printable(error.message)}\n`);
    warned.add(error.message);
    return undefined;
  }
}
