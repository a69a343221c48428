// A clock that is set, by hand or by the network, is no time that has passed.
import { afterEach, expect, it, vi } from 'vitest';
import { memoryStore } from 'vivarium/store/memory';
import { createEverything } from '../../fixtures/everything.mjs';
import { call, eventually, nodeDoor, openSession } from '../http.ts';

const year = 365 * 86_400_000;

afterEach(() => {
  vi.useRealTimers();
});

it.each([
  ['forward', year],
  ['back', -year],
])('sessions live on when the clock is set %s by a year', async (_, step) => {
  const door = await nodeDoor(createEverything(), { sessions: { idleMs: 600_000 }, keepAliveMs: 20 });
  const headers = await openSession(door);
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + step });
  // A stream is kept alive by the same beat that ends sessions.
  const raw = await door.open({ method: 'GET', headers: { ...headers, accept: 'text/event-stream' } });
  for (let beats = 0; beats < 5; beats++) await raw.next();
  expect((await door.send({ headers, body: call(1, 'echo', { text: 'still here' }) })).status).toBe(200);
  raw.hangUp();
  await eventually(() => door.stats.streams).toBe(0);
});

it('what a store keeps for a time is kept when the clock is set', async () => {
  const store = memoryStore();
  await store.put('a', 'kept', 60_000);
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + year });
  expect(await store.get('a')).toBe('kept');
});
