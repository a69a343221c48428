import { Readable } from 'node:stream';
import { expect, it } from 'vitest';
import { eventsOf } from '../../../../src/cli/commands/serve/watch-forward.ts';

const stream = ': keep-alive\n\nid: 7\nretry: 50\ndata: \n\nevent: message\nid: 8\ndata: {"a":1}\n\nretry: 9\n\ndata: one\ndata: two\n\n';

it.each([
  ['a line feed', '\n'],
  ['a carriage return', '\r'],
  ['both', '\r\n'],
])('Events whose lines end with %s are passed on one by one, however they are cut', async (_, ending) => {
  const bytes = Buffer.from(stream.replaceAll('\n', ending));
  for (const size of [1, 5, bytes.length]) {
    const chunks = Array.from({ length: Math.ceil(bytes.length / size) }, (_chunk, at) => bytes.subarray(at * size, (at + 1) * size));
    const found: string[] = [];
    for await (const event of eventsOf(Readable.from(chunks) as never, 3)) found.push(event);
    expect(found).toEqual([
      ': keep-alive',
      'id: g3.7\nretry: 50\ndata: ',
      'event: message\nid: g3.8\ndata: {"a":1}',
      'retry: 9',
      'data: one\ndata: two',
    ]);
  }
});
