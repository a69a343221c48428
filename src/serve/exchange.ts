// One HTTP request and its answer, as the endpoint sees them: what differs between node:http and fetch stays behind it.
import type { RequestHead } from '../protocol/authorization.ts';
import type { Account } from './limits/limits.ts';

/** Names and values in turn. */
export type Fields = readonly string[];

/** `taken`: somebody has read it before, and kept it. */
export type BodyFault = 'too-large' | 'not-utf8' | 'taken' | 'too-much';

/** Told what becomes of an answer that does not leave at once. */
export interface Delivery {
  /** It has left, or nobody is there to take it, or nobody can see whether it was taken. */
  over(): void;
  /** Its reader took nothing for too long, and was cut off. */
  cut(): void;
}

export interface Exchange extends RequestHead {
  /** Who pays for what it keeps, once that is known. */
  account: Account | undefined;
  /** Bytes its message takes, once it has been read. */
  weight: number;
  /** Somebody has read and unpacked the body already. */
  readonly isRead: boolean;
  /** Whether it came over TLS. */
  readonly secure: boolean;
  /** What it came on, where that can be seen. */
  readonly connection: object | undefined;
  /** Earlier answers on this connection have not been taken yet. */
  readonly backlog: boolean;
  /**
   * Reads the whole body, at the cost of its account; calls back once, or never when the client goes away first. A body that
   * was parsed before comes as its value.
   */
  read(maxBytes: number, done: (body: string | BodyFault | { readonly value: unknown }) => void): void;
  /** The whole answer. `close` ends the connection with it. */
  answer(status: number, fields: Fields, body: string, close?: boolean, delivery?: Delivery): void;
  /** Ends the connection without an answer. */
  destroy(): void;
  /** The head of an answer that is written bit by bit. */
  open(fields: Fields): Sink;
  /** The client has gone before it was answered in full. At most one listener. */
  onGone(listener: () => void): void;
}

/** The rest of an answer that stays open. */
export interface Sink {
  /** False when the reader does not keep up: `onDrain` says when it does again. */
  write(text: string): boolean;
  /** Bytes that wait to be read. */
  readonly waiting: number;
  onDrain(listener: () => void): void;
  /** The reader has taken nothing at all for so long. Slow is not stalled. */
  onStall(afterMs: number, listener: () => void): void;
  /** `over` is called when nothing of it waits any more. */
  end(over: () => void): void;
  /** At once, whatever waits. */
  destroy(): void;
}
