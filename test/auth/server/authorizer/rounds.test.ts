// Questions of 2026-07-28 over HTTP: their state is good for one user and one call, and answers are taken for what they are.
import { describe, expect, it } from 'vitest';
import { bearer } from 'vivarium/auth';
import { metaKeys } from 'vivarium/protocol';
import type { Server, ServerOptions } from 'vivarium/server';
import { z } from 'zod';
import { type Answer, type Door, type Doorway, doors, type Json, modern } from '../../../serve/http.ts';
import { createServer } from '../../../server/fixture.ts';

const tokens = { a: 'the-token-of-user-a', b: 'the-token-of-user-b', c: 'another-token-of-user-a' };
const [byA, byB, byC] = [tokens.a, tokens.b, tokens.c].map((token) => ({ authorization: `Bearer ${token}` })) as [object, object, object];
const auth = bearer({ [tokens.a]: { id: 'a' }, [tokens.b]: { id: 'b' }, [tokens.c]: { id: 'a' } });
const meta = { [metaKeys.clientCapabilities]: { elicitation: {} } };
const accepted = { k: { action: 'accept', content: { sure: true } } };
const refusal = { code: -32602, message: 'Invalid or expired requestState', data: { reason: 'invalid_request_state' } };

interface Made {
  readonly server: Server;
  readonly told: readonly { readonly error: unknown }[];
  readonly ran: string[];
}

function asking(options: Partial<ServerOptions> = {}): Made {
  const { server, told } = createServer(options);
  const ran: string[] = [];
  const input = z.object({ a: z.number().optional() });
  const form = { message: 'Sure?', schema: z.object({ sure: z.boolean() }) };
  for (const name of ['it', 'other', 'once']) {
    server.tool(name, { input, singleUse: name === 'once' }, async (_, ctx) => {
      const { action, ...more } = await ctx.elicit('k', form);
      ran.push(`${name} by ${ctx.principal?.id}`);
      return JSON.stringify({ action, ...more });
    });
  }
  server.prompt('it', {}, async (_, ctx) => (await ctx.elicit('k', form)).action);
  return { server, told, ran };
}

interface Round {
  readonly by?: object;
  readonly method?: string;
  readonly name?: string;
  readonly args?: object;
  readonly state?: unknown;
  readonly responses?: unknown;
}

function play(door: Door, { by = byA, method = 'tools/call', name = 'it', args = {}, state, responses }: Round = {}): Promise<Answer> {
  const more = { ...(state !== undefined && { requestState: state }), ...(responses !== undefined && { inputResponses: responses }) };
  return door.send(modern(method, { name, arguments: args, ...more }, { ...by }, meta));
}

async function begin(open: Doorway, made: Made, round: Round = {}): Promise<{ readonly door: Door; readonly state: string }> {
  const door = await open(made.server, { auth });
  const { json } = await play(door, round);
  expect(json.result).toMatchObject({ resultType: 'input_required', inputRequests: { k: { method: 'elicitation/create' } } });
  return { door, state: json.result.requestState };
}

const done = { result: { resultType: 'complete', content: [{ text: '{"action":"accept","content":{"sure":true}}' }], isError: false } };

describe.each(doors)('A25: a requestState at %s', (_, open) => {
  it('is good for its user, with whichever token', async () => {
    const made = asking();
    const { door, state } = await begin(open, made);
    expect((await play(door, { by: byC, state, responses: accepted })).json).toMatchObject(done);
    expect(made.ran).toEqual(['it by a']);
  });

  it.each<[string, Round]>([
    ['another user', { by: byB }],
    ['another tool', { name: 'other' }],
    ['other arguments', { args: { a: 1 } }],
    ['another method', { method: 'prompts/get' }],
  ])('is refused for %s, and still good for its own call', async (_what, round) => {
    const made = asking();
    const { door, state } = await begin(open, made);
    const answer = await play(door, { state, responses: accepted, ...round });
    expect([answer.status, answer.json.error]).toEqual([200, refusal]);
    expect(made.ran).toEqual([]);
    // Its author is told why, the caller is not.
    expect(String(made.told[0]?.error)).toContain('requestState refused');
    expect((await play(door, { state, responses: accepted })).json).toMatchObject(done);
  });

  it('is refused with one bit flipped, cut, grown or made up', async () => {
    const made = asking();
    const { door, state } = await begin(open, made);
    const middle = Math.floor(state.length / 2);
    const flipped = state.slice(0, middle) + String.fromCharCode(state.charCodeAt(middle) ^ 1) + state.slice(middle + 1);
    for (const changed of [flipped, state.slice(0, -1), `${state}A`, '', 'v2.AAAAAAAA.AAAA', 7, null, {}, '__proto__']) {
      expect([changed, (await play(door, { state: changed, responses: accepted })).code]).toEqual([changed, -32602]);
    }
    expect(made.ran).toEqual([]);
  });

  it('is refused when it is too old', async () => {
    const made = asking({ asking: { ttlMs: 1 } });
    const { door, state } = await begin(open, made);
    const again = async (): Promise<unknown> => (await play(door, { state, responses: accepted })).json.error;
    await expect.poll(again).toEqual(refusal);
  });

  it('is good under an old key that is still listed, and not under one that is not', async () => {
    const key = (fill: number): Uint8Array => new Uint8Array(32).fill(fill);
    const made = asking({ asking: { key: key(1) } });
    const { state } = await begin(open, made);
    const rotated = await open(asking({ asking: { key: [key(2), key(1)] } }).server, { auth });
    expect((await play(rotated, { state, responses: accepted })).json).toMatchObject(done);
    const forgotten = await open(asking({ asking: { key: [key(2), key(3)] } }).server, { auth });
    expect((await play(forgotten, { state, responses: accepted })).json.error).toEqual(refusal);
  });

  it('counts once where that was declared, and is not used up by a stranger', async () => {
    const made = asking();
    const { door, state } = await begin(open, made, { name: 'once' });
    const round = { name: 'once', state, responses: accepted };
    expect((await play(door, { ...round, by: byB })).json.error).toEqual(refusal);
    const both = await Promise.all([play(door, round), play(door, { ...round, by: byC })]);
    expect(both.map(({ json }): Json => json.error?.message ?? 'done').sort()).toEqual(['done', 'requestState was already used']);
    expect(made.ran).toEqual(['once by a']);
    // Elsewhere a round may be played again: the client may not have got the answer.
    const { json } = await play(door);
    const again = { state: json.result.requestState, responses: accepted };
    for (const _round of [1, 2]) expect((await play(door, again)).json).toMatchObject(done);
  });
});

describe.each(doors)('A27: inputResponses at %s', (_, open) => {
  it('with keys nobody asked for are left alone, and those asked for count', async () => {
    const made = asking();
    const { door, state } = await begin(open, made);
    const responses = JSON.parse('{"x":{"action":"accept"},"__proto__":{"polluted":true},"constructor":{"prototype":{"polluted":true}}}');
    expect((await play(door, { state, responses: { ...responses, ...accepted } })).json).toMatchObject(done);
    expect(({} as Json).polluted).toBeUndefined();
  });

  it('without the key are asked for again', async () => {
    const made = asking();
    const { door, state } = await begin(open, made);
    for (const responses of [
      {},
      { x: accepted.k },
      undefined,
      JSON.parse('{"__proto__":{"k":{"action":"accept","content":{"sure":true}}}}'),
    ]) {
      const { json } = await play(door, { state, responses });
      expect(json.result).toMatchObject({ resultType: 'input_required', inputRequests: { k: { method: 'elicitation/create' } } });
    }
    expect(made.ran).toEqual([]);
  });

  it.each<[string, unknown]>([
    ['a list', []],
    ['a string', 'accept'],
    ['a number', 7],
    ['null', null],
  ])('that are %s are refused', async (_what, responses) => {
    const made = asking();
    const { door, state } = await begin(open, made);
    expect(await play(door, { state, responses })).toMatchObject({ code: -32602 });
    expect(made.ran).toEqual([]);
  });

  it.each<[string, unknown]>([
    ['a sampled message', { role: 'assistant', content: { type: 'text', text: 'yes' }, model: 'm' }],
    ['a list of roots', { roots: [] }],
    ['an unknown action', { action: 'maybe' }],
    ['an action from a prototype', JSON.parse('{"__proto__":{"action":"accept","content":{"sure":true}}}')],
    ['null', null],
    ['a string', 'accept'],
  ])('with %s for a form are refused with -32602 and not taken for an answer', async (_what, k) => {
    const made = asking();
    const { door, state } = await begin(open, made);
    const answer = await play(door, { state, responses: { k } });
    expect(answer.json.error?.code).toBe(-32602);
    expect(made.ran).toEqual([]);
    expect((await play(door, { state, responses: accepted })).json).toMatchObject(done);
  });

  it.each([{}, { content: { sure: 'very' } }, { content: [] }])('with a form filled in wrongly tell the model: %j', async (content) => {
    const made = asking();
    const { door, state } = await begin(open, made);
    const { json } = await play(door, { state, responses: { k: { action: 'accept', ...content } } });
    expect(json.result).toMatchObject({ isError: true, content: [{ text: expect.stringContaining('The answer to "k" does not fit') }] });
    expect(made.ran).toEqual([]);
  });
});
