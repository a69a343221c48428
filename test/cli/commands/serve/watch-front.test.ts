import { createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { expect, it, onTestFinished } from 'vitest';
import { WatchFront } from '../../../../src/cli/commands/serve/watch-front.ts';

const piece = Buffer.alloc(64 * 1024, 'x');
const total = 1_000;

it.each(['application/json', 'text/event-stream'])('takes no more of an answer (%s) than its client reads', async (type) => {
  let written = 0;
  const server = createServer(async (_, response) => {
    response.on('error', () => undefined).writeHead(200, { 'content-type': type });
    for (; written < total && !response.destroyed; written++) {
      const text = type === 'application/json' ? piece : Buffer.concat([Buffer.from('data: '), piece, Buffer.from('\n\n')]);
      if (!response.write(text))
        await Promise.race([
          new Promise((resolve) => response.once('drain', resolve)),
          new Promise((resolve) => response.once('close', resolve)),
        ]);
    }
    response.end();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const front = new WatchFront('/mcp');
  const port = await front.listen(0, '127.0.0.1');
  onTestFinished(() => {
    front.close();
    server.closeAllConnections();
    server.close();
  });
  await front.take({ number: 1, port: (server.address() as AddressInfo).port, retire: () => undefined });
  const answer = await new Promise<import('node:http').IncomingMessage>((resolve) =>
    request({ port, host: '127.0.0.1', path: '/mcp', method: 'POST' }, resolve).end('{}'),
  );
  // Nobody reads: sooner or later nothing moves any more.
  for (let still = 0, before = -1; still < 20; still = written === before ? still + 1 : 0) {
    before = written;
    await pause(50);
  }
  expect(written).toBeLessThan(total / 2);
  let read = 0;
  for await (const bytes of answer) read += (bytes as Buffer).length;
  expect(written).toBe(total);
  expect(read).toBeGreaterThanOrEqual(total * piece.length);
});
