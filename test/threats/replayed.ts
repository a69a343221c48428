// A recording that is served at a URL, for the tests of what others on this machine can do with it.
import type { AddressInfo } from 'node:net';
import type { Entry } from '../../src/cli/commands/record/recording.ts';
import { serveRecording } from '../../src/cli/commands/replay/http.ts';

export async function replayed(entries: readonly Entry[]): Promise<{ readonly url: string } & AsyncDisposable> {
  const server = serveRecording({ head: { recording: 1, target: 'x', transport: 'http', began: '' }, entries });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
