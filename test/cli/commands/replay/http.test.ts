import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { expect, it } from 'vitest';
import { serveRecording } from '../../../../src/cli/commands/replay/http.ts';

it('plays a recording whose server named an endpoint that is no address', async () => {
  const entry = { t: 0, from: 'server', raw: 'http://', exchange: 1, event: { type: 'endpoint' } } as const;
  const server = serveRecording({ entries: [entry] } as never);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  try {
    const { body } = await fetch(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`);
    const { value } = (await body?.pipeThrough(new TextDecoderStream()).getReader().read()) ?? {};
    expect(value).toBe('event: endpoint\ndata: http://\n\n');
  } finally {
    server.closeAllConnections();
    server.close();
  }
});
