// Waiting for what serves many, no longer than the one who waits wants to.
import { VivariumError } from '../jsonrpc/error.ts';
import type { How } from './link.ts';

/** Longer ones would ring at once. */
export const longestTimer: number = 2 ** 31 - 1;

/** Settles as the work does, or with ERR_CANCELLED or ERR_TIMEOUT; the work itself goes on. */
export function within<T>(work: Promise<T>, method: string, { signal, timeouts: { totalMs } }: How): Promise<T> {
  return new Promise((resolve, reject) => {
    const end = (then: () => void): void => {
      clearTimeout(timer);
      signal?.removeEventListener('abort', aborted);
      then();
    };
    const late = `No answer to ${method} within ${totalMs} ms in all (totalMs)`;
    const timer = setTimeout(() => end(() => reject(new VivariumError('ERR_TIMEOUT', late))), Math.min(totalMs, longestTimer));
    const aborted = (): void => end(() => reject(cancelled(signal as AbortSignal)));
    if (signal?.aborted) return aborted();
    signal?.addEventListener('abort', aborted, { once: true });
    work.then(
      (value) => end(() => resolve(value)),
      (error: unknown) => end(() => reject(error)),
    );
  });
}

/** Over early when the signal says so. */
export function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const end = (): void => {
      clearTimeout(timer);
      signal.removeEventListener('abort', end);
      resolve();
    };
    const timer = setTimeout(end, ms);
    signal.addEventListener('abort', end, { once: true });
    if (signal.aborted) end();
  });
}

export function cancelled(signal: AbortSignal): VivariumError {
  return new VivariumError('ERR_CANCELLED', 'The request was cancelled', { cause: signal.reason });
}
