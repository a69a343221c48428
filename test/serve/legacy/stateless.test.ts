// The 2025 revisions without sessions, and clients that never shake hands.
import { describe, expect, it } from 'vitest';
import { bearer } from 'vivarium/auth';
import { Server } from 'vivarium/server';
import { createEverything } from '../../fixtures/everything.mjs';
import { call, doors, eventually, initialize, modern, openSession, rpc } from '../http.ts';

const cancel = (requestId: unknown): object => ({
  jsonrpc: '2.0',
  method: 'notifications/cancelled',
  params: { requestId, reason: 'enough' },
});

function holding(): { readonly server: Server; readonly release: () => void; readonly aborted: unknown[] } {
  const aborted: unknown[] = [];
  const waiting: (() => void)[] = [];
  const server = new Server({ name: 'x', version: '1.0.0' });
  server.tool('held', {}, (_, ctx) => {
    ctx.signal.addEventListener('abort', () => aborted.push(ctx.requestId));
    return new Promise<string>((resolve) => waiting.push(() => resolve('released')));
  });
  return { server, aborted, release: () => waiting.splice(0).forEach((one) => void one()) };
}

describe.each(doors)('%s', (_, open) => {
  describe('with sessions: false', () => {
    it.each(['2024-11-05', '2025-03-26', '2025-06-18', '2025-11-25'])('serves %s and gives no session', async (revision) => {
      const door = await open(createEverything(), { sessions: false });
      const first = await door.send({ body: initialize(revision) });
      expect([first.status, first.json.result.protocolVersion]).toEqual([200, revision]);
      expect(first.headers).not.toHaveProperty('mcp-session-id');
      const headers = { 'mcp-protocol-version': revision };
      expect((await door.send({ headers, body: { jsonrpc: '2.0', method: 'notifications/initialized' } })).status).toBe(202);
      const answer = await door.send({ headers, body: call(1, 'echo', { text: 'x' }) });
      expect(answer.json).toMatchObject({ id: 1, result: { content: [{ text: 'x' }] } });
      expect(door.stats).toMatchObject({ sessions: 0, sessionsOpened: 0 });
    });

    it.each(['GET', 'DELETE'])('H36 answers %s with 405', async (method) => {
      const door = await open(createEverything(), { sessions: false });
      const { status, headers } = await door.send({ method });
      expect([status, headers['allow']]).toEqual([405, 'POST']);
    });

    it('takes no notice of a session id', async () => {
      const door = await open(createEverything(), { sessions: false });
      for (const id of ['unknown', 'ill formed', '__proto__']) {
        expect((await door.send({ headers: { 'mcp-session-id': id }, body: rpc(1, 'tools/list') })).status).toBe(200);
      }
    });

    it('answers in the shape of the revision the header says, and of 2025-03-26 without', async () => {
      const door = await open(createEverything(), { sessions: false });
      const sum = call(1, 'sum', { of: [1, 2] });
      expect((await door.send({ body: sum })).json.result).not.toHaveProperty('structuredContent');
      const later = await door.send({ headers: { 'mcp-protocol-version': '2025-06-18' }, body: sum });
      expect(later.json.result.structuredContent).toEqual({ sum: 3 });
      expect((await door.send({ headers: { 'mcp-protocol-version': '2025-01-01' }, body: sum })).status).toBe(400);
      expect((await door.send(modern('tools/call', { name: 'sum', arguments: { of: [1, 2] } }))).json.result.resultType).toBe('complete');
    });

    it('sends progress before the answer', async () => {
      const door = await open(createEverything(), { sessions: false });
      const answer = await door.send({ body: call(1, 'steps', { steps: 3 }, { progressToken: 0 }) });
      const messages = answer.events.map(({ data }) => JSON.parse(data ?? '{}'));
      expect(messages.map(({ params, id }) => params?.progress ?? id)).toEqual([1, 2, 3, 1]);
      expect(answer.events.some(({ id }) => id !== undefined)).toBe(false);
    });

    it('lets the one who called cancel, when it is known who that is', async () => {
      const { server, aborted } = holding();
      const door = await open(server, {
        sessions: false,
        auth: bearer({ 'token-of-alice-0123456789': { id: 'alice' }, 'token-of-bob-0123456789ab': { id: 'bob' } }),
      });
      const alice = { authorization: 'Bearer token-of-alice-0123456789' };
      const bob = { authorization: 'Bearer token-of-bob-0123456789ab' };
      const running = [door.send({ headers: alice, body: call(7, 'held') }), door.send({ headers: alice, body: call('7', 'held') })];
      await eventually(() => door.stats.running).toBe(2);
      expect((await door.send({ headers: bob, body: cancel(7) })).status).toBe(202);
      expect(aborted).toEqual([]);
      expect((await door.send({ headers: alice, body: cancel(7) })).status).toBe(202);
      const ended = await running[0];
      expect([ended?.status, ended?.text, aborted]).toEqual([200, '', [7]]);
      await door.send({ headers: alice, body: cancel('7') });
      await running[1];
      expect(aborted).toEqual([7, '7']);
    });

    it('H20 lets nobody cancel when nobody is known', async () => {
      const { server, aborted, release } = holding();
      const door = await open(server, { sessions: false });
      const running = door.send({ body: call(7, 'held') });
      await eventually(() => door.stats.running).toBe(1);
      expect((await door.send({ body: cancel(7) })).status).toBe(202);
      expect(aborted).toEqual([]);
      release();
      expect((await running).json.result.content[0].text).toBe('released');
    });

    it('H37 goes on with a call whose client has gone', async () => {
      const { server, aborted, release } = holding();
      const door = await open(server, { sessions: false });
      const begun = await door.begin({ body: call(7, 'held') });
      await eventually(() => door.stats.running).toBe(1);
      begun.hangUp();
      // Served after the connection has closed: the server has had every chance to notice.
      expect((await door.send({ body: rpc(1, 'ping') })).status).toBe(200);
      expect([aborted, door.stats.running]).toEqual([[], 1]);
      release();
      await eventually(() => door.stats).toMatchObject({ running: 0, lost: 1 });
      expect(aborted).toEqual([]);
    });
  });

  describe('with lenient', () => {
    it('serves requests without a handshake as 2025-03-26', async () => {
      const door = await open(createEverything(), { lenient: true });
      const answer = await door.send({ body: call(1, 'sum', { of: [1, 2] }) });
      expect(answer.status).toBe(200);
      expect(answer.json.result).not.toHaveProperty('structuredContent');
      expect(answer.headers).not.toHaveProperty('mcp-session-id');
      expect((await door.send({ body: { jsonrpc: '2.0', method: 'notifications/initialized' } })).status).toBe(202);
    });

    it('still has sessions', async () => {
      const door = await open(createEverything(), { lenient: true });
      const headers = await openSession(door);
      expect((await door.send({ headers, body: call(1, 'sum', { of: [1] }) })).json.result.structuredContent).toEqual({ sum: 1 });
      expect((await door.send({ headers: { 'mcp-session-id': 'unknown' }, body: rpc(1, 'tools/list') })).status).toBe(404);
      expect((await door.send({ method: 'DELETE', headers })).status).toBe(204);
    });

    it('still demands everything of 2026-07-28', async () => {
      const door = await open(createEverything(), { lenient: true });
      const answer = await door.send(modern('tools/list', {}, { 'mcp-method': undefined }));
      expect([answer.status, answer.code]).toEqual([400, -32020]);
    });

    it('still wants the types that HTTP carries', async () => {
      const door = await open(createEverything(), { lenient: true });
      expect((await door.send({ headers: { 'content-type': 'text/plain' }, body: rpc(1, 'tools/list') })).status).toBe(415);
    });
  });

  describe('of one era alone', () => {
    it('H36 answers GET and DELETE with 405 when it is modern only', async () => {
      const door = await open(createEverything({ revisions: ['2026-07-28'] }));
      for (const method of ['GET', 'DELETE']) {
        const { status, headers } = await door.send({ method, headers: { 'mcp-session-id': 'x' } });
        expect([method, status, headers['allow']]).toEqual([method, 405, 'POST']);
      }
    });

    it('tells a client of the other era what it speaks', async () => {
      const late = await open(createEverything({ revisions: ['2026-07-28'] }));
      const old = await late.send({ body: initialize() });
      expect(old.status).toBe(400);
      expect(old.text).toContain('2026-07-28');
      expect(late.stats.sessionsOpened).toBe(0);
      const early = await open(createEverything({ revisions: ['2025-06-18'] }));
      const fresh = await early.send(modern('tools/list'));
      expect(fresh.status).toBe(400);
      expect(fresh.text).toContain('2025-06-18');
      expect(fresh.code).not.toBe(-32022);
    });
  });
});
