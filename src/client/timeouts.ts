// Per-caller time limits on a shared promise.
import { VivariumError } from '../jsonrpc/error.ts';
import { maxTimerMs } from '../text/timeouts.ts';
import { cancelled } from './failure.ts';
import type { RequestTerms } from './link.ts';

/** Settles as the work does, or with ERR_CANCELLED or ERR_TIMEOUT; the work itself goes on. */
export function withinTerms<T>(work: Promise<T>, method: string, { signal, timeouts: { totalMs } }: RequestTerms): Promise<T> {
  return new Promise((resolve, reject) => {
    const end = (then: () => void): void => {
      clearTimeout(timer);
      signal?.removeEventListener('abort', aborted);
      then();
    };
    const late = `No answer to ${method} within ${totalMs} ms in all (totalMs)`;
    const timer = setTimeout(() => end(() => reject(new VivariumError('ERR_TIMEOUT', late))), Math.min(totalMs, maxTimerMs));
    const aborted = (): void => end(() => reject(cancelled(signal as AbortSignal)));
    if (signal?.aborted) return aborted();
    signal?.addEventListener('abort', aborted, { once: true });
    work.then(
      (value) => end(() => resolve(value)),
      (error: unknown) => end(() => reject(error)),
    );
  });
}
