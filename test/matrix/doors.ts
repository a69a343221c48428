// The two ways into an HTTP endpoint: through a socket, and by a call with a Request. A client sees no difference.
import { subscribe } from 'node:diagnostics_channel';
import { Agent, type IncomingMessage, request as openRequest, type ServerResponse } from 'node:http';
import { createFetchHandler, type HttpRules, type HttpStats } from 'vivarium/serve/fetch';
import { serveHttp } from 'vivarium/serve/node';
import type { Server } from 'vivarium/server';

export interface Question {
  readonly method: 'GET' | 'POST' | 'DELETE';
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
}

export interface Head {
  readonly status: number;
  header(name: string): string | undefined;
}

/** Called as the answer comes in. */
export interface Hearing {
  head(head: Head): void;
  text(text: string): void;
}

export interface Exchange {
  /** The server has read all of it; whatever is sent after this comes after it. */
  readonly taken: Promise<void>;
  /** The answer is here in full, or will not come any more. */
  readonly done: Promise<void>;
  /** Goes away; resolves when the server has noticed. */
  hangUp(): Promise<void>;
}

export interface Door {
  readonly stats: HttpStats;
  ask(question: Question, hearing: Hearing): Exchange;
  close(): Promise<void>;
}

/** Once its client has gone, nothing of it may be left behind. */
export async function close(door: Door, blame: (error: Error) => void): Promise<void> {
  for (let turn = 0; turn < 2; turn++) await new Promise((resolve) => setImmediate(resolve));
  const { running, sessions, streams } = door.stats;
  if (running + sessions + streams > 0) blame(new Error(`Left behind: ${JSON.stringify({ running, sessions, streams })}`));
  await door.close();
}

interface Seen {
  readonly taken: () => void;
  readonly gone: () => void;
}

const marked = 'x-link';
const expected = new Map<string, Seen>();
let count = 0;

// Requests on different connections have no order of their own: the server, which is in this process, says what it has read.
subscribe('http.server.request.start', (message) => {
  const { request, response } = message as { request: IncomingMessage; response: ServerResponse };
  const seen = expected.get(String(request.headers[marked]));
  if (seen === undefined) return;
  request.once('end', seen.taken);
  response.once('close', seen.gone);
});

export async function nodeDoor(server: Server, rules: HttpRules): Promise<Door> {
  const serving = await serveHttp(server, { ...rules, port: 0, signals: false, drainMs: 1 });
  const agent = new Agent({ keepAlive: true, maxSockets: 64 });
  return {
    get stats() {
      return serving.stats;
    },
    ask({ method, path, headers, body }, hearing) {
      const name = String(++count);
      let hangUp: () => void = () => undefined;
      let gone: Promise<void> = Promise.resolve();
      const done = new Promise<void>((resolve, reject) => {
        const sent = openRequest({ agent, host: '127.0.0.1', port: serving.port, method, path, headers: { ...headers, [marked]: name } });
        hangUp = () => void sent.destroy();
        sent.on('response', (answer) => {
          hearing.head({ status: answer.statusCode ?? 0, header: (key) => answer.headers[key] as string | undefined });
          answer.setEncoding('utf8').on('data', (text: string) => hearing.text(text));
          answer.on('close', resolve).on('error', () => undefined);
        });
        // Hanging up is an error here, and only then is it none.
        sent.on('error', (error) => (sent.destroyed ? resolve() : reject(error)));
        sent.end(body);
      });
      const taken = new Promise<void>((resolve) => {
        gone = new Promise((left) => expected.set(name, { taken: resolve, gone: left }));
        void done.then(resolve, resolve);
      });
      void gone.then(() => expected.delete(name));
      return {
        taken,
        done,
        hangUp: () => {
          hangUp();
          return gone;
        },
      };
    },
    async close() {
      agent.destroy();
      await serving.close();
    },
  };
}

export function fetchDoor(server: Server, rules: HttpRules): Door {
  const handle = createFetchHandler(server, { ...rules, allowedHosts: ['localhost'], drainMs: 1 });
  return {
    get stats() {
      return handle.stats;
    },
    ask({ method, path, headers, body }, hearing) {
      const controller = new AbortController();
      const { signal } = controller;
      const request = new Request(`http://localhost${path}`, { method, headers, signal, ...(body !== undefined && { body }) });
      let reader: ReadableStreamDefaultReader<Uint8Array> | undefined;
      const done = (async () => {
        const answer = await handle(request);
        hearing.head({ status: answer.status, header: (key) => answer.headers.get(key) ?? undefined });
        reader = answer.body?.getReader();
        const decoder = new TextDecoder();
        for (let part = await reader?.read(); part !== undefined && !part.done; part = await reader?.read()) {
          hearing.text(decoder.decode(part.value, { stream: true }));
        }
      })();
      // A body that is here already is read within this turn.
      const taken = new Promise<void>((resolve) => setImmediate(resolve));
      return {
        taken,
        done,
        hangUp: async () => {
          controller.abort();
          await reader?.cancel();
        },
      };
    },
    close: () => handle.close(),
  };
}
