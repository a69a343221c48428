// A recording at a URL: each request gets what belongs to it, as JSON or as a stream; what the server said by itself goes to whoever listens.
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { encodeEvent } from '../jsonrpc/event-stream.ts';
import { isLocalHost } from './local-host.ts';
import type { Recording } from './recording.ts';
import { messagesIn, ReplayScript } from './replay-script.ts';

const mostBytes = 64 * 1024 * 1024;
type Message = Readonly<Record<string, unknown>>;

export function serveRecording({ entries }: Recording): Server {
  const session = entries.find(({ from, head }) => from === 'server' && head?.headers['mcp-session-id'] !== undefined)?.head?.headers[
    'mcp-session-id'
  ];
  const waiting = new Map<Message, Open>();
  const listeners = new Set<ServerResponse>();
  const script = new ReplayScript(entries, (raw, to) => {
    const open = to === undefined ? undefined : waiting.get(to);
    if (open !== undefined) return open.say(raw);
    for (const listener of listeners) listener.write(encodeEvent(raw));
  });
  return createServer((request, response) => {
    if (!isLocalHost(request.headers.host ?? '')) return void response.writeHead(403).end();
    if (session !== undefined) response.setHeader('mcp-session-id', session);
    if (request.method === 'GET') {
      response.writeHead(200, { 'content-type': 'text/event-stream' }).flushHeaders();
      listeners.add(response);
      response.once('close', () => listeners.delete(response));
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
      const error = { code: -32603, message: unknown };
      if (unknown !== undefined) waiting.get(message)?.say(JSON.stringify({ jsonrpc: '2.0', id: message['id'], error }));
    });
  });
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
  const chunks: Buffer[] = [];
  let length = 0;
  try {
    for await (const chunk of request as AsyncIterable<Buffer>) {
      chunks.push(chunk);
      length += chunk.length;
      if (length > mostBytes) return undefined;
    }
    const value: unknown = JSON.parse(Buffer.concat(chunks).toString('utf8'));
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Message) : undefined;
  } catch {
    return undefined;
  }
}
