// The sealed state between rounds: whose it is, how long it is good, and that nobody can change it.
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { Principal, Server, ServerOptions } from 'vivarium/server';
import { createWire } from 'vivarium/testing';
import { z } from 'zod';
import { ask, createServer, modern, type Reply, type Told, text } from './fixture.ts';

const form = { message: 'Sure?', schema: z.object({ sure: z.boolean() }) };
const inputResponses = { k: { action: 'accept', content: { sure: true } } };
const refusal = { code: -32602, message: 'Invalid or expired requestState', data: { reason: 'invalid_request_state' } };
const key = (fill: number): Uint8Array => new Uint8Array(32).fill(fill);

function asking(options: Partial<ServerOptions> = {}): { readonly server: Server; readonly told: Told[] } {
  const made = createServer(options);
  const input = z.object({ a: z.number().optional(), b: z.object({ c: z.number(), d: z.array(z.number()) }).optional() });
  for (const name of ['it', 'other', 'once']) {
    made.server.tool(name, { input, singleUse: name === 'once' }, async (_, ctx) => (await ctx.elicit('k', form)).action);
  }
  return made;
}

interface Caller {
  readonly name?: string;
  readonly args?: object;
  readonly principal?: Principal;
}

function play(server: Server, requestState?: unknown, { name = 'it', args = {}, principal }: Caller = {}): Promise<Reply> {
  const wire = createWire(server, principal === undefined ? {} : { principal });
  const more = requestState === undefined ? {} : { requestState, inputResponses };
  return ask(wire, 'tools/call', { name, arguments: args, ...more, _meta: modern({ elicitation: {} }) });
}

const stateOf = async (server: Server, caller?: Caller): Promise<string> => (await play(server, undefined, caller)).result.requestState;
const accepted = { result: { resultType: 'complete', content: [text('accept')] } };

describe('a state that was changed', () => {
  it('is refused, whichever character it is and whichever bit of it', async () => {
    const { server, told } = asking();
    const state = await stateOf(server);
    const wire = createWire(server);
    const _meta = modern({ elicitation: {} });
    let count = 0;
    for (let at = 0; at < state.length; at++) {
      for (const bit of [1, 2, 4, 8, 16, 32, 64]) {
        const changed = state.slice(0, at) + String.fromCharCode(state.charCodeAt(at) ^ bit) + state.slice(at + 1);
        const { error } = await ask(wire, 'tools/call', { name: 'it', requestState: changed, inputResponses, _meta });
        if (error?.message !== refusal.message) expect.fail(`bit ${bit} of character ${at} of ${state.length} was not seen`);
        count++;
      }
    }
    expect(told).toHaveLength(count);
    expect(await play(server, state)).toMatchObject(accepted);
  });

  it('is refused when it was cut anywhere or grew', async () => {
    const { server } = asking();
    const state = await stateOf(server);
    for (let length = 0; length < state.length; length += 7)
      expect((await play(server, state.slice(0, length))).error).toMatchObject(refusal);
    for (const more of ['A', '=', '.', '.x', ' ', '\n']) expect((await play(server, state + more)).error).toMatchObject(refusal);
    expect((await play(server, ` ${state}`)).error).toMatchObject(refusal);
  });

  it.each<[string, unknown]>([
    ['nothing', ''],
    ['garbage', 'garbage'],
    ['no base64', 'v2.AAAAAAAA.äöü'],
    ['a megabyte', 'x'.repeat(1_048_576)],
    ['a megabyte in its form', `v2.AAAAAAAA.${'A'.repeat(1_048_576)}`],
    ['a megabyte of dots', '.'.repeat(1_048_576)],
    ['a number', 5],
    ['null', null],
    ['an object', { __proto__: null, toString: 1 }],
  ])('is refused when it is %s', async (_, state) => {
    const { server, told } = asking();
    expect((await play(server, state)).error).toMatchObject(state === null ? { code: -32602 } : refusal);
    expect(told.length).toBeLessThanOrEqual(1);
  });
});

describe('a state', () => {
  it('says nothing to the client, nor why it was refused, which only the author learns', async () => {
    const { server, told } = asking();
    const state = await stateOf(server, { args: { a: 1234 } });
    expect(state).toMatch(/^v2\.[\w-]+\.[\w-]+$/);
    expect(Buffer.from(state.split('.')[2] as string, 'base64url').toString('latin1')).not.toContain('1234');
    const { error } = await play(server, state, { name: 'other', args: { a: 1234 } });
    expect(error).toEqual(refusal);
    expect(String(told[0]?.error)).toContain('of another call');
  });

  it.each<[string, Caller, Caller]>([
    ['another tool', {}, { name: 'other' }],
    ['other arguments', { args: { a: 1 } }, { args: { a: 2 } }],
    ['no arguments', { args: { a: 1 } }, {}],
    ['another principal', { principal: { id: 'ada', scopes: [] } }, { principal: { id: 'bob', scopes: [] } }],
    ['nobody', { principal: { id: 'ada', scopes: [] } }, {}],
    ['somebody', {}, { principal: { id: 'ada', scopes: [] } }],
  ])('is not good for %s', async (_, first, second) => {
    const { server } = asking();
    const state = await stateOf(server, first);
    expect((await play(server, state, second)).error).toEqual(refusal);
    expect(await play(server, state, first)).toMatchObject(accepted);
  });

  it('is good for the same arguments in another order', async () => {
    const { server } = asking();
    const state = await stateOf(server, { args: { a: 1, b: { c: 2, d: [3, 4] } } });
    expect(await play(server, state, { args: { b: { d: [3, 4], c: 2 }, a: 1 } })).toMatchObject(accepted);
    expect((await play(server, state, { args: { b: { d: [4, 3], c: 2 }, a: 1 } })).error).toEqual(refusal);
  });

  it('is good on another connection of the same caller', async () => {
    const { server } = asking();
    const ada = { principal: { id: 'ada', scopes: [] } };
    expect(await play(server, await stateOf(server, ada), { principal: { id: 'ada', scopes: ['more'] } })).toMatchObject(accepted);
  });

  it('is not good for a server with another key', async () => {
    expect((await play(asking().server, await stateOf(asking().server))).error).toEqual(refusal);
    const [one, two] = [asking({ asking: { key: key(1) } }), asking({ asking: { key: key(2) } })];
    expect((await play(two.server, await stateOf(one.server))).error).toEqual(refusal);
  });

  it('is good for every server that has its key, also when that is no longer the newest', async () => {
    const state = await stateOf(asking({ asking: { key: key(1) } }).server);
    expect(await play(asking({ asking: { key: key(1) } }).server, state)).toMatchObject(accepted);
    const rotated = asking({ asking: { key: [key(2), key(1)] } }).server;
    expect(await play(rotated, state)).toMatchObject(accepted);
    const fresh = await stateOf(rotated);
    expect(await play(asking({ asking: { key: key(2) } }).server, fresh)).toMatchObject(accepted);
    expect((await play(asking({ asking: { key: key(1) } }).server, fresh)).error).toEqual(refusal);
  });

  it('may be presented twice, unless the tool says otherwise', async () => {
    const { server } = asking();
    const state = await stateOf(server);
    for (let time = 0; time < 3; time++) expect(await play(server, state)).toMatchObject(accepted);
    const single = await stateOf(server, { name: 'once' });
    expect(await play(server, single, { name: 'once' })).toMatchObject(accepted);
    const { error } = await play(server, single, { name: 'once' });
    expect(error).toEqual({ ...refusal, message: 'requestState was already used' });
  });

  it('that is good once is given to one of many who come together', async () => {
    const { server } = asking();
    const state = await stateOf(server, { name: 'once' });
    const answers = await Promise.all(Array.from({ length: 20 }, () => play(server, state, { name: 'once' })));
    expect(answers.filter(({ error }) => error === undefined)).toHaveLength(1);
  });

  it('that is not good uses nothing up', async () => {
    const { server } = asking();
    const state = await stateOf(server, { name: 'once' });
    await play(server, state, { name: 'once', principal: { id: 'eve', scopes: [] } });
    expect(await play(server, state, { name: 'once' })).toMatchObject(accepted);
  });
});

describe('time', () => {
  beforeEach(() => void vi.useFakeTimers({ toFake: ['Date'] }));
  afterEach(() => void vi.useRealTimers());

  it('ends a state', async () => {
    const { server, told } = asking({ asking: { ttlMs: 1_000 } });
    const state = await stateOf(server);
    vi.setSystemTime(Date.now() + 999);
    expect(await play(server, state)).toMatchObject(accepted);
    vi.setSystemTime(Date.now() + 1);
    expect((await play(server, state)).error).toEqual(refusal);
    expect(String(told[0]?.error)).toContain('expired');
  });

  it('begins anew with every round', async () => {
    const { server } = createServer({ asking: { ttlMs: 1_000 } });
    server.tool('it', {}, async (_, ctx) => {
      await ctx.elicit('k', form);
      return (await ctx.elicit('l', { ...form, message: 'Really?' })).action;
    });
    const first = await stateOf(server);
    vi.setSystemTime(Date.now() + 900);
    const { requestState } = (await play(server, first)).result;
    vi.setSystemTime(Date.now() + 900);
    expect((await play(server, requestState)).result.resultType).toBe('input_required');
    expect((await play(server, first)).error).toEqual(refusal);
  });
});
