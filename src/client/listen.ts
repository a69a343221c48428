// One listening request of 2026-07-28: open for as long as it is wanted, once the server has said that it heard of it.
import { VivariumError } from '../jsonrpc/error.ts';
import type { RequestId } from '../jsonrpc/message.ts';
import type { How, Link } from './link.ts';
import { longestTimer } from './timeouts.ts';

/** Settles when it ends; until it is acknowledged, `idleMs` holds. */
export async function listen(
  link: Link,
  params: object,
  usual: How,
  signal: AbortSignal,
  waiting: Map<RequestId, () => void>,
  acknowledged: () => void,
): Promise<void> {
  const { idleMs } = usual.timeouts;
  const late = new AbortController();
  const timer = setTimeout(() => late.abort(), Math.min(idleMs, longestTimer));
  let own: RequestId | undefined;
  const how: How = {
    ...usual,
    signal: AbortSignal.any([signal, late.signal]),
    open: true,
    onId: (id) => {
      own = id;
      waiting.set(id, () => {
        clearTimeout(timer);
        acknowledged();
      });
    },
  };
  try {
    await link.request('subscriptions/listen', params, how);
  } catch (error) {
    if (!late.signal.aborted) throw error;
    throw new VivariumError('ERR_TIMEOUT', `The server did not acknowledge subscriptions/listen within ${idleMs} ms (idleMs)`);
  } finally {
    clearTimeout(timer);
    if (own !== undefined) waiting.delete(own);
  }
}
