// Requests over HTTP, with every header under its own name, and streams of events.
import { Agent, type IncomingMessage, request } from 'node:http';
import type { HttpAsk } from './hands.ts';

export interface HttpAnswer {
  readonly status: number;
  /** By name in lower case, or, for whoever goes by the case, as it was written. */
  header(name: string): string | undefined;
  text(): Promise<string>;
  events(): AsyncGenerator<ServerEvent>;
  close(): void;
}

export interface ServerEvent {
  readonly event?: string;
  readonly id?: string;
  readonly retry?: string;
  readonly data?: string;
}

export class Browser {
  readonly #agent = new Agent({ keepAlive: true });
  readonly #byCase: boolean;
  readonly #change: (ask: HttpAsk) => void;

  constructor(byCase: boolean, change: (ask: HttpAsk) => void) {
    this.#byCase = byCase;
    this.#change = change;
  }

  fetch(given: HttpAsk, signal?: AbortSignal): Promise<HttpAnswer> {
    const ask = { ...given, url: new URL(given.url), headers: { ...given.headers } };
    this.#change(ask);
    return new Promise((resolve, reject) => {
      const sent = request(ask.url, {
        method: ask.method,
        headers: { ...ask.headers, ...(ask.body !== undefined && { 'content-length': String(Buffer.byteLength(ask.body)) }) },
        agent: this.#agent,
        ...(signal !== undefined && { signal }),
      });
      sent.once('error', reject);
      sent.once('response', (incoming) => resolve(answerOf(incoming, this.#byCase)));
      sent.end(ask.body);
    });
  }

  close(): void {
    this.#agent.destroy();
  }
}

function answerOf(incoming: IncomingMessage, byCase: boolean): HttpAnswer {
  const raw = incoming.rawHeaders;
  incoming.on('error', () => undefined);
  return {
    status: incoming.statusCode ?? 0,
    header(name) {
      if (!byCase) return incoming.headers[name]?.toString();
      const place = raw.findIndex((one, index) => index % 2 === 0 && one === name);
      return place < 0 ? undefined : raw[place + 1];
    },
    async text() {
      let all = '';
      for await (const piece of incoming.setEncoding('utf8')) all += String(piece);
      return all;
    },
    async *events() {
      let held = '';
      try {
        for await (const piece of incoming.setEncoding('utf8')) {
          const parts = (held + String(piece)).split('\n\n');
          held = parts.pop() ?? '';
          for (const part of parts) yield eventOf(part);
        }
      } catch {
        // Cut off: whoever wants more comes back.
      }
    },
    close: () => void incoming.destroy(),
  };
}

function eventOf(text: string): ServerEvent {
  return Object.fromEntries(
    text.split('\n').flatMap((line) => {
      const colon = line.indexOf(': ');
      return colon < 0 ? [] : [[line.slice(0, colon), line.slice(colon + 2)]];
    }),
  );
}
