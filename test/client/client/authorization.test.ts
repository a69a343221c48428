import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, it } from 'vitest';
import { bearer } from 'vivarium/auth';
import { serveHttp } from 'vivarium/serve/node';
import { Server } from 'vivarium/server';
import { VivariumError } from '../../../src/jsonrpc/error.ts';
import { connect } from '../doors.ts';

const token = 'a-token-that-is-long-enough';

it('A login may take longer than the server may', async () => {
  // Time enough to connect on a busy machine.
  const connectMs = 4_000;
  const server = new Server({ name: 's', version: '1' });
  server.tool('hi', {}, () => 'hi');
  await using http = await serveHttp(server, { port: 0, signals: false, auth: bearer([token]) });
  let asked = 0;
  const auth = {
    token: async ({ status }: { status?: number }) => {
      if (status === undefined) return asked === 0 ? undefined : token;
      asked++;
      await new Promise((resolve) => setTimeout(resolve, connectMs + 200));
      return token;
    },
  };
  await using client = await connect(http.url, { auth, timeouts: { connectMs } });
  expect((await client.callTool('hi')).content).toEqual([{ type: 'text', text: 'hi' }]);
  expect(asked).toBe(1);
});

it('What a provider cannot do is told in its own words and with its own code', async () => {
  const refusing = createServer((_, response) => response.writeHead(401, { 'www-authenticate': 'Bearer' }).end());
  await new Promise<void>((resolve) => refusing.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(refusing.address() as AddressInfo).port}/mcp`;
  const auth = {
    token: ({ status }: { status?: number }) => {
      if (status === undefined) return undefined;
      throw new VivariumError('ERR_AUTH_REQUIRED', 'Nobody is there to log in');
    },
  };
  await expect(connect(url, { auth })).rejects.toMatchObject({ code: 'ERR_AUTH_REQUIRED', message: `Nobody is there to log in [${url}]` });
  refusing.close();
});
