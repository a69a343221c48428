// The store of a single process: values that expire, claims for the first, and bounds.
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { memoryStore } from '../../src/store/memory.ts';

beforeEach(() => void vi.useFakeTimers({ toFake: ['performance'] }));
afterEach(() => void vi.useRealTimers());

const later = (ms: number): void => void vi.advanceTimersByTime(ms);

it('gives what was put, until it expires', async () => {
  const store = memoryStore();
  await store.put('a', 'one', 100);
  expect(await store.get('a')).toBe('one');
  expect(await store.get('b')).toBeUndefined();
  later(99);
  expect(await store.get('a')).toBe('one');
  later(1);
  expect(await store.get('a')).toBeUndefined();
});

it('replaces, and counts the time anew', async () => {
  const store = memoryStore();
  await store.put('a', 'one', 100);
  later(90);
  await store.put('a', 'two', 100);
  later(90);
  expect(await store.get('a')).toBe('two');
});

it('keeps names that every object has', async () => {
  const store = memoryStore();
  for (const id of ['__proto__', 'constructor', '']) {
    expect(await store.get(id)).toBeUndefined();
    await store.put(id, id, 100);
    expect(await store.get(id)).toBe(id);
  }
});

it('lets only the first claim, until the claim expires', async () => {
  const store = memoryStore();
  expect(await Promise.all([store.claim('a', 100), store.claim('a', 100), store.claim('b', 100)])).toEqual([true, false, true]);
  later(99);
  expect(await store.claim('a', 100)).toBe(false);
  later(1);
  expect(await store.claim('a', 100)).toBe(true);
});

it('has one key of 32 bytes, unlike that of any other', async () => {
  const store = memoryStore();
  const keys = await store.keys();
  expect(keys).toHaveLength(1);
  expect(keys[0]).toHaveLength(32);
  expect(await store.keys()).toEqual(keys);
  expect(await memoryStore().keys()).not.toEqual(keys);
});

it('forgets the oldest above ten thousand entries', async () => {
  const store = memoryStore();
  for (let i = 0; i <= 10_000; i++) await store.put(`${i}`, 'x', 1_000);
  expect(await store.get('0')).toBeUndefined();
  expect(await store.get('1')).toBe('x');
  expect(await store.get('10000')).toBe('x');
});

it('forgets the oldest when they are too large together', async () => {
  const store = memoryStore();
  const large = 'x'.repeat(8_388_608);
  for (let i = 0; i < 9; i++) await store.put(`${i}`, large, 1_000);
  expect(await store.get('0')).toBeUndefined();
  for (let i = 1; i < 9; i++) expect(await store.get(`${i}`)).toBe(large);
  for (let i = 0; i < 50; i++) await store.put('8', large, 1_000);
  expect(await store.get('1')).toBe(large);
});

it('is empty when it is closed', async () => {
  const store = memoryStore();
  await store.put('a', 'one', 100);
  await store.claim('b', 100);
  await store.close();
  expect(await store.get('a')).toBeUndefined();
  expect(await store.claim('b', 100)).toBe(true);
});

it('makes room at the cost of whoever keeps most', async () => {
  const store = memoryStore();
  const large = 'x'.repeat(8_000_000);
  await store.put('hers', 'a few words', 1_000, 'alice');
  for (let i = 0; i < 20; i++) await store.put(`large ${i}`, large, 1_000, 'mallory');
  expect(await store.get('large 0')).toBeUndefined();
  expect(await store.get('large 19')).toBe(large);
  for (let i = 0; i < 12_000; i++) await store.put(`small ${i}`, 'x', 1_000, 'mallory');
  expect(await store.get('hers')).toBe('a few words');
});

it('lets one owner claim a quarter, and everyone else the rest', async () => {
  const store = memoryStore();
  for (let i = 0; i < 25_000; i++) await store.claim(`${i}`, 60_000, 'mallory');
  expect(await store.claim('one more', 60_000, 'mallory')).toBe(false);
  expect(await store.claim('hers', 60_000, 'alice')).toBe(true);
  expect(await store.claim('hers', 60_000, 'alice')).toBe(false);
});
