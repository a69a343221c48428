// A node:http server with limits on everything that strangers can send before anybody knows who they are.
import { createServer, type Server as NodeServer, type RequestListener } from 'node:http';

interface Limits {
  readonly headersMs?: number;
  readonly bodyMs?: number;
  readonly idleMs?: number;
  readonly maxConnections?: number;
}

export function createLimitedServer({ headersMs = 15_000, bodyMs = 30_000, ...limits }: Limits, listener: RequestListener): NodeServer {
  const http = createServer(
    {
      headersTimeout: headersMs,
      requestTimeout: headersMs + bodyMs,
      keepAliveTimeout: limits.idleMs ?? 60_000,
      connectionsCheckingInterval: Math.max(20, Math.min(1_000, headersMs / 4)),
      maxHeaderSize: 16 * 1024,
    },
    listener,
  );
  http.maxConnections = limits.maxConnections ?? 16_384;
  // Tools may take as long as they like; silence is broken by comments.
  http.timeout = 0;
  return http;
}
