// A recording at a URL: each request gets what belongs to it, as JSON or as a stream; what the server said by itself goes to whoever listens.
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { Bytes, encodeEvent } from '../../../jsonrpc/event-stream.ts';
import { type Endpoint, endpointOf, pathOf } from '../../../text/recorded-path.ts';
import { isFromProgram } from '../../target/local-host.ts';
import type { Entry, Recording } from '../record/recording.ts';
import { jsonText } from './json-text.ts';
import { messagesIn, ReplayScript } from './script.ts';

const maxBytes = 64 * 1024 * 1024;
type Message = Readonly<Record<string, unknown>>;

export function serveRecording({ entries }: Recording): Server {
  const said = entries.find(({ event }) => event?.type === 'endpoint')?.raw;
  return said === undefined ? streamable(entries) : withEndpoint(entries, endpointOf(said));
}

function streamable(entries: readonly Entry[]): Server {
  const session = entries.find(({ from, head }) => from === 'server' && head?.headers['mcp-session-id'] !== undefined)?.head?.headers[
    'mcp-session-id'
  ];
  const waiting = new Map<Message, Open>();
  const listeners = new Listeners();
  const script = new ReplayScript(entries, (raw, to) => {
    const open = to === undefined ? undefined : waiting.get(to);
    if (open !== undefined) return open.say(raw);
    listeners.tell(raw);
  });
  return createServer((request, response) => {
    if (!isFromProgram(request.method, request.headers)) return void response.writeHead(403).end();
    if (session !== undefined) response.setHeader('mcp-session-id', session);
    if (request.method === 'GET') {
      listeners.add(response);
      return script.begin();
    }
    if (request.method !== 'POST') return void response.writeHead(request.method === 'DELETE' ? 200 : 405).end();
    void read(request).then((message) => {
      if (message === undefined) return response.writeHead(400).end();
      if (message['id'] === undefined || message['method'] === undefined) {
        script.hear(message);
        return response.writeHead(202).end();
      }
      waiting.set(message, new Open(response, message, () => waiting.delete(message)));
      const unknown = script.hear(message);
      if (unknown !== undefined) waiting.get(message)?.say(refusal(message, unknown));
    });
  });
}

/** HTTP+SSE: what is posted to the endpoint is answered on the stream. What was tried elsewhere before is no part of it. */
function withEndpoint(entries: readonly Entry[], { pathname, search }: Endpoint): Server {
  const posted = new Set(
    entries.flatMap(({ exchange, head }) => (head?.path !== undefined && pathOf(head.path) === pathname ? [exchange] : [])),
  );
  const listeners = new Listeners();
  const own = entries.filter(({ from, event, exchange }) =>
    from === 'client' ? posted.has(exchange) : event !== undefined && event.type !== 'endpoint',
  );
  const script = new ReplayScript(own, (raw) => listeners.tell(raw));
  return createServer((request, response) => {
    if (!isFromProgram(request.method, request.headers)) return void response.writeHead(403).end();
    if (request.method === 'GET') {
      listeners.add(response);
      response.write(`event: endpoint\ndata: ${pathname}${search}\n\n`);
      return script.begin();
    }
    if (request.method !== 'POST' || pathOf(request.url) !== pathname) return void response.writeHead(405).end();
    void read(request).then((message) => {
      if (message === undefined) return response.writeHead(400).end();
      response.writeHead(202).end();
      const unknown = script.hear(message);
      if (unknown !== undefined) listeners.tell(refusal(message, unknown));
    });
  });
}

function refusal({ id }: Message, why: string): string {
  return jsonText({ jsonrpc: '2.0', id, error: { code: -32603, message: why } });
}

/** Whoever holds a stream open. */
class Listeners {
  readonly #all = new Set<ServerResponse>();

  add(response: ServerResponse): void {
    response.writeHead(200, { 'content-type': 'text/event-stream' }).flushHeaders();
    this.#all.add(response);
    response.once('close', () => this.#all.delete(response));
  }

  tell(raw: string): void {
    for (const listener of this.#all) listener.write(encodeEvent(raw));
  }
}

/** JSON where the answer comes first; a stream as soon as anything comes before it. */
class Open {
  readonly #response: ServerResponse;
  readonly #request: Message;
  readonly #done: () => void;

  constructor(response: ServerResponse, request: Message, done: () => void) {
    this.#response = response;
    this.#request = request;
    this.#done = done;
    response.once('close', done);
  }

  say(raw: string): void {
    const messages = messagesIn(raw);
    const response = this.#response;
    // A page of something in between, such as a proxy: no message, and all that was said.
    if (messages.length === 0 && !response.headersSent) {
      response.writeHead(502, { 'content-type': 'text/plain' }).end(raw);
      return this.#done();
    }
    const isLast = messages.some(({ id, method }) => method === undefined && id === this.#request['id']);
    if (isLast && !response.headersSent) response.writeHead(200, { 'content-type': 'application/json' }).end(raw);
    else {
      if (!response.headersSent) response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.write(encodeEvent(raw));
      if (isLast) response.end();
    }
    if (isLast) this.#done();
  }
}

async function read(request: IncomingMessage): Promise<Message | undefined> {
  const body = new Bytes();
  try {
    for await (const chunk of request as AsyncIterable<Buffer>) {
      body.add(chunk);
      if (body.length > maxBytes) return undefined;
    }
    const value: unknown = JSON.parse(body.take(new TextDecoder('utf-8', { fatal: true })));
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Message) : undefined;
  } catch {
    return undefined;
  }
}
