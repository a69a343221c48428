// What one connection remembers: a legacy handshake, the calls that run, and what the client wants to be told.
import { faults, VivariumError } from '../jsonrpc/error.ts';
import type { Params, ParsedRequest, ParsedResponse, RequestId } from '../jsonrpc/message.ts';
import type { Pending } from '../jsonrpc/pending.ts';
import { methods, shapeFault } from '../protocol/methods.ts';
import { isRevision, type Revision, type RevisionTraits, traitsOf } from '../protocol/revision.ts';
import type { ClientCapabilities, Implementation, LoggingLevel, ServerCapabilities } from '../protocol/types.ts';
import type { Reply } from './answer.ts';
import type { Call } from './call.ts';
import type { ClientIdentity, Outlet, Principal } from './context.ts';
import type { Change, Core } from './core.ts';

/** The handshake never reaches a modern request, which brings all of this along itself. */
export interface Handshake {
  readonly traits: RevisionTraits;
  readonly client: ClientIdentity;
  /** What the server promised, where there was a handshake. */
  readonly capabilities?: ServerCapabilities;
}

/** What was promised to a legacy client, and when: changes from before are no news to it. */
export interface Agreement extends Handshake {
  readonly capabilities: ServerCapabilities;
  readonly since: number;
}

/** A request that waits its turn. */
export interface Waiting {
  readonly id: RequestId;
  readonly message: ParsedRequest;
  /** It has waited for what it needs, and is not to wait again. */
  loaded: boolean;
  run(): void;
  drop(): void;
}

/** A modern client that listens; made by `subscriptions/listen`. */
export interface Listener {
  tell(change: Change): void;
  /** Ends it gracefully, with a result. */
  end(): void;
}

export class Session {
  readonly core: Core;
  /** Of the latest message, where each says so itself. */
  principal: Principal | undefined;
  readonly sessionId: string | undefined;
  readonly running: Map<RequestId, Call> = new Map();
  readonly listeners: Map<RequestId, Listener> = new Map();
  /** URIs a legacy client has subscribed to. */
  subscribed: Set<string> = new Set();
  logLevel: LoggingLevel = 'info';
  handshake: Agreement | undefined;
  /** The client has confirmed the handshake: before that it may only be pinged. */
  initialized = false;
  /** The author has been told that this client breaks the rules. */
  warned = false;
  /** The revision spoken last, for errors that belong to no request. */
  spoken: RevisionTraits | undefined;
  /** There while something loads: later requests wait behind the one that needs it, so that answers keep their order. */
  queue: Map<RequestId, Waiting> | undefined;
  /** `notifications/initialized` came while its `initialize` was still waiting. */
  confirmed = false;
  /** No listener may begin any more. */
  ending = false;
  /** Requests of ours; there once something was asked. */
  pending: Pending | undefined;
  /** What keeps our ids apart from those of other nodes that serve the same session. */
  askPrefix: string | undefined;
  /** Every request has a stream of its own, which ends with it: that is how a client hears that it is over. */
  streams = false;
  /** There is no way to tell the client anything but answers: nothing of the kind is promised to it. */
  deaf = false;
  /** Something changed that outlives the connection: the level, the subscriptions, the confirmed handshake. */
  onState: (() => void) | undefined;

  constructor(core: Core, principal?: Principal, sessionId?: string) {
    this.core = core;
    this.principal = principal;
    this.sessionId = sessionId;
  }

  /** False when nobody asked. `bytes` is what the response takes in memory, where the porch counts that. */
  answered(response: ParsedResponse, bytes?: number): boolean {
    return this.pending?.settle(response, bytes) ?? false;
  }

  /** Untagged to a legacy client that was promised it, tagged to every modern listener that asked for it. */
  announce(change: Change, at: number, outlet: Outlet): void {
    const { handshake } = this;
    if (!this.core.announces && change.kind !== 'extension') return;
    // Changes of what someone may not see are not told to them.
    if (change.kind === 'updated' && this.core.hides?.(this.core, this.principal, change.uri) === true) return;
    if (this.initialized && handshake !== undefined && at > handshake.since && this.#wants(change, handshake.capabilities)) {
      outlet.send({ jsonrpc: '2.0', ...messageOf(change) });
    }
    for (const listener of this.listeners.values()) listener.tell(change);
  }

  #wants(change: Change, promised: ServerCapabilities): boolean {
    if (change.kind === 'list') return promised[change.of] !== undefined;
    return change.kind === 'updated' && this.subscribed.has(change.uri);
  }

  cancel(id: RequestId, reason: string | undefined): void {
    const waiting = this.queue?.get(id);
    // A handshake is never cancelled.
    if (waiting !== undefined && waiting.message.method !== 'initialize') this.#drop(waiting);
    const call = this.running.get(id);
    if (call === undefined) return;
    this.running.delete(id);
    call.cancel(new VivariumError('ERR_CANCELLED', reason ?? 'Cancelled by the client'));
  }

  /** Listeners would wait for ever: they are told that it is over. */
  endListeners(): void {
    for (const listener of [...this.listeners.values()]) listener.end();
  }

  /** Aborts what still runs; their answers have nowhere to go. */
  close(): void {
    const reason = new VivariumError('ERR_CLOSED', 'The connection is closed');
    for (const waiting of this.queue?.values() ?? []) this.#drop(waiting);
    const calls = [...this.running.values()];
    this.running.clear();
    this.listeners.clear();
    for (const call of calls) call.cancel(reason);
    this.pending?.close(reason);
  }

  #drop(waiting: Waiting): void {
    this.queue?.delete(waiting.id);
    waiting.drop();
  }
}

export function messageOf(change: Change): { readonly method: string; readonly params?: object } {
  if (change.kind === 'list') return { method: `notifications/${change.of}/list_changed` };
  if (change.kind === 'updated') return { method: 'notifications/resources/updated', params: { uri: change.uri } };
  return { method: change.method, ...(change.params !== undefined && { params: change.params }) };
}

const initializeShape = methods.get('initialize')?.params ?? [];

/** Synchronous on purpose: whatever follows on the connection is judged with the handshake settled. */
export function initialize(session: Session, params: Params | undefined): Reply {
  const { core } = session;
  const fault = shapeFault(initializeShape, params);
  if (fault !== undefined || params === undefined) return { error: faults.invalidParams(fault ?? '') };
  if (session.handshake !== undefined) return { error: faults.invalidRequest('Already initialized') };
  const requested = params['protocolVersion'] as string;
  const client = params['clientInfo'] as Params;
  if (requested === '') return { error: faults.invalidParams('protocolVersion must not be empty') };
  if (typeof client['name'] !== 'string' || typeof client['version'] !== 'string') {
    return { error: faults.invalidParams('clientInfo needs a name and a version') };
  }
  const newest = core.legacy.at(-1);
  if (newest === undefined) return { error: faults.unsupportedVersion(core.revisions, requested) };
  // Never an error for an unknown version: the server offers another, the client decides.
  const revision = isRevision(requested) && core.legacy.includes(requested) ? requested : newest;
  const traits = traitsOf(revision);
  const capabilities = core.capabilities(!session.deaf);
  session.handshake = {
    traits,
    capabilities,
    since: core.changes,
    client: { info: client as unknown as Implementation, capabilities: params['capabilities'] as ClientCapabilities },
  };
  session.spoken = traits;
  session.initialized ||= session.confirmed;
  return {
    result: {
      protocolVersion: revision satisfies Revision,
      capabilities,
      serverInfo: describeServer(core, traits),
      ...(core.options.instructions !== undefined && { instructions: core.options.instructions }),
    },
  };
}

function describeServer(core: Core, traits: RevisionTraits): Implementation {
  const { name, version, title, description, websiteUrl, icons } = core.info;
  return {
    name,
    ...(title !== undefined && traits.titles && { title }),
    version,
    ...(traits.implementationDetails && {
      ...(description !== undefined && { description }),
      ...(websiteUrl !== undefined && { websiteUrl }),
      ...(icons !== undefined && { icons }),
    }),
  };
}
