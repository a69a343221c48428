// Everything that was seen on one connection, in order: the evidence that rules and probes judge by.
import type { Revision } from '../../protocol/revision.ts';

import type { Transport } from './requirement.ts';

export type Direction = 'sent' | 'received';

/** One message, or what stood in the place of one. */
export interface Message {
  /** Milliseconds since the connection was begun. */
  readonly at: number;
  readonly direction: Direction;
  /** A line without its end, a body, or the data of an event. */
  readonly bytes: Buffer;
  /** Undefined when the bytes are not UTF-8. */
  readonly text: string | undefined;
  /** Undefined when the text is not JSON. */
  readonly value: unknown;
  /** Over HTTP: where it was carried, and how. */
  readonly exchange?: Exchange;
  readonly form?: 'body' | 'event';
  /** Its place, when it is a member of a batch. */
  readonly member?: number;
  /** Malformed on purpose: rules about our own conduct ignore it. */
  readonly wild?: boolean;
}

export interface Exchange {
  readonly number: number;
  readonly at: number;
  readonly request: {
    readonly method: string;
    readonly url: string;
    readonly headers: Readonly<Record<string, string>>;
    readonly body: Buffer | undefined;
    /** Names of headers, in lower case, whose values are left out of reports. */
    readonly secrets?: readonly string[] | undefined;
  };
  /** Malformed on purpose. */
  readonly wild: boolean;
  /** The party under test made the request, and we answered it. */
  readonly inbound?: true;
  response?: HttpResponse;
  /** How often it got 429 and was sent again. */
  postponed?: number;
  /** Why there is no response, or why it broke off. */
  failure?: ExchangeFailure;
}

export interface ExchangeFailure {
  readonly reason: 'timeout' | 'closed-by-client' | 'error';
  readonly message: string;
}

export const closedByClient: ExchangeFailure = { reason: 'closed-by-client', message: 'closed by the client' };

export interface HttpResponse {
  readonly at: number;
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  body: Buffer;
  events: StreamEvent[];
  endedAt?: number;
}

/** One event of a stream, as its lines gave it. */
export interface StreamEvent {
  readonly at: number;
  readonly event: string | undefined;
  readonly id: string | undefined;
  readonly retry: string | undefined;
  /** Undefined where there was no data field. */
  readonly data: string | undefined;
}

/** An event of the connection that is not a message. */
export interface Happening {
  readonly at: number;
  readonly what: 'end-of-input' | 'signal' | 'exit' | 'unfinished-line' | 'bad-end-of-line';
  readonly detail: string;
  /** Of an exit: the signal that ended the process. */
  readonly signal?: string;
}

export interface Conversation {
  readonly name: string;
  readonly transport: Transport;
  readonly revision: Revision;
  readonly messages: readonly Message[];
  readonly exchanges: readonly Exchange[];
  readonly happenings: readonly Happening[];
  readonly stderr: string;
  /** We sent malformed bytes on it. */
  readonly wild: boolean;
  /** Input exceeded the limit and was cut: do not blame the sender for what is missing at the end. */
  readonly isFull: boolean;
}

/** Milliseconds in which a process may end by itself once its input has. */
export const graceMs = 3_000;

/** Whether the process needed a signal to end; undefined where it was not given the time, or its input never ended. */
export function outlivesInput({ happenings }: Pick<Conversation, 'happenings'>): boolean | undefined {
  const end = happenings.find(({ what }) => what === 'end-of-input');
  const push = happenings.find(({ what }) => what === 'signal');
  if (end === undefined || (push !== undefined && push.at - end.at < graceMs - 100)) return undefined;
  if (push !== undefined) return true;
  return happenings.some(({ what }) => what === 'exit') ? false : undefined;
}

/** Limits of one connection: every message is kept in memory, and rules compare each with all others. */
const maxMessages = 10_000;
const maxBytes = 256 * 1024 * 1024;
export const fullness: string = 'the other side sent more than 10,000 messages or 256 MiB on one connection, and no more was read';

const maxStderr = 64 * 1024;

/** Records everything that passes on one connection. */
export class Recorder implements Conversation {
  readonly name: string;
  readonly transport: Transport;
  readonly revision: Revision;
  readonly messages: Message[] = [];
  readonly exchanges: Exchange[] = [];
  readonly happenings: Happening[] = [];
  stderr = '';
  wild = false;
  isFull = false;
  /** Called once when a limit is exceeded; without it there is no limit. */
  onFull: (() => void) | undefined;
  #received = 0;
  #bytes = 0;
  readonly #began = performance.now();
  readonly #listeners = new Set<(message: Message) => void>();

  constructor(name: string, transport: Transport, revision: Revision) {
    this.name = name;
    this.transport = transport;
    this.revision = revision;
  }

  now(): number {
    return Math.round((performance.now() - this.#began) * 10) / 10;
  }

  /** Decodes what was carried; a batch becomes one message for each member. */
  message(direction: Direction, bytes: Buffer, more: Partial<Message> = {}): Message[] {
    if (direction === 'received' && this.isFull) return [];
    const text = decodeUtf8(bytes);
    const value = text === undefined ? undefined : parseJson(text);
    const base = { at: this.now(), direction, bytes, text, ...more };
    const members = Array.isArray(value) && value.length > 0 ? value.map((one, member) => ({ ...base, value: one, member })) : undefined;
    const made: Message[] = members ?? [{ ...base, value }];
    if (direction === 'received' && !this.#hasRoom(made.length, bytes.length)) return [];
    for (const message of made) {
      this.messages.push(message);
      for (const listener of [...this.#listeners]) listener(message);
    }
    return made;
  }

  #hasRoom(messages: number, bytes: number): boolean {
    this.#received += messages;
    this.#bytes += bytes;
    if (this.onFull === undefined || (this.#received <= maxMessages && this.#bytes <= maxBytes)) return true;
    this.isFull = true;
    this.onFull();
    return false;
  }

  happen(what: Happening['what'], detail: string, signal?: string): void {
    this.happenings.push({ at: this.now(), what, detail, ...(signal !== undefined && { signal }) });
  }

  hearStderr(bytes: Buffer): void {
    if (this.stderr.length < maxStderr) this.stderr += bytes.toString('utf8').slice(0, maxStderr - this.stderr.length);
  }

  /** Calls the listener for every message from now on, sent ones included; returns the unsubscribe function. */
  listen(listener: (message: Message) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }
}

const strict = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

export function decodeUtf8(bytes: Uint8Array): string | undefined {
  try {
    return strict.decode(bytes);
  } catch {
    return undefined;
  }
}

/**
 * Beside an HTTP error the body may be a JSON-RPC error, and need not: the one of a 401 is often OAuth's. It is a message only where
 * it says so itself.
 */
export function isForeignRefusal({ status }: Pick<HttpResponse, 'status'>, bytes: Uint8Array): boolean {
  if (status < 400) return false;
  const value = parseJson(decodeUtf8(bytes) ?? '');
  const members = Array.isArray(value) ? value : [value];
  return !members.some((one) => typeof one === 'object' && one !== null && 'jsonrpc' in one);
}

/** Undefined when the text does not parse: it is not a JSON value itself. */
export function parseJson(text: string): unknown {
  try {
    const value: unknown = JSON.parse(text);
    if (text.length > 2 * deepest) prune(value);
    return value;
  } catch {
    return undefined;
  }
}

/** No rule looks deeper, and a recursive walk of a deeper value would overflow the stack. */
const deepest = 1_000;

/** Replaces values below the depth limit with null. */
function prune(value: unknown): void {
  let level: object[] = typeof value === 'object' && value !== null ? [value] : [];
  for (let depth = 1; level.length > 0; depth += 1) {
    const next: object[] = [];
    for (const one of level) {
      for (const [key, inner] of Object.entries(one)) {
        if (typeof inner !== 'object' || inner === null) continue;
        if (depth < deepest) next.push(inner);
        else Object.defineProperty(one, key, { value: null });
      }
    }
    level = next;
  }
}
