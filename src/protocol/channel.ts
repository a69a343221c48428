// The way between a client and a server, whatever carries it: messages out, messages in, and why it ended.
import type { RequestId } from '../jsonrpc/message.ts';
import type { Era, Revision } from './revision.ts';

/** What a client adds to a message for transports that need to know more than its text. */
export interface Sending {
  readonly era?: Era | undefined;
  /** Undefined until the client knows, for `initialize` and before it. */
  readonly revision?: Revision | undefined;
  /** Headers that repeat arguments, where the tool asks for it. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** A token is being got, which may take a person: nobody else is being waited for. */
  authorizing?(on: boolean): void;
  /** The message did not get through, or its answer will not come. Called at most once. */
  failed?(failure: ChannelFailure): void;
}

/** Why a connection could not be made, where there is something to be done about it. */
export type NetworkReason = 'untrusted-certificate' | 'certificate-dates' | 'certificate-name' | 'not-tls';

export interface ChannelFailure {
  /** `status`: the server answered with an HTTP status instead; `network`: it could not be reached, or the connection broke; `protocol`: what came back is no answer; `authorization`: there is no token to be had. */
  readonly kind: 'status' | 'network' | 'protocol' | 'authorization';
  /** One line, for people. */
  readonly message: string;
  readonly reason?: NetworkReason;
  readonly status?: number;
  /** A JSON-RPC error in the body, where there was one. */
  readonly error?: { readonly code: number; readonly message: string; readonly data?: unknown };
  /** The beginning of any other body. */
  readonly body?: string;
  readonly challenge?: string;
  readonly retryAfterMs?: number;
  /** Nothing of the message can have reached the server: it is safe to send it again. */
  readonly unsent: boolean;
  readonly cause?: unknown;
}

/** Why a channel ended, as far as it is known. */
export interface ChannelEnd {
  /** We closed it ourselves. */
  readonly wanted: boolean;
  readonly message?: string;
  readonly exitCode?: number | null;
  readonly exitSignal?: string | null;
  readonly cause?: unknown;
}

/** What a channel can tell about itself when something goes wrong. */
export interface ChannelTrace {
  /** The last lines a child process wrote to stderr. */
  readonly stderr?: readonly string[];
  /** The last line that came over the wire, message or not, cut to a bearable length. */
  readonly lastLine?: string;
}

export interface Channel {
  /** Never throws for what happens on the way: `sending.failed` and `closed` tell. */
  send(message: object, sending?: Sending): void;
  /** Nobody waits for the answer of this request any more: where it has a stream of its own, that is closed. */
  abandon?(id: RequestId): void;
  /** One listener; messages that arrive before it is set wait for it. */
  receive(listener: (message: object) => void): void;
  /** What came that is no message: lines of junk, answers that cannot be read. One listener. */
  junk?(listener: (line: string) => void): void;
  /** Settles with a `ChannelEnd`, where the channel knows why. */
  readonly closed: Promise<unknown>;
  close(): Promise<void>;
  trace?(): ChannelTrace;
  /** Of HTTP: whether the server keeps a session, and a way to listen for what it says by itself (revisions with a handshake). */
  listen?(): void;
  /** What carries the messages: it decides how the era is found and how a call is cancelled. */
  readonly kind?: 'pipe' | 'http' | 'sse';
  [Symbol.asyncDispose](): Promise<void>;
}

/** A description that can be opened again and again: what recovery needs. */
export interface Connector {
  /** For people: a command line or a URL. */
  readonly target: string;
  /** Rejects with a VivariumError that says why, with `failure` as far as it is known; early when the signal is aborted, where it takes long. */
  open(signal?: AbortSignal): Promise<Channel>;
  /** Another way to the same server, for one that predates this transport. */
  readonly older?: Connector;
}
