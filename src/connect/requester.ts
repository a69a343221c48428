// What an HTTP client must do for a channel, whatever it is made of: one request, and callbacks for its answer.
import type { ChannelFailure } from '../protocol/channel.ts';

export interface Outgoing {
  readonly verb: 'POST' | 'GET' | 'DELETE';
  /** With its query; the origin is the requester's. */
  readonly path: string;
  /** Names and values in turn. The same list again means the same headers. */
  readonly fields: readonly string[];
  readonly body: string | undefined;
  /** It waits for an answer that may take long: such requests are counted, the others must always get through. */
  readonly holds: boolean;
}

export type HeaderLookup = (name: string) => string | undefined;

export interface Reception {
  /** A token is being got for it. */
  authorizing?(on: boolean): void;
  /** Names are asked for in lower case. */
  head(status: number, header: HeaderLookup): void;
  data(bytes: Uint8Array): void;
  /** All of it came. */
  end(): void;
  /** Nothing follows. */
  failed(failure: ChannelFailure): void;
}

export interface Underway {
  /** Nothing is told afterwards. */
  abort(): void;
}

export interface Requester {
  /** Never throws. */
  send(outgoing: Outgoing, reception: Reception): Underway;
  /** Ends what is under way, and all connections. */
  close(): void;
}
