// An endpoint as its streams, answers and sessions see it: what they share, without the sessions themselves.
import type { ErrorObject } from '../jsonrpc/error.ts';
import type { RequestId } from '../jsonrpc/message.ts';
import type { RevisionTraits } from '../protocol/revision.ts';
import type { Change, Core } from '../server/core.ts';
import type { Store } from '../store/store.ts';
import type { Counters } from './counters.ts';
import type { Exchange, Fields } from './exchange.ts';
import type { Gate } from './gate.ts';
import type { Settings } from './http-options.ts';
import type { Account, Callers } from './limits/limits.ts';

/** Whoever is told of changes through this endpoint. */
export interface Audience {
  hear(change: Change, at: number): void;
}

/** Looked after by the beat of the endpoint, and ended with it. */
export interface Watched {
  tick(now: number): void;
  end(): void;
}

export interface Refusing {
  readonly id?: RequestId | undefined;
  readonly traits?: RevisionTraits | undefined;
  readonly fields?: Fields;
  readonly close?: boolean;
}

export interface EndpointHost {
  readonly core: Core;
  readonly settings: Settings;
  readonly gate: Gate;
  readonly store: Store;
  readonly counters: Counters;
  readonly callers: Callers;
  /** Tells this endpoint from others that share its store. */
  readonly id: string;
  readonly streams: Set<Watched>;
  readonly replies: Set<Watched>;
  readonly audience: Set<Audience>;
  /** Unique among all endpoints that share the store; `kind` tells whose stream it is. */
  streamName(kind: 'g' | 'p'): string;
  show(direction: 'in' | 'out', text: string): void;
  answer(exchange: Exchange, status: number, fields: Fields, body: string): void;
  /** The answer of a call: one that is large, or comes when others still wait, is paid for until it is taken. */
  deliver(exchange: Exchange, account: Account, status: number, fields: Fields, body: string): void;
  /** An answer that is an error, with the id of its request where that could be read. */
  refuse(exchange: Exchange, status: number, error: ErrorObject, more?: Refusing): void;
  /** What nobody waits for may still fail, and that is told to the author. */
  quietly(work: unknown): void;
  /** The public URL of the endpoint. */
  resource(exchange: Exchange, path: string, exact?: boolean): string;
  /** Starts the beat, when there is something to look after. */
  watch(): void;
}
