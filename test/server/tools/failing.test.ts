// What becomes of everything a tool may throw, and of values that do not fit.
import { describe, expect, it } from 'vitest';
import { RpcError, result, type Server, ToolError } from 'vivarium/server';
import { createWire } from 'vivarium/testing';
import { z } from 'zod';
import { legacy, matrix } from '../../matrix/matrix.ts';
import { ask, createServer, modern, openWire, type Reply, text } from '../fixture.ts';

type Options = Parameters<typeof createServer>[0];

/** The same throw from a synchronous and from an asynchronous handler. */
function throwing(thrown: () => unknown, options: Options = {}): ReturnType<typeof createServer> {
  const made = createServer(options);
  made.server.tool('sync', {}, () => {
    throw thrown();
  });
  made.server.tool('async', {}, async () => {
    await undefined;
    throw thrown();
  });
  return made;
}

async function call(server: Server, name: string): Promise<Reply> {
  return ask(await openWire(server), 'tools/call', { name });
}

describe('a ToolError', () => {
  matrix('is what the model reads', {}, async ({ connect }) => {
    const { server, told } = throwing(() => new ToolError('No note b. Known: a'));
    const link = await connect(server);
    for (const name of ['sync', 'async']) {
      const answer = (await link.call(name)).result;
      expect(answer).toMatchObject({ content: [text('No note b. Known: a')], isError: true });
      expect(answer).not.toHaveProperty('structuredContent');
    }
    expect(told).toEqual([]);
  });

  matrix('carries blocks, a structured value and _meta', {}, async ({ connect, revision }) => {
    const sound = { type: 'audio', data: 'AQID', mimeType: 'audio/wav' } as const;
    const { server } = throwing(
      () => new ToolError('no', { content: [sound], structured: { known: ['a'] }, meta: { 'example.org/tray': 2 } }),
    );
    const answer = (await (await connect(server)).call('sync')).result;
    expect(answer.content[0]).toEqual(text('no'));
    expect(answer.content[1].type).toBe(revision === '2024-11-05' ? 'resource' : 'audio');
    expect(answer.structuredContent).toEqual(revision >= '2025-06-18' ? { known: ['a'] } : undefined);
    expect(answer._meta).toMatchObject({ 'example.org/tray': 2 });
  });

  it('is not masked', async () => {
    const { server } = throwing(() => new ToolError('for the model'), { errors: 'masked' });
    expect((await call(server, 'sync')).result.content).toEqual([text('for the model')]);
  });

  it('cannot carry a block that the protocol does not know', async () => {
    const { server } = throwing(() => new ToolError('no', { content: [{ type: 'video' } as never] }));
    const answer = (await call(server, 'sync')).result;
    expect(answer.isError).toBe(true);
    expect(answer.content.map(({ type }: { type: string }) => type)).not.toContain('video');
  });
});

describe('an RpcError', () => {
  matrix('is a protocol error, as thrown', {}, async ({ connect }) => {
    const { server, told } = throwing(() => new RpcError(1234, 'Out of paper', { data: { tray: 2 }, cause: new Error('private') }));
    const link = await connect(server);
    for (const name of ['sync', 'async']) {
      expect((await link.call(name)).error).toEqual({ code: 1234, message: 'Out of paper', data: { tray: 2 } });
    }
    expect(told).toEqual([]);
  });

  it.each([
    [RpcError.invalidParams('a is odd'), -32602],
    [RpcError.invalidRequest('no'), -32600],
    [RpcError.methodNotFound('x'), -32601],
    [RpcError.parseError('x'), -32700],
    [RpcError.internal(), -32603],
    [RpcError.missingCapability({ roots: {} }), -32021],
  ])('keeps its code: %s', async (error, code) => {
    const { server } = throwing(() => error);
    const answer = await call(server, 'sync');
    expect(answer.result).toBeUndefined();
    expect(answer.error).toEqual(error.toObject());
    expect(answer.error.code).toBe(code);
  });

  it.each(legacy)('for a missing resource has the code of %s', async (revision) => {
    const { server } = throwing(() => RpcError.resourceNotFound('a:b'));
    const expected = { message: 'Resource not found', data: { uri: 'a:b' } };
    expect((await ask(await openWire(server, revision), 'tools/call', { name: 'sync' })).error).toEqual({ code: -32002, ...expected });
    expect((await ask(createWire(server), 'tools/call', { name: 'async', _meta: modern() })).error).toEqual({ code: -32602, ...expected });
  });

  it.each([Number.NaN, 1.5, '7' as unknown as number])('with the code %s is an internal error', async (code) => {
    const { server } = throwing(() => new RpcError(code, 'odd'));
    expect((await call(server, 'sync')).error).toEqual({ code: -32603, message: 'Internal error' });
  });

  it.each([() => ({ n: 1n }), circular])('whose data cannot be written is an internal error', async (data) => {
    const { server } = throwing(() => new RpcError(5, 'x', { data: data() }));
    expect((await call(server, 'async')).error).toEqual({ code: -32603, message: 'Internal error' });
  });
});

describe('an Error', () => {
  matrix('shows its message and nothing else', {}, async ({ connect }) => {
    const { server, told } = throwing(() => new TypeError('it broke', { cause: new Error('private') }));
    const link = await connect(server);
    for (const name of ['sync', 'async']) {
      const answer = (await link.call(name)).result;
      expect(answer).toMatchObject({ content: [text('it broke')], isError: true });
      expect(JSON.stringify(answer)).not.toMatch(/private|TypeError|\.ts:/);
    }
    expect(told.map(({ info }) => info)).toEqual([
      { method: 'tools/call', name: 'sync' },
      { method: 'tools/call', name: 'async' },
    ]);
    expect(told[0]?.error).toBeInstanceOf(TypeError);
  });

  matrix('is masked with a reference that the author is told', {}, async ({ connect }) => {
    const { server, told } = throwing(() => new Error('password: 1234'), { errors: 'masked' });
    const link = await connect(server);
    const shown = [(await link.call('sync')).result, (await link.call('async')).result];
    expect(shown.map(({ isError }) => isError)).toEqual([true, true]);
    const refs = told.map(({ info }) => info.ref as string);
    expect(shown.map(({ content }) => content[0].text)).toEqual([
      `Tool "sync" failed (ref ${refs[0]})`,
      `Tool "async" failed (ref ${refs[1]})`,
    ]);
    for (const ref of refs) expect(ref).toMatch(/^[0-9a-f]{6,}$/);
    expect(refs[0]).not.toBe(refs[1]);
  });

  it('without a message names the tool', async () => {
    expect((await call(throwing(() => new Error()).server, 'sync')).result.content).toEqual([text('Tool "sync" failed')]);
  });

  it('does no harm to a reporter that fails', async () => {
    const { server } = throwing(() => new Error('it broke'), {
      onError: () => {
        throw new Error('the log is full');
      },
    });
    expect((await call(server, 'sync')).result.content).toEqual([text('it broke')]);
  });
});

describe.each([
  ['nothing', () => undefined],
  ['null', () => null],
  ['a string', () => 'a secret'],
  ['a number', () => 0],
  ['a frozen object', () => Object.freeze({ message: 'a secret' })],
  ['a symbol', () => Symbol('a secret')],
  ['an object without a prototype', () => Object.create(null)],
  ['an error whose message cannot be read', () => Object.defineProperty(new Error('x'), 'message', { get: () => JSON.parse('{') })],
  ['an error whose message is an object', () => Object.defineProperty(new Error('x'), 'message', { value: { a: 1 } })],
  ['a proxy that answers nothing', revoked],
])('%s, thrown', (_, thrown) => {
  it.each(['sync', 'async'])('fails the %s tool without saying more', async (name) => {
    const { server, told } = throwing(thrown);
    const { error, result: answer } = await call(server, name);
    expect(error).toBeUndefined();
    expect(answer).toEqual({ content: [text(`Tool "${name}" failed`)], isError: true });
    expect(told).toHaveLength(1);
    expect(told[0]?.info).toEqual({ method: 'tools/call', name });
  });

  it('is masked like any other', async () => {
    const { server, told } = throwing(thrown, { errors: 'masked' });
    const { result: answer } = await call(server, 'sync');
    expect(answer?.content).toEqual([text(`Tool "sync" failed (ref ${told[0]?.info.ref})`)]);
  });
});

describe('arguments that do not fit', () => {
  matrix('are a result with isError and the place, in every revision', {}, async ({ connect }) => {
    const { server, told } = createServer();
    let ran = false;
    const note = () => {
      ran = true;
    };
    server.tool('zod', { input: z.object({ at: z.object({ x: z.number() }) }) }, note);
    const x = { type: 'object', properties: { x: { type: 'number' } }, required: ['x'] } as const;
    server.tool('literal', { input: { type: 'object', properties: { at: x }, required: ['at'] } }, note);
    const link = await connect(server);
    for (const name of ['zod', 'literal']) {
      const { result: answer } = await link.call(name, { at: { x: 'one' } });
      expect(answer.isError).toBe(true);
      expect(answer.content[0].text).toContain(`Invalid arguments for tool "${name}": /at/x`);
      expect((await link.request('tools/call', { name })).result.content[0].text).toContain('/at');
    }
    expect(ran).toBe(false);
    expect(told).toEqual([]);
  });

  it('may make a refinement of the author throw', async () => {
    const { server, told } = createServer();
    server.tool('it', { input: z.object({ a: z.string().refine((value) => JSON.parse(value)) }) }, () => 'ran');
    const wire = await openWire(server);
    const { result: answer } = await ask(wire, 'tools/call', { name: 'it', arguments: { a: '{' } });
    expect(answer.isError).toBe(true);
    expect(told).toHaveLength(1);
  });
});

describe('a structured value that does not fit', () => {
  matrix('is a result with isError and the place, and the author is told', {}, async ({ connect }) => {
    const { server, told } = createServer();
    const output = z.object({ sum: z.number() });
    server.tool('plain', { output }, () => ({ sum: 'many' }) as never);
    server.tool('wrapped', { output }, async () => result({ sum: 'many' }) as never);
    server.tool('literal', { output: { type: 'object', properties: { sum: { type: 'number' } } } }, () => ({ sum: 'many' }) as never);
    server.tool('nothing', { output }, () => undefined as never);
    const link = await connect(server);
    for (const name of ['plain', 'wrapped', 'literal', 'nothing']) {
      const { result: answer } = await link.call(name);
      expect(answer.isError).toBe(true);
      expect(answer.content).toHaveLength(1);
      expect(answer.content[0].text).toContain(`Tool "${name}" returned a result that does not match its output schema: `);
      expect(answer.content[0].text).toContain(name === 'nothing' ? '(root)' : '/sum');
      expect(answer).not.toHaveProperty('structuredContent');
    }
    expect(told.map(({ info }) => info.name)).toEqual(['plain', 'wrapped', 'literal', 'nothing']);
  });
});

function circular(): object {
  const one: Record<string, unknown> = {};
  one['self'] = one;
  return one;
}

function revoked(): object {
  const { proxy, revoke } = Proxy.revocable({}, {});
  revoke();
  return proxy;
}
