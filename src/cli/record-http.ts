// A tap in front of a server at a URL: a door on this machine that passes everything on, and writes down messages and heads.
import { createServer, type IncomingHttpHeaders, type IncomingMessage, request as requestHttp, type ServerResponse } from 'node:http';
import { request as requestHttps } from 'node:https';
import type { AddressInfo } from 'node:net';
import { EventParser } from '../jsonrpc/event-stream.ts';
import { CommandError, exitCodes } from './command.ts';
import { isLocalHost } from './local-host.ts';
import type { Recorder, Side } from './recording.ts';

const mostEvent = 64 * 1024 * 1024;
/** Of the connection, not of the message. Nor may a body be compressed: what is written down is to be read, and masked. */
const ownHeaders: ReadonlySet<string> = new Set([
  'accept-encoding',
  'connection',
  'host',
  'keep-alive',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
]);

export interface Door {
  readonly url: string;
  close(): Promise<void>;
}

export async function recordUrl(target: URL, headers: Readonly<Record<string, string>>, port: number, recorder: Recorder): Promise<Door> {
  let exchanges = 0;
  const server = createServer((incoming, outgoing) => {
    // Only programs on this machine that mean this address: a page in a browser may not.
    const host = incoming.headers.host ?? '';
    if (!isLocalHost(host)) return void outgoing.writeHead(403).end();
    passOn(incoming, outgoing, target, headers, ++exchanges, recorder);
  });
  server.requestTimeout = 0;
  await new Promise<void>((resolve, reject) => {
    server.once('error', (cause) => reject(new CommandError(exitCodes.usage, `Port ${port} cannot be had: ${cause.message}`, { cause })));
    server.listen(port, '127.0.0.1', resolve);
  });
  const { port: own } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${own}${target.pathname}${target.search}`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

function passOn(
  incoming: IncomingMessage,
  outgoing: ServerResponse,
  target: URL,
  more: Readonly<Record<string, string>>,
  exchange: number,
  recorder: Recorder,
): void {
  const { method = 'GET', url: path = '/' } = incoming;
  recorder.add('client', { exchange, head: { method, path, headers: plain(incoming.headers) } });
  const send = target.protocol === 'https:' ? requestHttps : requestHttp;
  const options = { method, path, headers: { ...forwarded(incoming.headers), ...more, host: target.host } };
  const upstream = send(
    { protocol: target.protocol, hostname: target.hostname.replace(/^\[|\]$/g, ''), port: target.port, ...options },
    (answer) => {
      const { statusCode: status = 502, headers } = answer;
      recorder.add('server', { exchange, head: { status, headers: plain(headers) } });
      outgoing.writeHead(status, forwarded(headers));
      // Also before the first event: whoever listens wants to know that it stands.
      outgoing.flushHeaders();
      tap(answer, 'server', exchange, /event-stream/.test(headers['content-type'] ?? ''), recorder);
      answer.pipe(outgoing);
      // Whoever waits for the rest learns that it does not come.
      answer.once('close', () => answer.complete || outgoing.destroy());
    },
  );
  upstream.on('error', (error) => {
    recorder.add('server', { exchange, raw: `(${error.message})`, end: {} });
    if (outgoing.headersSent) outgoing.destroy();
    else outgoing.writeHead(502, { 'content-type': 'text/plain' }).end(`The server cannot be reached: ${error.message}\n`);
  });
  outgoing.once('close', () => upstream.destroy());
  tap(incoming, 'client', exchange, false, recorder);
  incoming.pipe(upstream);
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
      mostEvent,
    );
    stream.on('data', (chunk: Buffer) => parser.push(chunk));
  } else {
    const chunks: Buffer[] = [];
    stream.on('data', (chunk: Buffer) => chunks.push(chunk));
    stream.once('end', () => {
      if (chunks.length > 0) recorder.line(side, Buffer.concat(chunks), { exchange });
    });
  }
  stream.once('close', () => recorder.add(side, { exchange, end: {} }));
}

function forwarded(headers: IncomingHttpHeaders): Record<string, string | string[]> {
  const kept = Object.entries(headers).filter(([name, value]) => value !== undefined && !ownHeaders.has(name));
  return Object.fromEntries(kept) as Record<string, string | string[]>;
}

function plain(headers: IncomingHttpHeaders): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, String(value)]));
}
