// A client of the server that a command line names, for as long as a command runs.
import { staticToken } from '../../auth/client/static-token.ts';
import { failureLine } from '../../client/failure.ts';
import { type Client, connect, type Failure } from '../../client/index.ts';
import { RpcError, VivariumError } from '../../jsonrpc/error.ts';
import type { AuthProvider } from '../../protocol/authorization.ts';
import { isRevision, type Revision, revisions } from '../../protocol/revision.ts';
import { type Arguments, CommandError, exitCodes } from '../args/command.ts';
import { milliseconds } from '../args/flag-values.ts';
import { type ReadReport, readReport } from '../terminal/failure-report.ts';
import { refuseUnwritable } from '../terminal/output.ts';
import { whileStarting } from '../terminal/starting-line.ts';
import { printable } from '../terminal/terminal.ts';
import { whileHiding } from './concealed.ts';
import { openLog } from './message-log.ts';
import { type Asker, answerHint, handlersFor } from './questions.ts';
import { chooseTarget, connectorOf, type ServerTarget } from './target.ts';
import { withEnvironment } from './target-flags.ts';

/** Different ones, of a server that has something to say for every message. */
const maxWarnings = 20;

export interface Visit {
  readonly client: Client;
  readonly target: ServerTarget;
  /** What is left for the command itself. */
  readonly rest: readonly string[];
  readonly signal: AbortSignal;
}

/** Finds the server, connects, does the work, and leaves nothing behind. */
export async function visit(given: Arguments, asker: Asker, work: (visit: Visit) => Promise<number>): Promise<number> {
  const args = withEnvironment(given);
  refuseUnwritable(args.values);
  const { target, rest } = await chooseTarget(args);
  return whileHiding(target.hide, () => visitTarget(args, asker, { target, rest }, work));
}

/** The same for a server that is known already. */
export async function visitTarget(
  args: Arguments,
  asker: Asker,
  { target, rest }: Pick<Visit, 'target' | 'rest'>,
  work: (visit: Visit) => Promise<number>,
): Promise<number> {
  const text = (name: string): string | undefined => args.values[name] as string | undefined;
  const time = (name: string): number | undefined => (text(name) === undefined ? undefined : milliseconds(name, text(name) as string));
  const [idleMs, connectMs] = [time('timeout'), time('connect-timeout')];
  const log = text('log') === undefined ? undefined : openLog(text('log') as string);
  const verbose = args.values['verbose'] === true;
  const stop = new AbortController();
  const interrupt = (): void => {
    // Whoever asks twice does not want to wait.
    if (stop.signal.aborted) process.exit(exitCodes.interrupted);
    stop.abort();
  };
  const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
  for (const signal of signals) process.on(signal, interrupt);
  let client: Client | undefined;
  try {
    const connector = await connectorOf(target, {
      auth: await authOf(args),
      onStderr: verbose ? (line) => process.stderr.write(`${printable(line)}\n`) : undefined,
    });
    const { handlers, features } = handlersFor(asker);
    const connecting = connect(connector, {
      client: { name: 'vivarium', version: '0.1.0' },
      handlers,
      features,
      revision: revisionOf(text('spec-version')),
      timeouts: { ...(idleMs !== undefined && { idleMs }), ...(connectMs !== undefined && { connectMs }) },
      ...(log !== undefined && { tap: log.write }),
    });
    client = await whileStarting('command' in target.entry && !verbose, Promise.race([connecting, aborted(stop.signal)]));
    const told = new Set<string>();
    client.on('warning', ({ message }) => {
      // A server that logs to stdout does so again and again.
      if (told.has(message) || told.size >= maxWarnings) return;
      told.add(message);
      process.stderr.write(`warning: ${printable(message)}\n`);
    });
    if (verbose)
      client.on('log', ({ level, data }) =>
        process.stderr.write(`[${printable(String(level))}] ${printable(typeof data === 'string' ? data : JSON.stringify(data))}\n`),
      );
    return await work({ client, target, rest, signal: stop.signal });
  } catch (error) {
    if (stop.signal.aborted) throw new CommandError(exitCodes.interrupted, 'Interrupted', { cause: error });
    throw ofModule(error, target) ?? asCommandError(error, asker);
  } finally {
    await client?.close();
    await log?.close();
    for (const signal of signals) process.off(signal, interrupt);
  }
}

/** A server that refuses a list may know the names all the same: undefined, with a word about it. */
export async function ifListed<T>(method: string, list: Promise<T>): Promise<T | undefined> {
  try {
    return await list;
  } catch (error) {
    if (!(error instanceof RpcError)) throw error;
    process.stderr.write(`warning: ${method} was not answered (error ${error.code}); the name is sent unchecked\n`);
    return undefined;
  }
}

/** The end of this process ends what is being started, too. */
function aborted(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason), { once: true }));
}

export function revisionOf(given: string | undefined): 'auto' | Revision {
  if (given === undefined || given === 'auto') return 'auto';
  if (isRevision(given)) return given;
  throw new CommandError(exitCodes.usage, `There is no revision ${given}`, { hint: `There are ${revisions.join(', ')}, and auto` });
}

export async function authOf({ values }: Arguments): Promise<AuthProvider | undefined> {
  const variable = values['token-env'] as string | undefined;
  const token = variable === undefined ? (values['token'] as string | undefined) : process.env[variable];
  if (variable !== undefined && (token === undefined || token === ''))
    throw new CommandError(exitCodes.usage, `--token-env ${variable}: there is no such variable here`);
  if (token !== undefined) return staticToken(token);
  return values['login'] === true ? (await import('../../auth/node/index.ts')).oauth() : undefined;
}

/** What `vivarium serve` said of the module, as if it had been asked itself. What it says once it serves is the module's own business. */
export function moduleReport(error: unknown, { servesModule }: ServerTarget): (ReadReport & { readonly exitCode: number }) | undefined {
  if (servesModule !== true || !(error instanceof VivariumError)) return undefined;
  const { exitCode, stderr = [], phase } = (error.failure ?? {}) as Partial<Failure>;
  const report = exitCode && phase !== 'request' && phase !== 'closed' ? readReport(stderr) : undefined;
  return report === undefined ? undefined : { ...report, exitCode: exitCode as number };
}

function ofModule(error: unknown, target: ServerTarget): CommandError | undefined {
  const report = moduleReport(error, target);
  return (
    report && new CommandError(report.exitCode, report.message, { cause: error, ...(report.hint !== undefined && { hint: report.hint }) })
  );
}

/** Every way a server can fail a command has its exit code. */
function asCommandError(error: unknown, asker: Asker): unknown {
  if (error instanceof RpcError) {
    const detail = error.data === undefined ? '' : ` ${JSON.stringify(error.data)}`;
    const hint = answerHint(asker, `${error.message}${detail}`);
    return new CommandError(exitCodes.toolError, `The server answered with the error ${error.code}: ${error.message}${detail}`, {
      cause: error,
      ...(hint !== undefined && { hint }),
    });
  }
  if (!(error instanceof VivariumError)) return error;
  const { code, message } = error;
  if (code === 'ERR_CONFIG') return new CommandError(exitCodes.usage, message, { cause: error });
  if (code === 'ERR_AUTH_REQUIRED' || code === 'ERR_AUTH_FAILED' || code === 'ERR_FORBIDDEN') {
    // The hint of the failure names options of the library; a command line has others.
    const { cause, target } = (error.failure ?? {}) as Partial<Failure>;
    const line = cause === undefined || target === undefined ? message : failureLine({ cause, target });
    return new CommandError(exitCodes.authorization, line, {
      hint: '--token-env names a variable with a token; --login gets one with the browser, where the server says who gives them',
      cause: error,
    });
  }
  if (code === 'ERR_INVALID_RESULT' || code.startsWith('ERR_UNSUPPORTED'))
    return new CommandError(exitCodes.toolError, message, { cause: error });
  return new CommandError(exitCodes.unreachable, message, { hint: 'vivarium doctor finds the first step that fails', cause: error });
}
