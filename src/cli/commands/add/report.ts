// What `add` and `remove` say: the server, what was noticed, each file with its diff, and what comes next.
import { realpathSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, join, relative, sep } from 'node:path';
import { changesNothing, type Plan } from '../../../install/change.ts';
import type { ClientRow } from '../../../install/client.ts';
import { settingsIn } from '../../../install/edit/edit.ts';
import { namedSecrets } from '../../../text/secret-entries.ts';
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
  /** Variables that have to be set where the client is started. */
  readonly needs?: readonly string[];
}

/** A client that waits for a shorter time than the server has taken. */
export function slowness({ name, startSeconds }: ClientRow, trials: readonly Trial[]): string[] {
  const slowest = Math.max(0, ...trials.filter(({ clients }) => clients.includes(name)).map(({ seconds }) => seconds));
  if (startSeconds === undefined || slowest <= startSeconds.most) return [];
  return [`It took ${Math.round(slowest)} s to start, and ${name} waits ${startSeconds.most} s: set ${startSeconds.setting} in its entry`];
}

export function unreadableNote({ change, config: { text = '' } }: Plan): string[] {
  const { client, file } = change;
  if (client.format !== 'json' || text.trim() === '') return [];
  try {
    JSON.parse(text.replace(/^\uFEFF/, ''));
    return [];
  } catch {
    return [`${shortPath(file)} has comments or commas that plain JSON does not know: ${client.name} may not read it`];
  }
}

/** At the end, when nobody scrolls back to the notes. */
export function needLines(changes: readonly PlannedChange[]): string[] {
  const variables = [...new Set(changes.flatMap(({ needs = [] }) => needs))];
  const whom = changes.filter(({ needs = [] }) => needs.length > 0).map(({ plan }) => plan.change.client.name);
  if (variables.length === 0) return [];
  return [
    `Set ${variables.join(', ')} where ${whom.join(', ')} ${whom.length === 1 ? 'is' : 'are'} started; --inline-secrets writes the values instead`,
  ];
}

export function trialLines({ clients, server, revision, offer, needsLogin, isRemote }: Trial): string[] {
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
    printable(
      `${isRemote ? 'Connected' : 'Started'} as ${whom} would: ${server?.name ?? 'a server without a name'} ${server?.version ?? ''} (${revision})`,
    ),
    failed.some(({ list }) => list === 'tools')
      ? '  Its tools could not be listed'
      : printable(`  ${tools.length} ${tools.length === 1 ? 'tool' : 'tools'}${names.length === 0 ? '' : `: ${names.join(', ')}${more}`}`),
    ...(rest.length === 0 ? [] : [`  ${rest.map(([count, what]) => `${count} ${what}`).join(', ')}`]),
  ];
}

export async function planLines({ plan, command, notes, shared }: PlannedChange): Promise<string[]> {
  const { client, file } = plan.change;
  const head = `${client.name}: ${printable(shortPath(file))}`;
  if (changesNothing(plan)) return ['', `${head} ${plan.undoes === undefined ? 'has it already' : 'is without that change already'}`];
  // A link that a repository brings along may lead anywhere.
  const leads = isLink(file, plan.config.target) ? [`  a link to ${printable(plan.config.target)}`] : [];
  const also = shared.length === 0 ? [] : [`  also read by ${shared.join(', ')}`];
  const how =
    command === undefined
      ? diffLines(plan.config.text ?? '', plan.after ?? '', await masker(plan)).map((line) => `  ${line}`)
      : [`  by its own command: ${command.map((word) => quote(maskText(word))).join(' ')}`];
  const gone = plan.after === undefined && command === undefined ? ['  the file is removed, as it was made for this entry'] : [];
  return ['', head, ...leads, ...also, ...gone, ...how, ...notes.map((note) => `  ${printable(note)}`)];
}

/** Below the project or the home: what is above them is the machine's own. */
function isLink(file: string, target: string): boolean {
  const base = [process.cwd(), homedir()].find((folder) => file.startsWith(folder + sep)) ?? dirname(file);
  try {
    return target !== join(realpathSync(base), relative(base, file));
  } catch {
    return target !== file;
  }
}

/** A value that only names a variable. */
const reference = /[:=]\s*["']?(?:(?:Bearer|Basic|Token) +)?(?:\$\{(?:env:|input:)?\w+\}|\{env:\w+\})["']?,?$/;

/** Masks in a line what is a secret by its name anywhere in the file, or by its shape. */
async function masker({ change, config, after }: Plan): Promise<(line: string) => string> {
  const secrets = new Set<string>();
  for (const text of [config.text, after]) for (const one of namedSecrets(await settingsIn(text ?? '', change.client))) secrets.add(one);
  const forms = [...secrets].flatMap((secret) => {
    const written = JSON.stringify(secret);
    // One of a few letters would be found within other words.
    return secret.length < 4 ? [written, `'${secret}'`] : [written.slice(1, -1), secret];
  });
  const known = [...new Set(forms)].sort((a, b) => b.length - a.length);
  return (line) => {
    const hidden = known.reduce((text, form) => (text.includes(form) ? text.replaceAll(form, '***') : text), line);
    return reference.test(line) ? hidden : maskText(hidden);
  };
}
