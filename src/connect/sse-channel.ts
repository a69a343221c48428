// HTTP+SSE of 2024-11-05: one stream brings everything, and says where to post.
import { cut, type LocalErrorCode, VivariumError } from '../jsonrpc/error.ts';
import { Bytes, EventParser, type EventSink } from '../jsonrpc/event-stream.ts';
import type { RequestId } from '../jsonrpc/message.ts';
import type { Channel, ChannelEnd, ChannelFailure, ChannelTrace, Sending } from '../protocol/channel.ts';
import type { Failure } from '../protocol/failure.ts';
import { headerNames } from '../protocol/headers.ts';
import { printable } from '../text/printable.ts';
import { Authorized } from './authorized.ts';
import { Inbox } from './inbox.ts';
import { postFields, streamFields } from './message-fields.ts';
import type { Envelope, Hub, Post } from './post.ts';
import { PostQueue, refuseClosed } from './post-queue.ts';
import { answerType, broken, maxRefusalBytes, noAnswer, noMessage, refusal } from './refusal.ts';
import type { HeaderLookup, Reception, Requester, Underway } from './requester.ts';
import type { WebSettings } from './web-options.ts';

/** Settles when the server has said where to post. */
export async function openSse(requester: Requester, settings: WebSettings, openMs: number, signal?: AbortSignal): Promise<Channel> {
  const since = performance.now();
  const channel = new SseChannel(requester, settings, openMs);
  const abort = (): void => channel.fail(broken('Nobody waits for it any more'));
  signal?.addEventListener('abort', abort, { once: true });
  if (signal?.aborted) abort();
  const why = await channel.ready;
  signal?.removeEventListener('abort', abort);
  if (why === undefined) return channel;
  const failure: Failure = {
    phase: 'open',
    target: settings.target,
    cause: why.message,
    ...(why.status !== undefined && { status: why.status }),
    ...(channel.late ? { limit: 'connectMs' as const } : {}),
    elapsedMs: Math.round(performance.now() - since),
  };
  throw new VivariumError(codeOf(why), `${settings.target}: ${why.message}`, { failure, cause: why.cause ?? why });
}

/** What stands between us and the server decides what its user can do about it. */
function codeOf({ kind, status, cause }: ChannelFailure): LocalErrorCode {
  if (kind === 'authorization') return cause instanceof VivariumError ? cause.code : 'ERR_AUTH_FAILED';
  return status === 401 ? 'ERR_AUTH_REQUIRED' : status === 403 ? 'ERR_FORBIDDEN' : 'ERR_CONNECT';
}

const lenient = new TextDecoder();

class SseChannel implements Channel, Hub, Reception, EventSink {
  readonly kind = 'sse';
  readonly answers = false;
  readonly closed: Promise<ChannelEnd>;
  /** Undefined when all is well. */
  readonly ready: Promise<ChannelFailure | undefined>;
  readonly line: Authorized;
  readonly inbox: Inbox = new Inbox();
  readonly settings: WebSettings;
  path = '';
  readonly #stream: Underway;
  readonly #queue: PostQueue;
  readonly #body: Bytes = new Bytes();
  #refused: { readonly status: number; readonly header: HeaderLookup } | undefined;
  #parser: EventParser | undefined;
  #isReady: (why: ChannelFailure | undefined) => void = () => undefined;
  #ended: (end: ChannelEnd) => void = () => undefined;
  #over = false;

  /** It took too long until the server named its endpoint. */
  late = false;
  readonly #openMs: number;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(requester: Requester, settings: WebSettings, openMs: number) {
    this.settings = settings;
    this.#openMs = openMs;
    this.line = new Authorized(requester, settings);
    this.#queue = new PostQueue(this);
    this.closed = new Promise((resolve) => {
      this.#ended = resolve;
    });
    this.ready = new Promise((resolve) => {
      this.#isReady = resolve;
    });
    this.#wait();
    this.#stream = this.line.send({ verb: 'GET', path: settings.path, fields: this.streamFields(), body: undefined, holds: false }, this);
  }

  send(message: object, sending: Sending = {}): void {
    if (this.#over) refuseClosed(sending);
    else if (this.#queue.isOpening) this.#queue.hold(message, sending);
    else this.#queue.send(message, sending, false);
  }

  abandon(id: RequestId): void {
    this.#queue.abandon(id);
  }

  receive(listener: (message: object) => void): void {
    this.inbox.receive(listener);
  }

  junk(listener: (line: string) => void): void {
    this.inbox.junk(listener);
  }

  trace(): ChannelTrace {
    return this.inbox.trace();
  }

  async close(): Promise<void> {
    this.#close({ wanted: true });
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  /** Logging in takes as long as it takes. */
  authorizing(on: boolean): void {
    clearTimeout(this.#timer);
    if (!on && this.path === '' && !this.#over) this.#wait();
  }

  #wait(): void {
    this.#timer = setTimeout(() => {
      this.late = true;
      this.fail(broken(`The server named no endpoint within ${this.#openMs} ms`));
    }, this.#openMs);
  }

  head(status: number, header: HeaderLookup): void {
    if (status === 200 && answerType(header('content-type')) === 'events') {
      this.#parser = new EventParser(this, this.settings.maxMessageBytes);
    } else this.#refused = { status, header };
  }

  data(bytes: Uint8Array): void {
    if (this.#parser !== undefined) return this.#parser.push(bytes);
    this.#body.add(bytes);
    if (this.#body.length > maxRefusalBytes) this.end();
  }

  end(): void {
    if (this.#refused === undefined) return this.fail(broken('The server ended the stream'));
    const { status, header } = this.#refused;
    const body = this.#body.take(lenient);
    this.fail(status === 200 ? noAnswer(status, header('content-type'), body) : refusal(status, header, body));
  }

  failed(failure: ChannelFailure): void {
    if (this.#refused === undefined) this.fail(failure);
    else this.end();
  }

  event(data: string, type: string): void {
    if (this.#over) return;
    if (type === 'endpoint') this.#endpoint(data);
    // Before it nobody can have asked anything, and nobody listens: it would pile up.
    else if (this.path !== '' && data !== '' && (type === '' || type === 'message')) {
      for (const message of this.inbox.read(data) ?? []) this.inbox.deliver(message);
    }
  }

  overflow(): void {
    this.fail(noMessage(`An event is larger than ${this.settings.maxMessageBytes} bytes: raise maxMessageBytes`));
  }

  fail(why: ChannelFailure): void {
    this.#isReady(why);
    this.#close({ wanted: false, message: why.message, ...(why.cause !== undefined && { cause: why.cause }) });
  }

  fieldsOf(_message: Envelope, { revision }: Sending): string[] {
    const fields = [...postFields, ...this.settings.fields];
    if (revision !== undefined) fields.push(headerNames.version, revision);
    return fields;
  }

  streamFields(): string[] {
    return [...streamFields, ...this.settings.fields];
  }

  accepted(message: Envelope): undefined {
    if (message.method === 'notifications/initialized') this.#opened();
  }

  answered(): void {}

  over(post: Post): void {
    if (this.#queue.over(post)) this.#opened();
  }

  #opened(): void {
    this.#queue.opened();
    for (const [message, sending] of this.#queue.takeHeld()) this.send(message, sending);
  }

  /** Messages, and tokens with them, go nowhere but to where the stream comes from. */
  #endpoint(data: string): void {
    if (this.path !== '') return;
    const { url } = this.settings;
    const target = URL.canParse(data, url.href) ? new URL(data, url) : undefined;
    if (target?.origin !== url.origin) {
      const where = printable(cut(target?.origin ?? data));
      return this.fail(noMessage(`The server wants messages to be posted to another origin: ${where}`));
    }
    clearTimeout(this.#timer);
    this.path = `${target.pathname}${target.search}`;
    this.#isReady(undefined);
  }

  #close(end: ChannelEnd): void {
    if (this.#over) return;
    this.#over = true;
    clearTimeout(this.#timer);
    this.#queue.dropHeld();
    this.#parser?.stop();
    this.#queue.abort();
    this.#stream?.abort();
    this.inbox.close();
    this.line.close();
    this.#ended(end);
  }
}
