// What a call keeps between its rounds, carried to a server, a caller, a tool or a time that it is not for.
import { afterEach, describe, expect, it, vi } from 'vitest';
import type { Principal, Server } from 'vivarium/server';
import { createWire } from 'vivarium/testing';
import { z } from 'zod';
import { coreOf } from '../../../src/server/core.ts';
import { memoryStore, type Store } from '../../../src/store/memory.ts';
import { ask, createServer, modern, type Reply, text } from '../../server/fixture.ts';

const refusal = { code: -32602, message: 'Invalid or expired requestState', data: { reason: 'invalid_request_state' } };
const key = new Uint8Array(32).fill(7);

function named(name: string, { version = '1.0.0', store, length = 0 }: { version?: string; store?: Store; length?: number } = {}): Server {
  const { server } = createServer({ name, version, ...(store === undefined && { asking: { key } }) });
  if (store !== undefined) coreOf(server).vault = store;
  for (const tool of ['delete', 'other']) {
    server.tool(tool, {}, async (_, ctx) => {
      await ctx.once('kept', () => 'x'.repeat(length));
      return (await ctx.elicit('sure', { message: 'Sure?', schema: z.object({}) })).action;
    });
  }
  return server;
}

function play(server: Server, requestState?: unknown, principal?: Principal, name = 'delete'): Promise<Reply> {
  const more = requestState === undefined ? {} : { requestState, inputResponses: { sure: { action: 'accept', content: {} } } };
  const wire = createWire(server, principal === undefined ? {} : { principal });
  return ask(wire, 'tools/call', { name, ...more, _meta: modern({ elicitation: {} }) });
}

const stateOf = async (server: Server, principal?: Principal): Promise<string> =>
  (await play(server, undefined, principal)).result.requestState;
const accepted = { result: { resultType: 'complete', content: [text('accept')] } };

afterEach(() => void vi.useRealTimers());

describe('sealed state', () => {
  it.each([0, 50_000])('of one server is refused by another that shares its key (%i characters kept)', async (length) => {
    const store = memoryStore();
    for (const shared of [{ length }, { length, store }]) {
      const own = named('notes', shared);
      if (length > 0 && shared.store === undefined) coreOf(own).vault = memoryStore();
      const state = await stateOf(own);
      expect((await play(named('payments', shared), state)).error).toEqual(refusal);
      expect(await play(own, state)).toMatchObject(accepted);
    }
  });

  it('is good for a later version of the same server', async () => {
    expect(await play(named('notes', { version: '2.0.0' }), await stateOf(named('notes')))).toMatchObject(accepted);
  });

  it('of a caller is refused to one with the same name at another issuer', async () => {
    const server = named('notes');
    const at = (iss?: string): Principal => ({ id: 'ada', scopes: [], ...(iss !== undefined && { claims: { iss } }) });
    const state = await stateOf(server, at('https://one.example'));
    for (const other of [at('https://two.example'), at(), { ...at(), id: 'bob' }, undefined]) {
      expect((await play(server, state, other)).error).toEqual(refusal);
    }
    expect(await play(server, state, at('https://one.example'))).toMatchObject(accepted);
  });

  it('is refused for another tool, and after its time', async () => {
    vi.useFakeTimers({ toFake: ['Date'] });
    const server = named('notes');
    const state = await stateOf(server);
    expect((await play(server, state, undefined, 'other')).error).toEqual(refusal);
    vi.setSystemTime(Date.now() + 600_000);
    expect((await play(server, state)).error).toEqual(refusal);
  });
});
