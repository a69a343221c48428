// What cannot be written as JSON becomes an internal error, and the connection lives on.
import { describe, expect, it } from 'vitest';
import { createWire } from 'vivarium/testing';
import { encodeAnswer, toErrorAnswer, toMessage } from '../../src/server/answer.ts';
import { ask, chunk, createServer, modern, openWire, type Reply, text } from './fixture.ts';

const loop: Record<string, unknown> = { type: 'object' };
loop['self'] = loop;

const unwritable: readonly (readonly [what: string, whole: object])[] = [
  ['a BigInt in _meta', { content: [text('x')], _meta: { n: 1n } }],
  ['a BigInt in a structured value', { content: [text('x')], structuredContent: { n: 1n } }],
  ['a circle in _meta', { content: [text('x')], _meta: { loop } }],
  ['a circle in a block', { content: [{ ...text('x'), _meta: loop }] }],
  ['a toJSON that throws', { content: [text('x')], _meta: { at: { toJSON: () => JSON.parse('{') } } }],
];

describe.each(unwritable)('a whole result with %s', (_, whole) => {
  it.each(['legacy', 'modern'])('is an internal error in the %s era, and the next call is answered', async (era) => {
    const { server, told } = createServer();
    server.tool('sync', {}, () => whole as never);
    server.tool('async', {}, async () => whole as never);
    server.tool('fine', {}, () => 'fine');
    const wire = era === 'modern' ? createWire(server) : await openWire(server);
    const params = (name: string) => ({ name, ...(era === 'modern' && { _meta: modern() }) });
    for (const name of ['sync', 'async']) {
      expect((await ask(wire, 'tools/call', params(name))).error).toEqual({ code: -32603, message: 'Internal error' });
    }
    expect((await ask(wire, 'tools/call', params('fine'))).result.content).toEqual([text('fine')]);
    expect(told).toHaveLength(2);
  });
});

it('a structured value that cannot be written as text fails the tool that returned it', async () => {
  const { server } = createServer();
  server.tool('it', {}, () => ({ structuredContent: { n: 1n } }));
  const wire = await openWire(server);
  expect((await ask(wire, 'tools/call', { name: 'it' })).result.isError).toBe(true);
  expect((await ask(wire, 'ping')).result).toEqual({});
});

it('a whole result that writes itself as nothing is still answered by a message', async () => {
  const { server } = createServer();
  server.tool('it', {}, () => ({ content: [], toJSON: () => undefined }) as never);
  const answer = await ask(await openWire(server), 'tools/call', { name: 'it' });
  expect(answer.result ?? answer.error).toBeTypeOf('object');
});

it('a batch loses only the answer that cannot be written', async () => {
  const { server } = createServer();
  server.tool('bad', {}, () => ({ content: [], _meta: { n: 1n } }));
  server.tool('fine', {}, () => 'fine');
  const wire = await openWire(server, '2025-03-26');
  await wire.quiet();
  const call = (id: number, name: string) => ({ jsonrpc: '2.0', id, method: 'tools/call', params: { name } });
  wire.send([call(1, 'bad'), call(2, 'fine')]);
  const [answers] = (await wire.quiet()) as Reply[][];
  expect(answers?.map(({ id, error }) => [id, error?.code])).toEqual([
    [1, -32603],
    [2, undefined],
  ]);
});

it('text of any kind survives the way', async () => {
  const { server } = createServer();
  const odd = ['\u2028\u2029', '\u0000\u001f', '"\\\n\r\t', '😀', '\ud800', '{"jsonrpc":"2.0"}', ''].join('|');
  server.tool('it', {}, () => odd);
  const wire = await openWire(server);
  wire.send(chunk({ id: 'x\n"\u2028', method: 'tools/call', params: { name: 'it' } }));
  const answer = (await wire.quiet()).find((message) => 'result' in message) as Reply;
  expect(answer.id).toBe('x\n"\u2028');
  expect(answer.result.content).toEqual([text(odd)]);
  expect(wire.transcript.entries.every(({ line }) => !line.includes('\n'))).toBe(true);
});

describe('an answer', () => {
  const error = { code: 1, message: 'x' };

  it('is the same as an object and as a line', () => {
    for (const answer of [
      { id: 0, result: {} },
      { id: '', error },
      { id: null, error },
      { id: undefined, error },
      { id: 5, result: { a: [1] } },
    ]) {
      expect(JSON.parse(encodeAnswer(answer))).toEqual(toMessage(answer));
    }
    expect(toMessage({ id: undefined, error })).not.toHaveProperty('id');
  });

  it('is written from the text that is known already', () => {
    expect(encodeAnswer({ id: 1, result: { a: 'not looked at' }, json: '{"a":1}' })).toBe('{"jsonrpc":"2.0","id":1,"result":{"a":1}}');
  });

  it('without a readable id has null before anything was agreed', () => {
    expect(toErrorAnswer(undefined, error, undefined)).toEqual({ id: null, error });
    expect(toErrorAnswer(0, error, undefined)).toEqual({ id: 0, error });
  });
});
