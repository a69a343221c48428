import { expect, it } from 'vitest';
import { bytesOf, Ledger } from '../../src/store/ledger.ts';

it('knows what everyone has, and who has most', () => {
  const ledger = new Ledger();
  ledger.add('a', 5);
  ledger.add('b', 7);
  ledger.add('a', 4);
  expect([ledger.total, ledger.of('a'), ledger.of('c'), ledger.largest()]).toEqual([16, 9, 0, 'a']);
  ledger.add('a', -9);
  expect([ledger.total, ledger.largest()]).toEqual([7, 'b']);
  ledger.clear();
  expect([ledger.total, ledger.largest()]).toEqual([0, '']);
});

it('counts two bytes for each character where one of them needs two', () => {
  expect([bytesOf('abc'), bytesOf('äöü'), bytesOf('abж')]).toEqual([3, 3, 6]);
});
