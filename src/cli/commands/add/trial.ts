// The server, started as the client would start it, before anything is written.
import { homedir } from 'node:os';
import { changesSince, hintAdvice, readLock } from '../../../check/cli.ts';
import type { Client } from '../../../client/index.ts';
import { type Finding, look, type Offer } from '../../../install/look.ts';
import { type Arguments, CommandError, exitCodes } from '../../args/command.ts';
import { readText } from '../../args/read-file.ts';
import type { ServerEntry } from '../../target/client-config.ts';
import { visitTarget } from '../../target/connect-target.ts';
import { nobody } from '../../target/questions.ts';
import type { ServerTarget } from '../../target/target.ts';
import type { Destination } from './destinations.ts';

export interface Trial {
  /** The clients that start it in this way. */
  readonly clients: readonly string[];
  readonly server?: { readonly name: string; readonly version: string };
  readonly revision?: string;
  readonly offer?: Offer;
  /** It wants to know who asks: the client will have to log in. */
  readonly needsLogin?: true;
}

export interface TrialStart {
  readonly destination: Destination;
  readonly started: ServerEntry;
}

/** Clients that start it in the same way share a trial. */
export async function tryServer(args: Arguments, target: ServerTarget, starts: readonly TrialStart[]): Promise<readonly Trial[]> {
  const ways = new Map<string, { entry: ServerEntry; clients: string[] }>();
  for (const { destination, started } of starts) {
    const folder = destination.client.starts === 'desktop' ? homedir() : process.cwd();
    const entry = 'url' in started ? started : { ...started, cwd: started.cwd ?? folder };
    const key = JSON.stringify(entry);
    const way = ways.get(key) ?? { entry, clients: [] };
    way.clients.push(destination.client.name);
    ways.set(key, way);
  }
  const trials: Trial[] = [];
  for (const { entry, clients } of ways.values()) trials.push({ ...(await oneTrial(args, { ...target, entry })), clients });
  return trials;
}

async function oneTrial(args: Arguments, target: ServerTarget): Promise<Omit<Trial, 'clients'>> {
  let trial: Omit<Trial, 'clients'> = {};
  try {
    await visitTarget(args, nobody, { target, rest: [] }, async ({ client, signal }) => {
      const { server, revision } = client;
      trial = { ...(server !== undefined && { server }), revision, offer: await offerOf(client, signal) };
      return exitCodes.ok;
    });
  } catch (error) {
    if (!(error instanceof CommandError)) throw error;
    if (error.exitCode === exitCodes.authorization && 'url' in target.entry) return { needsLogin: true };
    throw new CommandError(error.exitCode, `Nothing was written: ${error.message}`, {
      cause: error,
      hint: `${error.hint === undefined ? '' : `${error.hint}\n`}To add it all the same, pass --no-verify`,
    });
  }
  return trial;
}

async function offerOf(client: Client, signal: AbortSignal): Promise<Offer> {
  const asked = await Promise.allSettled([client.listTools({ signal }), client.listPrompts({ signal }), client.listResources({ signal })]);
  const [tools, prompts, resources] = asked.map((one) => (one.status === 'fulfilled' ? (one.value as readonly object[]) : []));
  const json = (all: readonly object[] | undefined) => (all ?? []) as readonly Readonly<Record<string, unknown>>[];
  return { instructions: client.instructions, tools: json(tools), prompts: json(prompts), resources: json(resources) };
}

/** What a person should know first; `others` are the tools of servers that were added before. */
export function findingsOf(offer: Offer, others: ReadonlyMap<string, readonly string[]>, lockFile: string | undefined): Finding[] {
  const destructive = offer.tools
    .flatMap((tool) => hintAdvice(tool))
    .filter(({ id }) => id === 'quality/hints/destructive' || id === 'quality/hints/contradiction')
    .map(({ about, message }): Finding => ({ kind: 'destructive', about, message }));
  return [...look(offer, others), ...destructive, ...(lockFile === undefined ? [] : sinceLock(offer, lockFile))];
}

function sinceLock(offer: Offer, file: string): Finding[] {
  const lock = readLock(readText(file, { mostMiB: 64, hint: 'vivarium check --lock file --update-lock writes one' }));
  if ('problem' in lock) throw new CommandError(exitCodes.usage, `${file} ${lock.problem}`);
  const { tools, prompts, resources } = offer;
  const changes = changesSince(lock, { tools, prompts, resources, templates: lock.surface.templates });
  return changes.map(({ about, path, message }) => ({ kind: 'changed', about, message: `${path} ${message} since the lock`.trim() }));
}
