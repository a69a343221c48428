// Lists of resources and templates: what each revision is told, pages, what templates list, and changes.
import { describe, expect, it } from 'vitest';
import type { Revision } from 'vivarium';
import type { ResourceOptions, Server } from 'vivarium/server';
import type { Link, Message } from '../../matrix/link.ts';
import { legacy, matrix } from '../../matrix/matrix.ts';
import { ask, createServer, openWire, turn } from '../fixture.ts';

const icons = [{ src: 'https://example.com/icon.png', mimeType: 'image/png', sizes: ['48x48'] }];
const full = {
  name: 'a',
  title: 'The first',
  description: 'Has all there is',
  mimeType: 'text/plain',
  icons,
  annotations: { audience: ['user', 'assistant'], priority: 0.5, lastModified: '2026-01-02T03:04:05Z' },
  size: 12,
  meta: { 'example.com/a': 1 },
} as const;

/** The members of what is described that came with a revision. */
const newer = (revision: Revision): object => ({
  ...(revision >= '2025-06-18' && { title: 'The first' }),
  ...(revision >= '2025-11-25' && { icons }),
});

describe('a description', () => {
  matrix('has the members its revision knows', {}, async ({ connect, revision }) => {
    const { server } = createServer();
    server.resource('note:///a', full, () => 'x');
    server.resource('note:///{id}', full, () => 'x');
    const link = await connect(server);
    const { name, description, mimeType, annotations, size, meta } = full;
    const known = { name, description, mimeType, annotations, _meta: meta, ...newer(revision) };
    expect((await link.request('resources/list')).result.resources).toEqual([{ uri: 'note:///a', ...known, size }]);
    expect((await link.request('resources/templates/list')).result.resourceTemplates).toEqual([{ uriTemplate: 'note:///{id}', ...known }]);
  });

  matrix('says nothing that was not said, and has the address for a name', {}, async ({ connect }) => {
    const { server } = createServer();
    server.resource('note:///a', {}, () => 'x');
    server.resource('note:///{id}', {}, () => 'x');
    const link = await connect(server);
    expect((await link.request('resources/list')).result.resources).toEqual([{ uri: 'note:///a', name: 'note:///a' }]);
    const { resourceTemplates } = (await link.request('resources/templates/list')).result;
    expect(resourceTemplates).toEqual([{ uriTemplate: 'note:///{id}', name: 'note:///{id}' }]);
  });

  matrix('is part of a capability that is declared', {}, async ({ connect, revision }) => {
    const { server } = createServer();
    server.resource('note:///{id}', {}, () => 'x');
    const link = await connect(server, { bare: true });
    const { result } = revision === '2026-07-28' ? await link.request('server/discover') : await link.initialize();
    expect(result.capabilities.resources).toEqual({ subscribe: true, listChanged: true });
    expect(result.capabilities).not.toHaveProperty('completions');
    expect((await link.request('resources/list')).result.resources).toEqual([]);
  });
});

async function pages(link: Link, method: string, member: string): Promise<string[][]> {
  const found: string[][] = [];
  for (let cursor: string | undefined, first = true; first || cursor !== undefined; first = false) {
    const { result } = await link.request(method, cursor === undefined ? {} : { cursor });
    found.push(result[member].map(({ name }: { name: string }) => name));
    cursor = result.nextCursor;
  }
  return found;
}

describe('pages', () => {
  const create = (list?: NonNullable<ResourceOptions['list']>): Server => {
    const { server } = createServer({ pageSize: 2 });
    for (const name of ['c', 'a', 'b']) {
      server.resource(`note:///${name}`, { name }, () => 'x');
      server.resource(`note:///${name}/{id}`, { name, ...(list !== undefined && name === 'a' && { list }) }, () => 'x');
      server.prompt(name, {}, () => 'x');
    }
    return server;
  };

  matrix('hold all, in the order of registration', {}, async ({ connect }) => {
    const link = await connect(create());
    const expected = [['c', 'a'], ['b']];
    expect(await pages(link, 'resources/list', 'resources')).toEqual(expected);
    expect(await pages(link, 'resources/templates/list', 'resourceTemplates')).toEqual(expected);
    expect(await pages(link, 'prompts/list', 'prompts')).toEqual(expected);
  });

  matrix('hold what templates list behind what was registered', {}, async ({ connect }) => {
    const link = await connect(create(async () => ['x', 'y', 'z'].map((name) => ({ uri: `note:///a/${name}`, name }))));
    expect(await pages(link, 'resources/list', 'resources')).toEqual([
      ['c', 'a'],
      ['b', 'x'],
      ['y', 'z'],
    ]);
  });

  matrix('are not opened by the cursor of another list, nor by what is none', {}, async ({ connect }) => {
    const methods = ['resources/list', 'resources/templates/list', 'prompts/list', 'tools/list'];
    const server = create();
    for (const name of ['c', 'a', 'b']) server.tool(name, {}, () => 'x');
    const link = await connect(server);
    const made = await connect(create(() => []));
    const cursors: string[] = [];
    for (const method of methods) cursors.push((await link.request(method)).result.nextCursor);
    expect(new Set(cursors).size).toBe(4);
    cursors.push((await made.request('resources/list')).result.nextCursor, '', '0', 'x', '2', '-1', 'null', '9'.repeat(50));
    for (const [at, method] of methods.entries()) {
      for (const cursor of cursors) {
        const { error } = await link.request(method, { cursor });
        expect(error?.code).toBe(cursor === cursors[at] ? undefined : -32602);
      }
      for (const cursor of [5, null, {}]) expect((await link.request(method, { cursor })).error?.code).toBe(-32602);
    }
    for (const cursor of cursors.filter((_, at) => at !== 4))
      expect((await made.request('resources/list', { cursor })).error?.code).toBe(-32602);
  });
});

describe('what a template lists', () => {
  matrix('is told to each revision in its words, made anew each time', {}, async ({ connect, revision }) => {
    const { server } = createServer();
    const seen: unknown[] = [];
    const { meta, size, ...item } = full;
    server.resource(
      'note:///{id}',
      {
        list: (ctx) => {
          seen.push([ctx.revision, ctx.client.info?.name]);
          return [{ uri: `note:///${seen.length}`, ...item, size, _meta: meta }];
        },
      },
      () => 'x',
    );
    const link = await connect(server);
    const { title: _, icons: __, ...rest } = item;
    for (const uri of ['note:///1', 'note:///2']) {
      const { resources } = (await link.request('resources/list')).result;
      expect(resources).toEqual([{ uri, ...rest, size, _meta: meta, ...newer(revision) }]);
    }
    expect(seen).toEqual([
      [revision, 'link'],
      [revision, 'link'],
    ]);
    expect((await link.request('resources/templates/list')).result.resourceTemplates).toHaveLength(1);
  });

  matrix('may fail, now or later, and the author is told', {}, async ({ connect }) => {
    for (const isLate of [false, true]) {
      const { server, told } = createServer();
      const list = () => {
        const error = new Error('password: 1234');
        if (isLate) return Promise.reject(error);
        throw error;
      };
      server.resource('note:///{id}', { list }, () => 'x');
      const link = await connect(server);
      expect((await link.request('resources/list')).error).toEqual({ code: -32603, message: 'Internal error' });
      expect(told).toMatchObject([{ error: { message: 'password: 1234' }, info: { method: 'resources/list' } }]);
      expect((await link.request('resources/templates/list')).result.resourceTemplates).toHaveLength(1);
    }
  });
});

describe('a change', () => {
  const uris = ({ result }: Message): string[] => result.resources.map(({ uri }: { uri: string }) => uri);

  matrix('shows in the list, and in what can be read', {}, async ({ connect }) => {
    const { server } = createServer();
    const a = server.resource('note:///a', { name: 'one', mimeType: 'a/b' }, () => 'x');
    const all = server.resource('note:///{id}', { list: () => [{ uri: 'note:///z', name: 'z' }] }, ({ id }) => id);
    const link = await connect(server);
    expect(uris(await link.request('resources/list'))).toEqual(['note:///a', 'note:///z']);
    a.update({ name: 'two', description: 'new' });
    all.update({ title: 'All' });
    const [first, second] = (await link.request('resources/list')).result.resources;
    expect(first).toEqual({ uri: 'note:///a', name: 'two', description: 'new', mimeType: 'a/b' });
    expect(second.uri).toBe('note:///z');
    a.remove();
    expect((await link.request('resources/read', { uri: 'note:///a' })).result.contents[0].text).toBe('a');
    all.remove();
    a.remove();
    expect((await link.request('resources/read', { uri: 'note:///a' })).error).toBeDefined();
  });

  it('of what was removed is refused, and a name is free again', () => {
    const { server } = createServer();
    const a = server.resource('note:///a', {}, () => 'x');
    a.remove();
    expect(() => a.update({ name: 'b' })).toThrow('Resource "note:///a" was removed: register it again');
    server.resource('note:///a', {}, () => 'y');
    expect(() => server.resource('note:///a', {}, () => 'z')).toThrow(/exists already: remove\(\) it first/);
    server.resource('note:///{a}', {}, () => 'y');
    expect(() => server.resource('note:///{a}', {}, () => 'z')).toThrow(/exists already/);
  });

  matrix('is announced once per turn, by its kind', { revisions: legacy }, async ({ connect }) => {
    const { server } = createServer();
    server.resource('note:///a', {}, () => 'x');
    server.prompt('p', {}, () => 'x');
    await turn();
    const link = await connect(server);
    expect(await link.rest()).toEqual([]);
    const b = server.resource('note:///b', {}, () => 'x');
    const c = server.resource('note:///{c}', {}, () => 'x');
    expect(await link.rest()).toEqual([{ jsonrpc: '2.0', method: 'notifications/resources/list_changed' }]);
    b.update({ name: 'b' });
    expect(await link.rest()).toMatchObject([{ method: 'notifications/resources/list_changed' }]);
    c.remove();
    server.prompt('q', {}, () => 'x').remove();
    expect((await link.rest()).map(({ method }) => method).sort()).toEqual([
      'notifications/prompts/list_changed',
      'notifications/resources/list_changed',
    ]);
    c.remove();
    expect(await link.rest()).toEqual([]);
  });

  it('leaves the methods of what was agreed, also when nothing is left', async () => {
    const { server } = createServer();
    const a = server.resource('note:///a', {}, () => 'x');
    const wire = await openWire(server);
    a.remove();
    expect((await ask(wire, 'resources/list')).result).toEqual({ resources: [] });
    expect((await ask(wire, 'resources/read', { uri: 'note:///a' })).error.code).toBe(-32002);
  });
});
