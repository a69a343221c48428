// What an author writes against: options, registration, changes at run time.
import { describe, expect, it } from 'vitest';
import { type Definition, defineTool, Server, type ServerOptions, type VivariumError } from 'vivarium/server';
import { z } from 'zod';
import { ask, createServer, openWire, type Reply, text } from './fixture.ts';

const names = (answer: Reply): string[] => answer.result.tools.map(({ name }: { name: string }) => name);

function failure(action: () => unknown): VivariumError {
  try {
    action();
  } catch (error) {
    return error as VivariumError;
  }
  throw new Error('nothing was thrown');
}

describe('the options of a server', () => {
  it.each([
    [{}, 'name and a version'],
    [{ name: 'x' }, 'name and a version'],
    [{ name: '', version: '1' }, 'name and a version'],
    [{ name: 'x', version: '' }, 'name and a version'],
    [{ name: 5, version: '1' }, 'name and a version'],
    [{ name: 'x', version: '1', revisions: [] }, 'revisions'],
    [{ name: 'x', version: '1', revisions: ['2025-01-01'] }, 'revisions'],
    [{ name: 'x', version: '1', pageSize: 0 }, 'pageSize'],
    [{ name: 'x', version: '1', pageSize: -1 }, 'pageSize'],
    [{ name: 'x', version: '1', pageSize: 1.5 }, 'pageSize'],
    [{ name: 'x', version: '1', pageSize: Number.NaN }, 'pageSize'],
  ])('are refused with the remedy: %j', (options, said) => {
    const error = failure(() => new Server(options as unknown as ServerOptions));
    expect(error.code).toBe('ERR_CONFIG');
    expect(error.message).toContain(said);
  });
});

describe('registering a tool', () => {
  it.each(['', ' ', 'a b', 'a\n', 'ä', 'a'.repeat(129), 'a:b', 'a"b'])('refuses the name %j', (name) => {
    const error = failure(() => createServer().server.tool(name, {}, () => 'x'));
    expect(error.code).toBe('ERR_CONFIG');
    expect(error.message).toContain('1 to 128 letters');
  });

  it('refuses a name that is taken, and the first stays', async () => {
    const { server } = createServer();
    server.tool('it', {}, () => 'first');
    const error = failure(() => server.tool('it', {}, () => 'second'));
    expect(error.code).toBe('ERR_DUPLICATE');
    expect(error.message).toContain('"it"');
    expect(error.message).toContain('remove()');
    expect((await ask(await openWire(server), 'tools/call', { name: 'it' })).result.content).toEqual([text('first')]);
  });

  it('refuses a tool without a handler', () => {
    const error = failure(() => createServer().server.tool('it', {}, undefined as never));
    expect(error.code).toBe('ERR_CONFIG');
    expect(error.message).toContain('"it"');
  });

  it('is possible while the server is being served', async () => {
    const { server } = createServer();
    server.tool('one', {}, () => 'x');
    const wire = await openWire(server);
    server.tool('two', {}, () => 'here');
    expect((await ask(wire, 'tools/call', { name: 'two' })).result.content).toEqual([text('here')]);
  });
});

describe('what is registered', () => {
  it('can be updated in everything but its schemas and handler', async () => {
    const { server } = createServer();
    const tool = server.tool('it', { title: 'Old', description: 'Old', input: z.object({ a: z.string() }), needs: [] }, ({ a }) => a);
    const wire = await openWire(server, '2025-11-25');
    tool.update({
      title: 'New',
      annotations: { readOnlyHint: true },
      meta: { 'example.com/a': 1 },
      icons: [{ src: 'https://example.com/a.png' }],
    });
    expect((await ask(wire, 'tools/list')).result.tools).toMatchObject([
      {
        name: 'it',
        title: 'New',
        description: 'Old',
        annotations: { readOnlyHint: true },
        _meta: { 'example.com/a': 1 },
        icons: [{ src: 'https://example.com/a.png' }],
        inputSchema: { required: ['a'] },
      },
    ]);
    expect((await ask(wire, 'tools/call', { name: 'it', arguments: { a: 'same' } })).result.content).toEqual([text('same')]);
    tool.update({ needs: ['roots'] });
    expect((await ask(wire, 'tools/call', { name: 'it', arguments: { a: 'same' } })).result.isError).toBe(true);
  });

  it('keeps its place in the list when it is updated', async () => {
    const { server } = createServer();
    const [first] = ['a', 'b', 'c'].map((name) => server.tool(name, {}, () => 'x'));
    first?.update({ title: 'A' });
    expect(names(await ask(await openWire(server), 'tools/list'))).toEqual(['a', 'b', 'c']);
  });

  it('goes to the end of the list when it is removed and added', async () => {
    const { server } = createServer();
    const [first] = ['a', 'b'].map((name) => server.tool(name, {}, () => 'x'));
    first?.remove();
    server.tool('a', {}, () => 'x');
    expect(names(await ask(await openWire(server), 'tools/list'))).toEqual(['b', 'a']);
  });

  it('is unknown once it is removed, and removing it again does nothing', async () => {
    const { server } = createServer();
    server.tool('stays', {}, () => 'x');
    const tool = server.tool('goes', {}, () => 'x');
    tool.remove();
    tool.remove();
    const wire = await openWire(server);
    expect(names(await ask(wire, 'tools/list'))).toEqual(['stays']);
    expect((await ask(wire, 'tools/call', { name: 'goes' })).error.code).toBe(-32602);
    const error = failure(() => tool.update({ title: 'x' }));
    expect(error.code).toBe('ERR_CONFIG');
    expect(error.message).toContain('"goes"');
  });

  it('is not another tool of the same name that came later', async () => {
    const { server } = createServer();
    const old = server.tool('it', {}, () => 'old');
    old.remove();
    server.tool('it', { title: 'New' }, () => 'new');
    expect(() => old.update({ title: 'Old' })).toThrow();
    old.remove();
    const wire = await openWire(server);
    expect((await ask(wire, 'tools/list')).result.tools).toMatchObject([{ name: 'it', title: 'New' }]);
    expect((await ask(wire, 'tools/call', { name: 'it' })).result.content).toEqual([text('new')]);
  });

  it('finishes the calls that were running when it is removed', async () => {
    const { server } = createServer();
    const tool = server.tool('it', {}, async () => {
      await undefined;
      return 'finished';
    });
    const wire = await openWire(server);
    const answer = ask(wire, 'tools/call', { name: 'it' });
    tool.remove();
    expect((await answer).result.content).toEqual([text('finished')]);
  });
});

describe('a definition', () => {
  const one: Definition = defineTool('one', { input: z.object({ a: z.string() }) }, ({ a }) => a);
  const two: Definition = defineTool('two', {}, () => 'two');

  it('has no effect until it is added', async () => {
    const { server } = createServer();
    expect([one.kind, one.name]).toEqual(['tool', 'one']);
    server.add(one, two);
    const wire = await openWire(server);
    expect(names(await ask(wire, 'tools/list'))).toEqual(['one', 'two']);
    expect((await ask(wire, 'tools/call', { name: 'one', arguments: { a: 'x' } })).result.content).toEqual([text('x')]);
  });

  it('can be added to several servers', () => {
    for (const { server } of [createServer(), createServer()]) expect(() => server.add(one)).not.toThrow();
  });

  it('is refused where its name is taken', () => {
    const { server } = createServer();
    server.add(one);
    expect(failure(() => server.add(one)).code).toBe('ERR_DUPLICATE');
  });
});
