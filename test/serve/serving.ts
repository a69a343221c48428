// An endpoint on a port of its own, until the test ends.
import { onTestFinished } from 'vitest';
import { type HttpServing, type ListenOptions, serveHttp } from 'vivarium/serve/node';
import type { Watched } from '../fixtures/http-server.mjs';

/** Closed in reverse order, and before whatever the test said earlier to do when it is finished. */
export async function serve({ server }: Watched, options: ListenOptions = {}): Promise<HttpServing> {
  const serving = await serveHttp(server, { port: 0, signals: false, drainMs: 0, ...options });
  onTestFinished(() => serving.close());
  return serving;
}
