// The end of an answer to a request that is still being sent. Node closes the socket with the answer, and a client that
// writes to a closed socket gets a reset in place of what was answered.
import type { IncomingMessage, ServerResponse } from 'node:http';

/** How long the rest of a refused request is read and thrown away. */
export const lingerMs = 1_000;

/** Ends `response`, whose head and body are written, once the request is here as a whole or has had its time. */
export function endLingering(request: IncomingMessage, response: ServerResponse): void {
  if (request.complete || request.destroyed) return void response.end();
  const end = (): void => {
    clearTimeout(timer);
    response.end();
    if (!request.complete) request.socket.destroySoon();
  };
  const timer = setTimeout(end, lingerMs);
  timer.unref();
  request.once('close', end).once('end', end);
  request.unpipe().resume();
}
