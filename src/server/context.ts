// What a handler is given: who asks, in which revision, and the ways to report, to log and to ask back.
import type { RequestId } from '../jsonrpc/message.ts';
import type { Principal } from '../protocol/authorization.ts';
import type { Era, Revision } from '../protocol/revision.ts';
import type {
  ClientCapabilities,
  CreateMessageRequestParams,
  CreateMessageResult,
  Implementation,
  LoggingLevel,
  Root,
} from '../protocol/types.ts';
import type { OutputOf } from '../schema/infer.ts';

export type { Principal } from '../protocol/authorization.ts';

export type ClientFeature = 'elicitation' | 'elicitation.url' | 'sampling' | 'sampling.tools' | 'roots';

/** Capabilities are kept exactly as the client sent them, members we do not know included. */
export interface ClientIdentity {
  readonly info: Implementation | undefined;
  readonly capabilities: ClientCapabilities;
}

/** Sent to the client when its level asks for it; data that is not JSON is dropped and reported. */
export interface Log {
  (level: LoggingLevel, data: unknown, logger?: string): void;
  debug(data: unknown, logger?: string): void;
  info(data: unknown, logger?: string): void;
  warning(data: unknown, logger?: string): void;
  error(data: unknown, logger?: string): void;
}

/** For lists, completers and methods of extensions: they can neither ask nor report progress. */
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
  /** A header of the HTTP request that carried this one, by lower-case name; never the credentials. Undefined elsewhere. */
  header(name: string): string | undefined;
  /** For logs only; undefined where the revision has no sessions. */
  readonly sessionId: string | undefined;
  /** `_meta` of the request. */
  readonly meta: Readonly<Record<string, unknown>>;
  /** Up to 2025-11-25: if at least the level the client set. 2026-07-28: only if this request carried a level. */
  readonly log: Log;
}

/** What the user did with a form; the content is there only when it was accepted. */
export type Elicited<T> =
  | { readonly action: 'accept'; readonly content: T }
  | { readonly action: 'decline' }
  | { readonly action: 'cancel' };

export interface Elicitation<S extends object> {
  readonly message: string;
  /** A flat object of strings, numbers, booleans and choices: the protocol allows no more. */
  readonly schema: S;
}

/**
 * An ask reads like a function call in every revision. Up to 2025-11-25 it is a request to the client while the handler
 * waits; in 2026-07-28 the handler is run again from the top once the answer is there. So whatever has an effect, is
 * expensive or changes belongs into `once`, or after the last ask.
 */
export interface Context extends BaseContext {
  /** Does nothing when the client gave no token; a value that does not grow is dropped, as the protocol demands. */
  progress(done: number, total?: number, message?: string): void;
  /** Progress that always grows, until disposed or answered: it keeps the client's timer from running out. */
  heartbeat(everyMs?: number, message?: string): Disposable;
  /**
   * Lets the client hang up and come back for the answer: ends this call's event stream, to be resumed after so long.
   * False, and nothing happens, where a stream cannot be resumed: only from 2025-11-25 on, over HTTP, in a session.
   */
  detach(retryMs?: number): boolean;
  /** `id` is the same in all rounds of one call: an idempotency key. */
  readonly flow: { readonly id: string; readonly round: number };
  elicit<const S extends object>(key: string, question: Elicitation<S>): Promise<Elicited<OutputOf<S>>>;
  elicitUrl(
    key: string,
    question: { readonly message: string; readonly url: string },
  ): Promise<{ readonly action: Elicited<never>['action'] }>;
  sample(key: string, params: CreateMessageRequestParams): Promise<CreateMessageResult>;
  roots(): Promise<readonly Root[]>;
  /** Runs the step once per call, over all its rounds, and keeps its value, which must be JSON. */
  once<T>(key: string, step: () => T | Promise<T>): Promise<T>;
}

export interface ResourceContext extends Context {
  /** The URI that is read. */
  readonly uri: string;
}

/** The way a message came: back to the client for what is sent before the answer. */
export interface Outlet {
  send(message: object): void;
  /** Who sent the message, where each message says so itself and not the connection. */
  readonly principal?: Principal | undefined;
  header?(name: string): string | undefined;
  detach?(retryMs: number): boolean;
  /** A handler takes time for this message; `ended` says that it no longer does, also when its call was cancelled long before. */
  began?(): void;
  ended?(): void;
  /** This message keeps so many more bytes until its handlers have ended. */
  hold?(bytes: number): void;
}
