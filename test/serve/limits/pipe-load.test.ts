import { expect, it } from 'vitest';
import type { ParsedMessage } from '../../../src/jsonrpc/message.ts';
import { PipeLoad } from '../../../src/serve/limits/pipe-load.ts';

const outlet = { send: () => undefined };
const request = (method = 'tools/call'): ParsedMessage => ({ kind: 'request', id: 1, method, params: undefined });

it('lets a heavy message run alone, and the next wait until it has ended', () => {
  const load = new PipeLoad(100_000);
  expect(load.lacksRoom(150_000)).toBe(false);
  const first = load.carry(request(), 90_000, outlet);
  expect([load.lacksRoom(20_000), load.lacksRoom(1_000)]).toEqual([true, false]);
  first?.answered();
  expect(load.lacksRoom(20_000)).toBe(false);
});

it('refuses listeners beyond their share, which never makes a call wait', () => {
  const load = new PipeLoad(100_000);
  load.carry(request('subscriptions/listen'), 20_000, outlet);
  expect(load.refuses(request('subscriptions/listen'), 20_000)).toMatchObject({ code: 429 });
  expect([load.refuses(request(), 90_000), load.lacksRoom(90_000)]).toEqual([undefined, false]);
});

it('refuses calls when handlers of cancelled ones hold too much, until they have ended', () => {
  const load = new PipeLoad(100_000);
  const first = load.carry(request(), 90_000, outlet);
  first?.began();
  first?.answered();
  expect(load.refuses(request(), 20_000)).toMatchObject({ code: 429 });
  first?.ended();
  expect([load.refuses(request(), 20_000), load.lacksRoom(20_000)]).toEqual([undefined, false]);
});

it('refuses every call when too many handlers are at work, and large answers that pile up', () => {
  const load = new PipeLoad(100_000);
  const response: ParsedMessage = { kind: 'response', id: 1, result: {} };
  load.carry(response, 90_000, outlet);
  expect(load.refuses(response, 20_000)).toMatchObject({ code: 429 });
  load.rest();
  expect(load.refuses(response, 20_000)).toBeUndefined();
  for (let at = 0; at < 8_192; at++) load.began();
  expect(load.refuses(request(), 10)).toMatchObject({ code: 429 });
  load.ended();
  expect(load.refuses(request(), 10)).toBeUndefined();
});
