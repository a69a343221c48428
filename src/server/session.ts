// What one connection remembers: the handshake of a legacy client, and the calls that are running.
import { VivariumError } from '../jsonrpc/error.ts';
import type { ParsedRequest, RequestId } from '../jsonrpc/message.ts';
import type { RevisionTraits } from '../protocol/revision.ts';
import type { ServerCapabilities } from '../protocol/types.ts';
import type { CallContext, CallOrigin, ClientIdentity, Principal } from './context.ts';
import type { Change } from './core.ts';

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

export class Session implements CallOrigin {
  readonly principal: Principal | undefined;
  readonly sessionId: string | undefined;
  readonly running: Map<RequestId, CallContext> = new Map();
  handshake: Agreement | undefined;
  /** The client has confirmed the handshake: before that it may only be pinged. */
  initialized = false;
  /** The author has been told that this client breaks the rules. */
  warned = false;
  /** The revision spoken last, for errors that belong to no request. */
  spoken: RevisionTraits | undefined;
  /** There while a validator loads: later requests wait behind the call that needs it, so that answers keep their order. */
  queue: Set<Waiting> | undefined;

  constructor(principal?: Principal, sessionId?: string) {
    this.principal = principal;
    this.sessionId = sessionId;
  }

  /** The message that tells this client of a change; undefined when it is not to be told. */
  news(change: Change, at: number): object | undefined {
    const { handshake } = this;
    if (!this.initialized || handshake === undefined || at <= handshake.since) return undefined;
    if (handshake.capabilities[change] === undefined) return undefined;
    return { jsonrpc: '2.0', method: `notifications/${change}/list_changed` };
  }

  cancel(id: RequestId, reason: string | undefined): void {
    for (const waiting of this.queue ?? []) if (waiting.id === id) this.#drop(waiting);
    const call = this.running.get(id);
    if (call === undefined) return;
    this.running.delete(id);
    call.cancel(new VivariumError('ERR_CANCELLED', reason ?? 'Cancelled by the client'));
  }

  /** Aborts what still runs; their answers have nowhere to go. */
  close(): void {
    for (const waiting of this.queue ?? []) this.#drop(waiting);
    const calls = [...this.running.values()];
    this.running.clear();
    for (const call of calls) call.cancel(new VivariumError('ERR_CLOSED', 'The connection is closed'));
  }

  #drop(waiting: Waiting): void {
    this.queue?.delete(waiting);
    waiting.drop();
  }
}
