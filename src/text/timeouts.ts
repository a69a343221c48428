// Time limits on work that takes a signal. The timer is held until the work is over: on Node 20 the garbage collector may take
// what AbortSignal.timeout and AbortSignal.any return while somebody still waits, and then the limit never comes.

/** Aborts the signal of `work` after `ms`, or when `outer` is aborted. */
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
