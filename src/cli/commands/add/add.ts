// vivarium add: a server put into the configuration of clients, after it was started, looked at and shown.
import { planChange } from '../../../install/change.ts';
import type { Value } from '../../../install/client.ts';
import { variablesIn } from '../../../install/entries.ts';
import { Journal } from '../../../install/journal.ts';
import { ownCommand } from '../../../install/own-command.ts';
import { type Arguments, type Command, CommandError, exitCodes, resultFlags } from '../../args/command.ts';
import { authHeader } from '../../target/auth-header.ts';
import { whileHiding } from '../../target/concealed.ts';
import { type Chosen, chooseTarget, type ServerTarget, UnknownServer } from '../../target/target.ts';
import { targetFlags, withEnvironment } from '../../target/target-flags.ts';
import { quote } from '../../terminal/terminal.ts';
import { clientFlags, type Destination, destinationsOf, filesWith, shortPath } from './destinations.ts';
import { findingLines } from './finding-lines.ts';
import { finish, show } from './finish.ts';
import { added, addedLines, toolsOfOthers, undoPlans } from './history.ts';
import { type Adapted, adapted, holdsSecret, lastingEntry } from './installed-server.ts';
import { orFail } from './perform.ts';
import { type PlannedChange, slowness, trialLines, unreadableNote } from './report.ts';
import { finalName, provisionalName } from './server-name.ts';
import { pathOf } from './surroundings.ts';
import { findingsOf, type Trial, tryServer } from './trial.ts';

const { login: _, ...reached } = targetFlags;

export const add: Command = {
  name: 'add',
  summary: 'Add a server to the clients you use: tried first, shown as a diff, undone at any time',
  usage: 'add <server> [options]   (or: add [options] -- program args…)',
  flags: {
    name: {
      type: 'string',
      short: 'n',
      value: 'name',
      help: 'What clients call it (default: made from its file, package or host, or its own)',
    },
    ...clientFlags,
    'dry-run': { type: 'boolean', help: 'Show what would be written, and write nothing' },
    replace: { type: 'boolean', help: 'Replace a server of that name' },
    edit: { type: 'boolean', help: "Edit the file even where the client's own command is installed" },
    'no-verify': { type: 'boolean', help: 'Do not start the server first' },
    'inline-secrets': { type: 'boolean', help: 'Write secrets themselves instead of the names of variables' },
    lock: { type: 'string', value: 'file', help: 'Say what changed since this lock was written (see check --lock)' },
    list: { type: 'boolean', help: 'List what was added' },
    undo: { type: 'boolean', help: 'Take back the last add or remove; what others changed since is kept' },
    ...reached,
    yes: { type: 'boolean', short: 'y', help: 'Write, and start what a file names, without asking' },
    ...resultFlags,
  },
  takesProgram: true,
  examples: [
    ['vivarium add server.ts --client claude-code', 'a module of yours, for this project'],
    ['vivarium add @scope/server --all --scope user', 'a package of npm, for every client on this machine'],
    ['vivarium add https://api.example/mcp --name api --dry-run', 'at a URL; only shown'],
    ['vivarium add notes --client cursor', 'a server that another client of this project has'],
    ['vivarium add --undo', 'take it back'],
  ],
  async run(given) {
    const args = withEnvironment(given);
    const journal = new Journal();
    if (args.values['list'] === true) return listAdded(args, journal);
    if (args.values['undo'] === true) return undo(args, journal);
    const { target, rest } = await chosen(args);
    if (rest.length > 0)
      throw new CommandError(exitCodes.usage, `add takes one server, not also ${rest.join(' ')}`, {
        hint: hintFor(target, rest),
      });
    return whileHiding(target.hide, () => addTarget(args, target, journal));
  },
};

/** Nothing is started without a trial, so nobody is asked whether to. */
async function chosen(args: Arguments): Promise<Chosen> {
  const { values, positionals } = args;
  try {
    return await chooseTarget(values['no-verify'] === true ? { ...args, values: { ...values, yes: true } } : args);
  } catch (error) {
    const [word] = positionals;
    if (!(error instanceof UnknownServer)) throw error;
    if (word === undefined) throw withHint(error, 'A module (server.ts), a URL, npm:package, @scope/package, or: -- node server.js');
    const [found] = await filesWith(word);
    const line = found && `${shortPath(found.file)} has it: vivarium add ${word} --config ${quote(found.file)} --client …`;
    throw withHint(error, line ?? `If it is a package of npm: npm:${word}\n${error.hint ?? ''}`);
  }
}

function withHint(error: CommandError, hint: string): CommandError {
  return new CommandError(error.exitCode, error.message, { cause: error, hint: hint.trim() });
}

function hintFor({ entry, servesModule }: ServerTarget, rest: readonly string[]): string {
  if ('url' in entry || servesModule === true) return 'Quote a command, or write it behind --';
  return `Write the whole command: vivarium add -- ${[entry.command, ...entry.args, ...rest].map(quote).join(' ')}`;
}

function listAdded(args: Arguments, journal: Journal): number {
  const records = added(journal);
  show(
    args,
    records.map(({ name, client, scope, file, at, by }) => ({ name, client, scope, file, at, by })),
    addedLines(records),
  );
  return exitCodes.ok;
}

async function undo(args: Arguments, journal: Journal): Promise<number> {
  const { plans, lines } = await undoPlans(journal, args.values['edit'] !== true);
  return finish(args, plans, journal, 'Take it back?', { lines, trials: [], findings: [] });
}

async function addTarget(args: Arguments, target: ServerTarget, journal: Journal): Promise<number> {
  const destinations = destinationsOf(args);
  const provisional = provisionalName(args, target);
  const { entry: asked } = target;
  const entry = 'url' in asked ? { ...asked, headers: { ...asked.headers, ...authHeader(args) } } : asked;
  const ways = destinations.map((destination) => {
    const { client, scope } = destination;
    const path = pathOf(client);
    const lasting = target.servesModule === true ? lastingEntry(entry, scope) : entry;
    return { destination, ...adapted(lasting, { client, scope, name: provisional, path, inline: args.values['inline-secrets'] === true }) };
  });
  const { token: _token, 'token-env': _variable, ...values } = args.values;
  const trials =
    args.values['no-verify'] === true
      ? []
      : await tryServer(
          { ...args, values },
          target,
          ways.map(({ destination, started }) => ({ destination, started })),
        );
  const name = finalName(args, target, provisional, trials);
  const offer = trials.find((trial) => trial.offer !== undefined)?.offer;
  const findings = offer === undefined ? [] : findingsOf(offer, toolsOfOthers(journal, name), args.values['lock'] as string | undefined);
  const changes = await orFail(() => plansFor(args, name, ways, trials, journal), ways.length > 1 ? 'Nothing was written anywhere: ' : '');
  const lines = [...trials.flatMap(trialLines), ...findingLines(findings)];
  return finish(args, changes, journal, 'Write this?', { lines, trials: trials.map(summary), findings });
}

function summary({ clients, server, revision, offer, needsLogin }: Trial): object {
  return {
    clients,
    server,
    revision,
    tools: offer?.tools.map(({ name }) => name),
    failed: offer?.failed,
    ...(needsLogin && { needsLogin }),
  };
}

/** One for each file: some are read by several clients. */
async function plansFor(
  args: Arguments,
  name: string,
  ways: readonly (Adapted & { readonly destination: Destination })[],
  trials: readonly Trial[],
  journal: Journal,
): Promise<PlannedChange[]> {
  const changes: PlannedChange[] = [];
  const offer = trials.find((trial) => trial.offer !== undefined)?.offer;
  const tools = offer?.tools.slice(0, 1_000).map((tool) => String(tool['name']).slice(0, 200));
  const told = new Set<string>();
  for (const { destination, server, notes: all } of ways) {
    const { client, scope, file } = destination;
    const first = changes.findIndex(({ plan }) => plan.change.file === file);
    const earlier = changes[first];
    if (earlier !== undefined) {
      changes[first] = { ...earlier, shared: [...earlier.shared, client.name] };
      continue;
    }
    const written = client.entry(name, server, (value: Value) =>
      typeof value === 'string' ? value : `${value.before}${client.reference?.(value.variable) ?? ''}`,
    );
    if (written === undefined) {
      const problem = `${client.name} cannot be given ${'url' in server && server.sse ? 'a server by HTTP+SSE' : 'a server at a URL'} in its file`;
      const hint = 'url' in server ? `A program can stand between: vivarium add … -- npx -y mcp-remote ${server.url}` : '';
      if (args.values['all'] !== true) throw new CommandError(exitCodes.usage, problem, { hint });
      process.stderr.write(`warning: ${problem}, and is left out. ${hint}\n`);
      continue;
    }
    const extras = client.extras?.(variablesIn(server)) ?? [];
    const change = {
      client,
      scope,
      file,
      name,
      entry: written,
      extras,
      replace: args.values['replace'] === true,
      isPrivate: holdsSecret(server),
      ...(tools !== undefined && { tools }),
    };
    const plan = await planChange(change, journal);
    const command =
      args.values['edit'] === true || plan.previous !== undefined || holdsSecret(server)
        ? undefined
        : ownCommand(change, server, process.cwd());
    // Said once, whichever client it is about.
    const notes = [...all, ...slowness(client, trials), ...unreadableNote(plan)].filter((note) => !told.has(note));
    for (const note of notes) told.add(note);
    const needs = client.extras === undefined ? variablesIn(server) : [];
    changes.push({ plan, command, notes, shared: [], needs });
  }
  return changes;
}
