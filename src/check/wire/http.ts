// HTTP as bytes need it: every header as given, bodies as they come, streams event by event.
import { Agent, type ClientRequest, type IncomingMessage, type RequestOptions, request } from 'node:http';
import { Agent as SecureAgent, request as secureRequest } from 'node:https';
import type { Readable, Transform } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib';
import { closedByClient, type Exchange, type ExchangeFailure, isForeignRefusal, type Recorder } from '../model/trace.ts';
import { createEventReader } from './event-stream.ts';
import { type Pace, quietOf } from './pace.ts';
import { rawPost, sendMalformed } from './socket.ts';

export interface HttpCall {
  readonly method: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: Buffer | undefined;
  readonly secrets?: readonly string[] | undefined;
  /** In words of its own: nothing about it is judged as conduct of ours. */
  readonly wild?: boolean;
  /** Milliseconds until the head of the response. */
  readonly timeoutMs: number;
}

/** A response under way. */
export interface HttpFlow {
  readonly exchange: Exchange;
  /** When the head is there, or there will be none. */
  readonly head: Promise<void>;
  /** When nothing more will come. */
  readonly end: Promise<void>;
  abort(): void;
}

const maxBody = 64 * 1024 * 1024;
const inWords = '64 MiB, and no more of it was read';

export interface Http {
  call(call: HttpCall): HttpFlow;
  /** A POST whose length is what these lines say, on a socket of its own; what was sent, but for credentials, and what came back. */
  sendMalformed(post: Pick<HttpCall, 'url' | 'headers' | 'timeoutMs'>, lengths: readonly string[], body: string): Promise<string>;
  close(): void;
}

export function createHttp(recorder: Recorder, pace: Pace): Http {
  const agents = { plain: new Agent({ keepAlive: true }), secure: new SecureAgent({ keepAlive: true }) };
  const flows = new Set<HttpFlow>();
  let count = 0;

  function call({ method, url, headers, body, secrets, wild = false, timeoutMs }: HttpCall): HttpFlow {
    count += 1;
    const exchange: Exchange = { number: count, at: recorder.now(), request: { method, url, headers, body, secrets }, wild };
    recorder.exchanges.push(exchange);
    if (wild) recorder.wild = true;
    const secure = url.startsWith('https:');
    const options: RequestOptions = {
      method,
      // Without it any encoding would do.
      headers: { 'accept-encoding': 'identity', ...headers, ...(body !== undefined && { 'content-length': String(body.length) }) },
      agent: secure ? agents.secure : agents.plain,
    };
    const head = deferred();
    const end = deferred();
    const give = (failure: ExchangeFailure) => {
      exchange.failure ??= failure;
      head.settle();
      end.settle();
    };
    let outgoing: ClientRequest | undefined;
    let source: Readable | undefined;
    let timer: NodeJS.Timeout | undefined;
    const start = () => {
      timer = setTimeout(() => {
        give({ reason: 'timeout', message: `no response within ${timeoutMs} ms` });
        outgoing?.destroy();
      }, timeoutMs);
      outgoing = (secure ? secureRequest : request)(url, options, (incoming) => {
        clearTimeout(timer);
        const quiet = incoming.statusCode === 429 ? quietOf(headersOf(incoming), exchange.postponed ?? 0) : undefined;
        if (quiet !== undefined) {
          // What was refused for its time only is asked again in due time, by everyone.
          incoming.resume();
          exchange.postponed = (exchange.postponed ?? 0) + 1;
          pace.holdOff(quiet);
          timer = setTimeout(start, pace.turn());
          return;
        }
        source = receive(incoming, exchange, recorder, end.settle, give);
        head.settle();
      });
      outgoing.on('error', (error) => {
        clearTimeout(timer);
        give({ reason: 'error', message: error.message === '' ? String((error as { code?: unknown }).code ?? error.name) : error.message });
      });
      outgoing.end(body);
    };
    const turn = pace.turn();
    if (turn > 0) timer = setTimeout(start, turn);
    else start();
    const flow: HttpFlow = {
      exchange,
      head: head.promise,
      end: end.promise,
      abort() {
        clearTimeout(timer);
        give(closedByClient);
        outgoing?.destroy();
        // What has come may still be unpacked, for as long as it takes.
        source?.destroy();
      },
    };
    flows.add(flow);
    void flow.end.then(() => flows.delete(flow));
    return flow;
  }

  return {
    call,
    async sendMalformed({ url, headers, timeoutMs }, lengths, body) {
      await sleep(pace.turn());
      recorder.wild = true;
      const heard = await sendMalformed(url, rawPost(url, headers, lengths, body), timeoutMs);
      return `${lengths.join('\r\n')}\r\n\r\n${body}\r\n→ ${heard === '' ? 'nothing' : heard.slice(0, 200)}`;
    },
    close() {
      for (const flow of [...flows]) flow.abort();
      agents.plain.destroy();
      agents.secure.destroy();
    },
  };
}

function receive(
  incoming: IncomingMessage,
  exchange: Exchange,
  recorder: Recorder,
  done: () => void,
  give: (failure: ExchangeFailure) => void,
): Readable {
  const headers = headersOf(incoming);
  const response = { at: recorder.now(), status: incoming.statusCode ?? 0, headers, body: Buffer.alloc(0), events: [] };
  exchange.response = response;
  const chunks: Buffer[] = [];
  let size = 0;
  /** Of a stream: since its last event. */
  let pending = 0;
  const isStream = (headers['content-type'] ?? '').toLowerCase().startsWith('text/event-stream');
  const decoder = new TextDecoder();
  const events = createEventReader(
    () => recorder.now(),
    (event) => {
      pending = 0;
      exchange.response?.events.push(event);
      if (event.data !== undefined && event.data !== '' && (event.event === undefined || event.event === 'message')) {
        recorder.message('received', Buffer.from(event.data), { exchange, form: 'event' });
      }
    },
  );
  const source = plainly(incoming, headers);
  source.on('data', (chunk: Buffer) => {
    size += chunk.length;
    pending += chunk.length;
    // A few bytes may unpack to any number of them.
    if (recorder.isFull || (isStream ? pending : size) > maxBody) {
      exchange.failure ??= { reason: 'error', message: `${isStream ? 'an event' : 'the response'} is longer than ${inWords}` };
      incoming.destroy();
      return void source.destroy();
    }
    if (size <= maxBody) chunks.push(chunk);
    if (isStream) events.push(decoder.decode(chunk, { stream: true }));
  });
  source.on('error', (error) => give({ reason: 'error', message: error.message }));
  source.on('close', () => {
    response.body = Buffer.concat(chunks);
    Object.assign(response, { endedAt: recorder.now() });
    const isWhole = size <= maxBody;
    if (!incoming.complete) exchange.failure ??= { reason: 'error', message: 'the response broke off' };
    // What a GET gives is a document, such as metadata, and no message.
    const isBody = !isStream && isWhole && exchange.request.method === 'POST' && response.body.length > 0 && isJson(headers);
    if (isBody && !isForeignRefusal(response, response.body)) {
      recorder.message('received', response.body, { exchange, form: 'body' });
    }
    done();
  });
  return source;
}

/** Some servers compress whatever they are asked for. */
function plainly(incoming: IncomingMessage, { 'content-encoding': encoding = 'identity' }: Readonly<Record<string, string>>): Readable {
  // Where there is nothing to be unpacked, that would be held against it.
  const isEmpty = incoming.statusCode === 202 || incoming.statusCode === 204 || incoming.headers['content-length'] === '0';
  const decoder = isEmpty ? undefined : decoders.get(encoding.trim().toLowerCase())?.();
  if (decoder === undefined) return incoming;
  incoming.on('error', (error) => decoder.destroy(error));
  incoming.on('close', () => void (incoming.complete || decoder.destroy()));
  return incoming.pipe(decoder);
}

const decoders: ReadonlyMap<string, () => Transform> = new Map([
  ['gzip', createGunzip],
  ['x-gzip', createGunzip],
  ['deflate', createInflate],
  ['br', createBrotliDecompress],
]);

function headersOf(incoming: IncomingMessage): Record<string, string> {
  return Object.fromEntries(Object.entries(incoming.headers).map(([name, value]) => [name, [value ?? ''].flat().join(', ')]));
}

function isJson(headers: Readonly<Record<string, string>>): boolean {
  return /^application\/json\b/i.test(headers['content-type'] ?? '');
}

function deferred(): { readonly promise: Promise<void>; readonly settle: () => void } {
  let settle = (): void => undefined;
  const promise = new Promise<void>((resolve) => {
    settle = resolve;
  });
  return { promise, settle };
}
