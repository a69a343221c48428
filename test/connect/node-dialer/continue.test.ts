// Answers that come before the answer, which a client passes over (RFC 9110, 15.2).
import { type AddressInfo, createServer } from 'node:net';
import { expect, it, onTestFinished } from 'vitest';
import { http } from '../../../src/connect/http.ts';
import { call, legacy, Peer, result } from '../fixture.ts';

/** Answers every request with these bytes, one piece after the other, and then with its result. */
async function saying(pieces: readonly string[]): Promise<string> {
  const server = createServer((socket) => {
    socket.on('error', () => undefined);
    socket.on('data', async (bytes) => {
      const text = bytes.toString('latin1');
      const { id } = JSON.parse(text.slice(text.indexOf('\r\n\r\n') + 4)) as { id: number };
      const body = JSON.stringify(result(id));
      const answer = `HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n${body}`;
      for (const piece of [...pieces.slice(0, -1), `${pieces.at(-1)}${answer}`]) {
        // Each in a packet of its own.
        await new Promise<void>((resolve) => socket.write(piece, () => setTimeout(resolve, 20)));
      }
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`;
}

it.each([
  ['at once', ['HTTP/1.1 100 Continue\r\n\r\n']],
  ['twice', ['HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 100 Continue\r\n\r\n']],
  ['with a header', ['HTTP/1.1 100 Continue\r\nx: y\r\n\r\n']],
  ['without a word', ['HTTP/1.1 100\r\n\r\n']],
  ['before the rest', ['HTTP/1.1 100 Continue\r\n\r\n', '']],
  ['in pieces', ['HT', 'TP/1.1 1', '00 Continue\r', '\n\r\n', '']],
  [
    'and then 102 and 103',
    ['HTTP/1.1 100 Continue\r\n\r\n', 'HTTP/1.1 102 Processing\r\n\r\nHTTP/1.1 103 Early Hints\r\nlink: </x>\r\n\r\n', ''],
  ],
])('100 (Continue) that nobody asked for is passed over: %s', async (_, pieces) => {
  const peer = await Peer.open(http(await saying(pieces)));
  for (const id of [1, 2]) expect(await peer.ask({ id, ...call('echo') }, legacy)).toEqual(result(id));
  expect(peer.failures).toEqual([]);
});
