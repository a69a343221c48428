// What one caller must not reach through another's requests, lists, subscriptions or wrappers.
import { describe, expect, it } from 'vitest';
import { Server } from 'vivarium/server';
import { memoryStore } from 'vivarium/store/memory';
import { z } from 'zod';
import { open } from '../matrix/link.ts';

const modern = { revision: '2026-07-28', capabilities: { elicitation: {} } } as const;
const yes = { ok: { action: 'accept', content: { ok: true } } };
const schema = z.object({ ok: z.boolean() });
const root = { id: 'root', scopes: ['all'] };
const eve = { id: 'eve', scopes: [] };

describe('the state of a read', () => {
  it('is bound to its URI, whatever else the request carries', async () => {
    const server = new Server({ name: 's', version: '1', onError: () => undefined });
    server.resource('x:///{id}', {}, async ({ id }, ctx) => {
      const secret = await ctx.once('secret', () => `secret of ${id}`);
      await ctx.elicit('ok', { message: 'May I?', schema });
      return secret;
    });
    await using link = await open(server, 'wire', modern);
    const { result } = await link.request('resources/read', { uri: 'x:///a', name: 'n' });
    const retry = { name: 'n', requestState: result.requestState, inputResponses: yes };
    expect((await link.request('resources/read', { ...retry, uri: 'x:///b' })).error?.code).toBe(-32602);
    expect((await link.request('resources/read', { ...retry, uri: 'x:///a' })).result.contents[0].text).toBe('secret of a');
  });

  it('is used once when any resource that may serve it says so', async () => {
    const server = new Server({ name: 's', version: '1' });
    server.resource('x:///{id}', {}, () => undefined);
    server.resource('x:///{+path}', { singleUse: true }, async (_, ctx) => (await ctx.elicit('ok', { message: 'May I?', schema })).action);
    await using link = await open(server, 'wire', modern);
    const { result } = await link.request('resources/read', { uri: 'x:///a' });
    const retry = { uri: 'x:///a', requestState: result.requestState, inputResponses: yes };
    expect((await link.request('resources/read', retry)).result.contents[0].text).toBe('accept');
    expect((await link.request('resources/read', retry)).error?.code).toBe(-32602);
  });
});

describe('a method of an extension', () => {
  it('asks for its scopes', async () => {
    const server = new Server({ name: 's', version: '1' });
    const id = 'com.example/clock';
    server.use({ id, install: (host) => host.method('clock/now', { scopes: ['all'] }, () => ({ now: 1 })) });
    const capabilities = { extensions: { [id]: {} } };
    await using hers = await open(server, 'wire', { ...modern, capabilities, principal: eve });
    expect((await hers.request('clock/now')).error).toMatchObject({ code: 403, data: { scopes: ['all'] } });
    await using mine = await open(server, 'wire', { ...modern, capabilities, principal: root });
    expect((await mine.request('clock/now')).result.now).toBe(1);
  });
});

describe('a claim in the store', () => {
  it('is not pushed out by what others keep', async () => {
    const store = memoryStore();
    expect(await store.claim('round', 60_000)).toBe(true);
    for (let at = 0; at < 12_000; at++) await store.put(`other ${at}`, 'x', 60_000);
    expect(await store.claim('round', 60_000)).toBe(false);
    await expect(store.put('huge', 'x'.repeat(9_000_000), 60_000)).rejects.toMatchObject({ code: 'ERR_TOO_LARGE' });
  });
});

describe('a wrapper', () => {
  it('sees the URI of a read, not a name beside it, and cannot spoil a list for others', async () => {
    const server = new Server({ name: 's', version: '1' });
    const names: unknown[] = [];
    server.resource('x:///secret', {}, () => 'x');
    server.tool('a', {}, () => 'x');
    server.tool('b', {}, () => 'x');
    server.around(async (call, next) => {
      if (call.method === 'resources/read') names.push(call.name);
      const result = (await next()) as { tools?: unknown[] };
      if (call.method === 'tools/list' && call.ctx.principal?.id !== 'root') result.tools = result.tools?.slice(0, 1) ?? [];
      return result;
    });
    for (const transport of ['memory', 'wire'] as const) {
      await using mine = await open(server, transport, { ...modern, principal: root });
      await using hers = await open(server, transport, { ...modern, principal: eve });
      await mine.request('resources/read', { uri: 'x:///secret', name: 'x:///public' });
      for (const [link, count] of [
        [mine, 2],
        [hers, 1],
        [mine, 2],
        [hers, 1],
      ] as const) {
        expect((await link.request('tools/list')).result.tools).toHaveLength(count);
      }
    }
    expect(names).toEqual(['x:///secret', 'x:///secret']);
  });

  it('may answer before the rest has ended, and then the rest may fail alone', async () => {
    const server = new Server({ name: 's', version: '1' });
    server.tool('late', {}, async () => {
      await new Promise((resolve) => setTimeout(resolve, 5));
      throw new TypeError('late');
    });
    server.around(async (_, next) => {
      void next();
      return { content: [{ type: 'text', text: 'early' }], isError: false };
    });
    await using link = await open(server, 'wire', modern);
    expect((await link.call('late')).result.content[0].text).toBe('early');
    await new Promise((resolve) => setTimeout(resolve, 20));
  });
});

describe('what someone may not see', () => {
  it('is not told to them when it changes, in either era, templates included', async () => {
    const reported: unknown[] = [];
    const server = new Server({ name: 's', version: '1', onError: (error) => reported.push(error) });
    server.resource('sec:///{id}', { scopes: ['all'] }, () => 'x');
    server.resource('odd:///a', { visible: (principal) => principal?.scopes.includes('all') ?? bad() }, () => 'x');
    await using old = await open(server, 'wire', { revision: '2025-11-25', principal: eve });
    expect((await old.request('resources/subscribe', { uri: 'sec:///1' })).error?.code).toBe(403);
    await using link = await open(server, 'wire', { ...modern, principal: eve });
    link.start('subscriptions/listen', { notifications: { resourceSubscriptions: ['sec:///1', 'free:///1'] } });
    const ack = await link.notification('notifications/subscriptions/acknowledged');
    expect(ack.params.notifications.resourceSubscriptions).toEqual(['free:///1']);
    // A `visible` that throws harms nobody but its author.
    await using nobody = await open(server, 'wire', modern);
    server.resourceUpdated('odd:///a');
    expect(await nobody.rest()).toEqual([]);
    expect(reported).toHaveLength(1);
  });

  it('is not offered as a tool either', async () => {
    const server = new Server({ name: 's', version: '1', expose: { resources: true, prompts: true } });
    const visible = (principal?: { id: string }): boolean => principal?.id === 'root';
    server.resource('pay:///{who}', { name: 'pay', visible }, () => 'x');
    server.prompt('plan', { visible }, () => 'x');
    server.resource('scoped:///{id}', { name: 'scoped', scopes: ['all'], description: 'old' }, () => 'x').update({ description: 'new' });
    server.resource('scoped:///{id}/again', { name: 'scoped' }, () => 'x');
    await using hers = await open(server, 'wire', { ...modern, principal: eve });
    const { tools } = (await hers.request('tools/list')).result;
    expect(tools.map(({ name }: { name: string }) => name)).toEqual(['resource_list', 'resource_read', 'read_scoped', 'read_scoped_2']);
    expect(tools[2].description).toBe('new');
    expect((await hers.call('read_scoped', { id: '1' })).error?.code).toBe(403);
    expect((await hers.call('read_pay', { who: 'me' })).error?.code).toBe(-32602);
  });
});

function bad(): never {
  throw new TypeError('no principal');
}
