// The host's end of the wire, whatever the parts are in which a line comes.
import { Duplex } from 'node:stream';
import { expect, it } from 'vitest';
import { Wire, type WireFrame } from '../../../src/live/image/wire.ts';

function opened(): { readonly stream: Duplex; readonly secret: string; readonly frames: WireFrame[] } {
  let sent = '';
  const stream = new Duplex({
    read: () => undefined,
    write: (bytes: Buffer, _encoding, done) => {
      sent += String(bytes);
      done();
    },
  });
  const frames: WireFrame[] = [];
  const wire = new Wire(
    stream,
    {},
    (frame) => frames.push(frame),
    () => frames.push({ forged: true }),
  );
  expect(wire).toBeInstanceOf(Wire);
  const { secret } = JSON.parse(sent) as { secret: string };
  return { stream, secret, frames };
}

it('a line that comes byte by byte is the same line', () => {
  const { stream, secret, frames } = opened();
  const bytes = Buffer.from([1, 2, 3].map((id) => `${JSON.stringify({ secret, id, text: 'é🌱' })}\n`).join(''));
  for (const byte of bytes) stream.emit('data', Buffer.of(byte));
  expect(frames).toEqual([1, 2, 3].map((id) => ({ id, text: 'é🌱' })));
});

it('a line that does not end costs its bytes, and not a hundred times that, in whatever parts it comes', () => {
  const { stream, frames } = opened();
  const byte = Buffer.from('x');
  const before = process.memoryUsage().heapUsed;
  for (let at = 0; at < 1_000_000; at++) stream.emit('data', byte);
  expect((process.memoryUsage().heapUsed - before) / 1e6).toBeLessThan(60);
  expect(frames).toEqual([]);
});
