// Requests of the server as the requirement lists have them: what is asked of the client, and only where it said it can answer.
import { describe, expect, it } from 'vitest';
import { metaKeys } from 'vivarium/protocol';
import type { Server } from 'vivarium/server';
import { createWire, type Wire } from 'vivarium/testing';
import { legacy } from '../../matrix/matrix.ts';
import { ask, createServer, handshake, modern, openWire, type Reply, text, turn } from '../fixture.ts';

const question = {
  messages: [{ role: 'user', content: { type: 'text', text: 'What is the capital of France?' } }],
  modelPreferences: { hints: [{ name: 'claude-3-sonnet' }], intelligencePriority: 0.8, speedPriority: 0.5 },
  systemPrompt: 'You are a helpful assistant.',
  maxTokens: 100,
} as const;
const sampled = { role: 'assistant', content: { type: 'text', text: 'Paris.' }, model: 'a-model', stopReason: 'endTurn' };
const root = { uri: 'file:///home/ada/project', name: 'Project' };

function createAsking(): Server {
  const { server } = createServer();
  server.tool('roots', {}, async (_, ctx) => (await ctx.roots()).map(({ uri, name }) => `${name} ${uri}`).join());
  server.tool('sample', {}, async (_, ctx) => JSON.stringify(await ctx.sample('capital', question)));
  server.tool('neither', {}, (_, ctx) => `${ctx.can('roots')} ${ctx.can('sampling')}`);
  return server;
}

/** Calls a tool and gives what the server then asks. */
async function asked(wire: Wire, name: string): Promise<Reply> {
  await wire.quiet();
  wire.send({ jsonrpc: '2.0', id: `call of ${name}`, method: 'tools/call', params: { name } });
  return (await wire.next()) as Reply;
}

async function answered(wire: Wire, id: unknown, answer: object): Promise<Reply> {
  wire.send({ jsonrpc: '2.0', id, ...answer });
  return (await wire.next()) as Reply;
}

describe.each(legacy)('in %s', (revision) => {
  it('roots/list is a request without params, and its answer reaches the tool', async () => {
    const wire = await openWire(createAsking(), revision, { roots: {} });
    const request = await asked(wire, 'roots');
    expect(request).toEqual({ jsonrpc: '2.0', id: expect.anything(), method: 'roots/list' });
    const { id, result } = await answered(wire, request.id, { result: { roots: [root] } });
    expect([id, result.content]).toEqual(['call of roots', [text('Project file:///home/ada/project')]]);
  });

  it('sampling/createMessage carries messages, preferences and limits, and its answer reaches the tool', async () => {
    const wire = await openWire(createAsking(), revision, { sampling: {} });
    const request = await asked(wire, 'sample');
    expect(request).toEqual({ jsonrpc: '2.0', id: expect.anything(), method: 'sampling/createMessage', params: question });
    const { result } = await answered(wire, request.id, { result: sampled });
    expect(JSON.parse(result.content[0].text)).toEqual(sampled);
  });

  it('ids are never used twice', async () => {
    const wire = await openWire(createAsking(), revision, { roots: {}, sampling: {} });
    const ids = new Set<unknown>();
    for (let round = 0; round < 20; round++) {
      const { id } = await asked(wire, round % 2 === 0 ? 'roots' : 'sample');
      expect(['string', 'number']).toContain(typeof id);
      ids.add(id);
      await answered(wire, id, { error: { code: -1, message: 'User rejected sampling request' } });
    }
    expect(ids.size).toBe(20);
  });

  it('a client that declared nothing is asked for nothing', async () => {
    const wire = await openWire(createAsking(), revision);
    await wire.quiet();
    for (const name of ['roots', 'sample', 'neither']) await ask(wire, 'tools/call', { name });
    expect(await wire.quiet()).toEqual([]);
    const other = await openWire(createAsking(), revision, { sampling: {} });
    expect((await asked(other, 'sample')).method).toBe('sampling/createMessage');
    expect((await ask(other, 'tools/call', { name: 'roots' })).result.isError).toBe(true);
  });

  // A known failure: a call that comes before notifications/initialized may ask at once.
  it.fails('before the handshake is confirmed nothing is asked', async () => {
    const wire = createWire(createAsking());
    await wire.request('initialize', handshake(revision, { roots: {} }));
    wire.send({ jsonrpc: '2.0', id: 'early', method: 'tools/call', params: { name: 'roots' } });
    await ask(wire, 'ping');
    await turn();
    expect(wire.transcript.text()).not.toContain('roots/list');
  });

  it('a question whose call is cancelled is cancelled too, by its id', async () => {
    const wire = await openWire(createAsking(), revision, { roots: {} });
    const { id } = await asked(wire, 'roots');
    wire.send({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 'call of roots' } });
    expect(await wire.next()).toMatchObject({ method: 'notifications/cancelled', params: { requestId: id } });
  });
});

describe('in 2026-07-28', () => {
  it('what is asked is part of a result, and only if the request says that it can be answered', async () => {
    const wire = createWire(createAsking());
    const call = (name: string, capabilities: object) => ask(wire, 'tools/call', { name, _meta: modern(capabilities) });
    const { result } = await call('sample', { sampling: {} });
    expect(result).toMatchObject({
      resultType: 'input_required',
      inputRequests: { capital: { method: 'sampling/createMessage', params: question } },
      _meta: { [metaKeys.serverInfo]: { name: 'tested' } },
    });
    const { result: rooted } = await call('roots', { roots: {} });
    expect(rooted.inputRequests).toEqual({ roots: { method: 'roots/list' } });
    expect((await call('roots', { sampling: {} })).error.code).toBe(-32021);
    expect((await wire.quiet()).filter((message) => 'method' in message)).toEqual([]);
  });
});
