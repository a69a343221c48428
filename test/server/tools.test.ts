// Tools as they are described to each revision, and who may call them.
import { describe, expect, it } from 'vitest';
import type { Revision } from 'vivarium';
import { metaKeys } from 'vivarium/protocol';
import type { Principal } from 'vivarium/server';
import { createWire } from 'vivarium/testing';
import { z } from 'zod';
import { legacy, matrix, pipes } from '../matrix/matrix.ts';
import { ask, createServer, createSmall, modern, openWire, text } from './fixture.ts';

const ada: Principal = { id: 'ada', scopes: ['read', 'write'] };
const bob: Principal = { id: 'bob', scopes: ['read'] };

describe('a description', () => {
  const full = {
    title: 'Everything',
    description: 'Has all there is',
    icons: [{ src: 'https://example.com/icon.png', mimeType: 'image/png', sizes: ['48x48'] }],
    annotations: { title: 'All', readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false },
    meta: { 'example.com/a': 1 },
    input: z.object({ a: z.string() }),
    output: z.object({ b: z.number() }),
  };
  const members: Record<Revision, string[]> = {
    '2024-11-05': ['name', 'description', 'inputSchema'],
    '2025-03-26': ['name', 'description', 'inputSchema', 'annotations'],
    '2025-06-18': ['name', 'title', 'description', 'inputSchema', 'outputSchema', 'annotations'],
    '2025-11-25': ['name', 'title', 'description', 'icons', 'inputSchema', 'outputSchema', 'annotations'],
    '2026-07-28': ['name', 'title', 'description', 'icons', 'inputSchema', 'outputSchema', 'annotations'],
  };

  matrix('has the members its revision knows', {}, async ({ connect, revision }) => {
    const { server } = createServer();
    server.tool('full', full, () => ({ b: 1 }));
    const [tool] = (await (await connect(server)).request('tools/list')).result.tools;
    const { _meta, ...known } = tool;
    expect(Object.keys(known).sort()).toEqual(members[revision].toSorted());
    const { name, inputSchema, outputSchema, ...rest } = known;
    expect(name).toBe('full');
    expect(inputSchema).toMatchObject({ type: 'object', properties: { a: { type: 'string' } }, required: ['a'] });
    if (outputSchema !== undefined)
      expect(outputSchema).toMatchObject({ type: 'object', properties: { b: { type: 'number' } }, required: ['b'] });
    expect(full).toMatchObject(rest);
    // `_meta` of a tool begins with 2025-06-18; before that it does no harm.
    if (revision >= '2025-06-18') expect(_meta).toEqual(full.meta);
  });

  matrix('says nothing that was not said', {}, async ({ connect }) => {
    const [tool] = (await (await connect(createSmall())).request('tools/list')).result.tools;
    expect(tool).toEqual({ name: 'hello', inputSchema: { type: 'object', additionalProperties: false } });
  });

  matrix('without input still lets unknown arguments pass', {}, async ({ connect }) => {
    const { server } = createServer();
    server.tool('it', {}, (args) => JSON.stringify(args));
    const link = await connect(server);
    expect((await link.call('it', { stray: 1 })).result).toMatchObject({ content: [text('{}')], isError: false });
    expect((await link.request('tools/call', { name: 'it' })).result.isError).toBe(false);
  });
});

describe('a name', () => {
  it.each(['a', 'A_b-c.d/e', '__proto__', 'constructor', 'toString', 'x'.repeat(128), '0'])('may be %s', async (name) => {
    const { server } = createServer();
    server.tool(name, {}, () => 'called');
    const wire = await openWire(server);
    expect((await ask(wire, 'tools/list')).result.tools[0].name).toBe(name);
    expect((await ask(wire, 'tools/call', { name })).result.content).toEqual([text('called')]);
  });

  matrix('that no tool has is an error of the call', {}, async ({ connect }) => {
    const link = await connect(createSmall());
    for (const name of ['nobody', '', 'HELLO', 'toString', '__proto__', 'hello ']) {
      const { error } = await link.call(name);
      expect(error).toEqual({ code: -32602, message: `Unknown tool: ${name}`, data: { details: `Unknown tool: ${name}` } });
    }
  });

  it('of any length is repeated in part only', async () => {
    const { error } = await ask(await openWire(createSmall()), 'tools/call', { name: 'x'.repeat(100_000) });
    expect(error.code).toBe(-32602);
    expect(JSON.stringify(error).length).toBeLessThan(1_000);
  });
});

describe('needs', () => {
  const asking = (...needs: ('elicitation' | 'elicitation.url' | 'sampling' | 'sampling.tools' | 'roots')[]) => {
    const { server, told } = createServer();
    let ran = 0;
    server.tool('it', { needs }, () => `${++ran}`);
    return { server, told };
  };

  matrix('lets a call pass when the client can', {}, async ({ connect }) => {
    const link = await connect(asking('roots', 'sampling').server, { capabilities: { roots: {}, sampling: {} } });
    expect((await link.call('it')).result.content).toEqual([text('1')]);
  });

  matrix('is a result with isError in the legacy revisions', { revisions: legacy }, async ({ connect }) => {
    const link = await connect(asking('roots', 'sampling').server, { capabilities: { roots: {} } });
    const { result } = await link.call('it');
    expect(result.isError).toBe(true);
    expect(result.content).toEqual([text('Tool "it" needs a client that supports sampling.')]);
  });

  matrix('is an error that names all capabilities in the modern one', { revisions: ['2026-07-28'] }, async ({ connect }) => {
    const link = await connect(asking('roots', 'sampling.tools', 'elicitation', 'elicitation.url').server, { capabilities: { roots: {} } });
    const { error } = await link.call('it');
    expect(error?.code).toBe(-32021);
    expect(error?.data).toEqual({ requiredCapabilities: { roots: {}, sampling: { tools: {} }, elicitation: { url: {} } } });
  });

  it('is judged before the arguments', async () => {
    const { server } = createServer();
    server.tool('it', { needs: ['roots'], input: z.object({ a: z.string() }) }, () => 'ran');
    const { error } = await ask(createWire(server), 'tools/call', { name: 'it', _meta: modern() });
    expect(error.code).toBe(-32021);
  });

  it('takes a capability that is null for none, and does not fail over it', async () => {
    const { server, told } = asking('elicitation');
    const { error } = await ask(createWire(server), 'tools/call', { name: 'it', _meta: modern({ elicitation: null }) });
    expect(error?.code).toBe(-32021);
    const { result } = await ask(await openWire(server, '2025-06-18', { elicitation: null }), 'tools/call', { name: 'it' });
    expect(result?.isError).toBe(true);
    expect(told).toEqual([]);
  });
});

describe('scopes', () => {
  const scoped = () => {
    const { server } = createServer();
    server.tool('write', { scopes: ['read', 'write'] }, () => 'wrote');
    return server;
  };

  matrix('are all required, and their absence is no tool error', {}, async ({ connect }) => {
    const allowed = await connect(scoped(), { principal: ada });
    expect((await allowed.call('write')).result.content).toEqual([text('wrote')]);
    const refused = await connect(scoped(), { principal: bob });
    expect((await refused.call('write')).error).toEqual({ code: 403, message: 'Forbidden', data: { scopes: ['read', 'write'] } });
    expect((await refused.request('tools/list')).result.tools).toHaveLength(1);
  });

  // Who does not exist over HTTP.
  matrix('are all granted to the local user', { transports: pipes }, async ({ connect }) => {
    expect((await (await connect(scoped())).call('write')).result.content).toEqual([text('wrote')]);
  });
});

describe('visible', () => {
  const filtered = () => {
    const { server } = createServer({ cache: { ttlMs: 9, scope: 'public' } });
    server.tool('open', {}, () => 'open');
    server.tool('secret', { visible: (principal) => principal?.scopes.includes('write') ?? false }, () => 'secret');
    return server;
  };
  const names = (answer: { result?: { tools: { name: string }[] } }) => answer.result?.tools.map(({ name }) => name);

  matrix('decides over lists and calls alike', {}, async ({ connect }) => {
    const server = filtered();
    const one = await connect(server, { principal: ada });
    const other = await connect(server, { principal: bob });
    expect(names(await one.request('tools/list'))).toEqual(['open', 'secret']);
    expect(names(await other.request('tools/list'))).toEqual(['open']);
    expect(names(await (await connect(server)).request('tools/list'))).toEqual(['open']);
    expect((await one.call('secret')).result.content).toEqual([text('secret')]);
    // Nothing tells an invisible tool from one that does not exist.
    expect((await other.call('secret')).error).toEqual({
      code: -32602,
      message: 'Unknown tool: secret',
      data: { details: 'Unknown tool: secret' },
    });
  });

  matrix('makes the list private', { revisions: ['2026-07-28'] }, async ({ connect }) => {
    const { result } = await (await connect(filtered(), { principal: ada })).request('tools/list');
    expect(result).toMatchObject({ ttlMs: 9, cacheScope: 'private' });
  });

  it('that throws is told to the author and hides the tool in an internal error', async () => {
    const { server, told } = createServer();
    server.tool('it', { visible: () => JSON.parse('{') }, () => 'x');
    const wire = await openWire(server);
    expect((await ask(wire, 'tools/list')).error).toEqual({ code: -32603, message: 'Internal error' });
    expect((await ask(wire, 'tools/call', { name: 'it' })).error).toEqual({ code: -32603, message: 'Internal error' });
    expect(told.map(({ info }) => info.method)).toEqual(['tools/list', 'tools/call']);
  });
});

it('the modern result of a call names the server last, whatever the tool says', async () => {
  const { server } = createServer();
  server.tool('it', {}, () => ({ content: [], _meta: { [metaKeys.serverInfo]: { name: 'me', version: '0' }, 'example.com/a': 1 } }));
  const { result } = await ask(createWire(server), 'tools/call', { name: 'it', _meta: modern() });
  expect(result._meta).toEqual({ [metaKeys.serverInfo]: { name: 'tested', version: '1.0.0' }, 'example.com/a': 1 });
});
