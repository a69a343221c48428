// One HTTP request and its answer, as the endpoint sees them: what differs between node:http and fetch stays behind it.
import type { RequestHead } from '../protocol/authorization.ts';

/** Names and values in turn. */
export type Fields = readonly string[];

/** `taken`: somebody has read it before, and kept it. */
export type BodyFault = 'too-large' | 'not-utf8' | 'taken';

export interface Exchange extends RequestHead {
  /** Somebody has read and unpacked the body already. */
  readonly isRead: boolean;
  /** Whether it came over TLS. */
  readonly secure: boolean;
  /** Reads the whole body; calls back once, or never when the client goes away first. A body that was parsed before comes as its value. */
  read(maxBytes: number, done: (body: string | BodyFault | { readonly value: unknown }) => void): void;
  /** The whole answer. `close` ends the connection with it. */
  answer(status: number, fields: Fields, body: string, close?: boolean): void;
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
  end(): void;
  /** At once, whatever waits. */
  destroy(): void;
}
