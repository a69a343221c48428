// Which era a server speaks: found in band, once. Only what a server says about versions counts; refusals and faults of the network do not.
import { errorCodes, RpcError, VivariumError } from '../jsonrpc/error.ts';
import type { Channel, ChannelEnd, ChannelFailure } from '../protocol/channel.ts';
import { isLeftToExtensions, type MethodInfo, methods } from '../protocol/methods.ts';
import { handshakeRevisions, isRevision, metaKeys, type Revision, statelessRevisions, traitsOf } from '../protocol/revision.ts';
import type { ClientCapabilities, DiscoverResult, Implementation, InitializeResult, ServerCapabilities } from '../protocol/types.ts';
import { pause, settledWithin } from '../text/timeouts.ts';
import { type About, endCause, fail, failureCause, Lost } from './failure.ts';
import type { Link } from './link.ts';
import type { Introduction, Verdict } from './options.ts';

export interface ConnectTerms {
  readonly info: Implementation;
  readonly capabilities: ClientCapabilities;
  readonly revision: 'auto' | Revision;
  readonly prior: Verdict | undefined;
  readonly probeMs: number;
  readonly connectMs: number;
}

/** The server belongs to the older era; `reopen` where the connection did not survive the question. */
export class Older extends Error {
  readonly reopen: boolean;
  /** It was silent only, and may be slow to start: its answer to the question still counts where it refuses the handshake. */
  readonly late: Late | undefined;

  constructor(reopen: boolean, late?: Late) {
    super('The server knows only revisions with a handshake');
    this.reopen = reopen;
    this.late = late;
  }
}

interface Late {
  readonly introduced: Promise<Introduction>;
  giveUp(): void;
}

/** A server may have been updated since. */
const verdictHoldsMs = 24 * 60 * 60 * 1_000;

/** Whether the modern era is worth asking for first. */
export function asksModern({ revision, prior }: ConnectTerms): boolean {
  if (revision !== 'auto') return traitsOf(revision).era === 'modern';
  return prior === undefined || prior.era === 'modern' || Date.now() - prior.at > verdictHoldsMs;
}

/** Rejects with Older when the handshake should be tried instead. */
export async function discover(link: Link, terms: ConnectTerms, about: About): Promise<Introduction> {
  const pinned = terms.revision === 'auto' ? undefined : terms.revision;
  let version = pinned ?? (statelessRevisions.at(-1) as Revision);
  const pipe = link.channel.kind !== 'http';
  for (let attempt = 0; ; attempt++) {
    const timeouts = { idleMs: terms.connectMs, totalMs: terms.connectMs };
    try {
      const params = { _meta: envelope(version, terms) };
      const stop = new AbortController();
      const how = { era: 'modern', revision: version, timeouts, signal: stop.signal } as const;
      const asked = link.request('server/discover', params, how) as Promise<DiscoverResult>;
      const introduced = asked.then((result) => introduce(result, version, pinned, about));
      if (pinned !== undefined || !pipe) return await introduced;
      const found = await settledWithin(terms.probeMs, introduced);
      if (found !== undefined) return found;
      introduced.catch(() => undefined);
      throw new Older(false, { introduced, giveUp: () => stop.abort() });
    } catch (caught) {
      if (caught instanceof Older) throw caught;
      const error = await withEnd(caught, link.channel);
      const next = judge(error, pinned, pipe, about);
      if (next instanceof Error) throw next;
      if (attempt > 0) throw fail('ERR_ERA', `The server refuses ${version}, which it says it supports`, about, { error });
      version = next;
    }
  }
}

/** A pipe breaks a moment before the child's end is known, and that end is the cause. */
async function withEnd(error: unknown, channel: Channel): Promise<unknown> {
  if (!(error instanceof Lost) || !('kind' in error.why) || error.why.kind !== 'network' || channel.kind !== 'pipe') return error;
  const end = await endOf(channel);
  return end === undefined ? error : new Lost(error.unsent, end);
}

const exitMs = 500;

export function endOf(channel: Channel): Promise<ChannelEnd | undefined> {
  return settledWithin(exitMs, channel.closed as Promise<ChannelEnd | undefined>);
}

function envelope(version: Revision, { info, capabilities }: ConnectTerms): Record<string, unknown> {
  return { [metaKeys.protocolVersion]: version, [metaKeys.clientInfo]: info, [metaKeys.clientCapabilities]: capabilities };
}

function introduce(result: DiscoverResult, version: Revision, pinned: Revision | undefined, about: About): Introduction {
  const { supportedVersions, capabilities, instructions } = result;
  if (!Array.isArray(supportedVersions) || typeof capabilities !== 'object' || capabilities === null) {
    throw fail('ERR_PROTOCOL', 'The server answered server/discover with something else', about);
  }
  if (!supportedVersions.includes(version) && pinned !== undefined) {
    throw fail('ERR_ERA', `The server does not speak ${version}, only ${supportedVersions.join(', ')}`, about);
  }
  const server = (result._meta as Record<string, unknown> | undefined)?.[metaKeys.serverInfo];
  return {
    era: 'modern',
    revision: version,
    server: server as Implementation | undefined,
    capabilities: capabilities as ServerCapabilities,
    instructions,
  };
}

/** Another version to try, or the error that ends the attempt: Older where the handshake may still work. */
function judge(error: unknown, pinned: Revision | undefined, pipe: boolean, about: About): Revision | Error {
  const told = error instanceof RpcError ? error : rpcIn(error);
  if (told?.code === errorCodes.unsupportedVersion) {
    const supported = (told.data as { supported?: unknown } | undefined)?.supported;
    const list = Array.isArray(supported) ? supported : [];
    const known = list.filter((one): one is Revision => isRevision(one));
    // The same one, where the server lists it: it may have refused the first for reasons of its own.
    const next = known.filter((one) => statelessRevisions.includes(one) && (pinned === undefined || one === pinned)).at(-1);
    if (next !== undefined) return next;
    if (pinned !== undefined)
      return fail('ERR_ERA', `The server does not speak ${pinned}, only ${list.join(', ') || 'others'}`, about, { error: told });
    if (known.some((one) => handshakeRevisions.includes(one)) || list.length === 0) return new Older(false);
    return fail('ERR_ERA', `The server speaks only revisions this client does not know: ${list.join(', ')}`, about, { error: told });
  }
  if (pinned !== undefined && !(error instanceof Lost)) {
    return fail('ERR_ERA', `The server does not speak ${pinned}: ${error instanceof Error ? error.message : String(error)}`, about, {
      error,
    });
  }
  if (told !== undefined && (told.code === errorCodes.headerMismatch || told.code === errorCodes.missingCapability)) return told;
  if (told !== undefined) return new Older(false);
  if (error instanceof Lost) return lost(error, pinned, pipe, about);
  // An answer, but to no question of that kind: an old server that answers everything.
  if (error instanceof VivariumError && error.code === 'ERR_PROTOCOL') return new Older(false);
  // Silence: an old server may ignore what it does not know.
  if (error instanceof VivariumError && error.code === 'ERR_TIMEOUT') {
    return pipe ? new Older(false) : fail('ERR_TIMEOUT', error.message, about, { error, limit: 'connectMs' });
  }
  return error instanceof Error ? error : new Error(String(error));
}

function lost({ why }: Lost, pinned: Revision | undefined, pipe: boolean, about: About): Error {
  if (!('kind' in why))
    return pipe && pinned === undefined
      ? new Older(true)
      : fail('ERR_CONNECT', endCause(why, about.channel?.trace?.().stderr), about, ends(why));
  if (why.kind === 'status' && [400, 404, 405, 406, 415, 422, 501].includes(why.status ?? 0) && pinned === undefined)
    return new Older(false);
  return refused(why, about);
}

export function refused(failure: ChannelFailure, about: About): VivariumError {
  if (failure.error?.code === errorCodes.unsupportedVersion) {
    return fail('ERR_ERA', `The server does not speak this revision: ${failure.error.message}`, about, { error: failure.error });
  }
  const { code, cause, hint } = failureCause(failure, about.target);
  return fail(code, cause, about, {
    error: failure.cause ?? failure.error,
    ...(hint !== undefined && { hint }),
    ...(failure.status !== undefined && { status: failure.status }),
  });
}

export function ends(end: { readonly exitCode?: number | null; readonly exitSignal?: string | null }): object {
  return {
    ...(end.exitCode !== undefined && { exitCode: end.exitCode }),
    ...(end.exitSignal !== undefined && { exitSignal: end.exitSignal }),
  };
}

function rpcIn(error: unknown): RpcError | undefined {
  const told = error instanceof Lost && 'kind' in error.why ? error.why.error : undefined;
  return told === undefined ? undefined : RpcError.from(told);
}

/**
 * The handshake of the older era, beside a question of the newer one that was not answered yet. A server that knows both may answer
 * both, in any order, and then speaks what it agreed to last: so the handshake decides, unless it is refused or passed over.
 */
export async function initializeUnless(late: Late | undefined, link: Link, terms: ConnectTerms, about: About): Promise<Introduction> {
  if (late === undefined) return initialize(link, terms, about);
  const over = new AbortController();
  try {
    const answered = initialize(link, terms, about, over.signal).catch((error: unknown) => new Refused(error));
    const passedOver = late.introduced.then(
      () => pause(terms.probeMs, over.signal),
      () => new Promise<never>(() => undefined),
    );
    const first = await Promise.race([answered, passedOver]);
    if (first !== undefined && !(first instanceof Refused)) return first;
    const found = await settledWithin(
      terms.probeMs,
      late.introduced.catch(() => undefined),
    );
    if (found === undefined) throw first?.why;
    return found;
  } finally {
    late.giveUp();
    over.abort();
  }
}

class Refused {
  readonly why: unknown;

  constructor(why: unknown) {
    this.why = why;
  }
}

/** The handshake of the older era. */
export async function initialize(link: Link, terms: ConnectTerms, about: About, signal?: AbortSignal): Promise<Introduction> {
  const pinned = terms.revision === 'auto' ? undefined : terms.revision;
  const wanted = pinned ?? (handshakeRevisions.at(-1) as Revision);
  const timeouts = { idleMs: terms.connectMs, totalMs: terms.connectMs };
  const params = { protocolVersion: wanted, capabilities: terms.capabilities, clientInfo: terms.info };
  const result = (await link.request('initialize', params, { era: 'legacy', timeouts, signal })) as unknown as InitializeResult;
  const { protocolVersion, capabilities, serverInfo, instructions } = result;
  if (typeof protocolVersion !== 'string' || typeof capabilities !== 'object' || capabilities === null) {
    throw fail('ERR_PROTOCOL', 'The server answered initialize with something else', about);
  }
  if (!isRevision(protocolVersion) || traitsOf(protocolVersion).era !== 'legacy' || (pinned !== undefined && protocolVersion !== pinned)) {
    const want = pinned ?? 'a revision this client knows';
    throw fail('ERR_ERA', `The server speaks ${protocolVersion}, not ${want}`, about);
  }
  link.notify('notifications/initialized', undefined, { era: 'legacy', revision: protocolVersion });
  return { era: 'legacy', revision: protocolVersion, server: serverInfo, capabilities, instructions };
}

/** Throws for a method of the other era, and for one the server says it does not offer; what extensions add exists in any. */
export function checkMethod(method: string, introduction: Introduction): void {
  const { revision } = introduction;
  const row = requestRow(method);
  if (row !== undefined && !row.revisions.has(revision)) {
    throw new VivariumError('ERR_UNSUPPORTED_BY_REVISION', `${method} does not exist in ${revision}`);
  }
  if (!offers(method, introduction)) {
    throw new VivariumError('ERR_UNSUPPORTED_BY_PEER', `The server does not offer ${row?.capability}, which ${method} needs`);
  }
}

/** Of a request that clients send; undefined for those that an extension may have defined. */
function requestRow(method: string): MethodInfo | undefined {
  const row = methods.get(method);
  return row === undefined || row.kind !== 'request' || row.sender === 'server' || isLeftToExtensions(row) ? undefined : row;
}

/** Whether the server declared what the method belongs to. */
export function offers(method: string, { capabilities, revision }: Introduction): boolean {
  const needed = requestRow(method)?.capability as keyof ServerCapabilities | undefined;
  if (needed === undefined || (needed === 'completions' && !traitsOf(revision).completionsDeclared)) return true;
  return capabilities[needed] !== undefined;
}
