// A client may close its side of the connection behind its request, and still wait for the answer. Whether it waits or has left shows
// only in writing: a connection that nobody reads is reset.
import type { Server as NodeServer, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { keepAlive } from '../../jsonrpc/event-stream.ts';

/** Most answers are there by then, and nothing is asked. */
const firstMs = 100;
const mostMs = 15_000;

/** What node:http knows of its own; undocumented, so it is looked at before it is used. */
interface Known {
  readonly _httpMessage?: (ServerResponse & { readonly _header?: unknown }) | null;
}

/** For a server whose streams are written by whole events. Whoever only listens has no answer to wait for, and has left. */
export function answerHalfClosed(http: NodeServer): void {
  (http as NodeServer & { httpAllowHalfOpen?: boolean }).httpAllowHalfOpen = true;
  http.on('connection', (socket: Socket & Known) => {
    socket.once('end', () => {
      const response = socket._httpMessage;
      if (response?.req.method === 'GET') socket.end();
      else if (response?.headersSent === true) askAgain(socket, 0);
      else askAgain(socket, firstMs);
    });
  });
}

function askAgain(socket: Socket & Known, afterMs: number): void {
  const timer = setTimeout(() => {
    socket.off('close', stop);
    const response = socket._httpMessage;
    // Between requests Node ends the connection by itself.
    if (socket.destroyed || response === null || response === undefined) return;
    ask(response);
    askAgain(socket, Math.min(Math.max(firstMs / 10, 3 * afterMs), mostMs));
  }, afterMs);
  const stop = (): void => clearTimeout(timer);
  socket.once('close', stop);
}

function ask(response: NonNullable<Known['_httpMessage']>): void {
  if (response.writableEnded || response.writableLength > 0) return;
  if (response.headersSent) {
    if (/\r\ncontent-type: text\/event-stream/i.test(String(response._header))) response.write(keepAlive);
  } else if (response.req.httpVersion === '1.1') response.writeProcessing();
}
