// What one connection remembers: a legacy handshake, the calls that run, what the client wants to be told.
import { VivariumError } from '../jsonrpc/error.ts';
import type { ParsedResponse, RequestId } from '../jsonrpc/message.ts';
import { Pending } from '../jsonrpc/pending.ts';
import type { RevisionTraits } from '../protocol/revision.ts';
import type { LoggingLevel } from '../protocol/types.ts';
import type { Call } from './call.ts';
import type { ClientIdentity, Outlet, Principal } from './context.ts';
import type { Change, Core } from './core.ts';

/** The handshake never reaches a modern request, which brings all of this along itself. */
export interface Handshake {
  readonly traits: RevisionTraits;
  readonly client: ClientIdentity;
}

/** A modern client that listens; made by `subscriptions/listen`. */
export interface Listener {
  tell(change: Change): void;
  /** Ends it gracefully, with a result. */
  end(): void;
}

export class Session {
  readonly core: Core;
  readonly principal: Principal | undefined;
  readonly sessionId: string | undefined;
  readonly running: Map<RequestId, Call> = new Map();
  readonly listeners: Map<RequestId, Listener> = new Map();
  readonly subscribed: Set<string> = new Set();
  handshake: Handshake | undefined;
  /** The client has confirmed the handshake: before that it may only be pinged. */
  initialized = false;
  logLevel: LoggingLevel = 'info';
  /** The revision spoken last, for errors that belong to no request. */
  spoken: RevisionTraits | undefined;
  /** Set while a validator loads: later requests wait behind the call that needs it, so that answers keep their order. */
  loading: Promise<void> | undefined;
  #pending: Pending | undefined;

  constructor(core: Core, principal?: Principal, sessionId?: string) {
    this.core = core;
    this.principal = principal;
    this.sessionId = sessionId;
  }

  get pending(): Pending {
    this.#pending ??= new Pending();
    return this.#pending;
  }

  /** An answer to a question of ours; one that nobody asked is dropped. */
  answered(response: ParsedResponse): void {
    this.#pending?.settle(response);
  }

  /** Untagged to a legacy client that has finished its handshake, tagged to every modern listener that asked for it. */
  announce(change: Change, outlet: Outlet): void {
    const wanted = change.kind === 'list' || this.subscribed.has(change.uri);
    if (this.initialized && wanted) outlet.send({ jsonrpc: '2.0', ...messageOf(change) });
    for (const listener of this.listeners.values()) listener.tell(change);
  }

  cancel(id: RequestId, reason: string | undefined): void {
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
    const calls = [...this.running.values()];
    this.running.clear();
    this.listeners.clear();
    for (const call of calls) call.cancel(reason);
    this.#pending?.close(reason);
  }
}

export function messageOf(change: Change): { readonly method: string; readonly params?: { readonly uri: string } } {
  if (change.kind === 'list') return { method: `notifications/${change.of}/list_changed` };
  return { method: 'notifications/resources/updated', params: { uri: change.uri } };
}
