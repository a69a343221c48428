// Resources as the requirement lists have them: lists, contents, templates, subscriptions, changes.
import { describe, expect, it } from 'vitest';
import type { Server } from 'vivarium/server';
import { createWire } from 'vivarium/testing';
import { parseTemplate } from '../../../src/server/uri-template/uri-template.ts';
import { legacy, matrix } from '../../matrix/matrix.ts';
import { ask, createServer, createSmall, handshake, modern, openWire, type Reply, turn } from '../fixture.ts';

const source = { uri: 'file:///project/src/main.rs', name: 'main.rs', description: 'Where it begins', mimeType: 'text/x-rust' };
const { uri, ...details } = source;
const bytes = Uint8Array.of(0, 1, 2, 253, 254, 255);

function createFiles(pageSize = 100): Server {
  const { server } = createServer({ pageSize });
  server.resource(uri, details, () => 'fn main() {}\n');
  server.resource('file:///project/logo.png', { name: 'logo.png', mimeType: 'image/png' }, () => bytes);
  server.resource('invoices://1', { name: 'one' }, () => '1.00');
  server.resource(
    'file:///{+path}',
    { name: 'Project files', description: 'All of them', mimeType: 'application/octet-stream' },
    ({ path }) => (path.startsWith('project/') ? `read ${path}` : undefined),
  );
  server.resource('class:///{name}', { name: 'Class' }, ({ name }) => JSON.stringify({ name }));
  return server;
}

const isBoolean = (value: unknown): boolean => typeof value === 'boolean';
const uris = ({ result }: { result?: { resources: { uri: string }[] } }) => result?.resources.map((one) => one.uri);

describe('the capability', () => {
  it('is declared where there are resources or templates, and only there', async () => {
    for (const address of ['note:///a', 'note:///{id}']) {
      const { server } = createServer();
      const of = async () => (await ask(createWire(server), 'initialize', handshake())).result.capabilities.resources;
      expect(await of()).toBeUndefined();
      const one = server.resource(address, {}, () => 'A');
      expect(Object.values(await of()).every(isBoolean)).toBe(true);
      expect(await of()).toEqual({ subscribe: true, listChanged: true });
      one.remove();
      expect(await of()).toBeUndefined();
    }
  });

  matrix('is what makes its methods exist', {}, async ({ connect }) => {
    const link = await connect(createSmall());
    for (const method of ['resources/list', 'resources/templates/list', 'resources/read']) {
      expect((await link.request(method, { uri: 'note:///a' })).error?.code, method).toBe(-32601);
    }
    const full = await connect(createFiles());
    for (const method of ['resources/list', 'resources/templates/list']) expect((await full.request(method)).error).toBeUndefined();
  });

  matrix('is what makes subscriptions exist', { revisions: legacy }, async ({ connect }) => {
    const link = await connect(createSmall());
    for (const method of ['resources/subscribe', 'resources/unsubscribe']) {
      expect((await link.request(method, { uri: 'note:///a' })).error?.code, method).toBe(-32601);
    }
  });
});

describe('resources/list', () => {
  matrix('gives an array of what was registered, without the templates', {}, async ({ connect }) => {
    const answer = await (await connect(createFiles())).request('resources/list');
    expect(uris(answer)).toEqual([uri, 'file:///project/logo.png', 'invoices://1']);
    expect(answer.result.resources[0]).toEqual(source);
  });

  matrix('names each by an address of its own and a name, and says no more than was said', {}, async ({ connect }) => {
    const { resources } = (await (await connect(createFiles())).request('resources/list')).result;
    for (const one of resources) {
      expect(new URL(one.uri).href).toBe(one.uri);
      expect(one.name).toMatch(/./);
      expect(['undefined', 'string']).toContain(typeof one.description);
      expect(['undefined', 'string']).toContain(typeof one.mimeType);
    }
    expect(resources[2]).toEqual({ uri: 'invoices://1', name: 'one' });
    expect(new Set(resources.map((one: typeof source) => one.uri)).size).toBe(resources.length);
  });

  matrix('comes in pages that repeat nothing', {}, async ({ connect }) => {
    const link = await connect(createFiles(1));
    for (const [method, member, count] of [
      ['resources/list', 'resources', 3],
      ['resources/templates/list', 'resourceTemplates', 2],
    ] as const) {
      const seen: string[] = [];
      let cursor: string | undefined;
      do {
        const { result } = await link.request(method, cursor === undefined ? {} : { cursor });
        expect(result[member]).toHaveLength(1);
        seen.push(result[member][0].name);
        cursor = result.nextCursor;
      } while (cursor !== undefined);
      expect(new Set(seen).size).toBe(count);
      expect((await link.request(method, { cursor: 'made up' })).error?.code).toBe(-32602);
    }
  });

  it('is an empty array once the last is gone', async () => {
    const { server } = createServer();
    const only = server.resource('note:///a', {}, () => 'A');
    const wire = await openWire(server);
    only.remove();
    expect((await ask(wire, 'resources/list')).result).toEqual({ resources: [] });
  });
});

describe('resources/read', () => {
  matrix('gives contents with their address, their type and either text or blob', {}, async ({ connect }) => {
    const link = await connect(createFiles());
    const listed = (await link.request('resources/list')).result.resources as (typeof source)[];
    for (const one of listed) {
      const { contents } = (await link.request('resources/read', { uri: one.uri })).result;
      expect(contents).toHaveLength(1);
      expect(contents[0].uri).toBe(one.uri);
      expect(typeof contents[0].mimeType).toBe('string');
      if (one.mimeType !== undefined) expect(contents[0].mimeType).toBe(one.mimeType);
      expect(['text', 'blob'].filter((member) => member in contents[0])).toHaveLength(1);
    }
    expect((await link.request('resources/read', { uri })).result.contents).toEqual([
      { uri, mimeType: 'text/x-rust', text: 'fn main() {}\n' },
    ]);
  });

  matrix('gives bytes as base64', {}, async ({ connect }) => {
    const link = await connect(createFiles());
    const [item] = (await link.request('resources/read', { uri: 'file:///project/logo.png' })).result.contents;
    expect(item).toEqual({ uri: 'file:///project/logo.png', mimeType: 'image/png', blob: 'AAEC/f7/' });
    expect(Uint8Array.from(Buffer.from(item.blob, 'base64'))).toEqual(bytes);
  });

  it.each([
    ['text and blob', { text: 'A', blob: 'QQ==' }],
    ['neither text nor blob', {}],
  ])('never gives %s', async (_, item) => {
    const { server, told } = createServer();
    server.resource('note:///a', {}, () => ({ uri: 'note:///a', ...item }) as never);
    const wire = await openWire(server);
    expect((await ask(wire, 'resources/read', { uri: 'note:///a' })).error).toEqual({ code: -32603, message: 'Internal error' });
    expect(told).toHaveLength(1);
  });

  matrix('needs an address', {}, async ({ connect }) => {
    const link = await connect(createFiles());
    for (const params of [{}, { uri: 5 }]) expect((await link.request('resources/read', params)).error?.code).toBe(-32602);
  });

  matrix('of what does not exist is an error with the address, never empty contents', {}, async ({ connect, revision }) => {
    const link = await connect(createFiles());
    for (const missing of ['file:///elsewhere', 'nothing:///', 'invoices://2']) {
      expect((await link.request('resources/read', { uri: missing })).error).toEqual({
        code: revision === '2026-07-28' ? -32602 : -32002,
        message: 'Resource not found',
        data: { uri: missing },
      });
    }
  });

  matrix('takes the exact address before a template', {}, async ({ connect }) => {
    const link = await connect(createFiles());
    const read = async (address: string) => (await link.request('resources/read', { uri: address })).result.contents[0].text;
    expect(await read(uri)).toBe('fn main() {}\n');
    expect(await read('file:///project/other')).toBe('read project/other');
  });
});

describe('resources/templates/list', () => {
  matrix('gives an array of templates as they were registered', {}, async ({ connect }) => {
    const { resourceTemplates } = (await (await connect(createFiles())).request('resources/templates/list')).result;
    expect(resourceTemplates).toEqual([
      { uriTemplate: 'file:///{+path}', name: 'Project files', description: 'All of them', mimeType: 'application/octet-stream' },
      { uriTemplate: 'class:///{name}', name: 'Class' },
    ]);
    for (const one of resourceTemplates) expect(parseTemplate(one.uriTemplate)).not.toHaveProperty('problem');
  });

  matrix('gives templates whose expansions can be read, and the variables come back', {}, async ({ connect }) => {
    const link = await connect(createFiles());
    const [, { uriTemplate }] = (await link.request('resources/templates/list')).result.resourceTemplates;
    const template = parseTemplate(uriTemplate);
    if ('problem' in template) throw new Error(template.problem);
    for (const name of ['Ordered', 'A b/c', 'ünïcödé 🦎']) {
      const address = template.expand({ name });
      const [item] = (await link.request('resources/read', { uri: address })).result.contents;
      expect(item.uri).toBe(address);
      expect(JSON.parse(item.text)).toEqual({ name });
    }
  });
});

describe('a subscription', () => {
  matrix('is told of a change with its address, until it ends', { revisions: legacy }, async ({ connect }) => {
    const server = createFiles();
    await turn();
    const link = await connect(server);
    expect((await link.request('resources/subscribe', { uri })).result).toEqual({});
    server.resourceUpdated(uri);
    server.resourceUpdated('invoices://1');
    expect(await link.rest()).toEqual([{ jsonrpc: '2.0', method: 'notifications/resources/updated', params: { uri } }]);
    expect((await link.request('resources/unsubscribe', { uri })).result).toEqual({});
    server.resourceUpdated(uri);
    expect(await link.rest()).toEqual([]);
  });

  it('is a request that stays open in 2026-07-28, and what it tells is tagged', async () => {
    const server = createFiles();
    await turn();
    const wire = createWire(server);
    const notifications = { resourceSubscriptions: [uri], resourcesListChanged: true };
    wire.send({ jsonrpc: '2.0', id: 'mine', method: 'subscriptions/listen', params: { notifications, _meta: modern() } });
    const _meta = { 'io.modelcontextprotocol/subscriptionId': 'mine' };
    const told = async () => (await wire.next()) as Reply;
    expect(await told()).toMatchObject({ method: 'notifications/subscriptions/acknowledged', params: { notifications, _meta } });
    server.resourceUpdated('invoices://1');
    server.resourceUpdated(uri);
    expect(await told()).toMatchObject({ method: 'notifications/resources/updated', params: { uri, _meta } });
    server.resource('note:///new', {}, () => 'new');
    expect(await told()).toMatchObject({ method: 'notifications/resources/list_changed', params: { _meta } });
  });

  it('that nobody made tells nobody', async () => {
    const server = createFiles();
    await turn();
    const wire = await openWire(server);
    const now = createWire(server);
    await now.request('resources/list', { _meta: modern() });
    server.resourceUpdated(uri);
    for (const one of [wire, now]) expect(await one.quiet()).toEqual([]);
  });
});

describe('notifications/resources/list_changed', () => {
  matrix('is sent without parameters when the list changes', { revisions: legacy }, async ({ connect }) => {
    const server = createFiles();
    await turn();
    const link = await connect(server);
    const one = server.resource('note:///new', {}, () => 'new');
    expect(await link.rest()).toEqual([{ jsonrpc: '2.0', method: 'notifications/resources/list_changed' }]);
    one.remove();
    expect(await link.rest()).toHaveLength(1);
    server.resource('new:///{id}', {}, () => 'new');
    expect(await link.rest()).toHaveLength(1);
  });

  it('is sent to no one who was promised no resources, or did not ask', async () => {
    const server = createSmall();
    await turn();
    const wire = await openWire(server);
    const now = createWire(server);
    await now.request('tools/list', { _meta: modern() });
    server.resource('note:///new', {}, () => 'new');
    for (const one of [wire, now]) expect(await one.quiet()).toEqual([]);
  });
});
