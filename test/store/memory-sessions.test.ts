// Sessions in memory: records with an end, and a limit to their number.
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { memoryStore, type Store } from 'vivarium/store/memory';

type Row = NonNullable<Awaited<ReturnType<Store['sessions']['load']>>>;

const row: Row = {
  revision: '2025-11-25',
  client: { info: { name: 'test', version: '1' }, capabilities: {} },
  capabilities: {},
  owner: 'ann',
  level: 'info',
  subscribed: [],
  initialized: false,
  version: 0,
};

const limits = { maxCount: 10, maxAgeMs: 60_000, maxBytes: 1_000 };
const reader = { event: () => undefined, end: () => undefined, replaced: () => undefined };
const later = (ms: number): void => void vi.advanceTimersByTime(ms);

let store: Store;

beforeEach(() => {
  vi.useFakeTimers();
  store = memoryStore();
});

afterEach(() => {
  vi.useRealTimers();
});

it('keeps a session until it expires, and longer when it is in use', () => {
  const { sessions } = store;
  expect(sessions.create('a', row, 100, 10)).toBe(true);
  expect(sessions.load('a')).toBe(row);
  later(99);
  void sessions.touch('a', 100);
  later(99);
  expect(sessions.load('a')).toBe(row);
  later(1);
  expect(sessions.load('a')).toBeUndefined();
  void sessions.touch('a', 100);
  expect(sessions.load('a')).toBeUndefined();
});

it('replaces what is known of a session, and brings none back that has ended', () => {
  const { sessions } = store;
  void sessions.create('a', row, 100, 10);
  const changed = { ...row, level: 'debug' } as const;
  void sessions.save('a', changed);
  expect(sessions.load('a')).toBe(changed);
  expect(sessions.remove('a')).toBe(true);
  expect(sessions.remove('a')).toBe(false);
  void sessions.save('a', changed);
  void sessions.touch('a', 100);
  expect(sessions.load('a')).toBeUndefined();
  void sessions.create('b', row, 100, 10);
  later(100);
  void sessions.save('b', changed);
  expect(sessions.load('b')).toBeUndefined();
});

it('refuses one more than the limit, until one has expired or was removed', () => {
  const { sessions } = store;
  for (const id of ['a', 'b']) expect(sessions.create(id, row, 100, 2)).toBe(true);
  expect(sessions.create('c', row, 100, 2)).toBe(false);
  expect(sessions.count()).toBe(2);
  void sessions.remove('a');
  expect(sessions.create('c', row, 200, 2)).toBe(true);
  later(100);
  expect(sessions.create('d', row, 100, 2)).toBe(true);
  expect(sessions.create('e', row, 100, 2)).toBe(false);
  expect(sessions.load('b')).toBeUndefined();
  expect(sessions.load('c')).toBe(row);
});

it('keeps names that every object has', () => {
  const { sessions } = store;
  for (const id of ['__proto__', 'constructor', 'toString']) {
    expect(sessions.load(id)).toBeUndefined();
    expect(sessions.create(id, row, 100, 10)).toBe(true);
    expect(sessions.load(id)).toBe(row);
  }
});

it('forgets the events of a session that has expired', () => {
  void store.sessions.create('a', row, 100, 10);
  store.events.begin('a', 's', limits, reader);
  later(50);
  store.tidy();
  expect(store.events.follow('a', 's', 0, reader)).toBeDefined();
  later(50);
  store.tidy();
  expect(store.events.follow('a', 's', 0, reader)).toBeUndefined();
});

it('forgets the events of a session that had to make room for another', () => {
  void store.sessions.create('a', row, 100, 1);
  store.events.begin('a', 's', limits, reader);
  later(100);
  expect(store.sessions.create('b', row, 100, 1)).toBe(true);
  store.tidy();
  expect(store.events.follow('a', 's', 0, reader)).toBeUndefined();
});

it('tells everyone who subscribed, the sender included, until they leave', () => {
  const heard: object[] = [];
  const leave = [1, 2].map((who) => store.bus.subscribe('news', (message) => void heard.push({ who, message })));
  store.bus.publish('news', { a: 1 });
  store.bus.publish('other', { b: 1 });
  leave[0]?.();
  store.bus.publish('news', { c: 1 });
  expect(heard).toEqual([
    { who: 1, message: { a: 1 } },
    { who: 2, message: { a: 1 } },
    { who: 2, message: { c: 1 } },
  ]);
});

it('is empty when it is closed', async () => {
  void store.sessions.create('a', row, 100, 10);
  store.events.begin('a', 's', limits, reader);
  store.bus.subscribe('news', () => expect.unreachable());
  await store.close();
  expect([store.sessions.count(), store.sessions.load('a'), store.events.follow('a', 's', 0, reader)]).toEqual([0, undefined, undefined]);
  store.bus.publish('news', {});
});
