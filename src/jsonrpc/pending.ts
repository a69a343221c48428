// Requests of ours that await an answer from the other side.
import { type ErrorObject, RpcError, VivariumError } from './error.ts';
import type { ParsedResponse, RequestId } from './message.ts';

export interface AskOptions {
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
  /** Told how many bytes the answer takes, where that is known. */
  readonly hold?: (bytes: number) => void;
}

interface Waiting {
  readonly hold: ((bytes: number) => void) | undefined;
  readonly resolve: (result: unknown) => void;
  readonly reject: (error: Error) => void;
}

/** Timers know no more: a longer one would fire at once. */
const longest = 2 ** 31 - 1;

export class Pending {
  readonly #waiting: Map<RequestId, Waiting> = new Map();
  readonly #prefix: string | undefined;
  #next = 1;

  /** A prefix makes the ids unlike those of others who ask the same peer. */
  constructor(prefix?: string) {
    this.#prefix = prefix;
  }

  get size(): number {
    return this.#waiting.size;
  }

  /** Whoever gives up waiting tells the other side, and forgets: a late answer is nobody's. */
  ask(
    send: (message: object) => void,
    method: string,
    params: object | undefined,
    { timeoutMs, signal, hold }: AskOptions,
  ): Promise<unknown> {
    const count = this.#next++;
    const id = this.#prefix === undefined ? count : `${this.#prefix}${count}`;
    return new Promise((resolve, reject) => {
      const end = (): void => {
        this.#waiting.delete(id);
        clearTimeout(timer);
        signal.removeEventListener('abort', aborted);
      };
      const giveUp = (error: Error): void => {
        end();
        reject(error);
        tell({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: id, reason: error.message } });
      };
      // The other side may be gone, which is no news to whoever gives up.
      const tell = (message: object): void => {
        try {
          send(message);
        } catch {}
      };
      const aborted = (): void => giveUp(signal.reason as Error);
      const late = (): void => giveUp(new VivariumError('ERR_TIMEOUT', `No answer to ${method} within ${timeoutMs} ms`));
      const timer = setTimeout(late, Math.min(timeoutMs, longest));
      this.#waiting.set(id, {
        hold,
        resolve: (result) => {
          end();
          resolve(result);
        },
        reject: (error) => {
          end();
          reject(error);
        },
      });
      if (signal.aborted) {
        end();
        reject(signal.reason as Error);
        return;
      }
      signal.addEventListener('abort', aborted, { once: true });
      try {
        send({ jsonrpc: '2.0', id, method, ...(params !== undefined && { params }) });
      } catch (error) {
        end();
        reject(error as Error);
      }
    });
  }

  /** False when nobody asked. */
  settle({ id, result, error }: ParsedResponse, bytes = 0): boolean {
    const waiting = id === undefined ? undefined : this.#waiting.get(id);
    if (waiting === undefined) return false;
    waiting.hold?.(bytes);
    if (error === undefined) waiting.resolve(result);
    else waiting.reject(RpcError.from(error satisfies ErrorObject));
    return true;
  }

  close(reason: Error): void {
    for (const waiting of [...this.#waiting.values()]) waiting.reject(reason);
  }
}
