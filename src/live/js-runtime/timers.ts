// Callbacks of timers run behind the inspector, where an interrupt ends them and nothing else; without that it would end Node.
import type { Session } from 'node:inspector';
import { createRequire, syncBuiltinESMExports } from 'node:module';
import timers from 'node:timers';
import type { Output } from './output.ts';
import { apply } from './primordials.ts';

type Callback = (...args: unknown[]) => unknown;
type Schedule = (callback: Callback, ...rest: unknown[]) => unknown;

const entry = '__vivarium_timer';
/** An interrupt of a microtask ends that alone. */
const names = ['setTimeout', 'setInterval', 'setImmediate'] as const;

/** `interrupted` is told when a callback was ended from outside. */
export function containTimers(session: Session, output: Output, interrupted: () => void): void {
  // The user's code may replace what is found by the prototype.
  const ask = session.post.bind(session) as (method: string, params: object, done: (error: Error | null) => void) => void;
  let work: (() => void) | undefined;
  // It is gone before it runs: whoever calls this from a callback finds nothing to do.
  const run = (): void => {
    const next = work;
    work = undefined;
    next?.();
  };
  // Of all ways into the engine only this one ends an interrupt where it began.
  Object.defineProperty(globalThis, entry, { value: run });
  const contain = (callback: Callback): Callback => {
    const { owner } = output;
    return function contained(this: unknown, ...args: unknown[]): void {
      const meanwhile = output.owner;
      output.owner = owner;
      let thrown: { readonly error: unknown } | undefined;
      const outer = work;
      work = () => {
        try {
          apply(callback, this, args);
        } catch (error) {
          thrown = { error };
        }
      };
      ask('Runtime.evaluate', { expression: `${entry}()`, silent: true }, (error) => {
        if (error === null) return;
        // It would only do the same again.
        timers.clearInterval(this as NodeJS.Timeout);
        interrupted();
      });
      work = outer;
      output.owner = meanwhile;
      if (thrown !== undefined) throw thrown.error;
    };
  };

  const builtin = createRequire(import.meta.url)('node:timers') as Record<string, unknown>;
  for (const name of names) {
    const original = globalThis[name] as unknown as Schedule & Record<PropertyKey, unknown>;
    const wrapped = function (this: unknown, callback: Callback, ...rest: unknown[]): unknown {
      return original(typeof callback === 'function' ? contain(callback) : callback, ...rest);
    };
    Object.defineProperties(wrapped, { ...Object.getOwnPropertyDescriptors(original), name: { value: name } });
    Object.defineProperty(globalThis, name, { value: wrapped, writable: true, configurable: true, enumerable: true });
    if (name in timers) builtin[name] = wrapped;
  }
  syncBuiltinESMExports();
}
