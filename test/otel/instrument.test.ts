// Requests as spans: their names, attributes and outcomes, in both eras.
import { metrics, SpanKind, SpanStatusCode } from '@opentelemetry/api';
import { describe, expect, it } from 'vitest';
import { instrument } from '../../src/otel/index.ts';
import { createServer, defer, turn } from '../server/fixture.ts';
import { bothEras, createMeter, createWatched, legacySpoken, type Measured, modernSpoken, useGlobals } from './fixture.ts';

useGlobals();

describe.each(bothEras)('in $revision', (spoken) => {
  const { revision, params } = spoken;
  const common = { 'mcp.protocol.version': revision };

  it('a tool call becomes a server span named after method and tool', async () => {
    const watched = createWatched();
    const wire = await spoken.open(watched.server);
    watched.spans();
    const { id } = await wire.request('tools/call', params({ name: 'add', arguments: { a: 1, b: 2 } }));
    const span = watched.span();
    expect(span.name).toBe('tools/call add');
    expect(span.kind).toBe(SpanKind.SERVER);
    expect(span.status).toEqual({ code: SpanStatusCode.UNSET });
    expect(span.ended).toBe(true);
    expect(span.links).toEqual([]);
    expect(span.parentSpanContext).toBeUndefined();
    expect(span.attributes).toEqual({
      ...common,
      'mcp.method.name': 'tools/call',
      'gen_ai.operation.name': 'execute_tool',
      'gen_ai.tool.name': 'add',
      'jsonrpc.request.id': String(id),
    });
  });

  it('prompts, resources, lists and completions have the attributes that are theirs', async () => {
    const watched = createWatched();
    const wire = await spoken.open(watched.server);
    const requests: [string, object, string, object][] = [
      ['prompts/get', { name: 'greet' }, 'prompts/get greet', { 'gen_ai.prompt.name': 'greet' }],
      ['resources/read', { uri: 'note:///a' }, 'resources/read', { 'mcp.resource.uri': 'note:///a' }],
      ['tools/list', {}, 'tools/list', {}],
      [
        'completion/complete',
        { ref: { type: 'ref/prompt', name: 'visit' }, argument: { name: 'place', value: 'P' } },
        'completion/complete',
        { 'gen_ai.prompt.name': 'visit' },
      ],
    ];
    for (const [method, given, name, attributes] of requests) {
      watched.spans();
      const { id } = await wire.request(method, params(given));
      const span = watched.span();
      expect(span.name).toBe(name);
      expect(span.attributes).toEqual({ ...common, 'mcp.method.name': method, 'jsonrpc.request.id': String(id), ...attributes });
    }
  });

  it('a result with isError is an error of type tool_error', async () => {
    const watched = createWatched();
    const wire = await spoken.open(watched.server);
    watched.spans();
    await wire.request('tools/call', params({ name: 'fails' }));
    const span = watched.span();
    expect(span.status).toEqual({ code: SpanStatusCode.ERROR });
    expect(span.attributes).toMatchObject({ 'error.type': 'tool_error' });
    expect(span.attributes).not.toHaveProperty('rpc.response.status_code');
    expect(watched.measured.at(-1)?.attributes).toMatchObject({ 'error.type': 'tool_error', 'gen_ai.tool.name': 'fails' });
  });

  it('a protocol error is told by its code, and its message only if the protocol wrote it', async () => {
    const watched = createWatched();
    const wire = await spoken.open(watched.server);
    const missing = revision === '2026-07-28' ? '-32602' : '-32002';
    const unable = revision === '2026-07-28' ? '-32021' : '-32602';
    const requests: [string, object, string, string | undefined][] = [
      ['tools/call', { name: 'refuses' }, '-32050', undefined],
      ['prompts/get', { name: 'breaks' }, '-32603', undefined],
      ['prompts/get', { name: 'asks' }, unable, undefined],
      ['prompts/get', { name: 'greet', arguments: { stray: 7 } }, '-32602', 'Invalid params'],
      ['resources/read', { uri: 'note:///none' }, missing, 'Resource not found'],
    ];
    for (const [method, given, code, message] of requests) {
      watched.spans();
      const answer = await wire.request(method, params(given));
      expect(answer.error).toMatchObject({ code: Number(code) });
      const span = watched.span();
      expect(span.status).toEqual({ code: SpanStatusCode.ERROR, ...(message !== undefined && { message }) });
      expect(span.attributes).toMatchObject({ 'error.type': code, 'rpc.response.status_code': code });
    }
  });

  it('an unexpected throw is recorded with its type and its frames, without its message', async () => {
    const watched = createWatched();
    const wire = await spoken.open(watched.server);
    watched.spans();
    await wire.request('prompts/get', params({ name: 'breaks' }));
    const { events } = watched.span();
    expect(events.map(({ name }) => name)).toEqual(['exception']);
    expect(events[0]?.attributes).toEqual({
      'exception.type': 'TypeError',
      'exception.stacktrace': expect.stringMatching(/^ {4}at .*fixture\.ts/),
    });
    expect(JSON.stringify(events)).not.toContain('hunter2');
  });

  it('a name that nobody registered is in neither the name of the span nor the metric', async () => {
    const watched = createWatched();
    const wire = await spoken.open(watched.server);
    for (const method of ['tools/call', 'prompts/get']) {
      watched.spans();
      await wire.request(method, params({ name: 'made-up' }));
      const span = watched.span();
      expect(span.name).toBe(method);
      expect(Object.values(span.attributes)).toContain('made-up');
      expect(JSON.stringify(watched.measured.at(-1))).not.toContain('made-up');
    }
  });

  it('every request is measured in seconds, with few attributes', async () => {
    const watched = createWatched();
    const wire = await spoken.open(watched.server);
    watched.measured.length = 0;
    await wire.request('tools/call', params({ name: 'add', arguments: { a: 1, b: 2 } }));
    await wire.request('resources/read', params({ uri: 'note:///a' }));
    expect(watched.measured).toEqual([
      {
        name: 'mcp.server.operation.duration',
        unit: 's',
        value: expect.any(Number),
        attributes: { ...common, 'mcp.method.name': 'tools/call', 'gen_ai.operation.name': 'execute_tool', 'gen_ai.tool.name': 'add' },
      },
      expect.objectContaining({ attributes: { ...common, 'mcp.method.name': 'resources/read' } }),
    ]);
    for (const { value } of watched.measured) expect(value).toBeGreaterThanOrEqual(0);
    for (const { value } of watched.measured) expect(value).toBeLessThan(5);
  });

  it('a cancelled call ends its span at once, and is no error', async () => {
    const watched = createWatched();
    const held = defer<string>();
    watched.server.tool('waits', {}, () => held.promise);
    const wire = await spoken.open(watched.server);
    watched.spans();
    wire.send({ jsonrpc: '2.0', id: 'w', method: 'tools/call', params: params({ name: 'waits' }) });
    await turn();
    expect(watched.spans()).toEqual([]);
    wire.send({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 'w' } });
    const span = watched.span();
    expect(span.status).toEqual({ code: SpanStatusCode.UNSET });
    expect(span.attributes).toMatchObject({ 'gen_ai.tool.name': 'waits', 'vivarium.cancelled': true });
    held.resolve('late');
    await turn();
    expect(watched.spans()).toEqual([]);
    expect(watched.measured.filter(({ attributes }) => attributes?.['gen_ai.tool.name'] === 'waits')).toHaveLength(1);
  });
});

it('the session is named where there is one', async () => {
  const watched = createWatched({}, (server) =>
    server.around(({ ctx }, next) => {
      Object.defineProperty(ctx, 'sessionId', { value: 's-1' });
      return next();
    }),
  );
  const wire = await legacySpoken.open(watched.server);
  await wire.request('tools/call', { name: 'add' });
  expect(watched.span().attributes['mcp.session.id']).toBe('s-1');
  expect(watched.measured[0]?.attributes).not.toHaveProperty('mcp.session.id');
});

describe('a subscription', () => {
  const listen = {
    jsonrpc: '2.0',
    id: 'l',
    method: 'subscriptions/listen',
    params: modernSpoken.params({ notifications: { toolsListChanged: true } }),
  };

  it('still hears of changes, and its span ends when it is cancelled', async () => {
    const watched = createWatched();
    const wire = await modernSpoken.open(watched.server);
    wire.send(listen);
    expect(await wire.next()).toMatchObject({ method: 'notifications/subscriptions/acknowledged' });
    watched.server.tool('later', {}, () => 'later');
    expect(await wire.next()).toMatchObject({ method: 'notifications/tools/list_changed' });
    expect(watched.spans()).toEqual([]);
    wire.send({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 'l' } });
    const span = watched.span();
    expect(span.name).toBe('subscriptions/listen');
    expect(span.status).toEqual({ code: SpanStatusCode.UNSET });
    expect(span.attributes).toMatchObject({ 'vivarium.cancelled': true });
    expect(watched.measured).toHaveLength(1);
  });

  it('ends its span when the server ends it', async () => {
    const watched = createWatched();
    const wire = await modernSpoken.open(watched.server);
    wire.send(listen);
    await wire.next();
    await wire.close();
    expect(watched.span().attributes).not.toHaveProperty('vivarium.cancelled');
  });
});

describe('without a tracer or a meter of its own', () => {
  it('nothing is recorded and everything is answered', async () => {
    const { server } = createServer();
    instrument(server);
    server.tool('hello', {}, () => 'Hello');
    const wire = await legacySpoken.open(server);
    expect(await wire.request('tools/call', { name: 'hello' })).toMatchObject({ result: { content: [{ type: 'text', text: 'Hello' }] } });
  });

  it('a global meter provider is found, also when it comes late', async () => {
    const { server } = createServer();
    instrument(server);
    server.tool('hello', {}, () => 'Hello');
    const wire = await legacySpoken.open(server);
    await wire.request('tools/call', { name: 'hello' });
    const measured: Measured[] = [];
    let asked = 0;
    metrics.setGlobalMeterProvider({
      getMeter() {
        asked++;
        return createMeter(measured);
      },
    });
    try {
      await wire.request('tools/call', { name: 'hello' });
      await wire.request('tools/call', { name: 'hello' });
    } finally {
      metrics.disable();
    }
    expect(measured.map(({ name }) => name)).toEqual(['mcp.server.operation.duration', 'mcp.server.operation.duration']);
    expect(asked).toBe(1);
  });
});
