// Arrays of messages: received in 2025-03-26 alone, refused everywhere else.
import { describe, expect, it } from 'vitest';
import type { Server } from 'vivarium/server';
import { createWire, type Wire } from 'vivarium/testing';
import { legacy, matrix } from '../../matrix/matrix.ts';
import { createServer, createSmall, handshake, modern, openWire, type Reply } from '../fixture.ts';

const call = (id: unknown, name: string) => ({ jsonrpc: '2.0', id, method: 'tools/call', params: { name } });
const ping = (id: unknown) => ({ jsonrpc: '2.0', id, method: 'ping' });

async function openMarch(server: Server): Promise<Wire> {
  const wire = await openWire(server, '2025-03-26');
  await wire.quiet();
  return wire;
}

describe('a batch in 2025-03-26', () => {
  it('is answered by an array in the order of its requests', async () => {
    const { server } = createServer();
    server.tool('sync', {}, () => 'now');
    server.tool('async', {}, async () => {
      await new Promise((resolve) => setTimeout(resolve, 5));
      return 'later';
    });
    const wire = await openMarch(server);
    wire.send([call('a', 'async'), ping('b'), { jsonrpc: '2.0', method: 'notifications/unknown' }, call('c', 'sync')]);
    const [answer, ...rest] = (await wire.quiet()) as Reply[][];
    expect(rest).toEqual([]);
    expect(answer?.map(({ id }) => id)).toEqual(['a', 'b', 'c']);
    expect(answer?.[0]?.result.content[0].text).toBe('later');
    expect(answer?.[1]?.result).toEqual({});
  });

  matrix('is judged member by member', { revisions: ['2025-03-26'] }, async ({ connect }) => {
    const link = await connect(createSmall());
    link.send([ping(100), 5, [], { jsonrpc: '2.0', id: 101, method: 'nope' }, { id: 102, method: 'ping' }, ping(null)]);
    let answer: Reply[] | undefined;
    while (!Array.isArray(answer)) answer = (await link.next()) as Reply[];
    expect(answer.map(({ id, error }) => [id, error?.code])).toEqual([
      [100, undefined],
      [null, -32600],
      [null, -32600],
      [101, -32601],
      [102, -32600],
      [null, -32600],
    ]);
  });

  it('of notifications and responses alone is answered by silence', async () => {
    const wire = await openMarch(createSmall());
    wire.send([
      { jsonrpc: '2.0', method: 'notifications/unknown' },
      { jsonrpc: '2.0', id: 1, result: {} },
    ]);
    expect(await wire.quiet()).toEqual([]);
  });

  it('must not be empty', async () => {
    const wire = await openMarch(createSmall());
    wire.send([]);
    const [answer] = (await wire.quiet()) as Reply[];
    expect(answer).toMatchObject({ id: null, error: { code: -32600 } });
  });

  it('must not hold initialize', async () => {
    const wire = await openMarch(createSmall());
    wire.send([{ jsonrpc: '2.0', id: 1, method: 'initialize', params: handshake() }, ping(2)]);
    const [answer] = (await wire.quiet()) as Reply[][];
    expect(answer?.map(({ id, error }) => [id, error?.code])).toEqual([
      [1, -32600],
      [2, undefined],
    ]);
  });

  it('must not hold a modern request', async () => {
    const wire = await openMarch(createSmall());
    wire.send([{ jsonrpc: '2.0', id: 1, method: 'tools/list', params: { _meta: modern() } }]);
    const [answer] = (await wire.quiet()) as Reply[][];
    expect(answer?.[0]?.error.code).toBe(-32600);
  });

  it('is bounded', async () => {
    const wire = await openMarch(createSmall());
    wire.send(Array.from({ length: 1_001 }, (_, id) => ping(id)));
    const [answer] = (await wire.quiet()) as Reply[];
    expect(answer?.error.code).toBe(-32600);
  });

  it('leaves out the calls that are cancelled', async () => {
    const { server } = createServer();
    server.tool('never', {}, () => new Promise<string>(() => undefined));
    const wire = await openMarch(server);
    const cancel = (requestId: string) => wire.send({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId } });
    wire.send([call('a', 'never'), ping('b')]);
    cancel('a');
    const [answer] = (await wire.quiet()) as Reply[][];
    expect(answer?.map(({ id }) => id)).toEqual(['b']);
    wire.send([call('a', 'never')]);
    cancel('a');
    expect(await wire.quiet()).toEqual([]);
  });

  it('may cancel its own calls', async () => {
    const { server } = createServer();
    server.tool('never', {}, () => new Promise<string>(() => undefined));
    const wire = await openMarch(server);
    wire.send([call('a', 'never'), { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 'a' } }]);
    expect(await wire.quiet()).toEqual([]);
  });
});

describe('a batch elsewhere', () => {
  it('is refused before the handshake', async () => {
    const wire = createWire(createSmall());
    wire.send([{ jsonrpc: '2.0', id: 1, method: 'initialize', params: handshake('2025-03-26') }, ping(2)]);
    expect(await wire.quiet()).toMatchObject([{ id: null, error: { code: -32600 } }]);
  });

  it.each(legacy.filter((revision) => revision !== '2025-03-26'))('is refused as a whole in %s', async (revision) => {
    const wire = await openWire(createSmall(), revision);
    await wire.quiet();
    wire.send([ping(1), ping(2)]);
    const [answer, ...rest] = (await wire.quiet()) as Reply[];
    expect(rest).toEqual([]);
    expect(answer?.error.code).toBe(-32600);
    if (revision === '2025-11-25') expect(answer).not.toHaveProperty('id');
    else expect(answer?.id).toBeNull();
  });

  it('is refused without an id where only the modern era was spoken', async () => {
    const wire = createWire(createSmall());
    await wire.request('tools/list', { _meta: modern() });
    wire.send([{ jsonrpc: '2.0', id: 1, method: 'tools/list', params: { _meta: modern() } }]);
    const [answer] = (await wire.quiet()) as Reply[];
    expect(answer?.error.code).toBe(-32600);
    expect(answer).not.toHaveProperty('id');
  });
});

describe('an error without a readable id', () => {
  it.each([
    ['2024-11-05', true],
    ['2025-03-26', true],
    ['2025-06-18', true],
    ['2025-11-25', false],
  ])('in %s has the id null: %s', async (revision, isNull) => {
    const wire = await openWire(createSmall(), revision);
    await wire.quiet();
    wire.send('{"jsonrpc":\n');
    wire.send({ jsonrpc: '2.0', id: null, method: 'ping' });
    const answers = (await wire.quiet()) as Reply[];
    expect(answers.map(({ error }) => error.code)).toEqual([-32700, -32600]);
    for (const answer of answers) {
      if (isNull) expect(answer.id).toBeNull();
      else expect(answer).not.toHaveProperty('id');
    }
  });
});
