// The server, started as the client would start it, before anything is written.
import { homedir } from 'node:os';
import { changesSince, hintAdvice, readLock } from '../../../check/cli.ts';
import type { Client } from '../../../client/index.ts';
import { type Finding, look, type Offer, ranked } from '../../../install/look.ts';
import { errorCodes, RpcError, VivariumError } from '../../../jsonrpc/error.ts';
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
  readonly offer?: Offer;
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

/** A list that fails is not an empty one: the server may be hiding it. */
async function offerOf(client: Client, signal: AbortSignal): Promise<Offer> {
  const failed: { list: string; why: string }[] = [];
  const asked = async (list: string, all: Promise<readonly object[]>): Promise<readonly Readonly<Record<string, unknown>>[]> => {
    try {
      return (await all) as readonly Readonly<Record<string, unknown>>[];
    } catch (error) {
      if (!isNotOffered(error, list)) failed.push({ list, why: (error as Error).message });
      return [];
    }
  };
  const { server, instructions } = client;
  const [tools, prompts, resources, templates] = await Promise.all([
    asked('tools', client.listTools({ signal })),
    asked('prompts', client.listPrompts({ signal })),
    asked('resources', client.listResources({ signal })),
    asked('templates', client.listResourceTemplates({ signal })),
  ]);
  return { server, instructions, tools, prompts, resources, templates, ...(failed.length > 0 && { failed }) };
}

/** Many servers that have resources know no templates. */
function isNotOffered(error: unknown, list: string): boolean {
  if (error instanceof RpcError) return list === 'templates' && error.code === errorCodes.methodNotFound;
  return error instanceof VivariumError && /^ERR_UNSUPPORTED_BY_(?:PEER|REVISION)$/.test(error.code);
}

/** What a person should know first, the worst of it first; `others` are the tools of servers that were added before. */
export function findingsOf(offer: Offer, others: ReadonlyMap<string, readonly string[]>, lockFile: string | undefined): Finding[] {
  const destructive = offer.tools
    .flatMap((tool) => hintAdvice(tool))
    .filter(({ id }) => id === 'quality/hints/destructive' || id === 'quality/hints/contradiction')
    .map(({ about, message }): Finding => ({ kind: 'destructive', about, message }));
  return ranked([...look(offer, others), ...destructive, ...(lockFile === undefined ? [] : sinceLock(offer, lockFile))]);
}

function sinceLock(offer: Offer, file: string): Finding[] {
  const lock = readLock(readText(file, { mostMiB: 64, hint: 'vivarium check --lock file --update-lock writes one' }));
  if ('problem' in lock) throw new CommandError(exitCodes.usage, `${file} ${lock.problem}`);
  const { tools, prompts, resources, templates, failed = [] } = offer;
  // Nothing is known of a list that failed: not that all of it is gone.
  const unknown = Object.fromEntries(failed.map(({ list }) => [list, lock.surface[list as keyof typeof lock.surface]]));
  const changes = changesSince(lock, { tools, prompts, resources, templates, ...unknown });
  return changes.map(({ about, path, message }) => ({ kind: 'changed', about, message: `${path} ${message} since the lock`.trim() }));
}
