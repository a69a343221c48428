// Calls without a session, at two endpoints that share a store: a cancellation may reach the other one.
import { beforeEach, expect, it } from 'vitest';
import { bearer } from 'vivarium/auth';
import type { HttpServing } from 'vivarium/serve/node';
import { memoryStore } from 'vivarium/store/memory';
import { createWatched, type Watched } from '../../fixtures/http-server.mjs';
import { ask, type Message, type Reply, send } from '../../fixtures/http-wire.mjs';
import { serve } from '../serving.ts';

const ann = 'token-of-ann-0123456789';
const bob = 'token-of-bob-0123456789';

let here: Watched;
let a: HttpServing;
let b: HttpServing;

beforeEach(async () => {
  const store = memoryStore();
  here = createWatched();
  const auth = bearer({ [ann]: { id: 'ann' }, [bob]: { id: 'bob' } });
  const options = { store, auth, sessions: false } as const;
  a = await serve(here, options);
  b = await serve(createWatched(), options);
});

const text = (message: Message): string => message.result?.content[0].text;

it.each(['2025-03-26', '2025-06-18', '2025-11-25', '2026-07-28'])(
  'a call of %s is cancelled by its caller at the other endpoint',
  async (version) => {
    const as = (token: string) => ({ 'mcp-protocol-version': version, authorization: `Bearer ${token}` });
    const start = (token: string, key: string): Promise<Reply> => {
      const params = { name: 'wait', arguments: { key } };
      return version === '2026-07-28'
        ? ask(a.url, 7, 'tools/call', params, { headers: as(token) })
        : send(a.url, { body: { jsonrpc: '2.0', id: 7, method: 'tools/call', params }, headers: as(token) });
    };
    const anns = start(ann, 'ann');
    const bobs = start(bob, 'bob');
    await here.noted('begun ann');
    await here.noted('begun bob');
    const body = { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 7, reason: 'enough' } };
    expect((await send(b.url, { body, headers: as(ann) })).status).toBe(202);
    await here.noted('aborted ann');
    expect((await (await anns).all()).filter(({ result }) => result !== undefined)).toEqual([]);
    here.open('bob');
    expect(text(await (await bobs).answer(7))).toBe('waited bob');
    expect(here.book).not.toContain('aborted bob');
  },
);
