// The memory of judged tokens: bounded, by use and by time.
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { Recent } from '../../../src/auth/server/token-cache.ts';

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['Date'] });
});

afterEach(() => {
  vi.useRealTimers();
});

it('never holds more than it may', () => {
  const recent = new Recent<number>(10);
  for (let index = 0; index < 1_000; index++) recent.set(`token-${index}`, index, Date.now() + 1_000);
  expect(recent.size).toBe(10);
  expect(recent.get('token-989')).toBeUndefined();
  expect(recent.get('token-990')).toBe(990);
});

it('keeps what is used', () => {
  const recent = new Recent<number>(2);
  for (const [index, token] of ['a', 'b'].entries()) recent.set(token, index, Date.now() + 1_000);
  recent.get('a');
  recent.set('c', 2, Date.now() + 1_000);
  expect([recent.get('a'), recent.get('b'), recent.get('c')]).toEqual([0, undefined, 2]);
});

it('makes no room for what it holds already', () => {
  const recent = new Recent<number>(2);
  for (const token of ['a', 'b', 'b']) recent.set(token, 1, Date.now() + 1_000);
  expect(recent.get('a')).toBe(1);
});

it('forgets what is over, and never keeps it', () => {
  const recent = new Recent<number>(2);
  recent.set('a', 1, Date.now() + 1_000);
  recent.set('b', 2, Date.now());
  expect(recent.size).toBe(1);
  vi.setSystemTime(Date.now() + 1_000);
  expect(recent.get('a')).toBeUndefined();
  expect(recent.size).toBe(0);
});
