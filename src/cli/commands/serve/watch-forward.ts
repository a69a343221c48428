// Requests handed on to the server of the moment, and its streams of events taken apart so that another can go on with them.
import { type IncomingMessage, request, type ServerResponse } from 'node:http';
import { EventParser, keepAlive } from '../../../jsonrpc/event-stream.ts';

/** Names and values in turn, as they came: two of a kind stay two, so that the server can refuse them. */
export type Fields = readonly string[];

export interface ForwardTarget {
  readonly port: number;
  readonly path: string;
  readonly method: string;
  readonly fields: Fields;
}

export interface AnswerHead {
  readonly status: number;
  readonly headers: IncomingMessage['headers'];
}

export interface Forwarded {
  /** The head of the answer; its body is still to be read. */
  readonly answer: Promise<IncomingMessage>;
  /** Ends it from our side. */
  hangUp(): void;
}

/** They belong to one connection, and not to the request. */
const hop: ReadonlySet<string> = new Set(['connection', 'keep-alive', 'proxy-connection', 'te', 'trailer', 'upgrade', 'expect']);

/** The head leaves at once: the server judges it before anything of the body is asked for. A request is passed on as fast as it is taken. */
export function forward({ port, path, method, fields }: ForwardTarget, body: Buffer | IncomingMessage): Forwarded {
  const headers = mapped(fields, (name, value) => (hop.has(name) ? undefined : value));
  if (Buffer.isBuffer(body) && body.length > 0) headers.push('content-length', String(body.length));
  const sent = request({ host: '127.0.0.1', port, path, method, headers });
  const answer = new Promise<IncomingMessage>((resolve, reject) => {
    sent.on('error', reject);
    sent.once('response', (incoming) => {
      incoming.on('error', () => undefined);
      resolve(incoming);
    });
  });
  answer.catch(() => undefined);
  sent.flushHeaders();
  if (Buffer.isBuffer(body)) sent.end(body);
  else body.pipe(sent);
  return { answer, hangUp: () => void sent.destroy() };
}

/** By lower-case name; undefined leaves a field out. */
export function mapped(fields: Fields, map: (name: string, value: string) => string | undefined): string[] {
  const kept: string[] = [];
  for (let at = 0; at + 1 < fields.length; at += 2) {
    const [name, value] = [fields[at] as string, fields[at + 1] as string];
    const given = map(name.toLowerCase(), value);
    if (given !== undefined) kept.push(name, given);
  }
  return kept;
}

/** A request whose answer is of no use but for its head. */
export async function askOnce(target: ForwardTarget, body: Buffer): Promise<AnswerHead> {
  const incoming = await forward(target, body).answer;
  for await (const _ of incoming);
  return { status: incoming.statusCode ?? 0, headers: incoming.headers };
}

/** What is no stream of events, no faster than it is read. */
export async function copy(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
  for await (const piece of incoming) await write(response, piece);
}

/** Waits for a slow reader, so that the server behind sees how slow it is, and cuts it off when its rules say so. */
export async function write(response: ServerResponse, piece: string | Buffer): Promise<void> {
  if (response.write(piece) || response.destroyed) return;
  await new Promise<void>((resolve) => {
    const done = (): void => {
      response.off('drain', done).off('close', done);
      resolve();
    };
    response.on('drain', done).on('close', done);
  });
}

/** Whole events, as text without the empty line behind them; `generation` is written in front of their ids. Comments are passed on as keep-alives. */
export async function* eventsOf(incoming: AsyncIterable<Uint8Array>, generation: number): AsyncGenerator<string> {
  const ready: string[] = [];
  let lastId = '';
  const take = (lines: readonly string[]): void => {
    const id = parser.lastId === lastId ? [] : [`id: g${generation}.${parser.lastId}`];
    const retry = parser.retryMs === undefined ? [] : [`retry: ${parser.retryMs}`];
    lastId = parser.lastId;
    parser.retryMs = undefined;
    const [type, ...data] = lines;
    const block = [...(type === undefined || type === '' ? [] : [`event: ${type}`]), ...id, ...retry, ...data];
    ready.push(block.length === 0 ? keepAlive.trimEnd() : block.join('\n'));
  };
  const parser: EventParser = new EventParser(
    {
      event: (data, type) => take([type, ...data.split('\n').map((line) => `data: ${line}`)]),
      bare: () => take([]),
      overflow: () => undefined,
    },
    Number.POSITIVE_INFINITY,
  );
  for await (const piece of incoming) {
    parser.push(piece);
    yield* ready.splice(0);
  }
}

/** The id of an event for the server that gave it; undefined when that one is gone. */
export function idFor(given: string, generation: number): string | undefined {
  const found = /^g(\d+)\.(.*)$/.exec(given);
  return found !== null && Number(found[1]) === generation ? found[2] : undefined;
}
