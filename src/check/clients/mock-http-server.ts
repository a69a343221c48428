// Our half of a server at a URL: Streamable HTTP, or HTTP+SSE of 2024-11-05, on the loopback.

import { randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { isModern } from '../model/revision.ts';
import { type Exchange, type Message, parseJson } from '../model/trace.ts';
import { asRecord, at } from '../model/value.ts';
import { Reply } from './http-reply.ts';
import type { Door } from './mock-stdio-server.ts';
import type { MockReply } from './scenario.ts';
import { type ClientConnection, isModernMessage, type Stage } from './stage.ts';

const maxBody = 16 * 1024 * 1024;

export async function openHttpDoor(stage: Stage): Promise<Door> {
  const porter = new Porter(stage);
  const server = createServer((incoming, outgoing) => void porter.admit(incoming, outgoing).catch(() => outgoing.destroy()));
  server.requestTimeout = 0;
  await new Promise<void>((resolve, reject) => server.once('error', reject).listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  porter.origin = `http://127.0.0.1:${port}`;
  stage.notes.set('origin', porter.origin);
  return {
    url: `${porter.origin}/mcp`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

/** Of HTTP+SSE. */
interface OldStream {
  readonly party: ClientConnection;
  readonly reply: Reply;
  other?: ClientConnection;
}

class Porter {
  origin = '';
  readonly #stage: Stage;
  readonly #sessions = new Map<string, ClientConnection>();
  #modern: ClientConnection | undefined;
  /** Of HTTP+SSE. */
  #streams = new Map<string, OldStream>();
  /** Replies to deliver when the client resumes a stream that was cut. */
  readonly #held = new Map<string, { readonly party: ClientConnection; readonly text: string }>();
  #events = 0;

  constructor(stage: Stage) {
    this.#stage = stage;
  }

  async admit(incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
    const stage = this.#stage;
    const arrived = stage.now();
    const body = await bodyOf(incoming);
    if (body === undefined) return void outgoing.writeHead(413).end();
    stage.heardAt = performance.now();
    const headers = Object.fromEntries(Object.entries(incoming.headers).map(([name, value]) => [name, String(value)]));
    const url = new URL(incoming.url ?? '/', this.origin);
    const { method = 'GET' } = incoming;
    const exchange: Exchange = {
      number: stage.exchanges.length,
      at: arrived,
      request: { method, url: url.href, headers, body: body.length === 0 ? undefined : body },
      wild: false,
      inbound: true,
    };
    const visit = { method, url, headers, body: body.toString('utf8'), notes: stage.notes, number: exchange.number };
    stage.exchanges.push(exchange);
    const reply = new Reply(outgoing, exchange, () => stage.now());
    reply.shouts = stage.scenario.shouts === true;
    const early = stage.scenario.visit?.(visit);
    if (early !== undefined) return reply.plain(early);
    if (url.pathname === '/messages' && stage.transport === 'sse') return this.#postOld(reply, url, body);
    if (url.pathname !== '/mcp') return reply.plain({ status: 404 });
    if (stage.transport === 'sse' && method === 'GET') return this.#openOld(reply);
    if (stage.transport === 'sse') {
      // Before the stream there may be an attempt at Streamable HTTP; after it a message here is astray.
      [...this.#streams.values()].at(-1)?.party.recorder.exchanges.push(exchange);
      return reply.plain({ status: 405, headers: { allow: 'GET' } });
    }
    if (method === 'POST') return this.#post(reply, body);
    const session = this.#sessions.get(headers['mcp-session-id'] ?? '');
    const writer = session ?? (headers['mcp-session-id'] === undefined ? [...this.#sessions.values()].at(-1) : undefined);
    writer?.recorder.exchanges.push(exchange);
    if (method === 'DELETE' && session !== undefined) return reply.plain({ status: 200 });
    if (method !== 'GET' || isModern(stage.revision)) return reply.plain({ status: 405, headers: { allow: 'POST' } });
    if (session === undefined) return reply.plain({ status: headers['mcp-session-id'] === undefined ? 400 : 404 });
    return this.#listen(reply, session);
  }

  #listen(reply: Reply, session: ClientConnection): void {
    const last = reply.exchange.request.headers['last-event-id'];
    const held = last === undefined ? undefined : this.#held.get(last);
    if (last !== undefined && held !== undefined) {
      this.#held.delete(last);
      held.party.put(reply.send, held.text);
      return reply.end();
    }
    reply.open();
    session.speak = reply.send;
    session.beginScene();
  }

  #openOld(reply: Reply): void {
    const id = randomUUID();
    reply.open();
    const party = this.#stage.open(false, reply.send);
    party.recorder.exchanges.push(reply.exchange);
    this.#streams.set(id, { party, reply });
    reply.event({ event: 'endpoint', data: `/messages?session=${id}` });
  }

  #postOld(reply: Reply, url: URL, body: Buffer): void {
    const stream = this.#streams.get(url.searchParams.get('session') ?? '');
    if (stream === undefined) return reply.plain({ status: 404 });
    const party = this.#eraOf(stream, parseJson(body.toString('utf8')));
    party.recorder.exchanges.push(reply.exchange);
    for (const message of party.recorder.message('received', body, { exchange: reply.exchange, form: 'body' })) {
      if (party.hear(message) !== 'request') continue;
      void party.answer(message, stream.reply.send).then((said) => {
        const text = party.replyText(at(message.value, 'id'), said);
        if (text !== undefined) party.put(stream.reply.send, text);
      });
    }
    reply.plain({ status: 202 });
  }

  /** An attempt in another era on the same stream is written down apart, as on a pipe. */
  #eraOf(stream: OldStream, value: unknown): ClientConnection {
    if (!isModernMessage(value)) return stream.party;
    stream.other ??= this.#stage.open(true, stream.reply.send);
    return stream.other;
  }

  async #post(reply: Reply, body: Buffer): Promise<void> {
    const value = parseJson(body.toString('utf8'));
    const found = this.#partyFor(reply.exchange, value);
    if ('status' in found) return reply.plain(found);
    const { party } = found;
    party.recorder.exchanges.push(reply.exchange);
    const messages = party.recorder.message('received', body, { exchange: reply.exchange, form: 'body' });
    const requests = messages.filter((message) => party.hear(message) === 'request');
    if (requests.length === 0) return reply.plain({ status: value === undefined ? 400 : 202 });
    for (const message of requests) await this.#answer(reply, party, message, found.headers);
    if (reply.isOpen) reply.end();
  }

  async #answer(reply: Reply, party: ClientConnection, message: Message, headers: Readonly<Record<string, string>>): Promise<void> {
    const { scenario } = this.#stage;
    reply.headers = headers;
    if (scenario.streams === true && party.isJudged && at(message.value, 'method') !== 'initialize') reply.open();
    const said = await party.answer(message, reply.send);
    const id = at(message.value, 'id');
    if ('status' in said) return reply.plain(said);
    if ('cut' in said) {
      const event = `cut-${++this.#events}`;
      this.#held.set(event, { party, text: party.replyText(id, { result: said.cut }) ?? '' });
      reply.open();
      reply.event({ id: event, retry: String(said.retry), data: '' });
      this.#stage.notes.set('cut', { event, at: this.#stage.now(), retry: said.retry });
      return reply.end();
    }
    const text = party.replyText(id, said);
    // Silence: never answer.
    if (text === undefined) return new Promise((resolve) => reply.onClose(resolve));
    if (reply.isOpen) return party.put(reply.send, text);
    party.put((body) => reply.json(statusFor(said, party), body), text);
  }

  #partyFor(
    exchange: Exchange,
    value: unknown,
  ): { party: ClientConnection; headers: Readonly<Record<string, string>> } | Extract<MockReply, { status: number }> {
    const stage = this.#stage;
    const { headers } = exchange.request;
    if (isModernMessage(value) || (isModern(stage.revision) && at(value, 'method') !== 'initialize')) {
      this.#modern ??= stage.open(true, undefined);
      return { party: this.#modern, headers: {} };
    }
    if (at(value, 'method') === 'initialize' || isBatchWith(value, 'initialize')) {
      const party = stage.open(false, undefined);
      const id = randomUUID();
      this.#sessions.set(id, party);
      return { party, headers: party.isJudged ? { 'mcp-session-id': id } : {} };
    }
    const named = headers['mcp-session-id'];
    const party = named === undefined ? [...this.#sessions.values()].at(-1) : this.#sessions.get(named);
    if (party === undefined) return { status: named === undefined ? 400 : 404 };
    return { party, headers: {} };
  }
}

function isBatchWith(value: unknown, method: string): boolean {
  return Array.isArray(value) && value.some((one) => asRecord(one)['method'] === method);
}

/** An error of 2026-07-28 has a status of HTTP; in the revisions before it came with 200. */
function statusFor(said: MockReply, party: ClientConnection): number {
  if (!('error' in said)) return 200;
  if (!party.isJudged) return 400;
  if (!party.isModern) return 200;
  if (said.error.code === -32601) return 404;
  return [-32602, -32020, -32021, -32022].includes(said.error.code) ? 400 : 200;
}

async function bodyOf(incoming: IncomingMessage): Promise<Buffer | undefined> {
  const pieces: Buffer[] = [];
  let length = 0;
  for await (const piece of incoming) {
    length += (piece as Buffer).length;
    if (length > maxBody) return undefined;
    pieces.push(piece as Buffer);
  }
  return Buffer.concat(pieces);
}
