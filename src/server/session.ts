// What one connection remembers: the handshake of a legacy client, and the calls that are running.
import { VivariumError } from '../jsonrpc/error.ts';
import type { RequestId } from '../jsonrpc/message.ts';
import type { RevisionTraits } from '../protocol/revision.ts';
import type { CallContext, CallOrigin, ClientIdentity, Principal } from './context.ts';

/** The handshake never reaches a modern request, which brings all of this along itself. */
export interface Handshake {
  readonly traits: RevisionTraits;
  readonly client: ClientIdentity;
}

export class Session implements CallOrigin {
  readonly principal: Principal | undefined;
  readonly sessionId: string | undefined;
  readonly running: Map<RequestId, CallContext> = new Map();
  handshake: Handshake | undefined;
  /** The client has confirmed the handshake: before that it may only be pinged. */
  initialized = false;
  /** The revision spoken last, for errors that belong to no request. */
  spoken: RevisionTraits | undefined;
  /** Set while a validator loads: later requests wait behind the call that needs it, so that answers keep their order. */
  loading: Promise<void> | undefined;

  constructor(principal?: Principal, sessionId?: string) {
    this.principal = principal;
    this.sessionId = sessionId;
  }

  cancel(id: RequestId, reason: string | undefined): void {
    const call = this.running.get(id);
    if (call === undefined) return;
    this.running.delete(id);
    call.cancel(new VivariumError('ERR_CANCELLED', reason ?? 'Cancelled by the client'));
  }

  /** Aborts what still runs; their answers have nowhere to go. */
  close(): void {
    const calls = [...this.running.values()];
    this.running.clear();
    for (const call of calls) call.cancel(new VivariumError('ERR_CLOSED', 'The connection is closed'));
  }
}
