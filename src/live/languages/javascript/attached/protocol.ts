// The inspector's protocol over a socket: questions with numbers, and events.
import { type OpenSocket, openWebSocket } from './web-socket.ts';

type Params = Readonly<Record<string, unknown>>;

interface Waiting {
  resolve(result: unknown): void;
  reject(error: Error): void;
}

/** The inspector refused, in its own words. */
export class Refusal extends Error {}

export class Protocol {
  #socket: OpenSocket | undefined;
  #next = 1;
  readonly #waiting: Map<number, Waiting> = new Map();
  #over: string | undefined;
  onEvent: (method: string, params: Params) => void = () => undefined;
  /** Told once. */
  onClosed: (reason: string) => void = () => undefined;

  async open(url: URL): Promise<void> {
    this.#socket = await openWebSocket(url, { message: (text) => this.#received(text), closed: (reason) => this.#ended(reason) });
  }

  ask<T = object>(method: string, params: Params = {}): Promise<T> {
    if (this.#over !== undefined) return Promise.reject(new Error(this.#over));
    const id = this.#next++;
    return new Promise<T>((resolve, reject) => {
      this.#waiting.set(id, { resolve: resolve as (result: unknown) => void, reject });
      this.#socket?.send(JSON.stringify({ id, method, params }));
    });
  }

  close(): void {
    this.#over ??= 'the session was closed';
    this.#socket?.close();
    this.#fail(this.#over);
  }

  #received(text: string): void {
    let message: {
      readonly id?: number;
      readonly method?: string;
      readonly params?: Params;
      readonly result?: unknown;
      readonly error?: { readonly message?: unknown };
    };
    try {
      message = JSON.parse(text);
    } catch {
      this.#socket?.close();
      return this.#ended('it does not speak as an inspector does');
    }
    if (typeof message?.method === 'string') return this.onEvent(message.method, message.params ?? {});
    const waiting = this.#waiting.get(message?.id as number);
    if (waiting === undefined) return;
    this.#waiting.delete(message.id as number);
    if (message.error === undefined) waiting.resolve(message.result ?? {});
    else waiting.reject(new Refusal(String(message.error.message)));
  }

  #ended(reason: string): void {
    if (this.#over !== undefined) return;
    this.#over = reason;
    this.#fail(reason);
    this.onClosed(reason);
  }

  #fail(reason: string): void {
    for (const { reject } of this.#waiting.values()) reject(new Error(reason));
    this.#waiting.clear();
  }
}
