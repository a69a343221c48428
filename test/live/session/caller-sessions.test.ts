// Over HTTP several people may work in one server: nobody reaches what is another's.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { bearer, staticToken } from 'vivarium/auth';
import { connect } from 'vivarium/client';
import { http } from 'vivarium/connect/http';
import { createLive } from 'vivarium/live';
import { serveHttp } from 'vivarium/serve/node';
import { call, initialize, type Json } from '../../serve/http.ts';
import { eventually, isAlive } from '../fixture.ts';

interface Connected {
  readonly url: string;
  readonly headers: Record<string, string>;
  evaluate(code: string, more?: object): Promise<string>;
}

/** A legacy session, spoken to by hand: it is ended by hand too. */
async function legacy(idleMs?: number): Promise<{ enter(): Promise<Connected> }> {
  const folder = mkdtempSync(join(tmpdir(), 'live-owners-'));
  const live = createLive({ cwd: folder, single: false, stateFolder: join(folder, 'state') });
  const token = 'token-of-alice-0123456789';
  const sessions = idleMs === undefined ? {} : { sessions: { idleMs } };
  const served = await serveHttp(live.server, { port: 0, signals: false, drainMs: 0, auth: bearer([token]), ...sessions });
  onTestFinished(async () => {
    await served.close();
    await live.close();
    rmSync(folder, { recursive: true, force: true });
  });
  const usual = { accept: 'application/json, text/event-stream', 'content-type': 'application/json', authorization: `Bearer ${token}` };
  const post = (body: object, headers: object): Promise<Response> =>
    fetch(served.url, { method: 'POST', headers: { ...usual, ...headers }, body: JSON.stringify(body) });
  return {
    async enter() {
      const opened = await post(initialize(), {});
      const headers = { ...usual, 'mcp-session-id': opened.headers.get('mcp-session-id') ?? '', 'mcp-protocol-version': '2025-11-25' };
      return {
        url: served.url,
        headers,
        async evaluate(code, more = {}) {
          const answer = (await (await post(call(2, 'evaluate', { code, ...more }), headers)).json()) as Json;
          return answer.result.content[0].text;
        },
      };
    },
  };
}

const pidIn = (text: string): number => Number(/=> (\d+)/.exec(text)?.[1]);

it('A legacy session that is deleted takes its image with it', async () => {
  const { enter } = await legacy();
  const [one, other] = [await enter(), await enter()];
  const [pid, stays] = [pidIn(await one.evaluate('process.pid')), pidIn(await other.evaluate('process.pid'))];
  expect([isAlive(pid), isAlive(stays)]).toEqual([true, true]);
  expect((await fetch(one.url, { method: 'DELETE', headers: one.headers })).ok).toBe(true);
  await eventually(() => isAlive(pid)).toBe(false);
  expect(pidIn(await other.evaluate('process.pid'))).toBe(stays);
});

it('A legacy session that expires takes its image with it', async () => {
  const { enter } = await legacy(300);
  const one = await enter();
  const pid = pidIn(await one.evaluate('process.pid'));
  await eventually(() => isAlive(pid)).toBe(false);
});

it('What still runs when its connection ends is handed over to its owner, by its handle', async () => {
  const { enter } = await legacy();
  const one = await enter();
  const pid = pidIn(await one.evaluate('process.pid'));
  expect(await one.evaluate("await new Promise((r) => setTimeout(r, 800)); globalThis.result = 42; 'done'", { wait_ms: 0 })).toContain(
    '[RUNNING]',
  );
  const session = `main-${one.headers['mcp-session-id']?.slice(0, 12)}`;
  await fetch(one.url, { method: 'DELETE', headers: one.headers });
  const other = await enter();
  await eventually(() => other.evaluate('globalThis.result', { session })).toContain('=> 42');
  expect(isAlive(pid)).toBe(true);
});

async function serve(): Promise<(name: 'alice' | 'bob') => Promise<(tool: string, args: object) => Promise<string>>> {
  const folder = mkdtempSync(join(tmpdir(), 'live-owners-'));
  const live = createLive({ cwd: folder, single: false, stateFolder: join(folder, 'state') });
  const tokens = { alice: 'token-of-alice-0123456789', bob: 'token-of-bob-0123456789abc' };
  const auth = bearer({ [tokens.alice]: { id: 'alice' }, [tokens.bob]: { id: 'bob' } });
  const served = await serveHttp(live.server, { port: 0, signals: false, drainMs: 0, auth });
  onTestFinished(async () => {
    await served.close();
    await live.close();
    rmSync(folder, { recursive: true, force: true });
  });
  return async (name) => {
    const client = await connect(http(served.url, { auth: staticToken(tokens[name]) }), { revision: '2026-07-28' });
    onTestFinished(() => client.close());
    return async (tool, args) => {
      const { content } = await client.callTool(tool, args as never);
      return content.map((block) => (block.type === 'text' ? block.text : '')).join('\n');
    };
  };
}

it('A session is found by its handle, and by its owner only', async () => {
  const as = await serve();
  const [alice, bob] = [await as('alice'), await as('bob')];
  await alice('evaluate', { code: "const secret = 'of alice'" });
  const [session = ''] = /s-[\w-]+/.exec(await alice('sessions', { action: 'list' })) ?? [];
  expect(await alice('evaluate', { code: 'secret', session })).toContain('of alice');
  expect(await bob('evaluate', { code: 'secret', session })).toContain('There is no session');
  expect(await bob('sessions', { action: 'list' })).not.toContain(session);
});

it('What was saved is found by who saved it only', async () => {
  const as = await serve();
  const [alice, bob] = [await as('alice'), await as('bob')];
  await alice('evaluate', { code: "const secret = 'of alice'" });
  const [session = ''] = /s-[\w-]+/.exec(await alice('sessions', { action: 'list' })) ?? [];
  await alice('sessions', { action: 'save', session, name: 'work' });
  expect(await bob('sessions', { action: 'restore', name: 'work' })).toContain('nothing was saved yet');
  expect(await alice('sessions', { action: 'restore', name: 'work' })).toContain('Replayed 1 of 1');
});

it('A call that runs nothing opens no session', async () => {
  const as = await serve();
  const alice = await as('alice');
  expect(await alice('evaluate', {})).toContain('Say which session');
  expect(await alice('sessions', { action: 'list' })).toContain('No session is open');
});
