// A tap in front of a server at a URL: a door on this machine for one client, which writes down messages and heads.
import {
  type ClientRequest,
  createServer,
  type IncomingHttpHeaders,
  type IncomingMessage,
  request as requestHttp,
  type ServerResponse,
} from 'node:http';
import { request as requestHttps } from 'node:https';
import type { AddressInfo } from 'node:net';
import { Bytes, EventParser } from '../../../jsonrpc/event-stream.ts';
import { CommandError, exitCodes } from '../../args/command.ts';
import { isFromProgram } from '../../target/local-host.ts';
import { Door } from './access.ts';
import type { Recorder, Side } from './recording.ts';
import { FirstEndpoint } from './sse-endpoint.ts';

const maxEvent = 64 * 1024 * 1024;
/** As curl does, for servers that do not know `Expect: 100-continue`. */
const continueMs = 1_000;
/** Of the connection, not of the message. Nor may a body be compressed: what is written down is to be read, and masked. */
const ownHeaders: ReadonlySet<string> = new Set([
  'accept-encoding',
  'connection',
  'expect',
  'host',
  'keep-alive',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
]);

export interface Recording {
  readonly url: string;
  close(): Promise<void>;
}

type Headers = Readonly<Record<string, string>>;

export async function recordUrl(target: URL, headers: Headers, port: number, recorder: Recorder): Promise<Recording> {
  let exchanges = 0;
  const lendsToken = Object.keys(headers).some((name) => name.toLowerCase() === 'authorization');
  const door = new Door(target, lendsToken);
  const server = createServer((incoming, outgoing) => {
    if (!isFromProgram(incoming.method, incoming.headers)) return void outgoing.writeHead(403).end();
    const passage = door.passage(incoming.method ?? 'GET', incoming.url ?? '/');
    if (passage === undefined) return void outgoing.writeHead(404).end();
    const lent = passage.lends ? headers : {};
    passOn(incoming, outgoing, { target, door, path: passage.path, lent, exchange: ++exchanges, recorder });
  });
  server.requestTimeout = 0;
  await new Promise<void>((resolve, reject) => {
    server.once('error', (cause) => reject(new CommandError(exitCodes.usage, `Port ${port} cannot be had: ${cause.message}`, { cause })));
    server.listen(port, '127.0.0.1', resolve);
  });
  const { port: own } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${own}${door.path}`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

interface Passing {
  readonly target: URL;
  readonly door: Door;
  readonly path: string;
  readonly lent: Headers;
  readonly exchange: number;
  readonly recorder: Recorder;
}

function passOn(incoming: IncomingMessage, outgoing: ServerResponse, { target, door, path, lent, exchange, recorder }: Passing): void {
  const { method = 'GET' } = incoming;
  recorder.add('client', { exchange, head: { method, path, headers: plain(incoming.headers) } });
  const send = target.protocol === 'https:' ? requestHttps : requestHttp;
  const options = {
    method,
    path,
    headers: { ...forwarded(incoming.headers), ...lent, ...(isLarge(incoming.headers) && { expect: '100-continue' }), host: target.host },
  };
  let isAnswered = false;
  // No redirect is followed: what is lent goes nowhere else.
  const upstream = send(
    { protocol: target.protocol, hostname: target.hostname.replace(/^\[|\]$/g, ''), port: target.port, ...options },
    (answer) => {
      isAnswered = true;
      const { statusCode: status = 502, headers } = answer;
      recorder.add('server', { exchange, head: { status, headers: plain(headers) } });
      outgoing.writeHead(status, answered(headers, door));
      // Also before the first event: whoever listens wants to know that it stands.
      outgoing.flushHeaders();
      const isStream = /event-stream/.test(headers['content-type'] ?? '');
      tap(answer, 'server', exchange, isStream, recorder);
      if (isStream && method === 'GET') answer.pipe(new FirstEndpoint((place) => door.announce(place) ?? place)).pipe(outgoing);
      else answer.pipe(outgoing);
      // Whoever waits for the rest learns that it does not come.
      answer.once('close', () => answer.complete || outgoing.destroy());
    },
  );
  upstream.on('error', (error) => {
    // A server that refuses a body may hang up while it is still being sent: its answer says more.
    if (isAnswered) return;
    recorder.add('server', { exchange, raw: `(${error.message})`, end: {} });
    outgoing.writeHead(502, { 'content-type': 'text/plain' }).end(`The server cannot be reached: ${error.message}\n`);
  });
  outgoing.once('close', () => upstream.destroy());
  tap(incoming, 'client', exchange, false, recorder);
  passBody(incoming, upstream, () => isAnswered);
}

/** One piece at a time, with a look at what the server says in between: a refusal is lost once something is written behind its end. */
function passBody(incoming: IncomingMessage, upstream: ClientRequest, isAnswered: () => boolean): void {
  upstream.flushHeaders();
  incoming.on('data', (piece: Buffer) => {
    // The client may finish what it says; nobody reads it.
    if (isAnswered() || upstream.destroyed) return;
    incoming.pause();
    upstream.write(piece, () => setImmediate(() => incoming.resume()));
  });
  incoming.once('end', () => upstream.end());
  incoming.once('error', () => upstream.destroy());
  if (!isLarge(incoming.headers)) return;
  incoming.pause();
  const go = (): void => void incoming.resume();
  const timer = setTimeout(go, continueMs);
  for (const event of ['continue', 'response', 'error']) upstream.once(event, go);
  upstream.once('close', () => clearTimeout(timer));
}

/** Worth asking first whether the server wants it: one that does not may hang up on it, and its refusal is lost. */
function isLarge(headers: IncomingHttpHeaders): boolean {
  return Number(headers['content-length'] ?? 0) > 1_048_576;
}

/** Whole for a body, each event for a stream. */
function tap(stream: IncomingMessage, side: Side, exchange: number, events: boolean, recorder: Recorder): void {
  if (events) {
    const parser = new EventParser(
      {
        event: (data, type) => {
          const event = { ...(parser.lastId !== '' && { id: parser.lastId }), ...(type !== '' && { type }) };
          recorder.add(side, { exchange, raw: data, event });
        },
        overflow: () => recorder.add(side, { exchange, raw: '(an event larger than 64 MiB)' }),
      },
      maxEvent,
    );
    stream.on('data', (chunk: Buffer) => parser.push(chunk));
  } else {
    const body = new Bytes();
    let length = 0;
    stream.on('data', (chunk: Buffer) => {
      length += chunk.length;
      if (length > maxEvent) body.clear();
      else body.add(chunk);
    });
    stream.once('end', () => {
      if (length > maxEvent) recorder.add(side, { exchange, raw: '(a body larger than 64 MiB)' });
      else if (length > 0) recorder.line(side, Buffer.from(body.whole()), { exchange });
    });
  }
  stream.once('close', () => recorder.add(side, { exchange, end: {} }));
}

function forwarded(headers: IncomingHttpHeaders): Record<string, string | string[]> {
  const kept = Object.entries(headers).filter(([name, value]) => value !== undefined && !ownHeaders.has(name));
  return Object.fromEntries(kept) as Record<string, string | string[]>;
}

/** Without what would let a page in a browser read it, whatever the server allows. */
function answered(headers: IncomingHttpHeaders, door: Door): Record<string, string | string[]> {
  const { location, ...kept } = forwarded(headers);
  const own = Object.entries(kept).filter(([name]) => !name.startsWith('access-control-'));
  return { ...Object.fromEntries(own), ...(typeof location === 'string' && { location: door.redirected(location) }) };
}

function plain(headers: IncomingHttpHeaders): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, String(value)]));
}
