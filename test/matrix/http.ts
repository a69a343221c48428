// A client of Streamable HTTP as small as can be: what a test sends is POSTed in order, what the server says arrives.
import type { Revision } from 'vivarium';
import { metaKeys } from 'vivarium/protocol';
import { close, type Door, type Exchange, type Head, type Hearing, type Question } from './doors.ts';
import { readEvents, type ServerEvent } from './events.ts';

/** Who the client works for. */
export interface Owner {
  readonly revision: Revision;
  // biome-ignore lint/suspicious/noExplicitAny: judged by the owner
  arrive(message: any): void;
  /** Something is not as the transport has it. */
  blame(error: Error): void;
}

export interface Sent {
  readonly id?: unknown;
  readonly method?: string;
  readonly params?: Readonly<Record<string, unknown>>;
}

interface Running {
  readonly exchange: Exchange;
  /** Nobody wants to hear more of it. */
  over: boolean;
}

const path = '/mcp';
const named: Readonly<Record<string, string>> = { 'tools/call': 'name', 'prompts/get': 'name', 'resources/read': 'uri' };

/** Statuses that 2026-07-28 gives to errors of its requests. */
const statuses: ReadonlyMap<number, number> = new Map([
  [-32700, 400],
  [-32600, 400],
  [-32601, 404],
  [-32020, 400],
  [-32021, 400],
  [-32022, 400],
]);

export class HttpClient {
  readonly #door: Door;
  readonly #owner: Owner;
  readonly #sessions: boolean;
  readonly #running: Map<unknown, Running> = new Map();
  readonly #ids: Set<string> = new Set();
  #tail: Promise<void> = Promise.resolve();
  #listening: Running | undefined;
  #session: string | undefined;
  #version: string | undefined;
  #closed = false;

  constructor(door: Door, owner: Owner, sessions: boolean) {
    this.#door = door;
    this.#owner = owner;
    this.#sessions = sessions;
  }

  send(message: object): void {
    const text = JSON.stringify(message);
    this.#tail = this.#tail.then(() => this.#deliver(JSON.parse(text), text)).catch((error) => this.#owner.blame(error));
  }

  /** Everything that was sent has been read, and the stream for what the server says by itself is open. */
  async settled(): Promise<void> {
    await this.#tail;
    // What was written before the latest answer is here by the end of this turn, on whatever connection.
    for (let turn = 0; turn < 2; turn++) await new Promise((resolve) => setImmediate(resolve));
  }

  async close(): Promise<void> {
    await this.#tail;
    this.#closed = true;
    if (this.#session !== undefined) {
      await this.#ask({ method: 'DELETE', path, headers: this.#identity() }, { head: this.#expects(204), text: () => undefined }).done;
    }
    const open = [...this.#running.values(), ...(this.#listening === undefined ? [] : [this.#listening])];
    await Promise.all(open.map(({ exchange }) => exchange.hangUp()));
    await close(this.#door, (error) => this.#owner.blame(error));
  }

  async #deliver(message: Sent | readonly Sent[], text: string): Promise<void> {
    const { id, method, params } = (Array.isArray(message) ? {} : message) as Sent;
    const meta = params?.['_meta'] as Readonly<Record<string, unknown>> | undefined;
    const modern = meta?.[metaKeys.protocolVersion] !== undefined || this.#owner.revision === '2026-07-28';
    if (method === 'notifications/cancelled') {
      const running = this.#running.get(params?.['requestId']);
      if (running !== undefined) running.over = true;
      // There is nothing to send: going away says it.
      if (modern) return running?.exchange.hangUp();
    }
    const headers = modern ? modernHeaders(message as Sent, this.#owner.revision) : this.#identity();
    const post: Question = { method: 'POST', path, headers: { ...posted, ...headers }, body: text };
    const exchange = this.#call(id, method !== undefined || Array.isArray(message), post, (head) => {
      if (method === 'initialize' && !modern) this.#session = head.header('mcp-session-id');
      if (modern && head.header('mcp-session-id') !== undefined) this.#complain('There are no sessions in 2026-07-28');
      if (id === undefined && method !== undefined && head.status !== 202) this.#complain(`${head.status} for ${method}`);
    });
    if (method !== 'initialize' && method !== 'notifications/initialized') return exchange.taken;
    await exchange.done;
    if (method === 'notifications/initialized' && !modern) await this.#listen();
  }

  /** The stream of GET, where there are sessions; and where there are none, that there is none either. */
  async #listen(): Promise<void> {
    if (this.#session === undefined && this.#sessions) return;
    const opened = new Promise<void>((resolve) => {
      const status = this.#expects(this.#sessions ? 200 : 405);
      const reading = this.#reading(undefined);
      const head = (given: Head): void => {
        status(given);
        if (this.#sessions) reading.head(given);
        resolve();
      };
      const text = this.#sessions ? reading.text : () => undefined;
      const exchange = this.#ask({ method: 'GET', path, headers: { accept: 'text/event-stream', ...this.#identity() } }, { head, text });
      this.#listening = { exchange, over: false };
    });
    await opened;
  }

  #call(id: unknown, answered: boolean, question: Question, onHead: (head: Head) => void): Exchange {
    const reading = this.#reading(id);
    const head = (given: Head): void => {
      onHead(given);
      reading.head(given);
    };
    const exchange = this.#ask(question, { head, text: reading.text });
    const running: Running = { exchange, over: false };
    if (id !== undefined && answered) this.#running.set(id, running);
    void exchange.done.then(
      () => reading.end(running),
      (error) => this.#owner.blame(error),
    );
    return exchange;
  }

  #reading(id: unknown): Hearing & { end(running: Running): void } {
    let head: Head | undefined;
    let body = '';
    let finished = false;
    const take = ({ data, event, id: eventId }: ServerEvent): void => {
      if (event !== 'message') this.#complain(`An event of the type ${event}`);
      this.#judgeId(eventId);
      if (data === '') return;
      const message = JSON.parse(data);
      finished ||= Array.isArray(message) || (message.method === undefined && message.id === id);
      this.#owner.arrive(message);
    };
    const events = readEvents(take);
    const streams = (): boolean => head?.header('content-type') === 'text/event-stream';
    return {
      head: (given) => {
        head = given;
      },
      text: (text) => {
        if (streams()) events(text);
        else body += text;
      },
      end: (running) => {
        if (this.#running.get(id) === running) this.#running.delete(id);
        if (head === undefined) return;
        if (!streams()) this.#whole(head, body);
        else if (!finished && !running.over && events.last !== '') this.#resume(id, events.last, events.retry);
      },
    };
  }

  #whole(head: Head, body: string): void {
    const type = head.header('content-type');
    if (body === '') {
      // 499: this client has hung up itself, and only whoever called the handler sees that it was noticed.
      if (head.status !== 202 && head.status !== 499) this.#complain(`${head.status} without a body`);
    } else if (type !== 'application/json') this.#complain(`A body of the type ${type}`);
    else {
      const message = JSON.parse(body);
      const due = this.#owner.revision === '2026-07-28' ? (statuses.get(message.error?.code) ?? head.status) : head.status;
      if (due !== head.status) this.#complain(`${head.status} for ${body}`);
      if (message.error === undefined && head.status !== 200) this.#complain(`${head.status} for ${body}`);
      this.#owner.arrive(message);
    }
  }

  /** The server has let go of a call that it will answer: its stream goes on elsewhere. */
  #resume(id: unknown, last: string, retry: number): void {
    if (this.#closed) return;
    setTimeout(() => {
      if (this.#closed) return;
      const headers = { accept: 'text/event-stream', 'last-event-id': last, ...this.#identity() };
      this.#call(id, true, { method: 'GET', path, headers }, this.#expects(200));
    }, retry);
  }

  /** Event ids belong to sessions, and none is used twice. */
  #judgeId(id: string): void {
    if (id === '') return;
    if (this.#session === undefined) this.#complain(`An event has an id, ${id}, but there is no session`);
    else if (this.#ids.has(id)) this.#complain(`The event ${id} came twice`);
    this.#ids.add(id);
  }

  #identity(): Record<string, string> {
    return {
      ...(this.#session !== undefined && { 'mcp-session-id': this.#session }),
      // A client of 2025-03-26 does not know the header, and what is assumed without it is just that revision.
      ...(this.#version !== undefined && this.#version !== '2025-03-26' && { 'mcp-protocol-version': this.#version }),
    };
  }

  /** The handshake says which revision is spoken from now on. */
  agreed(version: string): void {
    this.#version = version;
  }

  #expects(status: number): (head: Head) => void {
    return (head) => {
      if (head.status !== status) this.#complain(`${head.status} where ${status} is due`);
    };
  }

  #ask(question: Question, hearing: Hearing): Exchange {
    return this.#door.ask(question, hearing);
  }

  #complain(what: string): void {
    this.#owner.blame(new Error(what));
  }
}

const posted = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' };

function modernHeaders({ method, params }: Sent, revision: Revision): Record<string, string> {
  const meta = params?.['_meta'] as Readonly<Record<string, unknown>> | undefined;
  const name = params?.[named[method ?? ''] ?? ''];
  return {
    'mcp-protocol-version': String(meta?.[metaKeys.protocolVersion] ?? revision),
    ...(method !== undefined && { 'mcp-method': method }),
    ...(named[method ?? ''] !== undefined && { 'mcp-name': asHeader(String(name)) }),
  };
}

/** What a header cannot carry is wrapped, and so is what looks as if it were. */
function asHeader(value: string): string {
  if (/^[\x21-\x7e]([\x20-\x7e]*[\x21-\x7e])?$/.test(value) && !/^=\?base64\?.*\?=$/.test(value)) return value;
  return `=?base64?${Buffer.from(value).toString('base64')}?=`;
}
