// Reaches a server over Streamable HTTP with fetch: for browsers and workers.
import type { Connector } from '../protocol/channel.ts';
import { HttpChannel } from './http-channel.ts';
import { asNetworkFailure, isBeforehand } from './network-failure.ts';
import type { Outgoing, Reception, Requester, Underway } from './requester.ts';
import { openSse } from './sse-channel.ts';
import { settle, type WebOptions } from './web-options.ts';

export interface FetchOptions extends WebOptions {
  /** Default: the global one. */
  readonly fetch?: typeof globalThis.fetch;
}

const endpointMs = 10_000;

export function fetchHttp(url: string | URL, options: FetchOptions = {}): Connector {
  const settings = settle(url, options, ['fetch']);
  const send = options.fetch ?? ((input, init) => globalThis.fetch(input, init));
  const create = (): Requester => createFetchRequester(settings.url.origin, send);
  return {
    target: settings.target,
    open: async () => new HttpChannel(create(), settings),
    older: { target: settings.target, open: (signal) => openSse(create(), settings, endpointMs, signal) },
  };
}

function createFetchRequester(origin: string, send: typeof globalThis.fetch): Requester {
  const underway = new Set<FetchRequest>();
  return {
    send(outgoing, reception) {
      const one = new FetchRequest(reception, underway);
      void one.run(send, origin, outgoing);
      return one;
    },
    close() {
      for (const one of [...underway]) one.abort();
    },
  };
}

class FetchRequest implements Underway {
  readonly #reception: Reception;
  readonly #others: Set<FetchRequest>;
  readonly #controller: AbortController = new AbortController();
  #over = false;

  constructor(reception: Reception, others: Set<FetchRequest>) {
    this.#reception = reception;
    this.#others = others;
    others.add(this);
  }

  async run(send: typeof globalThis.fetch, origin: string, { verb, path, fields, body }: Outgoing): Promise<void> {
    const headers: [string, string][] = [];
    for (let at = 0; at < fields.length; at += 2) headers.push([fields[at] as string, fields[at + 1] as string]);
    const { signal } = this.#controller;
    // Neither a token nor a session may go where a redirect leads.
    const init: RequestInit = { method: verb, headers, redirect: 'manual', signal, ...(body !== undefined && { body }) };
    const response = await this.#try(() => send(`${origin}${path}`, init), false);
    if (response === undefined || this.#over) return;
    // A browser does not say where such an answer leads, nor with which status.
    if (response.type === 'opaqueredirect') this.#reception.head(307, () => undefined);
    else this.#reception.head(response.status, (name) => response.headers.get(name) ?? undefined);
    const reader = response.body?.getReader();
    while (reader !== undefined) {
      const part = await this.#try(() => reader.read(), true);
      if (part === undefined || this.#over) return;
      if (part.done) break;
      this.#reception.data(part.value);
    }
    if (this.#finish()) this.#reception.end();
  }

  /** Only what fetch does may fail here: what a listener throws is no failure of the network. */
  async #try<T>(act: () => Promise<T>, begun: boolean): Promise<T | undefined> {
    try {
      return await act();
    } catch (error) {
      if (this.#finish()) this.#reception.failed(asNetworkFailure(error, !begun && isBeforehand(error)));
      return undefined;
    }
  }

  abort(): void {
    if (this.#finish()) this.#controller.abort();
  }

  #finish(): boolean {
    if (this.#over) return false;
    this.#over = true;
    this.#others.delete(this);
    return true;
  }
}
