// A node:http server with limits on everything that strangers can send before anybody knows who they are.
import { createServer, type Server as NodeServer, type RequestListener, type ServerResponse } from 'node:http';
import { answerHalfClosed } from './half-close.ts';
import { endConnection, isClosing } from './linger.ts';

interface Limits {
  readonly headersMs?: number;
  readonly bodyMs?: number;
  readonly idleMs?: number;
  readonly maxConnections?: number;
}

/** Header fields of a request: tiny ones take many times their bytes. */
const maxFields = 100;

export function createLimitedServer({ headersMs = 15_000, bodyMs = 30_000, ...limits }: Limits, listener: RequestListener): NodeServer {
  const http = createServer(
    {
      headersTimeout: headersMs,
      requestTimeout: headersMs + bodyMs,
      keepAliveTimeout: limits.idleMs ?? 60_000,
      connectionsCheckingInterval: Math.max(20, Math.min(1_000, headersMs / 4)),
      maxHeaderSize: 16 * 1024,
    },
    (request, response) => {
      if (isClosing(request)) return;
      if (request.rawHeaders.length > 2 * maxFields) refuse(response, 431);
      else listener(request, response);
    },
  );
  // Node leaves out what is beyond, which may be a second Host or token: one more than allowed shows that there were too many.
  http.maxHeadersCount = maxFields + 1;
  http.on('checkExpectation', (request, response) => void (isClosing(request) || refuse(response, 417)));
  answerHalfClosed(http);
  http.maxConnections = limits.maxConnections ?? 16_384;
  // Tools may take as long as they like; silence is broken by comments.
  http.timeout = 0;
  return http;
}

/** Whoever sent no more than a head does not keep the connection. */
function refuse(response: ServerResponse, status: number): void {
  endConnection(response.req, response.writeHead(status, { connection: 'close', 'content-length': 0 }));
}
