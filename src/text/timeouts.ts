// Timeouts: on work that takes a signal, on a promise, and none but the pause itself.

/**
 * Aborts the signal of `work` after `ms`, or when `outer` is aborted. The timer is held until the work is over: on Node 20 the
 * garbage collector may take what AbortSignal.timeout and AbortSignal.any return while somebody still waits.
 */
export async function withTimeout<T>(ms: number, work: (signal: AbortSignal) => Promise<T>, outer?: AbortSignal): Promise<T> {
  const controller = new AbortController();
  const stop = (): void => controller.abort(outer?.reason);
  const timer = setTimeout(() => controller.abort(new DOMException(`Timed out after ${ms} ms`, 'TimeoutError')), ms);
  if (outer?.aborted) stop();
  else outer?.addEventListener('abort', stop, { once: true });
  try {
    return await work(controller.signal);
  } finally {
    clearTimeout(timer);
    outer?.removeEventListener('abort', stop);
  }
}

/** The signal of `work` is aborted with the first of the two; held until the work is over, for the same reason. */
export async function withBoth<T>(one: AbortSignal, other: AbortSignal, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const controller = new AbortController();
  const stop = (): void => controller.abort(one.aborted ? one.reason : other.reason);
  if (one.aborted || other.aborted) stop();
  for (const signal of [one, other]) signal.addEventListener('abort', stop, { once: true });
  try {
    return await work(controller.signal);
  } finally {
    for (const signal of [one, other]) signal.removeEventListener('abort', stop);
  }
}

/** Node fires longer timers immediately. */
export const maxTimerMs: number = 2 ** 31 - 1;

/** Undefined when the work takes longer; it goes on, and the timer does not outlive it. */
export async function settledWithin<T>(ms: number, work: Promise<T>): Promise<T | undefined> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<undefined>((resolve) => {
    timer = setTimeout(() => resolve(undefined), Math.min(ms, maxTimerMs));
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}

/** Over early when the signal is aborted. */
export function pause(ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const end = (): void => {
      clearTimeout(timer);
      signal?.removeEventListener('abort', end);
      resolve();
    };
    const timer = setTimeout(end, ms);
    signal?.addEventListener('abort', end, { once: true });
    if (signal?.aborted) end();
  });
}
