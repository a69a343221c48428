// One message on its way to the server, and what comes back for it.
import { Bytes, EventParser, type EventSink } from '../jsonrpc/event-stream.ts';
import type { ChannelFailure, Sending } from '../protocol/channel.ts';
import type { Authorized } from './authorized.ts';
import { Follower } from './follower.ts';
import type { Inbox } from './inbox.ts';
import { answerType, broken, maxRefusalBytes, noAnswer, noMessage, notOurs, refusal, unwritable } from './refusal.ts';
import type { HeaderLookup, Reception, Underway } from './requester.ts';
import type { WebSettings } from './web-options.ts';

/** What a message is, as far as its way depends on it. */
export interface Envelope {
  readonly id?: unknown;
  readonly method?: unknown;
  readonly params?: unknown;
  readonly result?: unknown;
  readonly error?: ChannelFailure['error'];
}

/** The channel, as one message sees it. */
export interface Hub {
  readonly line: Authorized;
  readonly inbox: Inbox;
  readonly settings: WebSettings;
  /** Where messages are posted. */
  readonly path: string;
  /** Answers come back where the request went; otherwise on a stream of their own. */
  readonly answers: boolean;
  fieldsOf(message: Envelope, sending: Sending): readonly string[];
  /** For a GET that goes on where a stream broke. */
  streamFields(): string[];
  /** The server took it. A failure when it may not be used. */
  accepted(message: Envelope, header: HeaderLookup): ChannelFailure | undefined;
  /** The answer to a request came on the stream of another one. */
  answered(id: unknown): void;
  over(post: Post): void;
}

type Mode = 'json' | 'events' | 'refused' | 'unusable' | 'ignored';

const none: HeaderLookup = () => undefined;
const fatal = new TextDecoder('utf-8', { fatal: true });
const lenient = new TextDecoder();
/** How long a stream may stay open after its answer, and a body that nobody wants. */
const lingerMs = 1_000;

export class Post implements Reception, EventSink {
  readonly message: Envelope;
  readonly resumable: boolean;
  readonly #hub: Hub;
  readonly #sending: Sending;
  readonly #body: Bytes = new Bytes();
  readonly #asks: boolean;
  #underway: Underway | undefined;
  #mode: Mode = 'json';
  #status = 0;
  #header: HeaderLookup = none;
  #parser: EventParser | undefined;
  #follower: Follower | undefined;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #answered = false;
  #over = false;

  constructor(hub: Hub, message: Envelope, sending: Sending, resumable: boolean) {
    this.#hub = hub;
    this.message = message;
    this.#sending = sending;
    this.resumable = resumable;
    this.#asks = hub.answers && message.method !== undefined && message.id !== undefined;
  }

  begin(): void {
    let body: string;
    try {
      body = JSON.stringify(this.message);
    } catch (error) {
      queueMicrotask(() => this.#tell(unwritable(this.message, error)));
      return;
    }
    const fields = this.#hub.fieldsOf(this.message, this.#sending);
    const underway = this.#hub.line.send({ verb: 'POST', path: this.#hub.path, fields, body, holds: this.#asks }, this);
    this.#underway = underway;
    if (this.#over) underway.abort();
  }

  authorizing(on: boolean): void {
    this.#sending.authorizing?.(on);
  }

  /** Nothing is told or delivered afterwards. */
  abort(): void {
    if (!this.#finish()) return;
    this.#underway?.abort();
    this.#follower?.close();
  }

  /** Its answer came, on this stream or another one. */
  settle(): void {
    if (this.#answered) return;
    this.#answered = true;
    if (this.#mode === 'events' || this.#status === 0) this.#linger();
  }

  head(status: number, header: HeaderLookup): void {
    this.#status = status;
    this.#header = header;
    if (status < 200 || status > 299) {
      this.#mode = 'refused';
      this.#timer = setTimeout(() => this.#stop(() => this.#refused()), lingerMs);
      return;
    }
    const wrong = this.#hub.accepted(this.message, header);
    if (wrong !== undefined) return this.#stop(() => this.#tell(wrong));
    const type = answerType(header('content-type'));
    if (!this.#hub.answers) this.#mode = 'ignored';
    else if (type === 'events') {
      this.#mode = 'events';
      this.#parser = new EventParser(this, this.#hub.settings.maxMessageBytes);
    } else if (type === 'json') this.#mode = 'json';
    // To what is no request, anything but a page for people will do.
    else this.#mode = this.#asks || type === 'html' ? 'unusable' : 'ignored';
    // Nothing more is to come, whatever the server leaves open.
    if (!this.#asks) this.#linger();
  }

  #linger(): void {
    this.#timer ??= setTimeout(() => this.abort(), lingerMs);
  }

  data(bytes: Uint8Array): void {
    if (this.#parser !== undefined) return this.#parser.push(bytes);
    if (this.#mode === 'ignored') return;
    this.#body.add(bytes);
    if (this.#mode === 'json') {
      if (this.#body.length > this.#hub.settings.maxMessageBytes) this.overflow();
    } else if (this.#body.length > maxRefusalBytes) this.end();
  }

  end(): void {
    this.#underway?.abort();
    if (this.#mode === 'refused') this.#refused();
    else if (this.#mode === 'unusable') this.#tell(noAnswer(this.#status, this.#header('content-type'), this.#body.take(lenient)));
    else if (this.#mode === 'json') this.#whole();
    else if (this.#mode === 'events') this.#broke(broken('The stream ended before the answer'));
    else this.#finish();
  }

  failed(failure: ChannelFailure): void {
    if (this.#mode === 'refused') this.#refused();
    else if (this.#mode === 'events') this.#broke({ ...failure, message: `The stream broke before the answer: ${failure.message}` });
    else this.#tell(failure);
  }

  event(data: string, type: string): void {
    // A listener may have closed everything while it heard of the event before this one.
    if (this.#over || data === '' || (type !== '' && type !== 'message')) return;
    for (const message of this.#hub.inbox.read(data) ?? []) this.#deliver(message);
  }

  overflow(): void {
    const limit = this.#hub.settings.maxMessageBytes;
    this.#stop(() => this.#tell(noMessage(`The answer is larger than ${limit} bytes: raise maxMessageBytes`, this.#status)));
  }

  #deliver(message: object): void {
    if (this.#over) return;
    const { id, method } = message as Envelope;
    if (method === undefined && this.#asks) {
      if (id === this.message.id) this.settle();
      else this.#hub.answered(id);
    }
    this.#hub.inbox.deliver(message);
  }

  #whole(): void {
    let text: string;
    try {
      text = this.#body.take(fatal);
    } catch {
      return this.#tell(noMessage(`The server answered ${this.#status} with JSON that is not UTF-8`, this.#status));
    }
    if (text === '' && !this.#asks) return void this.#finish();
    const messages = this.#hub.inbox.read(text);
    if (messages === undefined) {
      if (this.#asks) this.#tell(noAnswer(this.#status, this.#header('content-type'), text));
      else this.#finish();
      return;
    }
    const [only] = messages as readonly Envelope[];
    // An error for a request whose id could not be read: there was no other request it could be about.
    if (this.#asks && messages.length === 1 && only?.error !== undefined && (only.id ?? null) === null) {
      return this.#tell({ ...noMessage(`The server could not read the request: ${only.error.message}`, this.#status), error: only.error });
    }
    for (const message of messages) this.#deliver(message);
    if (this.#asks && !this.#answered) this.#tell(notOurs(this.#status, messages, text));
    else this.#finish();
  }

  /** The stream is gone; with the id of an event it can be asked for again. */
  #broke(failure: ChannelFailure): void {
    const lastId = this.#parser?.lastId ?? '';
    if (this.#answered || !this.#asks || this.#over) return void this.#finish();
    if (!this.resumable || lastId === '') return this.#tell(failure);
    const { settings, line } = this.#hub;
    this.#follower = new Follower({
      line,
      settings,
      fields: () => this.#hub.streamFields(),
      lastId,
      retryMs: this.#parser?.retryMs,
      maxFailures: settings.maxResumes,
      event: (data, type) => this.event(data, type),
      wanted: () => !this.#answered,
      over: (why) => (this.#answered || why === undefined ? this.#finish() : this.#tell(why)),
    });
    this.#follower.begin();
  }

  #refused(): void {
    const body = this.#body.take(lenient);
    this.#tell(refusal(this.#status, this.#header, body));
  }

  #stop(then: () => void): void {
    this.#underway?.abort();
    then();
  }

  #tell(failure: ChannelFailure): void {
    if (this.#finish() && !this.#answered) this.#sending.failed?.(failure);
  }

  #finish(): boolean {
    if (this.#over) return false;
    this.#over = true;
    clearTimeout(this.#timer);
    this.#parser?.stop();
    this.#hub.over(this);
    return true;
  }
}

/** Answers to the server's questions carry ids, too, but ids of the server. */
export function isRequest({ id, method }: Envelope, wanted: unknown): boolean {
  return id === wanted && method !== undefined;
}
