// Requests handed on to the server of the moment, and its streams of events taken apart so that another can go on with them.
import { type IncomingMessage, request } from 'node:http';

export interface Target {
  readonly port: number;
  readonly path: string;
  readonly method: string;
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
}

export interface Answer {
  readonly status: number;
  readonly headers: IncomingMessage['headers'];
}

/** The head of the answer; its body is still to be read. `hangUp` ends it from our side. */
export function forward(target: Target, body: Buffer): Promise<{ readonly incoming: IncomingMessage; hangUp(): void }> {
  const { port, path, method } = target;
  const headers = Object.fromEntries(
    Object.entries(target.headers).flatMap(([name, value]) =>
      value === undefined || name === 'connection' || name === 'transfer-encoding' || name === 'content-length'
        ? []
        : [[name, typeof value === 'string' ? value : [...value]]],
    ),
  );
  return new Promise((resolve, reject) => {
    const sent = request({
      host: '127.0.0.1',
      port,
      path,
      method,
      headers: { ...headers, ...(body.length > 0 && { 'content-length': body.length }) },
    });
    sent.once('error', reject);
    sent.once('response', (incoming) => {
      incoming.on('error', () => undefined);
      sent.on('error', () => undefined);
      resolve({ incoming, hangUp: () => void sent.destroy() });
    });
    sent.end(body);
  });
}

/** A request whose answer is of no use but for its head. */
export async function askOnce(target: Target, body: Buffer): Promise<Answer> {
  const { incoming } = await forward(target, body);
  for await (const _ of incoming);
  return { status: incoming.statusCode ?? 0, headers: incoming.headers };
}

/** Whole events, as text without the empty line behind them; `generation` is written in front of their ids. */
export async function* eventsOf(incoming: IncomingMessage, generation: number): AsyncGenerator<string> {
  let held = '';
  incoming.setEncoding('utf8');
  for await (const piece of incoming) {
    const parts = (held + String(piece)).split(/\r?\n\r?\n/);
    held = parts.pop() ?? '';
    for (const part of parts) yield part.replace(/^id: ?/m, `id: g${generation}.`);
  }
}

/** The id of an event for the server that gave it; undefined when that one is gone. */
export function idFor(given: unknown, generation: number): string | undefined {
  const found = /^g(\d+)\.(.*)$/.exec(typeof given === 'string' ? given : '');
  return found !== null && Number(found[1]) === generation ? found[2] : undefined;
}
