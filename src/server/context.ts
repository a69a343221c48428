// What a handler is given: who asks, in which revision, how to report progress, and a signal that ends with the call.
import type { VivariumError } from '../jsonrpc/error.ts';
import type { Params, RequestId } from '../jsonrpc/message.ts';
import type { Era, Revision, RevisionTraits } from '../protocol/revision.ts';
import type { ClientCapabilities, Implementation } from '../protocol/types.ts';

/** Who calls. On stdio there is none: the local user, with every scope granted. */
export interface Principal {
  readonly id: string;
  readonly scopes: readonly string[];
  readonly claims?: Readonly<Record<string, unknown>>;
}

export type ClientFeature = 'elicitation' | 'elicitation.url' | 'sampling' | 'sampling.tools' | 'roots';

/** Capabilities are kept exactly as the client sent them, members we do not know included. */
export interface ClientIdentity {
  readonly info: Implementation | undefined;
  readonly capabilities: ClientCapabilities;
}

export interface BaseContext {
  /** Aborted when the call is cancelled, its connection ends or the server closes. */
  readonly signal: AbortSignal;
  readonly revision: Revision;
  readonly era: Era;
  readonly requestId: RequestId;
  readonly client: ClientIdentity;
  /** Whether the client can be asked for this; one reading of every revision's way to say so. */
  can(feature: ClientFeature): boolean;
  readonly principal: Principal | undefined;
  /** For logs only; undefined where the revision has no sessions. */
  readonly sessionId: string | undefined;
  /** `_meta` of the request. */
  readonly meta: Readonly<Record<string, unknown>>;
}

export interface Context extends BaseContext {
  /** Does nothing when the client gave no token; a value that does not grow is dropped, as the protocol demands. */
  progress(done: number, total?: number, message?: string): void;
}

/** The way back to the client for what is sent before the answer. */
export interface Outlet {
  send(message: object): void;
}

/** What a call needs to know of the connection it came through. */
export interface CallOrigin {
  readonly principal: Principal | undefined;
  readonly sessionId: string | undefined;
}

const nothing: Readonly<Record<string, never>> = Object.freeze({});

export class CallContext implements Context {
  readonly requestId: RequestId;
  readonly traits: RevisionTraits;
  readonly client: ClientIdentity;
  readonly #origin: CallOrigin;
  readonly #meta: Readonly<Record<string, unknown>> | undefined;
  #outlet: Outlet | undefined;
  #controller: AbortController | undefined;
  #reason: VivariumError | undefined;
  #reached = Number.NEGATIVE_INFINITY;
  /** Set while the call runs asynchronously: ends it at once when it is cancelled. */
  release: (() => void) | undefined;

  constructor(id: RequestId, traits: RevisionTraits, client: ClientIdentity, meta: Params | undefined, origin: CallOrigin, outlet: Outlet) {
    this.requestId = id;
    this.traits = traits;
    this.client = client;
    this.#meta = meta;
    this.#origin = origin;
    this.#outlet = outlet;
  }

  get revision(): Revision {
    return this.traits.revision;
  }

  get era(): Era {
    return this.traits.era;
  }

  get principal(): Principal | undefined {
    return this.#origin.principal;
  }

  get sessionId(): string | undefined {
    return this.traits.era === 'legacy' ? this.#origin.sessionId : undefined;
  }

  get meta(): Readonly<Record<string, unknown>> {
    return this.#meta ?? nothing;
  }

  get cancelled(): boolean {
    return this.#reason !== undefined;
  }

  /** Made only when someone asks: most calls never do. */
  get signal(): AbortSignal {
    if (this.#controller === undefined) {
      this.#controller = new AbortController();
      if (this.#reason !== undefined) this.#controller.abort(this.#reason);
    }
    return this.#controller.signal;
  }

  can(feature: ClientFeature): boolean {
    return canDo(this.client.capabilities, feature);
  }

  progress(done: number, total?: number, message?: string): void {
    const progressToken = this.#meta?.['progressToken'];
    if (progressToken === undefined || !Number.isFinite(done) || done <= this.#reached) return;
    this.#reached = done;
    this.#outlet?.send({
      jsonrpc: '2.0',
      method: 'notifications/progress',
      params: {
        progressToken,
        progress: done,
        ...(total !== undefined && Number.isFinite(total) && { total }),
        ...(message !== undefined && this.traits.progressMessages && { message }),
      },
    });
  }

  /** Ends the call without an answer; nothing more is sent for it. */
  cancel(reason: VivariumError): void {
    if (this.#reason !== undefined || this.#outlet === undefined) return;
    this.#reason = reason;
    this.finish();
    this.#controller?.abort(reason);
    this.release?.();
  }

  /** The answer has left: what the handler still tries to send is dropped. */
  finish(): void {
    this.#outlet = undefined;
  }
}

/** An empty `elicitation` means forms: that is how 2025-06-18 declared them, and later revisions kept the reading. */
function canDo(capabilities: ClientCapabilities, feature: ClientFeature): boolean {
  const [name = feature, part] = feature.split('.');
  const capability = declared(capabilities, name);
  if (capability === undefined) return false;
  if (part !== undefined) return declared(capability, part) !== undefined;
  return feature !== 'elicitation' || declared(capability, 'form') !== undefined || declared(capability, 'url') === undefined;
}

/** A capability is declared by an object; anything else a client may send there declares nothing. */
function declared(of: object, name: string): object | undefined {
  const value = Object.hasOwn(of, name) ? (of as Record<string, unknown>)[name] : undefined;
  return typeof value === 'object' && value !== null ? value : undefined;
}
