// Requests of ours that await an answer from the other side.
import { type ErrorObject, RpcError, VivariumError } from './error.ts';
import type { ParsedResponse, RequestId } from './message.ts';

export interface AskOptions {
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
}

interface Waiting {
  readonly resolve: (result: unknown) => void;
  readonly reject: (error: Error) => void;
}

export class Pending {
  readonly #waiting: Map<RequestId, Waiting> = new Map();
  #next = 1;

  get size(): number {
    return this.#waiting.size;
  }

  /** Whoever gives up waiting tells the other side, and forgets: a late answer is nobody's. */
  ask(send: (message: object) => void, method: string, params: object | undefined, { timeoutMs, signal }: AskOptions): Promise<unknown> {
    const id = this.#next++;
    return new Promise((resolve, reject) => {
      const end = (): void => {
        this.#waiting.delete(id);
        clearTimeout(timer);
        signal.removeEventListener('abort', aborted);
      };
      const giveUp = (error: Error): void => {
        end();
        send({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: id, reason: error.message } });
        reject(error);
      };
      const aborted = (): void => giveUp(signal.reason as Error);
      const timer = setTimeout(() => giveUp(new VivariumError('ERR_TIMEOUT', `No answer to ${method} within ${timeoutMs} ms`)), timeoutMs);
      this.#waiting.set(id, {
        resolve: (result) => {
          end();
          resolve(result);
        },
        reject: (error) => {
          end();
          reject(error);
        },
      });
      signal.addEventListener('abort', aborted, { once: true });
      if (signal.aborted) aborted();
      else send({ jsonrpc: '2.0', id, method, ...(params !== undefined && { params }) });
    });
  }

  /** False when nobody asked. */
  settle({ id, result, error }: ParsedResponse): boolean {
    const waiting = id === undefined ? undefined : this.#waiting.get(id);
    if (waiting === undefined) return false;
    if (error === undefined) waiting.resolve(result);
    else waiting.reject(RpcError.from(error satisfies ErrorObject));
    return true;
  }

  close(reason: Error): void {
    for (const waiting of [...this.#waiting.values()]) waiting.reject(reason);
  }
}
