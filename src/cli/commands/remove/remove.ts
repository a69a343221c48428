// vivarium remove: a server taken out of the configuration of clients; what add has changed is restored byte for byte.
import { type Plan, planChange } from '../../../install/change.ts';
import { Refusal } from '../../../install/edit/refusal.ts';
import { Journal } from '../../../install/journal.ts';
import { ownCommand } from '../../../install/own-command.ts';
import { type Command, CommandError, exitCodes, resultFlags } from '../../args/command.ts';
import { visible } from '../../terminal/confirm.ts';
import { printable } from '../../terminal/terminal.ts';
import { clientFlags, everyDestination } from '../add/destinations.ts';
import { finish } from '../add/finish.ts';
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
    for (const { client, scope, file } of everyDestination(args)) {
      const first = changes.findIndex(({ plan }) => plan.change.file === file);
      const earlier = changes[first];
      if (earlier !== undefined) {
        changes[first] = { ...earlier, shared: [...earlier.shared, client.name] };
        continue;
      }
      const plan = await planned({ client, scope, file, name, entry: undefined }, journal);
      if (plan === undefined) continue;
      const useCommand = args.values['edit'] !== true && plan.made?.by !== 'edit';
      changes.push({ plan, command: useCommand ? ownCommand(plan.change, undefined, process.cwd()) : undefined, notes: [], shared: [] });
    }
    // The folder that was made first is empty last.
    if (changes.length > 0) return finish(args, changes.reverse(), journal, 'Remove it?');
    throw new CommandError(exitCodes.failed, `No client has a server called "${visible(name)}"`, {
      hint: 'vivarium clients lists the servers of every client',
    });
  },
};

async function planned(change: Parameters<typeof planChange>[0], journal: Journal): Promise<Plan | undefined> {
  try {
    return await planChange(change, journal);
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    // One file that cannot be read keeps nobody from removing it elsewhere.
    if (error.reason !== 'missing') process.stderr.write(`warning: ${printable(error.message)}\n`);
    return undefined;
  }
}
