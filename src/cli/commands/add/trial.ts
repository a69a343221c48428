// The server, started as the client would start it, before anything is written.
import { homedir } from 'node:os';
import { changesSince, hintAdvice, readLock } from '../../../check/cli.ts';
import type { Client } from '../../../client/index.ts';
import { type Finding, look, type Offer } from '../../../install/look.ts';
import { VivariumError } from '../../../jsonrpc/error.ts';
import { type Arguments, CommandError, exitCodes } from '../../args/command.ts';
import { readText } from '../../args/read-file.ts';
import type { ServerEntry } from '../../target/client-config.ts';
import { visitTarget } from '../../target/connect-target.ts';
import { nobody } from '../../target/questions.ts';
import type { ServerTarget } from '../../target/target.ts';
import { canLogIn } from '../doctor/authorization.ts';
import type { Destination } from './destinations.ts';

export interface Trial {
  /** The clients that start it in this way. */
  readonly clients: readonly string[];
  readonly server?: { readonly name: string; readonly version: string };
  readonly revision?: string;
  readonly offer?: Offer & {
    /** Lists that the server did not give, though it says that it has them. */
    readonly unlisted: readonly string[];
  };
  readonly isRemote: boolean;
  /** Until it had told all of it. */
  readonly seconds: number;
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
    // For the user's scope any folder will do, and none in particular.
    const folder = destination.client.starts === 'desktop' || destination.scope === 'user' ? homedir() : process.cwd();
    const entry = 'url' in started ? started : { ...started, cwd: started.cwd ?? folder };
    const key = JSON.stringify(entry);
    const way = ways.get(key) ?? { entry, clients: [] };
    way.clients.push(destination.client.name);
    ways.set(key, way);
  }
  const trials: Trial[] = [];
  for (const { entry, clients } of ways.values()) {
    const began = performance.now();
    const trial = await oneTrial(patient(args, entry), { ...target, entry });
    trials.push({ ...trial, clients, isRemote: 'url' in entry, seconds: (performance.now() - began) / 1_000 });
  }
  return trials;
}

/** Those that install a package first; ended in the midst of it, some leave half of it behind. */
const installers = /(?:^|[\\/])(?:npx|bunx|pnpx|uvx|uv|pipx|docker|podman)(?:\.\w+)?$/;
const installingTime = '180s';

function patient(args: Arguments, entry: ServerEntry): Arguments {
  if ('url' in entry || !installers.test(entry.command) || args.values['connect-timeout'] !== undefined) return args;
  return { ...args, values: { ...args.values, 'connect-timeout': installingTime } };
}

type Tried = Omit<Trial, 'clients' | 'isRemote' | 'seconds'>;

async function oneTrial(args: Arguments, target: ServerTarget): Promise<Tried> {
  let trial: Tried = {};
  try {
    await visitTarget(args, nobody, { target, rest: [] }, async ({ client, signal }) => {
      const { server, revision } = client;
      trial = { ...(server !== undefined && { server }), revision, offer: await offerOf(client, signal) };
      return exitCodes.ok;
    });
  } catch (error) {
    if (!(error instanceof CommandError)) throw error;
    const { entry } = target;
    const isRefused = error.exitCode === exitCodes.authorization && 'url' in entry;
    const hasToken = isRefused && Object.keys(entry.headers).some((key) => key.toLowerCase() === 'authorization');
    if (isRefused && !hasToken && (await canLogIn(new URL(entry.url), AbortSignal.timeout(loginMs)))) return { needsLogin: true };
    const waited = (args.values['connect-timeout'] as string | undefined) ?? '30s';
    const hints = [
      ...(isRefused ? [hasToken ? 'It refuses this token' : 'It wants a token, and names nobody who gives one: --token-env NAME'] : []),
      ...(isTimeout(error) ? [`It was waited for ${waited}: --connect-timeout gives it longer`] : []),
      ...(isRefused || error.hint === undefined ? [] : [error.hint]),
      'To add it all the same, pass --no-verify',
    ];
    throw new CommandError(error.exitCode, `Nothing was written: ${error.message}`, { cause: error, hint: hints.join('\n') });
  }
  return trial;
}

const loginMs = 20_000;

function isTimeout({ cause }: CommandError): boolean {
  return cause instanceof VivariumError && cause.code === 'ERR_TIMEOUT';
}

async function offerOf(client: Client, signal: AbortSignal): Promise<Offer & { readonly unlisted: readonly string[] }> {
  const asked = await Promise.allSettled([
    client.listTools({ signal }),
    client.listPrompts({ signal }),
    client.listResources({ signal }),
    client.listResourceTemplates({ signal }),
  ]);
  const kinds = ['tools', 'prompts', 'resources'];
  // A server that never spoke of them has none.
  const unlisted = kinds.filter((kind, at) => asked[at]?.status === 'rejected' && Object.hasOwn(client.capabilities ?? {}, kind));
  const [tools, prompts, resources, templates] = asked.map((one) => (one.status === 'fulfilled' ? (one.value as readonly object[]) : []));
  const json = (all: readonly object[] | undefined) => (all ?? []) as readonly Readonly<Record<string, unknown>>[];
  return {
    instructions: client.instructions,
    tools: json(tools),
    prompts: json(prompts),
    resources: json(resources),
    templates: json(templates),
    server: { ...client.server },
    unlisted,
  };
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
