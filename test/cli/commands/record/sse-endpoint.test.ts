import { expect, it } from 'vitest';
import { FirstEndpoint } from '../../../../src/cli/commands/record/sse-endpoint.ts';

async function through(pieces: readonly Buffer[]): Promise<string> {
  const stream = new FirstEndpoint((place) => `/door${place}`);
  const heard: Buffer[] = [];
  stream.on('data', (chunk: Buffer) => heard.push(chunk));
  for (const piece of pieces) stream.write(piece);
  await new Promise<void>((resolve) => stream.end(resolve));
  return Buffer.concat(heard).toString();
}

const rest = 'event: message\ndata: {"a":"\u00e9"}\n\nevent: endpoint\ndata: /later\n\n';

it.each([
  ['\n', 'event: endpoint\ndata: /door/messages?id=1\n\n'],
  ['\r\n', 'event: endpoint\ndata: /door/messages?id=1\n\n\n'],
  ['\r', 'event: endpoint\ndata: /door/messages?id=1\n\n'],
])('rewrites the first event where it names an endpoint, however the bytes are cut (%j)', async (end, told) => {
  const bytes = Buffer.from(`: hello${end}${end}data: /messages?id=1${end}event: endpoint${end}${end}${rest}`);
  for (let at = 0; at < bytes.length; at += 5)
    expect(await through([bytes.subarray(0, at), bytes.subarray(at)])).toBe(`: hello${end}${end}${told}${rest}`);
});

it.each(['data: {}\n\n', 'id: 1\ndata: \n\n', 'retry: 5\n\ndata: x\n\n', 'data: unfinished', `data: ${'x'.repeat(50_000)}\n\n`, ''])(
  'leaves any other beginning as it is: %j',
  async (text) => expect(await through([Buffer.from(text), Buffer.from(rest)])).toBe(text + rest),
);

it('does not keep a comment waiting', () => {
  const stream = new FirstEndpoint((place) => place);
  stream.write(': ping\n');
  expect(String(stream.read())).toBe(': ping\n');
});
