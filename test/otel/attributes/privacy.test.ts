// What a span never says unless it is asked to, and what its author may add or take away.
import { SpanStatusCode } from '@opentelemetry/api';
import { describe, expect, it } from 'vitest';
import { jsonSchema } from 'vivarium/server';
import { bothEras, createWatched, legacySpoken, useGlobals, type Watched } from '../fixture.ts';

useGlobals();

const secret = 'hunter2';

describe.each(bothEras)('in $revision', ({ open, params }) => {
  const everything: [string, object][] = [
    ['tools/call', { name: 'echo', arguments: { text: secret } }],
    ['tools/call', { name: 'echo', arguments: { text: [secret] } }],
    ['tools/call', { name: 'refuses' }],
    ['prompts/get', { name: 'visit', arguments: { place: secret } }],
    ['prompts/get', { name: 'breaks' }],
    ['resources/read', { uri: `db://user:${secret}@host/rows?token=${secret}#${secret}` }],
    ['completion/complete', { ref: { type: 'ref/prompt', name: 'visit' }, argument: { name: 'place', value: secret } }],
  ];

  it('arguments, results, queries, credentials and messages stay out', async () => {
    const watched = createWatched();
    addEcho(watched);
    const wire = await open(watched.server);
    for (const [method, given] of everything) await wire.request(method, params(given));
    const spans = watched.spans();
    expect(spans).toHaveLength(everything.length);
    for (const { name, attributes, events, status } of spans)
      expect(JSON.stringify({ name, attributes, events, status })).not.toContain(secret);
    expect(JSON.stringify(watched.measured)).not.toContain(secret);
  });

  it('recordArguments lets arguments, results and messages in, but not into metrics', async () => {
    const watched = createWatched({ recordArguments: true });
    addEcho(watched);
    const wire = await open(watched.server);
    watched.spans();
    await wire.request('tools/call', params({ name: 'echo', arguments: { text: secret } }));
    const { attributes } = watched.span();
    expect(JSON.parse(String(attributes['gen_ai.tool.call.arguments']))).toEqual({ text: secret });
    expect(JSON.parse(String(attributes['gen_ai.tool.call.result']))).toMatchObject({ content: [{ type: 'text', text: secret }] });
    await wire.request('tools/call', params({ name: 'refuses' }));
    expect(watched.span().status).toEqual({ code: SpanStatusCode.ERROR, message: `no ${secret} here` });
    await wire.request('prompts/get', params({ name: 'breaks' }));
    expect(watched.span().events[0]?.attributes?.['exception.message']).toContain(secret);
    expect(JSON.stringify(watched.measured)).not.toContain(secret);
  });

  it('recordArguments masks what is named like a secret or looks like one, also where it is cut', async () => {
    const watched = createWatched({ recordArguments: true });
    addEcho(watched);
    const wire = await open(watched.server);
    watched.spans();
    const key = `ghp_${'a1'.repeat(20)}`;
    await wire.request('tools/call', params({ name: 'echo', arguments: { text: `use ${key}`, password: 'hunter2' } }));
    const { attributes } = watched.span();
    expect(JSON.parse(String(attributes['gen_ai.tool.call.arguments']))).toEqual({ text: 'use REDACTED', password: 'REDACTED' });
    expect(String(attributes['gen_ai.tool.call.result'])).not.toContain(key);
    const filler = 'x '.repeat(8_172);
    await wire.request('tools/call', params({ name: 'echo', arguments: { text: `${filler}${key}` } }));
    expect(String(watched.span().attributes['gen_ai.tool.call.arguments'])).not.toContain('ghp_a1');
  });
});

describe('a URI', () => {
  it.each([
    ['db://user:hunter2@host/rows', 'db://REDACTED@host/rows'],
    ['db://host/rows?token=hunter2', 'db://host/rows?REDACTED'],
    ['db://host/rows#hunter2', 'db://host/rows#REDACTED'],
    ['db://host/a@b', 'db://host/a@b'],
    ['note:///a', 'note:///a'],
  ])('%s is told as %s', async (uri, told) => {
    const watched = createWatched();
    const wire = await legacySpoken.open(watched.server);
    watched.spans();
    await wire.request('resources/read', { uri });
    expect(watched.span().attributes['mcp.resource.uri']).toBe(told);
  });
});

describe('long texts of a client', () => {
  it('are cut', async () => {
    const watched = createWatched({ recordArguments: true });
    addEcho(watched);
    const wire = await legacySpoken.open(watched.server);
    watched.spans();
    const long = 'x'.repeat(100_000);
    wire.send({ jsonrpc: '2.0', id: long, method: 'tools/call', params: { name: 'echo', arguments: { text: long } } });
    await wire.next();
    await wire.request('tools/call', { name: long });
    await wire.request('resources/read', { uri: `note:///${long}` });
    for (const { name, attributes, status } of watched.spans()) {
      expect(name.length).toBeLessThan(100);
      for (const value of [...Object.values(attributes), status.message ?? '']) expect(String(value).length).toBeLessThan(20_000);
    }
  });
});

describe('attributes()', () => {
  it('adds to the span, replaces and takes away, and leaves metrics alone', async () => {
    const watched = createWatched({
      attributes: ({ method, name, ctx }) => ({
        tenant: `${method} ${name} ${ctx.era}`,
        'mcp.protocol.version': 'mine',
        'jsonrpc.request.id': undefined,
      }),
    });
    const wire = await legacySpoken.open(watched.server);
    watched.spans();
    await wire.request('tools/call', { name: 'add' });
    const { attributes } = watched.span();
    expect(attributes).toMatchObject({ tenant: 'tools/call add legacy', 'mcp.protocol.version': 'mine', 'gen_ai.tool.name': 'add' });
    expect(attributes['jsonrpc.request.id']).toBeUndefined();
    expect(watched.measured.at(-1)?.attributes).not.toHaveProperty('tenant');
  });

  it('may throw without harm', async () => {
    const watched = createWatched({
      attributes: () => {
        throw new Error('broken');
      },
    });
    const wire = await legacySpoken.open(watched.server);
    watched.spans();
    expect(await wire.request('tools/call', { name: 'add', arguments: { a: 1, b: 2 } })).toMatchObject({
      result: { content: [{ text: '3' }] },
    });
    expect(watched.span().name).toBe('tools/call add');
  });
});

describe('an error that refuses to be looked at', () => {
  it('is an internal error', async () => {
    const watched = createWatched();
    watched.server.around((_call, next) => {
      void next().catch(() => undefined);
      const hostile = new Proxy(new Error('x'), {
        getPrototypeOf() {
          throw new Error('no');
        },
      });
      return Promise.reject(hostile);
    });
    const wire = await legacySpoken.open(watched.server);
    watched.spans();
    expect(await wire.request('tools/list')).toMatchObject({ error: { code: -32_603 } });
    const span = watched.span();
    expect(span.status).toEqual({ code: SpanStatusCode.ERROR });
    expect(span.attributes).toMatchObject({ 'error.type': '-32603', 'rpc.response.status_code': '-32603' });
  });
});

function addEcho({ server }: Watched): void {
  const input = jsonSchema<{ text: string }>({ type: 'object', properties: { text: { type: 'string' } }, required: ['text'] });
  server.tool('echo', { input }, ({ text }) => text);
}
