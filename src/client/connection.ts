// A channel on which both sides know each other: opened, asked for its era, and introduced.
import { errorCodes, RpcError, VivariumError } from '../jsonrpc/error.ts';
import type { Channel, Connector } from '../protocol/channel.ts';
import { type About, endCause, fail, Lost } from './failure.ts';
import { Link, type LinkHost } from './link.ts';
import { asksModern, type ConnectTerms, discover, endOf, ends, initialize, initializeUnless, Older, refused } from './negotiate.ts';
import type { Introduction } from './options.ts';

export interface Connection {
  readonly link: Link;
  readonly introduction: Introduction;
  /** What opened it; an older transport where the server predates the first. */
  readonly connector: Connector;
}

/** The signal ends the attempt, whatever it waits for. */
export async function establish(connector: Connector, terms: ConnectTerms, host: LinkHost, signal?: AbortSignal): Promise<Connection> {
  const since = performance.now();
  let link = await openLink(connector, host, signal);
  const abort = (): void => void link.close().catch(() => undefined);
  signal?.addEventListener('abort', abort, { once: true });
  const about = (phase: About['phase']): About => ({ phase, target: connector.target, since, channel: link.channel });
  const asked = asksModern(terms);
  let reopened = false;
  let late: Older['late'];
  try {
    if (asked) {
      try {
        return { link, connector, introduction: { ...(await discover(link, terms, about('probe'))), at: Date.now() } };
      } catch (error) {
        if (!(error instanceof Older) || signal?.aborted) throw error;
        // A server that died of the question is started once more, and asked no such thing again.
        reopened = error.reopen;
        late = error.late;
        if (reopened) link = await openLink(connector, host, signal);
      }
    }
    const introduction = await initializeUnless(late, link, terms, about('initialize')).catch(async (error: unknown) => {
      if (terms.revision !== 'auto') throw error;
      // It was slow to start, and died of the question after all.
      if (signal?.aborted) throw error;
      if (asked && !reopened && error instanceof Lost && !('kind' in error.why) && link.channel.kind === 'pipe') {
        link = await openLink(connector, host, signal);
        return initialize(link, terms, about('initialize'));
      }
      // What was found out before may have become wrong, and what was silent may have been slow.
      if ((asked && !isStranger(error)) || !isRefusal(error)) throw error;
      return discover(link, terms, about('probe')).catch((again: unknown) => {
        throw again instanceof Older ? error : again;
      });
    });
    if (link.channel.kind === 'http' && introduction.era === 'legacy') link.channel.listen?.();
    // An age that renewed itself would never end.
    const at = asked || terms.prior === undefined ? Date.now() : terms.prior.at;
    return { link, connector, introduction: { ...introduction, at } };
  } catch (error) {
    const trace = link.channel.trace?.();
    const exit = error instanceof Lost && 'kind' in error.why && link.channel.kind === 'pipe' ? await endOf(link.channel) : undefined;
    await link.close().catch(() => undefined);
    if (error instanceof RpcError) {
      if (error.code === errorCodes.unsupportedVersion) throw stranger(terms, about('initialize'), error);
      throw fail('ERR_CONNECT', `The server refuses the handshake: ${error.message} (${error.code})`, about('initialize'), { error });
    }
    if (!(error instanceof Lost)) throw withTrace(error, about('initialize'));
    const why = exit ?? error.why;
    if (!('kind' in why)) throw fail('ERR_CONNECT', endCause(why, trace?.stderr), about('initialize'), { ...ends(why), error });
    if (why.error?.code === errorCodes.unsupportedVersion) throw stranger(terms, about('initialize'), why.error);
    const predates = why.kind === 'status' && [400, 404, 405].includes(why.status ?? 0);
    if (predates && connector.older !== undefined)
      return elder(connector.older, terms, host, signal, () => refused(why, about('initialize')));
    throw refused(why, about('initialize'));
  } finally {
    signal?.removeEventListener('abort', abort);
  }
}

/** HTTP+SSE is tried last, and when that is not there either, the first refusal is what the user hears of. */
async function elder(
  older: Connector,
  terms: ConnectTerms,
  host: LinkHost,
  signal: AbortSignal | undefined,
  first: () => Error,
): Promise<Connection> {
  try {
    return await establish(older, { ...terms, prior: { era: 'legacy', revision: '2024-11-05', at: Date.now() } }, host, signal);
  } catch (error) {
    throw error instanceof VivariumError && /^ERR_(?:AUTH|FORBIDDEN)/.test(error.code) ? error : first();
  }
}

async function openLink(connector: Connector, host: LinkHost, signal: AbortSignal | undefined): Promise<Link> {
  const channel: Channel = await connector.open(signal);
  if (signal?.aborted) {
    await channel.close();
    throw new VivariumError('ERR_CLOSED', 'The client is closed');
  }
  return new Link(channel, host);
}

function stranger({ revision }: ConnectTerms, about: About, error: unknown): Error {
  return fail('ERR_ERA', `The server does not speak ${revision === 'auto' ? 'any revision of this client' : revision}`, about, { error });
}

function isStranger(error: unknown): boolean {
  const code = error instanceof RpcError ? error.code : error instanceof Lost && 'kind' in error.why ? error.why.error?.code : undefined;
  return code === errorCodes.unsupportedVersion;
}

function isRefusal(error: unknown): boolean {
  if (error instanceof RpcError) return true;
  return error instanceof Lost && 'kind' in error.why && error.why.kind === 'status' && [400, 404, 405].includes(error.why.status ?? 0);
}

function isMessage(line: string): boolean {
  return /^\s*\{\s*"/.test(line);
}

/** A time limit while connecting says what the server did instead of answering. */
function withTrace(error: unknown, about: About): unknown {
  if (!(error instanceof VivariumError) || error.code !== 'ERR_TIMEOUT') return error;
  const { phase = about.phase } = (error.failure ?? {}) as { phase?: About['phase'] };
  const trace = about.channel?.trace?.();
  const junk = trace?.lastLine !== undefined && !isMessage(trace.lastLine);
  const pipe = about.channel?.kind === 'pipe';
  const silent = pipe ? 'The server was started but does not answer' : 'The server does not answer';
  const cause = junk ? `The server prints text instead of messages, the last of it: ${trace?.lastLine}` : silent;
  const hint = junk ? 'its stdout must carry nothing but messages' : 'does it wait for something, or is it no MCP server?';
  return fail('ERR_TIMEOUT', cause, { ...about, phase: phase === 'request' ? about.phase : phase }, { hint, limit: 'connectMs', error });
}
