// Streamable HTTP: each message is a request of its own, and what belongs together is held together by a session.

import type { RequestId } from '../jsonrpc/message.ts';
import type { Channel, ChannelEnd, ChannelFailure, ChannelTrace, Sending } from '../protocol/channel.ts';
import { headerNames } from '../protocol/headers.ts';
import type { Revision } from '../protocol/revision.ts';
import { printable } from '../text/printable.ts';
import { settledWithin } from '../text/timeouts.ts';
import { Authorized } from './authorized.ts';
import { Follower } from './follower.ts';
import { Inbox } from './inbox.ts';
import { isModern, postFields, pushModern, streamFields } from './message-fields.ts';
import type { Envelope, Hub, Post } from './post.ts';
import { PostQueue, refuseClosed } from './post-queue.ts';
import { noMessage } from './refusal.ts';
import type { HeaderLookup, Requester } from './requester.ts';
import type { WebSettings } from './web-options.ts';

const visible = /^[\x21-\x7e]{1,4096}$/;
const goodbyeMs = 2_000;
/** Most servers answer at once; one that says nothing until there is news is not waited for. */
const openingMs = 500;

interface SharedFields {
  readonly revision: Revision | undefined;
  readonly session: string | undefined;
  readonly fields: readonly string[];
}

export class HttpChannel implements Channel, Hub {
  readonly kind = 'http';
  readonly answers = true;
  readonly closed: Promise<ChannelEnd>;
  readonly line: Authorized;
  readonly inbox: Inbox = new Inbox();
  readonly settings: WebSettings;
  readonly path: string;
  readonly #postFields: readonly string[];
  readonly #queue: PostQueue;
  #shared: SharedFields | undefined;
  #session: string | undefined;
  #revision: Revision | undefined;
  #initialized = false;
  /** The stream for what the server says by itself is being opened: a call that leads to a question must not come before it. */
  #awaiting: ReturnType<typeof setTimeout> | undefined;
  #listens = false;
  #listener: Follower | undefined;
  #closing: Promise<void> | undefined;
  #ended: (end: ChannelEnd) => void = () => undefined;

  constructor(requester: Requester, settings: WebSettings) {
    this.settings = settings;
    this.path = settings.path;
    this.line = new Authorized(requester, settings);
    this.#postFields = [...postFields, ...settings.fields];
    this.#queue = new PostQueue(this);
    this.closed = new Promise((resolve) => {
      this.#ended = resolve;
    });
  }

  send(message: object, sending: Sending = {}): void {
    if (this.#closing !== undefined) return refuseClosed(sending);
    if (this.#queue.isOpening || this.#awaiting !== undefined) return this.#queue.hold(message, sending);
    if ((message as Envelope).method === 'initialize') this.forget();
    const modern = isModern(sending);
    if (!modern && sending.revision !== undefined) this.#revision = sending.revision;
    this.#queue.send(message, sending, !modern);
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

  /** Opens the stream for what the server says by itself, as soon as the handshake is over; a server may have none. */
  listen(): void {
    this.#listens = true;
    if (!this.#initialized || this.#listener !== undefined || this.#closing !== undefined) return;
    let streams = false;
    const follower = new Follower({
      line: this.line,
      settings: this.settings,
      fields: () => this.streamFields(),
      lastId: '',
      maxFailures: Number.POSITIVE_INFINITY,
      event: (data, type) => this.#heard(data, type),
      begun: (opened) => {
        streams ||= opened;
        this.#heardOf();
      },
      wanted: () => this.#listener === follower,
      over: (why) => {
        this.#heardOf();
        // Where there was a stream, only a session that is over answers so; elsewhere nobody ever made one.
        if (streams && why?.status === 404 && this.#session !== undefined)
          this.#ended({ wanted: false, message: 'The server has forgotten the session' });
      },
    });
    this.#listener = follower;
    follower.begin();
  }

  /** The session is over: what comes next has none. */
  forget(): void {
    this.#session = undefined;
    this.#initialized = false;
    this.#listener?.close();
    this.#listener = undefined;
  }

  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  fieldsOf(message: Envelope, sending: Sending): readonly string[] {
    if (isModern(sending)) {
      const fields = [...this.#postFields];
      pushModern(fields, message, sending);
      return fields;
    }
    // The same for nearly all messages of a session.
    const { revision } = sending;
    const shared = this.#shared;
    if (shared !== undefined && shared.revision === revision && shared.session === this.#session) return shared.fields;
    const fields = [...this.#postFields];
    this.#pushSession(fields, revision);
    this.#shared = { revision, session: this.#session, fields };
    return fields;
  }

  streamFields(): string[] {
    const fields = [...streamFields, ...this.settings.fields];
    this.#pushSession(fields, this.#revision);
    return fields;
  }

  accepted({ method }: Envelope, header: HeaderLookup): ChannelFailure | undefined {
    if (method === 'initialize') {
      const session = header(headerNames.session);
      if (session !== undefined && !visible.test(session)) {
        return noMessage(`The server gave a session id that cannot be sent: "${printable(session.slice(0, 100))}"`);
      }
      this.#session = session;
    } else if (method === 'notifications/initialized') {
      this.#initialized = true;
      if (this.#listens) {
        this.#awaiting = setTimeout(() => this.#heardOf(), openingMs);
        this.listen();
      }
      this.#opened();
    }
    return undefined;
  }

  /** A server may answer on any stream: the request's own is then of no use. */
  answered(id: unknown): void {
    this.#queue.answered(id);
  }

  over(post: Post): void {
    if (this.#queue.over(post)) this.#opened();
  }

  #heardOf(): void {
    clearTimeout(this.#awaiting);
    this.#awaiting = undefined;
    this.#opened();
  }

  #opened(): void {
    this.#queue.opened();
    if (this.#awaiting !== undefined) return;
    for (const [message, sending] of this.#queue.takeHeld()) this.send(message, sending);
  }

  #pushSession(fields: string[], revision: Revision | undefined): void {
    if (revision !== undefined) fields.push(headerNames.version, revision);
    if (this.#session !== undefined) fields.push(headerNames.session, this.#session);
  }

  #heard(data: string, type: string): void {
    if (data === '' || (type !== '' && type !== 'message')) return;
    for (const message of this.inbox.read(data) ?? []) {
      const { id, method } = message as Envelope;
      if (method === undefined) this.answered(id);
      this.inbox.deliver(message);
    }
  }

  async #close(): Promise<void> {
    this.inbox.close();
    this.#queue.dropHeld();
    clearTimeout(this.#awaiting);
    this.#listener?.close();
    // What is on its way is given up before the session, or it would be told that there is none.
    this.#queue.abort();
    if (this.#session !== undefined) await this.#sayGoodbye();
    this.line.close();
    this.#ended({ wanted: true });
  }

  async #sayGoodbye(): Promise<void> {
    const fields = [...this.settings.fields];
    this.#pushSession(fields, this.#revision);
    const answered = new Promise<void>((resolve) => {
      const done = (): void => resolve();
      const reception = { head: done, data: () => undefined, end: done, failed: done };
      this.line.send({ verb: 'DELETE', path: this.path, fields, body: undefined, holds: false }, reception, 0);
    });
    await settledWithin(goodbyeMs, answered);
  }
}
