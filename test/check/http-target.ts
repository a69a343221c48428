// A server of ours behind HTTP on loopback in this process, with a stranger's hands on each request and response.
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { CheckTarget } from 'vivarium/check';
import { createFetchHandler, type HttpRules } from 'vivarium/serve/fetch';
import type { Server } from 'vivarium/server';

export interface Arrival {
  readonly method: string;
  readonly path: string;
  readonly headers: Headers;
  /** Names as they were written. */
  readonly raw: readonly string[];
  readonly bytes: Buffer;
  /** The body, where it is a JSON object. */
  readonly value: Record<string, unknown>;
}

/** Answers a request, by itself or with what the server says to it; headers may be changed before. */
export type Around = (arrival: Arrival, next: () => Promise<Response>) => Response | Promise<Response>;

export interface HttpTarget {
  readonly target: CheckTarget;
  close(): Promise<void>;
}

export interface HttpTargetOptions {
  readonly rules?: HttpRules;
  readonly around?: Around;
  readonly transport?: 'http' | 'sse';
  readonly headers?: Readonly<Record<string, string>>;
}

export async function httpTarget(create: () => Server, options: HttpTargetOptions = {}): Promise<HttpTarget> {
  const { rules = {}, around = (_, next) => next(), transport = 'http', headers } = options;
  const handler = createFetchHandler(create(), {
    allowedHosts: ['127.0.0.1'],
    sse: transport === 'sse',
    drainMs: 100,
    ...rules,
  });
  const server = createServer((incoming, outgoing) => void serve(incoming, outgoing).catch(() => outgoing.destroy()));

  async function serve(incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of incoming) chunks.push(chunk as Buffer);
    const bytes = Buffer.concat(chunks);
    const gone = new AbortController();
    outgoing.on('close', () => gone.abort());
    const { method = 'GET', url: path = '/' } = incoming;
    const given = Object.entries(incoming.headers).map(([name, value]): [string, string] => [name, String(value)]);
    const arrival: Arrival = { method, path, headers: new Headers(given), raw: incoming.rawHeaders, bytes, value: objectIn(bytes) };
    const next = (): Promise<Response> => {
      const body = method === 'GET' || method === 'HEAD' ? {} : { body: new Uint8Array(bytes) };
      return handler(new Request(new URL(path, base()), { method, headers: arrival.headers, signal: gone.signal, ...body }));
    };
    await write(await around(arrival, next), outgoing);
  }

  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const base = (): string => `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    target: {
      kind: 'url',
      url: `${base()}${transport === 'sse' ? '/sse' : '/mcp'}`,
      transport,
      ...(headers !== undefined && { headers }),
    },
    async close() {
      await handler.close();
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

async function write(response: Response, outgoing: ServerResponse): Promise<void> {
  outgoing.writeHead(response.status, Object.fromEntries(response.headers));
  outgoing.flushHeaders();
  const reader = response.body?.getReader();
  outgoing.on('close', () => void reader?.cancel().catch(() => undefined));
  for (let part = await reader?.read(); part !== undefined && !part.done; part = await reader?.read()) outgoing.write(part.value);
  outgoing.end();
}

function objectIn(bytes: Buffer): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(bytes.toString('utf8'));
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Record<string, unknown>) : {};
  } catch {
    return {};
  }
}
