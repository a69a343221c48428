// What a pipe makes of handlers that misbehave and of arguments that were made to hurt.

import { createContext, runInContext } from 'node:vm';
import { afterEach, describe, expect, it } from 'vitest';
import { RpcError, revisions } from 'vivarium';
import { metaKeys } from 'vivarium/protocol';
import { Server } from 'vivarium/server';
import { z } from 'zod';
import { createEverything } from '../../fixtures/everything.mjs';
import { converse, textOf, turn } from '../../jsonrpc/conversation.ts';

type Handler = Parameters<Server['tool']>[2];

const silent = (): Server => new Server({ name: 'misbehaving', version: '1.0.0', onError: () => undefined });

describe.each(revisions)('in %s', (revision) => {
  const behave = async (handler: unknown, meta?: object) => {
    const server = silent();
    server.tool('it', {}, handler as Handler);
    const talk = await converse(server, revision);
    talk.send(talk.call(1, 'it', {}, meta));
    return talk;
  };

  it.each<[string, () => unknown]>([
    ['a string', () => thrown('text')],
    ['undefined', () => thrown(undefined)],
    ['null', () => thrown(null)],
    ['an object that cannot be printed', () => thrown(Object.create(null))],
    ['an error without a message', () => thrown(new Error())],
    ['a string later', async () => thrown('text')],
    ['undefined later', () => Promise.reject()],
    ['after a turn', () => turn().then(() => thrown(new Error('late')))],
  ])('a handler that throws %s gives one result that says it failed', async (_, handler) => {
    const talk = await behave(handler);
    expect(await talk.received()).toMatchObject([{ id: 1, result: { isError: true } }]);
    await talk.alive();
  });

  it.each<[string, unknown]>([
    ['a BigInt', () => ({ content: [{ type: 'text', text: 'x', n: 1n }] })],
    ['a cycle', () => cycle()],
  ])('a result that cannot be written, %s, is an internal error', async (_, handler) => {
    const talk = await behave(handler);
    expect(await talk.received()).toMatchObject([{ id: 1, error: { code: -32603, message: 'Internal error' } }]);
    await talk.alive();
  });

  it.each<[string, unknown]>([
    ['a number', () => 7],
    ['a function', () => () => 7],
    ['a symbol', () => Symbol('x')],
    ['a list with null', () => [null]],
  ])('a result that is %s is one that says so', async (_, handler) => {
    const talk = await behave(handler);
    expect(await talk.received()).toMatchObject([{ id: 1, result: { isError: true } }]);
    await talk.alive();
  });

  it('a promise of another realm is awaited', async () => {
    const talk = await behave(runInContext('(async () => "from afar")', createContext({})));
    await turn();
    expect((await talk.received()).map(textOf)).toEqual(['from afar']);
  });

  it('anything with a then is awaited', async () => {
    // biome-ignore lint/suspicious/noThenProperty: query builders are such things
    const talk = await behave(() => ({ then: (resolve: (value: string) => void) => resolve('patience') }));
    await turn();
    expect((await talk.received()).map(textOf)).toEqual(['patience']);
  });

  it.each([-32_001, -1, 0, 1, 12_345, -31_999])('an RpcError of a handler keeps its code %i, message and data', async (code) => {
    const talk = await behave(() => thrown(new RpcError(code, 'text', { data: { any: [1] } })));
    expect(await talk.received()).toEqual([{ jsonrpc: '2.0', id: 1, error: { code, message: 'text', data: { any: [1] } } }]);
  });

  it.each([1.5, Number.NaN, Number.POSITIVE_INFINITY])('an RpcError with the code %d is an internal error', async (code) => {
    const talk = await behave(() => thrown(new RpcError(code, 'text')));
    expect(await talk.received()).toMatchObject([{ id: 1, error: { code: -32603 } }]);
  });

  it.each<[string, (signal: AbortSignal) => unknown]>([
    ['throws afterwards', (signal) => aborted(signal).then(() => thrown(new Error('too late')))],
    ['throws an RpcError afterwards', (signal) => aborted(signal).then(() => thrown(RpcError.internal()))],
    ['answers afterwards', (signal) => aborted(signal).then(() => 'too late')],
    ['never settles', () => new Promise(() => undefined)],
    ['is deaf for a while', () => turn().then(turn).then(turn)],
  ])('a cancelled handler that %s is answered by nothing', async (_, handler) => {
    const talk = await behave((_args: unknown, { signal }: { signal: AbortSignal }) => handler(signal));
    talk.cancel(1);
    for (let turns = 0; turns < 6; turns++) await turn();
    expect(await talk.received()).toEqual([]);
    await talk.alive();
  });

  it('what a handler does after its answer reaches no one', async () => {
    let later: Promise<unknown> | undefined;
    const talk = await behave(
      (_args: unknown, ctx: { progress(done: number): void }) => {
        ctx.progress(1);
        later = turn().then(() => ctx.progress(2));
        return 'done';
      },
      { progressToken: 'p' },
    );
    await later;
    const received = await talk.received();
    expect(received).toMatchObject([{ method: 'notifications/progress', params: { progress: 1 } }, { id: 1 }]);
  });

  describe('a key that was made to pollute', () => {
    afterEach(() => {
      expect(({} as { polluted?: unknown }).polluted).toBeUndefined();
    });
    const poison = '{"__proto__":{"polluted":true},"constructor":{"prototype":{"polluted":true}}}';

    it('is data, or nothing, to a tool', async () => {
      const server = createEverything();
      server.tool('bare', {}, () => 'bare');
      server.tool('loose', { input: z.looseObject({}) }, (args) => JSON.stringify(args));
      const talk = await converse(server, revision);
      for (const name of ['any', 'loose', 'bare', 'echo', 'sum']) {
        const poisons = [poison, `{"payload":${poison}}`, `{"text":"x","of":[1],"__proto__":${poison}}`];
        poisons.forEach((args, id) => {
          talk.send(JSON.stringify(talk.call(id, name, { here: true })).replace('{"here":true}', args));
        });
        expect(await talk.received()).toMatchObject(poisons.map((_, id) => ({ id, result: { content: [{ type: 'text' }] } })));
      }
      await talk.alive();
    });

    it('is harmless in _meta, and everywhere else in a request', async () => {
      const talk = await converse(createEverything(), revision);
      const call = talk.call(1, 'echo', { text: 'x' }, { here: true });
      const text = JSON.stringify(call).replace('"here":true', `"here":${poison},"__proto__":${poison}`);
      talk.send(
        text,
        text.replace('{"name"', `{"inputResponses":${poison},"__proto__":${poison},"name"`),
        text.replace('{', `{"__proto__":${poison},`),
      );
      expect((await talk.received()).map(textOf)).toEqual(['x', 'x', 'x']);
      talk.send(`{"__proto__":{"jsonrpc":"2.0","id":1,"method":"ping"}}`);
      expect(await talk.received()).toMatchObject([{ error: { code: -32600 } }]);
      await talk.alive();
    });

    it('is harmless in what a client says of itself', async () => {
      const server = createEverything();
      server.tool('who', {}, (_, ctx) => `${ctx.client.info?.name} ${ctx.can('roots')}`);
      const talk = await converse(server);
      const self = (name: string) => `{"name":"${name}","version":"1","__proto__":${poison}}`;
      const call = (id: number, more: string) => `{"jsonrpc":"2.0","id":${id},"method":"tools/call","params":{"name":"who"${more}}}`;
      const params = `{"protocolVersion":"${revision}","capabilities":${poison},"clientInfo":${self('eve')}}`;
      const meta = `{"${metaKeys.protocolVersion}":"2026-07-28","${metaKeys.clientInfo}":${self('mallory')},"${metaKeys.clientCapabilities}":${poison}}`;
      talk.send(`{"jsonrpc":"2.0","id":1,"method":"initialize","params":${params}}`, call(2, ''), call(3, `,"_meta":${meta}`));
      expect((await talk.received()).slice(1).map(textOf)).toEqual(['eve false', 'mallory false']);
    });
  });
});

describe('a validator of another realm', () => {
  it.each(['input', 'output'] as const)('is awaited on the side of the %s', async (side) => {
    const server = silent();
    const validate = runInContext('(async () => ({ issues: [{ message: "no" }] }))', createContext({}));
    const json = () => ({ type: 'object' });
    const schema = { '~standard': { version: 1, vendor: 'afar', validate, jsonSchema: { input: json, output: json } } };
    let calls = 0;
    server.tool('it', { [side]: schema }, (() => ({ calls: ++calls })) as unknown as Handler);
    const talk = await converse(server, '2025-11-25');
    talk.send(talk.call(1, 'it'));
    await turn();
    expect(await talk.received()).toMatchObject([{ id: 1, result: { isError: true } }]);
    expect(calls).toBe(side === 'input' ? 0 : 1);
  });
});

describe('a number beyond what a double holds', () => {
  const server = silent();
  const input = { type: 'object', properties: { n: { type: 'integer' } }, required: ['n'] } as const;
  server.tool('json', { input }, ({ n }) => JSON.stringify(n));
  server.tool('zod', { input: z.object({ n: z.int() }) }, ({ n }) => JSON.stringify(n));

  it.each([
    ['json', '1e309', undefined],
    ['json', '-1e309', undefined],
    ['json', '-0', '0'],
    ['json', '123456789012345678901234567890', '1.2345678901234568e+29'],
    ['json', '1e-400', '0'],
    ['json', '1.0', '1'],
    ['json', '1.5', undefined],
    ['zod', '1e309', undefined],
    ['zod', '-0', '0'],
    ['zod', '123456789012345678901234567890', undefined],
    ['zod', '1e-400', '0'],
  ])('reaches the tool %s, as %s, rounded as JSON.parse does or refused by the schema', async (name, written, seen) => {
    const talk = await converse(server, '2025-11-25');
    talk.send(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"${name}","arguments":{"n":${written}}}}`);
    const [answer] = await talk.received();
    if (seen === undefined) expect(answer).toMatchObject({ result: { isError: true } });
    else expect(textOf(answer)).toBe(seen);
    await talk.alive();
  });
});

function thrown(value: unknown): never {
  throw value;
}

function aborted(signal: AbortSignal): Promise<unknown> {
  return new Promise((resolve) => signal.addEventListener('abort', resolve));
}

function cycle(): object {
  const block: Record<string, unknown> = { type: 'text', text: 'x' };
  block['self'] = block;
  return { content: [block] };
}
