// One line in, one answer out: what a pipe makes of bytes that are hardly messages.
import { describe, expect, it } from 'vitest';
import { type Revision, revisions } from 'vivarium';
import { Server } from 'vivarium/server';
import { createEverything } from '../fixtures/everything.mjs';
import { codeOf, converse, textOf, turn } from '../jsonrpc/conversation.ts';
import { FarEnd } from '../jsonrpc/far-end.ts';

const everywhere: readonly (Revision | undefined)[] = [undefined, ...revisions];
const utf8 = (text: string): Uint8Array => new TextEncoder().encode(text);
const bom = Uint8Array.from([0xef, 0xbb, 0xbf]);
const ping = '{"jsonrpc":"2.0","id":1,"method":"ping"}';
const pong = { jsonrpc: '2.0', id: 1, result: {} };

describe.each(everywhere)('on a wire of revision %s', (revision) => {
  it.each([
    ['{"jsonrpc":"2.0","id":5,', -32700],
    ['not json', -32700],
    ['{} {}', -32700],
    ['42', -32600],
    ['null', -32600],
    ['"x"', -32600],
    ['true', -32600],
    ['{}', -32600],
    ['{"jsonrpc":"2.0","method":"ping","id":null}', -32600],
    ['{"jsonrpc":"2.0","method":"ping","id":1.5}', -32600],
    ['{"jsonrpc":"2.0","method":"ping","id":{}}', -32600],
    ['{"jsonrpc":"2.0","method":"ping","id":[]}', -32600],
    ['{"jsonrpc":"2.0","method":"ping","id":true}', -32600],
    ['{"jsonrpc":"2.0","method":"ping","id":1e400}', -32600],
    ['{"jsonrpc":"2.0","method":"ping","id":9007199254740992}', -32600],
    [`{"jsonrpc":"2.0","method":"ping","id":"${'x'.repeat(257)}"}`, -32600],
    ['{"jsonrpc":"2.0","method":7}', -32600],
  ])('the line %s gets one error without an id, written as the revision has it', async (line, code) => {
    const talk = await converse(createEverything(), revision);
    talk.send(line);
    const answers = await talk.received();
    expect(answers).toEqual([{ jsonrpc: '2.0', ...talk.noId, error: { code, message: expect.any(String), data: expect.any(String) } }]);
    expect('id' in (answers[0] as object)).toBe('id' in talk.noId);
    await talk.alive();
  });

  it.each([
    ['{"id":5,"method":"ping"}', 5, -32600],
    ['{"jsonrpc":"1.0","id":5,"method":"ping"}', 5, -32600],
    ['{"jsonrpc":2.0,"id":"","method":"ping"}', '', -32600],
    ['{"jsonrpc":"2.0","id":5,"method":7}', 5, -32600],
    ['{"jsonrpc":"2.0","id":5}', 5, -32600],
    ['{"jsonrpc":"2.0","id":5,"method":""}', 5, -32600],
    ['{"jsonrpc":"2.0","id":5,"Method":"ping"}', 5, -32600],
    ['{"jsonrpc":"2.0","id":5,"method":"ping","params":7}', 5, -32600],
    ['{"jsonrpc":"2.0","id":5,"method":"ping","params":[]}', 5, -32602],
  ])('the line %s gets one error with its id', async (line, id, code) => {
    const talk = await converse(createEverything(), revision);
    talk.send(line);
    expect(await talk.received()).toMatchObject([{ id, error: { code } }]);
    await talk.alive();
  });

  it.each(['', ' ', '\t', '\r', ' \t \r'])('the blank line %j gets nothing', async (line) => {
    const talk = await converse(createEverything(), revision);
    talk.send(line, line);
    expect(await talk.received()).toEqual([]);
  });

  it.each([
    '{"jsonrpc":"2.0","id":1,"result":{}}',
    '{"jsonrpc":"2.0","id":1,"error":{"code":1,"message":"x"}}',
    '{"jsonrpc":"2.0","id":1,"result":{},"error":{"code":1,"message":"x"}}',
    '{"jsonrpc":"2.0","id":1,"error":{}}',
    '{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"Parse error"}}',
    '{"jsonrpc":"2.0","method":"notifications/never-heard-of"}',
    '{"jsonrpc":"2.0","method":"notifications/initialized","params":7}',
    '{"jsonrpc":"2.0","method":"ping"}',
  ])('%s, an answer to no question or a notification, gets nothing', async (line) => {
    const talk = await converse(createEverything(), revision);
    talk.send(line);
    expect(await talk.received()).toEqual([]);
    await talk.alive();
  });

  it('bytes that are no UTF-8 cost one parse error, and only their own line', async () => {
    const talk = await converse(createEverything(), revision);
    const broken = Uint8Array.from([...utf8('{"jsonrpc":"2.0","id":1,"method":"'), 0xff, 0xfe, 0xc3, ...utf8('"}\n')]);
    talk.send(Uint8Array.from([...utf8('1\n'), ...broken, ...utf8('2\n')]));
    expect((await talk.received()).map(codeOf)).toEqual([-32600, -32700, -32600]);
    talk.send(broken);
    expect(await talk.received()).toMatchObject([{ ...talk.noId, error: { code: -32700, message: 'Parse error' } }]);
    await talk.alive();
  });

  it('an oversized line costs exactly one error, and the next is read', async () => {
    const talk = await converse(createEverything(), revision, { maxMessageBytes: 1_000 });
    for (const size of [100, 999, 1_001, 5_000]) {
      const line = utf8(`{"jsonrpc":"2.0","id":1,"method":"${'x'.repeat(3_000)}"}\n`);
      for (let from = 0; from < line.length; from += size) talk.send(line.slice(from, from + size));
      expect(await talk.received()).toMatchObject([{ ...talk.noId, error: { code: -32600, data: 'Message larger than 1000 bytes' } }]);
      await talk.alive();
    }
  });
});

it('the id of an unreadable message follows the revision that was spoken last', async () => {
  const talk = await converse(createEverything(), '2025-06-18');
  const modern = await converse(createEverything(), '2026-07-28');
  talk.send('x', modern.request(1, 'server/discover'), 'x', ping, 'x');
  const errors = (await talk.wire.quiet()).filter((message) => 'error' in message);
  expect(errors.map((error) => 'id' in error)).toEqual([true, false, true]);
});

describe('a byte order mark', () => {
  it('is stripped before the first line and is a parse error before later ones', async () => {
    const talk = await converse(createEverything());
    talk.send(bom, ping, bom, ping, ping);
    expect(await talk.received()).toMatchObject([pong, { id: null, error: { code: -32700 } }, pong]);
  });
});

describe('the end of a line', () => {
  it('may be CRLF, and a bare CR is space inside a message', async () => {
    const talk = await converse(createEverything());
    talk.send(`${ping}\r`, '{"jsonrpc":\r"2.0",\r\t"id":2,"method":"ping"\r}', `\r${ping}\r\r`);
    expect(await talk.received()).toEqual([pong, { ...pong, id: 2 }, pong]);
  });

  it('is no other character', async () => {
    const talk = await converse(createEverything(), '2025-11-25');
    const text = 'a\u2028b\u2029c\u0085d\u000be\u000cf';
    talk.send(
      `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"echo","arguments":{"text":"a\u2028b\u2029c\u0085d\\u000be\\ff"}}}`,
    );
    expect((await talk.received()).map(textOf)).toEqual([text]);
  });

  it('may come in another piece than the message, and so may every byte', async () => {
    const talk = await converse(createEverything(), '2025-11-25');
    const text = '👩‍👩‍👧‍👦 é 漢';
    for (const byte of utf8(`${JSON.stringify(talk.call(1, 'echo', { text }))}\n`)) {
      talk.send(Uint8Array.of(byte));
      await turn();
    }
    expect((await talk.received()).map(textOf)).toEqual([text]);
  });
});

describe('the end of the stream', () => {
  const end = async (text: string): Promise<object[]> => {
    const far = new FarEnd(createEverything());
    far.feed(text);
    await far.pipe.finish(1_000);
    return far.take();
  };

  it('completes a last message that lacks only its newline', async () => {
    expect(await end(`${ping}\n${ping.replace('1', '2')}`)).toEqual([pong, { ...pong, id: 2 }]);
  });

  it('drops half a message without a word', async () => {
    expect(await end(`${ping}\n{"jsonrpc":"2.0","id":5,`)).toEqual([pong]);
  });

  it('waits for running calls, and not for ever', async () => {
    const far = new FarEnd(createEverything());
    far.initialize();
    const call = (id: string, name: string, args: object) => ({
      jsonrpc: '2.0',
      id,
      method: 'tools/call',
      params: { name, arguments: args },
    });
    far.feedMessages(call('slow', 'wait', { ms: 20 }), call('never', 'wait', { ms: 60_000 }));
    await far.pipe.finish(200);
    expect(far.take().map(({ id }) => id)).toEqual(['slow']);
  });
});

describe('a lone surrogate', () => {
  it.each(['2025-11-25', '2026-07-28'] as const)('goes through arguments and output as an escape, in %s', async (revision) => {
    const talk = await converse(createEverything(), revision);
    talk.send(JSON.stringify(talk.call('\udead', 'echo', { text: 'x\ud800y' })));
    expect(await talk.received()).toMatchObject([{ id: '\udead', result: { content: [{ text: 'x\ud800y' }] } }]);
    const { line } = talk.wire.transcript.entries.at(-1) ?? { line: '' };
    expect(line).toContain('\\ud800');
    expect(new TextDecoder().decode(utf8(line))).toBe(line);
  });
});

describe('a message of enormous shape', () => {
  const deep = (open: string, close: string) => `${open.repeat(100_000)}0${close.repeat(100_000)}`;
  const wrapped = (value: string) => `{"jsonrpc":"2.0","id":"big","method":"ping","params":{"value":${value}}}`;

  it.each([
    ['nested arrays', wrapped(deep('[', ']'))],
    ['nested objects', wrapped(deep('{"a":', '}'))],
  ])('is refused by its depth, with its id: %s', async (_, line) => {
    const talk = await converse(createEverything());
    talk.send(line);
    expect(await talk.received()).toMatchObject([{ id: 'big', error: { code: -32600, data: 'Nested deeper than 256 levels' } }]);
    await talk.alive();
  });

  it.each([
    ['an array alone', deep('[', ']'), -32600],
    ['an array without end', '['.repeat(100_000), -32700],
    ['an object without end', '{"a":'.repeat(100_000), -32700],
  ])('is refused: %s', async (_, line, code) => {
    const talk = await converse(createEverything());
    talk.send(line);
    expect(await talk.received()).toMatchObject([{ id: null, error: { code } }]);
    await talk.alive();
  });

  it.each([
    ['a million keys', () => `{${Array.from({ length: 1_000_000 }, (_, index) => `"k${index}":0`).join()}}`],
    ['a million zeros', () => `[${Array(1_000_000).fill(0).join()}]`],
  ])('is answered: %s', async (_, value) => {
    const server = new Server({ name: 'plain', version: '1.0.0' });
    server.tool('count', { input: { type: 'object' } }, (args) => `${Object.keys(Object.values(args)[0] as object).length}`);
    const talk = await converse(server, '2025-06-18');
    talk.send(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"count","arguments":{"value":${value()}}}}`);
    expect((await talk.received()).map(textOf)).toEqual(['1000000']);
    await talk.alive();
  });
});
