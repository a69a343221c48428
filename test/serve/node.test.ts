// A server of its own on node:http: what can be done to it as a whole.
import { expect, it } from 'vitest';
import { createWatched } from '../fixtures/http-server.mjs';
import { Client } from '../fixtures/http-wire.mjs';
import { serve } from './serving.ts';

it('disconnect cuts the streams that are open, and whoever comes back is served in the same session', async () => {
  const serving = await serve(createWatched());
  const client = await Client.connect(serving.url);
  const stream = await client.listen();
  serving.disconnect();
  expect(await stream.ended).toBe('cut');
  const again = await client.listen();
  expect(again.status).toBe(200);
  serving.disconnect();
  await again.ended;
});
