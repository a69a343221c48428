// Who else may come to the port of an image that connects back, and what an image may do with its own connection.
import { connect, type Socket } from 'node:net';
import { describe, expect, it, onTestFinished } from 'vitest';
import { type ConnectBack, listenForImage } from '../../../src/live/image/connect-back.ts';
import { eventually } from '../fixture.ts';

async function waiting(): Promise<{ readonly calling: ConnectBack; readonly heard: () => string; call(): Promise<Socket> }> {
  const calling = listenForImage();
  onTestFinished(() => calling.close());
  const port = await calling.listening;
  let heard = '';
  calling.wire.on('data', (bytes: Buffer) => {
    heard += bytes.toString('latin1');
  });
  const call = (): Promise<Socket> =>
    new Promise((resolve, reject) => {
      const socket = connect(port, '127.0.0.1', () => resolve(socket));
      socket.once('error', reject).on('error', () => undefined);
      onTestFinished(() => void socket.destroy());
    });
  return { calling, heard: () => heard, call };
}

const introduction = (token: string): string => `${JSON.stringify({ token })}\n`;
const closed = (socket: Socket): Promise<void> => new Promise((resolve) => socket.once('close', () => resolve()).resume());

describe('an image that is waited for', () => {
  it.each([
    ['another token', introduction('x'.repeat(32))],
    ['no token', '{}\n'],
    ['a token of another kind', '{"token":{"length":32}}\n'],
    ['null', 'null\n'],
    ['no JSON', 'GET / HTTP/1.1\r\n\r\n'],
    ['bytes', Buffer.from([0xff, 0xfe, 0, 10])],
    ['a line without an end', 'x'.repeat(100_000)],
  ])('is not whoever says %s, who is cut off, and comes all the same', async (_, said) => {
    const { calling, heard, call } = await waiting();
    const other = await call();
    other.write(said);
    await closed(other);
    const image = await call();
    image.write(`${introduction(calling.token)}hello`);
    await eventually(heard).toBe('hello');
  });

  it('comes in pieces, and what came with its introduction is not lost', async () => {
    const { calling, heard, call } = await waiting();
    const image = await call();
    image.setNoDelay(true);
    for (const piece of `${introduction(calling.token)}{"ev":"ready"}\n`) await new Promise((sent) => image.write(piece, sent));
    await eventually(heard).toBe('{"ev":"ready"}\n');
  });

  it('is let in past any number of others who say nothing', async () => {
    const { calling, heard, call } = await waiting();
    for (let count = 0; count < 40; count++) await call();
    const image = await call();
    image.write(`${introduction(calling.token)}hello`);
    await eventually(heard).toBe('hello');
  });

  it('is one: the token is good once, and the port is closed', async () => {
    const { calling, heard, call } = await waiting();
    const early = await call();
    const cut = closed(early);
    const image = await call();
    image.write(`${introduction(calling.token)}first`);
    await eventually(heard).toBe('first');
    early.write(`${introduction(calling.token)}second`);
    await cut;
    await expect(call()).rejects.toThrow('ECONNREFUSED');
    image.write(' still');
    await eventually(heard).toBe('first still');
  });

  it('is told of when it hangs up, by an end or by a reset', async () => {
    for (const leave of [(socket: Socket) => void socket.end(), (socket: Socket) => void socket.resetAndDestroy()]) {
      const { calling, heard, call } = await waiting();
      let hungUp = false;
      calling.onHangUp = () => {
        hungUp = true;
      };
      const image = await call();
      image.write(`${introduction(calling.token)}hello`);
      await eventually(heard).toBe('hello');
      leave(image);
      await eventually(() => hungUp).toBe(true);
      calling.wire.write('to nobody\n');
    }
  });
});
