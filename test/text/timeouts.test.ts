import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect, it } from 'vitest';
import { withBoth, withTimeout } from '../../src/text/timeouts.ts';

setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc') as () => void;

/** Work that holds on to nothing of its signal but a listener. */
function ended(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason), { once: true }));
}

it('A time limit comes, also when garbage is collected while it runs', async () => {
  const limited = withTimeout(100, ended);
  limited.catch(() => undefined);
  for (let round = 0; round < 5; round++) {
    collect();
    await new Promise((resolve) => setImmediate(resolve));
  }
  await expect(limited).rejects.toMatchObject({ name: 'TimeoutError', message: 'Timed out after 100 ms' });
});

it('An outer signal ends the work, before it begins and while it runs', async () => {
  const outer = new AbortController();
  const limited = withTimeout(60_000, ended, outer.signal);
  outer.abort(new Error('no longer wanted'));
  await expect(limited).rejects.toThrow('no longer wanted');
  await expect(withTimeout(60_000, async (signal) => signal.throwIfAborted(), outer.signal)).rejects.toThrow('no longer wanted');
});

it('What is done in time is handed on, and no timer is left', async () => {
  expect(await withTimeout(60_000, async () => 42)).toBe(42);
});

it.each([0, 1])('Either of two signals ends the work, also when garbage is collected while it runs (%i)', async (at) => {
  const both = [new AbortController(), new AbortController()] as const;
  const limited = withBoth(both[0].signal, both[1].signal, ended);
  limited.catch(() => undefined);
  for (let round = 0; round < 5; round++) {
    collect();
    await new Promise((resolve) => setImmediate(resolve));
  }
  both[at]?.abort(new Error('no longer wanted'));
  await expect(limited).rejects.toThrow('no longer wanted');
});
