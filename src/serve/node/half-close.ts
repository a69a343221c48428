// Half-closed connections: a FIN does not tell a client that waits for its answer from one that has left. The server probes: what is
// written to a client that has left is answered with a reset.
import type { Server as NodeServer, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { keepAlive } from '../../jsonrpc/event-stream.ts';

/** Most answers are there by then, and nothing is asked. */
const firstMs = 100;
/** The first thing that is written to nobody brings the reset, the next one finds it: soon where the client was near. */
const againMs = 10;
const mostMs = 15_000;

/** What node:http knows of its own; undocumented, so it is looked at before it is used. */
interface Known {
  readonly _httpMessage?: Response | null;
}

type Response = ServerResponse & { readonly _header?: unknown };

/** For a server whose streams are written by whole events. Whoever only listens has no answer to wait for, and has left. */
export function answerHalfClosed(http: NodeServer): void {
  (http as NodeServer & { httpAllowHalfOpen?: boolean }).httpAllowHalfOpen = true;
  http.on('connection', (socket: Socket & Known) => {
    socket.once('end', () => {
      const response = socket._httpMessage;
      // Between requests Node ends the connection by itself.
      if (response === null || response === undefined) return;
      if (response.req.method === 'GET' || !canAsk(response)) socket.end();
      else askAfter(socket, response.headersSent ? 0 : firstMs, againMs);
    });
  });
}

function askAfter(socket: Socket & Known, ms: number, nextMs: number): void {
  const timer = setTimeout(() => {
    socket.off('close', stop);
    const response = socket._httpMessage;
    if (socket.destroyed || response === null || response === undefined) return;
    if (!response.writableEnded && response.writableLength === 0) ask(response);
    askAfter(socket, nextMs, Math.min(3 * nextMs, mostMs));
  }, ms);
  const stop = (): void => clearTimeout(timer);
  socket.once('close', stop);
}

/** HTTP/1.0, as nginx speaks it to servers, knows no answers that come before the answer. */
function canAsk(response: Response): boolean {
  return response.headersSent ? isEvents(response) : response.req.httpVersion === '1.1';
}

function isEvents({ _header: head }: Response): boolean {
  return typeof head === 'string' && /\r\ncontent-type: text\/event-stream/i.test(head);
}

function ask(response: Response): void {
  if (!response.headersSent) response.writeProcessing();
  else if (isEvents(response)) response.write(keepAlive);
}
