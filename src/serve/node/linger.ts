// The end of a connection whose request was refused before it was here as a whole. Node closes the socket with the answer, and a
// client that still writes gets a reset in place of what was answered (RFC 9112, 9.6: close in stages).
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/** How long the rest of a refused request is read and thrown away. */
export const lingerMs = 1_000;

const closing = new WeakSet<Socket>();

/** Whether the last answer of this connection is given: what a client has sent behind it must not be executed. */
export function isClosing({ socket }: IncomingMessage): boolean {
  return closing.has(socket);
}

/** Ends an answer that says `connection: close`: its side is closed at once, the other when the client has seen it or has had its time. */
export function endConnection(request: IncomingMessage, response: ServerResponse, body?: string | Buffer): void {
  const { socket } = request;
  closing.add(socket);
  // In HTTP/2 a connection is not one client's request.
  if (!request.complete && request.httpVersionMajor === 1) {
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
    request.unpipe().resume();
  }
  response.end(body);
}
