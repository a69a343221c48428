// The end of a connection whose request was refused before it was here as a whole. Node closes the socket with the answer, and a
// client that still writes gets a reset in place of what was answered (RFC 9112, 9.6: close in stages).
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/** How long the rest of a refused request is read and thrown away. */
export const lingerMs = 1_000;

/** Requests behind the last one are kept by Node until the connection ends: so many are passed over, then it ends at once. */
const maxIgnored = 64;

/** Connections whose last answer is given, with how many requests came behind it. */
const closing = new WeakMap<Socket, number>();

/** Whether this request came behind the last one that its connection serves: it must not be executed. */
export function isClosing({ socket }: IncomingMessage): boolean {
  const ignored = closing.get(socket);
  if (ignored === undefined) return false;
  closing.set(socket, ignored + 1);
  if (ignored >= maxIgnored) socket.destroy();
  return true;
}

/** Ends an answer that says `connection: close`: our side is closed at once, the other when the client has seen it or has had its time. */
export function endConnection(request: IncomingMessage, response: ServerResponse, body?: string | Buffer): void {
  // In HTTP/2 other requests share the connection, and it stays.
  if (request.httpVersionMajor === 1) closeInStages(request);
  response.end(body);
}

function closeInStages(request: IncomingMessage): void {
  const { socket } = request;
  closing.set(socket, 0);
  if (request.complete) return;
  request.unpipe().resume();
  // Node calls it when the answer has been written.
  socket.destroySoon = () => {
    socket.end();
    // Nothing is parsed any more.
    socket.removeAllListeners('data').removeAllListeners('end');
    const timer = setTimeout(() => socket.destroy(), lingerMs);
    socket
      .on('data', () => undefined)
      .once('end', () => socket.destroy())
      .once('close', () => clearTimeout(timer))
      .resume();
  };
}
