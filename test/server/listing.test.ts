// Lists in pages: their order, their cursors, and what happens to them when entries come and go.
import { describe, expect, it } from 'vitest';
import type { Registered, Server, ToolDetails } from 'vivarium/server';
import { createWire, type Wire } from 'vivarium/testing';
import { matrix } from '../matrix/matrix.ts';
import { ask, createServer, modern, openWire, type Reply } from './fixture.ts';

function createMany(count: number, pageSize?: number): { server: Server; tools: Registered<ToolDetails>[] } {
  const { server } = createServer(pageSize === undefined ? {} : { pageSize });
  // Neither alphabetical nor numerical: the order is that of registration.
  const tools = Array.from({ length: count }, (_, i) => server.tool(`tool-${(i * 7919) % 10_007}`, {}, () => 'x'));
  return { server, tools };
}

const names = (answer: Reply): string[] => answer.result.tools.map(({ name }: { name: string }) => name);
const list = (wire: Wire, cursor?: unknown): Promise<Reply> => ask(wire, 'tools/list', cursor === undefined ? undefined : { cursor });

/** The names on all pages, from the cursor on. */
async function rest(wire: Wire, cursor?: string): Promise<string[]> {
  const page = await list(wire, cursor);
  expect(page.error).toBeUndefined();
  return [...names(page), ...(page.result.nextCursor === undefined ? [] : await rest(wire, page.result.nextCursor))];
}

describe('pages', () => {
  matrix('hold everything once, in the order of registration', {}, async ({ connect }) => {
    const { server, tools } = createMany(23, 5);
    const link = await connect(server);
    const seen: string[] = [];
    const sizes: number[] = [];
    let cursor: string | undefined;
    do {
      const { result } = await link.request('tools/list', cursor === undefined ? {} : { cursor });
      sizes.push(result.tools.length);
      seen.push(...result.tools.map(({ name }: { name: string }) => name));
      cursor = result.nextCursor;
    } while (cursor !== undefined);
    expect(sizes).toEqual([5, 5, 5, 5, 3]);
    expect(seen).toEqual(tools.map(({ name }) => name));
  });

  it.each([
    [100, 1],
    [101, 2],
    [250, 3],
  ])('have 100 entries by default: %i make %i', async (count, pages) => {
    const wire = await openWire(createMany(count).server);
    let seen = 0;
    for (let cursor: string | undefined, first = true; first || cursor !== undefined; first = false) {
      cursor = (await list(wire, cursor)).result.nextCursor;
      seen++;
    }
    expect(seen).toBe(pages);
  });

  it('that are exactly full have no empty one behind them', async () => {
    const wire = await openWire(createMany(10, 5).server);
    const { nextCursor } = (await list(wire)).result;
    expect((await list(wire, nextCursor)).result).not.toHaveProperty('nextCursor');
  });

  it('skip and repeat nothing that stays when others come and go', async () => {
    const { server, tools } = createMany(20, 5);
    const wire = await openWire(server);
    const first = await list(wire);
    // Some that were seen, the one the cursor stands on, and some that were not.
    for (const gone of [0, 3, 4, 5, 9, 12]) tools[gone]?.remove();
    server.tool('late', {}, () => 'x');
    const expected = [6, 7, 8, 10, 11, 13, 14, 15, 16, 17, 18, 19].map((i) => tools[i]?.name);
    expect(await rest(wire, first.result.nextCursor)).toEqual([...expected, 'late']);
  });

  it('are right again for a cursor whose page has no entries left', async () => {
    const { server, tools } = createMany(10, 5);
    const wire = await openWire(server);
    const { nextCursor } = (await list(wire)).result;
    for (const tool of tools.slice(5)) tool.remove();
    const last = await list(wire, nextCursor);
    expect(last.result.tools).toEqual([]);
    expect(last.result).not.toHaveProperty('nextCursor');
  });

  it('go on for one who asks through another connection and another era', async () => {
    const { server } = createMany(10, 5);
    const { nextCursor } = (await list(await openWire(server))).result;
    const { result } = await ask(createWire(server), 'tools/list', { cursor: nextCursor, _meta: modern() });
    expect(result.tools).toHaveLength(5);
  });

  it('do not mix up revisions', async () => {
    const { server } = createServer();
    server.tool('it', { title: 'It', annotations: { readOnlyHint: true } }, () => 'x');
    const members = async (revision: string) => Object.keys((await list(await openWire(server, revision))).result.tools[0]);
    for (let round = 0; round < 2; round++) {
      expect(await members('2024-11-05')).toEqual(['name', 'inputSchema']);
      expect(await members('2025-06-18')).toEqual(['name', 'title', 'inputSchema', 'annotations']);
    }
  });
});

describe('a cursor', () => {
  it.each([
    ['nothing', ''],
    ['garbage', 'garbage'],
    ['a number', '5'],
    ['a plausible one', '5.abc'],
    ['a negative one', '-5.abc'],
    ['an exponent', '1e9'],
    ['base64', 'eyJvZmZzZXQiOjEwfQ=='],
    ['control characters', '\u0000\u0001'],
    ['a megabyte', 'a'.repeat(1024 * 1024)],
    ['no string', 5],
    ['null', null],
    ['an object', {}],
  ])('that is %s is refused', async (_, cursor) => {
    const { error } = await list(await openWire(createMany(10, 5).server), cursor);
    expect(error.code).toBe(-32602);
    expect(JSON.stringify(error).length).toBeLessThan(500);
  });

  it('is refused when something is added to it or taken away', async () => {
    const wire = await openWire(createMany(10, 5).server);
    const { nextCursor } = (await list(wire)).result;
    for (const cursor of [`${nextCursor} `, ` ${nextCursor}`, nextCursor.toUpperCase(), nextCursor.slice(0, -1), `0${nextCursor}`]) {
      if (cursor !== nextCursor) expect((await list(wire, cursor)).error?.code).toBe(-32602);
    }
  });

  it('belongs to whom it was given, where lists differ', async () => {
    const { server } = createMany(10, 5);
    server.tool('secret', { visible: (principal) => principal?.id === 'ada' }, () => 'x');
    const as = async (id: string): Promise<Wire> => {
      const wire = createWire(server, { principal: { id, scopes: [] } });
      await wire.request('initialize', { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'x', version: '1' } });
      return wire;
    };
    const ada = await as('ada');
    const bob = await as('bob');
    const hers = (await list(ada)).result.nextCursor;
    expect((await list(bob, hers)).error.code).toBe(-32602);
    expect((await list(await openWire(server), hers)).error.code).toBe(-32602);
    expect(names(await list(ada, hers))).toHaveLength(5);
    expect(await rest(ada)).toContain('secret');
    expect(await rest(bob)).not.toContain('secret');
  });

  it('counts only what is visible', async () => {
    const { server } = createServer({ pageSize: 2 });
    for (let i = 0; i < 9; i++) server.tool(`t${i}`, i % 2 === 1 ? { visible: () => false } : {}, () => 'x');
    const wire = await openWire(server);
    expect(names(await list(wire))).toEqual(['t0', 't2']);
    expect(await rest(wire)).toEqual(['t0', 't2', 't4', 't6', 't8']);
  });
});

describe('answers that were given before', () => {
  it.each(['legacy', 'modern'])('change when the list does: %s', async (era) => {
    const { server } = createServer();
    const first = server.tool('first', { description: 'One' }, () => 'x');
    const wire = await openWire(server);
    const tools = async () => (await ask(wire, 'tools/list', era === 'modern' ? { _meta: modern() } : {})).result.tools;
    expect(await tools()).toMatchObject([{ name: 'first', description: 'One' }]);
    const second = server.tool('second', {}, () => 'x');
    expect(await tools()).toMatchObject([{ name: 'first' }, { name: 'second' }]);
    first.update({ description: 'Changed', title: 'First' });
    expect(await tools()).toMatchObject([{ name: 'first', description: 'Changed', title: 'First' }, { name: 'second' }]);
    second.remove();
    expect(await tools()).toHaveLength(1);
    first.update({ visible: () => false });
    expect(await tools()).toEqual([]);
    first.update({ visible: () => true });
    expect(await tools()).toHaveLength(1);
  });

  it('are an empty list once everything is gone, not an unknown method', async () => {
    const { server } = createServer();
    const only = server.tool('only', {}, () => 'x');
    const wire = await openWire(server);
    expect((await list(wire)).result.tools).toHaveLength(1);
    only.remove();
    // The capability was agreed in the handshake, and that is not undone.
    expect(await list(wire)).toMatchObject({ result: { tools: [] } });
    expect((await ask(wire, 'tools/call', { name: 'only' })).error.code).toBe(-32602);
  });
});
