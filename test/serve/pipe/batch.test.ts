// Arrays of messages: part of 2025-03-26, one error everywhere else.
import { describe, expect, it } from 'vitest';
import { type Revision, revisions } from 'vivarium';
import { createEverything } from '../../fixtures/everything.mjs';
import { cancelled, codeOf, converse, type Received, textOf } from '../../jsonrpc/conversation.ts';
import type { Message } from '../../matrix/link.ts';

const ping = (id: number | string) => ({ jsonrpc: '2.0', id, method: 'ping' });
const pong = (id: number | string) => ({ jsonrpc: '2.0', id, result: {} });
const note = { jsonrpc: '2.0', method: 'notifications/never-heard-of' };
const call = (id: number, name: string, args: object = {}) => ({
  jsonrpc: '2.0',
  id,
  method: 'tools/call',
  params: { name, arguments: args },
});
const many = (count: number) => Array.from({ length: count }, (_, id) => ping(id));
const invalid = { code: -32600, message: 'Invalid Request', data: expect.any(String) };

describe.each([undefined, ...revisions.filter((revision) => revision !== '2025-03-26')])('where batches do not exist (%s)', (revision) => {
  it.each([
    ['empty', []],
    ['of one request', [ping(1)]],
    ['of a request and a notification', [ping(1), note]],
    ['of a call', [call(1, 'count')]],
    ['of notifications', [note, note]],
    ['of responses', [{ jsonrpc: '2.0', id: 1, result: {} }]],
    ['with a bad member', [ping(1), 7]],
    ['of 10,000', many(10_000)],
  ])('an array, %s, gets one error and runs nothing', async (_, batch) => {
    const server = createEverything();
    let calls = 0;
    server.tool('count', {}, () => `${++calls}`);
    const talk = await converse(server, revision);
    talk.send(JSON.stringify(batch));
    expect(await talk.received()).toEqual([{ jsonrpc: '2.0', ...talk.noId, error: invalid }]);
    expect(calls).toBe(0);
    await talk.alive();
  });
});

describe('where batches exist', () => {
  const answersTo = async (...batch: unknown[]): Promise<Received[]> => {
    const talk = await converse(createEverything(), '2025-03-26');
    talk.send(JSON.stringify(batch));
    const received = await talk.received();
    await talk.alive();
    return received;
  };

  it('every request is answered in one array, in order', async () => {
    expect(await answersTo(ping(1))).toEqual([[pong(1)]]);
    expect(await answersTo(ping(2), note, ping('a'), ping(1))).toEqual([[pong(2), pong('a'), pong(1)]]);
  });

  it('the order holds when a later member is ready first', async () => {
    const [answers] = await answersTo(call(1, 'wait', { ms: 20 }), call(2, 'wait', { ms: 1 }), ping(3));
    expect((answers as Message[]).map(({ id }) => id)).toEqual([1, 2, 3]);
    expect((answers as Message[]).slice(0, 2).map(textOf)).toEqual(['waited', 'waited']);
  });

  it('nothing is sent for notifications and responses alone', async () => {
    expect(await answersTo(note, note)).toEqual([]);
    expect(await answersTo({ jsonrpc: '2.0', id: 1, result: {} }, note)).toEqual([]);
  });

  it('a bad member costs one error of its own', async () => {
    expect(await answersTo(ping(1), 7, ping(2))).toEqual([[pong(1), { jsonrpc: '2.0', id: null, error: invalid }, pong(2)]]);
    expect(await answersTo(1, 2, 3)).toEqual([Array(3).fill({ jsonrpc: '2.0', id: null, error: invalid })]);
    expect(await answersTo([ping(1)])).toEqual([[{ jsonrpc: '2.0', id: null, error: invalid }]]);
    expect(await answersTo({ id: 5, method: 'ping' })).toEqual([[{ jsonrpc: '2.0', id: 5, error: invalid }]]);
    expect(await answersTo({ jsonrpc: '2.0', id: null, method: 'ping' })).toEqual([[{ jsonrpc: '2.0', id: null, error: invalid }]]);
  });

  it('an answer has the id that its revision demands, whatever was spoken in between', async () => {
    const talk = await converse(createEverything(), '2025-03-26');
    const modern = await converse(createEverything(), '2026-07-28');
    talk.send(modern.request(1, 'server/discover'));
    await talk.wire.quiet();
    talk.send('[7]', '[]');
    const error = { jsonrpc: '2.0', id: null, error: invalid };
    expect(await talk.received()).toEqual([[error], error]);
  });

  it('an empty array costs one error that is no array', async () => {
    expect(await answersTo()).toEqual([{ jsonrpc: '2.0', id: null, error: invalid }]);
  });

  it('a batch has a limit', async () => {
    const [answers] = await answersTo(...many(1_000));
    expect(answers).toEqual(many(1_000).map(({ id }) => pong(id)));
    for (const count of [1_001, 10_000]) expect(await answersTo(...many(count))).toEqual([{ jsonrpc: '2.0', id: null, error: invalid }]);
  });

  it.each([
    ['initialize', { protocolVersion: '2025-03-26', capabilities: {}, clientInfo: { name: 'a', version: '1' } }],
    [
      'tools/list',
      { _meta: { 'io.modelcontextprotocol/protocolVersion': '2026-07-28', 'io.modelcontextprotocol/clientCapabilities': {} } },
    ],
  ])('%s of another life is no member', async (method, params) => {
    expect(await answersTo({ jsonrpc: '2.0', id: 1, method, params }, ping(2))).toEqual([
      [{ jsonrpc: '2.0', id: 1, error: invalid }, pong(2)],
    ]);
  });

  it('an id that is used twice among running calls is refused the second time', async () => {
    const [answers] = await answersTo(call(1, 'wait', { ms: 5 }), call(1, 'wait', { ms: 5 }));
    expect((answers as Message[]).map((answer) => codeOf(answer))).toEqual([undefined, -32600]);
  });

  it('a cancelled member is left out, and so is the array when nothing remains', async () => {
    expect(await answersTo(call(1, 'wait', { ms: 5 }), cancelled(1), ping(2))).toEqual([[pong(2)]]);
    expect(await answersTo(call(1, 'wait', { ms: 5 }), cancelled(1))).toEqual([]);
  });

  it('a failing tool fails alone', async () => {
    const [answers] = await answersTo(call(1, 'fail'), call(2, 'echo', { text: 'x' }), call(3, 'unknown'));
    expect((answers as Message[]).map(({ result, error }) => error?.code ?? result.isError)).toEqual([true, false, -32602]);
  });

  it('a batch before the handshake is refused, and its initialize is none', async () => {
    const talk = await converse(createEverything());
    const params = { protocolVersion: '2025-03-26' satisfies Revision, capabilities: {}, clientInfo: { name: 'a', version: '1' } };
    talk.send(JSON.stringify([{ jsonrpc: '2.0', id: 1, method: 'initialize', params }]));
    talk.send(talk.request(2, 'tools/list'));
    expect((await talk.received()).map(codeOf)).toEqual([-32600, -32602]);
  });

  it('a batch may be cut anywhere', async () => {
    const talk = await converse(createEverything(), '2025-03-26');
    for (const byte of new TextEncoder().encode(`${JSON.stringify([ping('é'), note, ping(2)])}\n`)) talk.send(Uint8Array.of(byte));
    expect(await talk.received()).toEqual([[pong('é'), pong(2)]]);
  });
});
