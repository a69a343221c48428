import { expect, it } from 'vitest';
import { createFetchHandler, type HttpRules } from 'vivarium/serve/fetch';
import { Server } from 'vivarium/server';
import { memoryStore } from 'vivarium/store/memory';

const initialize = {
  id: 1,
  method: 'initialize',
  params: { protocolVersion: '2025-03-26', capabilities: { roots: {} }, clientInfo: { name: 'test', version: '1' } },
};

function open(server: Server, rules: Partial<HttpRules> = {}) {
  const handler = createFetchHandler(server, { allowedHosts: ['localhost'], ...rules });
  const post = (body: object, headers: Record<string, string> = {}): Promise<Response> => {
    const message = Array.isArray(body) ? body.map((one) => ({ jsonrpc: '2.0', ...one })) : { jsonrpc: '2.0', ...body };
    const fields = { 'content-type': 'application/json', accept: 'application/json, text/event-stream', ...headers };
    return handler(new Request('http://localhost/mcp', { method: 'POST', headers: fields, body: JSON.stringify(message) }));
  };
  return { handler, post };
}

it('lets a call that waits for an answer have it while the endpoint closes, and begins no other', async () => {
  const server = new Server({ name: 's', version: '1' });
  server.tool('where', {}, async (_, ctx) => (await ctx.roots()).map(({ uri }) => uri).join());
  const { handler, post } = open(server);
  const session = (await post(initialize)).headers.get('mcp-session-id') as string;
  const own = { 'mcp-session-id': session };
  const call = await post({ id: 2, method: 'tools/call', params: { name: 'where' } }, own);
  const reader = (call.body as ReadableStream<Uint8Array>).getReader();
  const first = new TextDecoder().decode((await reader.read()).value);
  const question = JSON.parse(/^data: (.*)$/m.exec(first)?.[1] as string);
  const closed = handler.close();
  expect((await post({ id: 3, method: 'ping' }, own)).status).toBe(503);
  expect((await post({ id: question.id, result: { roots: [{ uri: 'file:///home' }] } }, own)).status).toBe(202);
  expect(new TextDecoder().decode((await reader.read()).value)).toContain('file:///home');
  await closed;
});

it('aborts the calls of a batch without a session when the endpoint closes', async () => {
  const aborted: unknown[] = [];
  const begun: (() => void)[] = [];
  const server = new Server({ name: 's', version: '1' });
  server.tool('wait', {}, (_, ctx) => {
    begun.shift()?.();
    return new Promise((_resolve, reject) => {
      ctx.signal.addEventListener('abort', () => {
        aborted.push(ctx.requestId);
        reject(ctx.signal.reason);
      });
    });
  });
  const { handler, post } = open(server, { sessions: false, drainMs: 0 });
  const both = Promise.all([1, 2].map(() => new Promise<void>((resolve) => begun.push(resolve))));
  const batch = post([1, 2].map((id) => ({ id, method: 'tools/call', params: { name: 'wait' } })));
  await both;
  await handler.close();
  expect(aborted).toEqual([1, 2]);
  await batch;
});

it('outlives a store that cannot tidy', async () => {
  const reported: unknown[] = [];
  const server = new Server({ name: 's', version: '1', onError: (error) => reported.push(error) });
  const store = memoryStore();
  const told = new Promise<void>((resolve) => {
    store.tidy = () => {
      resolve();
      throw new Error('no broom');
    };
  });
  const { handler, post } = open(server, { store, sessions: { idleMs: 40 } });
  await post(initialize);
  await told;
  expect((await post(initialize)).status).toBe(200);
  await handler.close();
  expect(reported).toContainEqual(expect.objectContaining({ message: 'no broom' }));
});

it.each([{ sessions: { idleMS: 5 } }, { events: { maxcount: 1 } }, { stream: 'Always' }])('refuses %j', (rules) => {
  expect(() => open(new Server({ name: 's', version: '1' }), rules as object)).toThrow(expect.objectContaining({ code: 'ERR_CONFIG' }));
});

it('closes once, however often it is asked to', () => {
  const { handler } = open(new Server({ name: 's', version: '1' }));
  expect(handler.close()).toBe(handler.close());
});

it('keeps 64 streams that nobody reads, and forgets the oldest beyond that', () => {
  const { events } = memoryStore();
  const limits = { maxCount: 10, maxAgeMs: 60_000, maxBytes: 1_000 };
  const reader = { event: () => undefined, end: () => undefined, replaced: () => undefined };
  for (let at = 0; at < 66; at++) events.begin('s', `g${at}`, limits, reader)();
  expect(events.follow('s', 'g0', 0, reader)).toBeUndefined();
  expect(events.follow('s', 'g60', 0, reader)).toBeDefined();
});
