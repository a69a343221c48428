// What `add` and `remove` say: the server, what was noticed, each file with its diff, and what comes next.
import { lstatSync } from 'node:fs';
import { changesNothing, type Plan } from '../../../install/change.ts';
import { printable, quote } from '../../terminal/terminal.ts';
import { diffLines } from '../../terminal/text-diff.ts';
import { maskText } from '../record/masking.ts';
import { shortPath } from './destinations.ts';
import type { Trial } from './trial.ts';

const mostTools = 20;

export interface PlannedChange {
  readonly plan: Plan;
  /** The client's own command, where that is used. */
  readonly command?: readonly string[] | undefined;
  readonly notes: readonly string[];
  /** Other chosen clients that read the same file. */
  readonly shared: readonly string[];
}

export function trialLines({ clients, server, revision, offer, needsLogin }: Trial): string[] {
  const whom = printable(clients.join(', '));
  if (needsLogin === true) return [`The server wants a login, which ${whom} will begin; what it offers is not known yet`];
  const { tools = [], prompts = [], resources = [], templates = [], failed = [] } = offer ?? {};
  const names = tools.slice(0, mostTools).map(({ name }) => String(name).slice(0, 80));
  const more = tools.length > names.length ? `, and ${tools.length - names.length} more` : '';
  const rest = [
    [prompts.length, 'prompts'],
    [resources.length, 'resources'],
    [templates.length, 'resource templates'],
  ].filter(([count]) => count !== 0);
  return [
    printable(`Started as ${whom} would: ${server?.name ?? 'a server without a name'} ${server?.version ?? ''} (${revision})`),
    failed.some(({ list }) => list === 'tools')
      ? '  Its tools could not be listed'
      : printable(`  ${tools.length} ${tools.length === 1 ? 'tool' : 'tools'}${names.length === 0 ? '' : `: ${names.join(', ')}${more}`}`),
    ...(rest.length === 0 ? [] : [`  ${rest.map(([count, what]) => `${count} ${what}`).join(', ')}`]),
  ];
}

export function planLines({ plan, command, notes, shared }: PlannedChange): string[] {
  const { client, file } = plan.change;
  const head = `${client.name}: ${printable(shortPath(file))}`;
  if (changesNothing(plan)) return ['', `${head} has it already`];
  // A link that a repository brings along may lead anywhere.
  const leads =
    lstatSync(file, { throwIfNoEntry: false })?.isSymbolicLink() === true ? [`  a link to ${printable(plan.config.target)}`] : [];
  const also = shared.length === 0 ? [] : [`  also read by ${shared.join(', ')}`];
  const how =
    command === undefined
      ? diffLines(plan.config.text ?? '', plan.after ?? '', masked).map((line) => `  ${line}`)
      : [`  by its own command: ${command.map((word) => quote(maskText(word))).join(' ')}`];
  const gone = plan.after === undefined && command === undefined ? ['  the file is removed, as it was made for this entry'] : [];
  return ['', head, ...leads, ...also, ...gone, ...how, ...notes.map((note) => `  ${printable(note)}`)];
}

/** A value that only names a variable. */
const reference = /[:=]\s*["']?(?:(?:Bearer|Basic|Token) +)?(?:\$\{(?:env:|input:)?\w+\}|\{env:\w+\})["']?,?$/;

/** A line of JSON, TOML or YAML: what its name says is secret. */
function masked(line: string): string {
  return reference.test(line)
    ? line
    : maskText(line).replace(/(?<=["']?[\w-]*(?:key|token|secret|password)["']?\s*[:=]\s*["'])[^"'$]+(?=["'])/i, '***');
}
