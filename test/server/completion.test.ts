// Completion: values for arguments of prompts and variables of templates, a hundred at most.
import { describe, expect, it } from 'vitest';
import { type Completer, type Principal, RpcError, ToolError } from 'vivarium/server';
import { z } from 'zod';
import { matrix, pipes, since } from '../matrix/matrix.ts';
import { ask, createServer, openWire } from './fixture.ts';

const prompt = { type: 'ref/prompt', name: 'review' };
const template = { type: 'ref/resource', uri: 'note:///{id}{?rev}' };

/** A prompt and a template whose first argument is completed so. */
function completing(completer: Completer, options: object = {}): ReturnType<typeof createServer> {
  const made = createServer();
  const input = z.object({ language: z.string(), code: z.string().optional() });
  made.server.prompt('review', { input, complete: { language: completer }, ...options }, () => 'x');
  made.server.resource('note:///{id}{?rev}', { complete: { id: completer }, ...options }, () => 'x');
  made.server.resource('note:///fixed', options, () => 'x');
  return made;
}

const words = ['lisp', 'lua', 'ts'];
const starting: Completer = (value) => words.filter((word) => word.startsWith(value));
const language = (value: string) => ({ ref: prompt, argument: { name: 'language', value } });
const id = (value: string) => ({ ref: template, argument: { name: 'id', value } });

describe('a completion', () => {
  matrix('is made for prompts and for templates, now or later', {}, async ({ connect }) => {
    for (const completer of [starting, async (value: string) => starting(value, undefined as never)]) {
      const link = await connect(completing(completer).server);
      for (const params of [language('l'), id('l')]) {
        const { result } = await link.request('completion/complete', params);
        expect(result.completion).toEqual({ values: ['lisp', 'lua'], total: 2, hasMore: false });
      }
      const { result } = await link.request('completion/complete', language('x'));
      expect(result.completion).toEqual({ values: [], total: 0, hasMore: false });
    }
  });

  matrix('is empty where no one can make it', {}, async ({ connect }) => {
    const link = await connect(completing(starting).server);
    const nothing = { values: [], total: 0, hasMore: false };
    for (const name of ['code', 'toString', '__proto__', '']) {
      const { result } = await link.request('completion/complete', { ref: prompt, argument: { name, value: 'l' } });
      expect(result.completion).toEqual(nothing);
    }
    const rev = await link.request('completion/complete', { ref: template, argument: { name: 'rev', value: '' } });
    expect(rev.result.completion).toEqual(nothing);
    const fixed = { ref: { type: 'ref/resource', uri: 'note:///fixed' }, argument: { name: 'id', value: '' } };
    expect((await link.request('completion/complete', fixed)).result.completion).toEqual(nothing);
  });

  matrix('knows what has been filled in so far', { revisions: since('2025-06-18') }, async ({ connect, revision }) => {
    const seen: unknown[] = [];
    const { server } = completing((value, ctx) => {
      seen.push([value, { ...ctx.arguments }, ctx.revision, ctx.can('roots'), ctx.signal.aborted]);
      return [];
    });
    const link = await connect(server, { capabilities: { roots: {} } });
    await link.request('completion/complete', { ...language('a'), context: { arguments: { code: 'x', odd: 5, __proto__: null } } });
    await link.request('completion/complete', { ...id('b'), context: {} });
    await link.request('completion/complete', id('c'));
    expect(seen).toEqual([
      ['a', { code: 'x' }, revision, true, false],
      ['b', {}, revision, true, false],
      ['c', {}, revision, true, false],
    ]);
  });

  it.each([
    [99, 99, false],
    [100, 100, false],
    [101, 100, true],
    [10_000, 100, true],
  ])('of %i values has %i', async (total, length, hasMore) => {
    const all = Array.from({ length: total }, (_, at) => `v${at}`);
    const { result } = await ask(await openWire(completing(() => all).server), 'completion/complete', language(''));
    expect(result.completion).toEqual({ values: all.slice(0, length), total, hasMore });
  });

  it('takes a value of a million characters', async () => {
    const { server } = completing((value) => [`${value.length}`]);
    const { result } = await ask(await openWire(server), 'completion/complete', language('x'.repeat(1_000_000)));
    expect(result.completion.values).toEqual(['1000000']);
  });
});

describe('a completion that cannot be', () => {
  matrix('is refused for what is not there', {}, async ({ connect }) => {
    const link = await connect(completing(starting).server);
    const argument = { name: 'language', value: '' };
    const refs = [
      { type: 'ref/prompt', name: 'nobody' },
      { type: 'ref/prompt', name: 'toString' },
      { type: 'ref/prompt', uri: 'note:///{id}{?rev}' },
      { type: 'ref/prompt', name: 5 },
      { type: 'ref/resource', uri: 'note:///{id}' },
      { type: 'ref/resource', uri: 'note:///a' },
      { type: 'ref/resource', name: 'review' },
      { type: 'ref/tool', name: 'review' },
      { type: 'ref/prompt', name: 'x'.repeat(100_000) },
      {},
    ];
    for (const ref of refs) {
      const { error } = await link.request('completion/complete', { ref, argument });
      expect(error).toMatchObject({ code: -32602, data: { details: expect.stringContaining('Nothing to complete: unknown') } });
      expect(JSON.stringify(error).length).toBeLessThan(1_000);
    }
  });

  matrix('is refused for parameters that are none', {}, async ({ connect }) => {
    const link = await connect(completing(starting).server);
    const bad = [
      {},
      { ref: prompt },
      { argument: language('').argument },
      { ref: prompt, argument: {} },
      { ref: prompt, argument: { name: 'language' } },
      { ref: prompt, argument: { name: 'language', value: 5 } },
      { ref: prompt, argument: 'language' },
      { ref: 'review', argument: language('').argument },
      { ...language(''), context: 5 },
    ];
    for (const params of bad) expect((await link.request('completion/complete', params)).error?.code).toBe(-32602);
  });

  matrix('fails as its completer does', {}, async ({ connect }) => {
    const outcomes: [unknown, object, number][] = [
      [new RpcError(5, 'no', { data: 1 }), { code: 5, message: 'no', data: 1 }, 0],
      [new ToolError('Not now'), { code: -32603, message: 'Not now' }, 0],
      [new Error('password'), { code: -32603, message: 'Internal error' }, 1],
      [undefined, { code: -32603, message: 'Internal error' }, 1],
    ];
    for (const [thrown, error, times] of outcomes) {
      for (const completer of [
        () => Promise.reject(thrown),
        () => {
          throw thrown;
        },
      ]) {
        const { server, told } = completing(completer);
        expect((await (await connect(server)).request('completion/complete', id(''))).error).toEqual(error);
        expect(told.map(({ info }) => info.method)).toEqual(Array(times).fill('completion/complete'));
      }
    }
  });

  it('is an internal error when the completer returns no list', async () => {
    const { server, told } = completing(() => undefined as never);
    expect((await ask(await openWire(server), 'completion/complete', id(''))).error.code).toBe(-32603);
    expect(told).toHaveLength(1);
  });
});

describe('who may complete', () => {
  const bob: Principal = { id: 'bob', scopes: ['read'] };
  const fixed = { ref: { type: 'ref/resource', uri: 'note:///fixed' }, argument: { name: 'id', value: '' } };

  matrix('is who may see it', {}, async ({ connect }) => {
    const { server } = completing(starting, { visible: (principal?: Principal) => principal?.id === 'ada' });
    const ada = await connect(server, { principal: { id: 'ada', scopes: [] } });
    const other = await connect(server, { principal: bob });
    for (const params of [language(''), id(''), fixed]) {
      expect((await ada.request('completion/complete', params)).error).toBeUndefined();
      expect((await other.request('completion/complete', params)).error?.code).toBe(-32602);
    }
  });

  // Over HTTP there is no local user, who has them all.
  matrix('is who has the scopes', { transports: pipes }, async ({ connect }) => {
    let ran = 0;
    const { server } = completing(() => [`${++ran}`], { scopes: ['write'] });
    const link = await connect(server, { principal: bob });
    for (const params of [language(''), id('')]) {
      const { error } = await link.request('completion/complete', params);
      expect(error).toEqual({ code: 403, message: 'Forbidden', data: { scopes: ['write'] } });
    }
    expect(ran).toBe(0);
    expect((await (await connect(server)).request('completion/complete', id(''))).result.completion.values).toEqual(['1']);
  });
});

matrix('the capability is declared where there is a completer', {}, async ({ connect, revision }) => {
  const { server } = createServer();
  const bare = server.resource('note:///{id}', {}, () => 'x');
  const declared = async () => {
    const link = await connect(server, { bare: true });
    const { result } = revision === '2026-07-28' ? await link.request('server/discover') : await link.initialize();
    return { link, completions: result.capabilities.completions };
  };
  const { link, completions } = await declared();
  expect(completions).toBeUndefined();
  expect((await link.request('completion/complete', id(''))).error?.code).toBe(-32601);
  bare.remove();
  server.resource('note:///{id}', { complete: { id: starting } }, () => 'x');
  expect((await declared()).completions).toEqual({});
});
