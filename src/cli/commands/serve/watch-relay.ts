// Between a client on stdio and a server that is started anew: the client's connection stays, and each new server learns what the client had said.
import { metaKeys, statelessRevisions } from '../../../protocol/revision.ts';

type Message = Readonly<Record<string, unknown>>;

/** One generation of the server. */
export interface Generation {
  send(line: string): void;
  /** Its input ends: it answers what it has read, and goes. */
  retire(): void;
}

/** Requests that make a session what it is; the last of each kind, or each of them, is said again. */
const settings: ReadonlySet<string> = new Set(['logging/setLevel', 'resources/subscribe']);
const lists = ['tools', 'resources', 'prompts'] as const;
const ours = 'vivarium-watch-';

export class WatchRelay {
  readonly #tell: (line: string) => void;
  #now: Generation | undefined;
  #held: string[] = [];
  #initialize: Message | undefined;
  #initialized = false;
  #settings: Map<string, Message> = new Map();
  #listens: Map<unknown, Message> = new Map();
  /** Requests of the client, by whom they were given to. */
  #open: Map<unknown, Generation> = new Map();
  /** Requests of the server, by whom they came from. */
  #asked: Map<unknown, Generation> = new Map();
  #count = 0;
  #swallowed: Map<string, (answer: Message) => void> = new Map();

  constructor(tell: (line: string) => void) {
    this.#tell = tell;
  }

  /** A line of the client. */
  fromClient(line: string): void {
    const message = asMessage(line);
    const { method, id } = message ?? {};
    if (method === 'initialize') this.#initialize = message;
    if (method === 'notifications/initialized') this.#initialized = true;
    if (typeof method === 'string' && settings.has(method)) this.#settings.set(keyOf(message as Message), message as Message);
    if (method === 'resources/unsubscribe') this.#settings.delete(keyOf({ ...message, method: 'resources/subscribe' }));
    if (method === 'subscriptions/listen') this.#listens.set(id, message as Message);
    if (method === 'notifications/cancelled') this.#listens.delete((message?.['params'] as Message | undefined)?.['requestId']);
    if (this.#now === undefined) return void this.#held.push(line);
    this.#give(line, message, this.#now);
  }

  #give(line: string, message: Message | undefined, to: Generation): void {
    const { method, id } = message ?? {};
    if (message !== undefined && method === undefined) return (this.#asked.get(id) ?? to).send(line);
    if (method !== undefined && id !== undefined) this.#open.set(id, to);
    to.send(line);
  }

  /** A line of a server, of this generation or of the last. */
  fromServer(line: string, from: Generation): void {
    const message = asMessage(line);
    const { method, id } = message ?? {};
    if (method === undefined && typeof id === 'string' && this.#swallowed.has(id)) {
      this.#swallowed.get(id)?.(message as Message);
      this.#swallowed.delete(id);
      return;
    }
    if (method !== undefined && id !== undefined) this.#asked.set(id, from);
    if (method === undefined && message !== undefined) {
      // What the retired say of a subscription that lives on is not true.
      if (this.#listens.has(id) && from !== this.#now) return;
      this.#open.delete(id);
      this.#listens.delete(id);
    }
    if (from !== this.#now && isGoodbye(message, this.#listens)) return;
    this.#tell(line);
  }

  /** Brings a new server to where the client believes it to be; false when it did not answer. */
  async take(next: Generation, answered: (answer: Promise<Message>) => Promise<Message | undefined>): Promise<boolean> {
    // What the client has said to nobody yet it says itself.
    const first = this.#now === undefined && (this.#initialize === undefined || this.#held.some(isInitialize));
    if (!first) {
      const params = this.#initialize?.['params'] ?? modernParams;
      const answer = await answered(this.#ask(next, this.#initialize === undefined ? 'server/discover' : 'initialize', params));
      if (answer === undefined) return false;
      if (this.#initialized) next.send(JSON.stringify({ jsonrpc: '2.0', method: 'notifications/initialized' }));
      for (const { method, params: said } of this.#settings.values()) void this.#ask(next, method as string, said);
    }
    const before = this.#now;
    this.#now = next;
    for (const listen of this.#listens.values()) next.send(JSON.stringify(listen));
    for (const line of this.#held.splice(0)) this.#give(line, asMessage(line), next);
    before?.retire();
    if (before !== undefined) this.#announce();
    return true;
  }

  /** A server is gone: whoever still waits for it is told. */
  gone(generation: Generation): void {
    for (const [id, to] of this.#open) {
      if (to !== generation || this.#listens.has(id)) continue;
      this.#open.delete(id);
      // Nothing was agreed on: the client may begin anew.
      if (this.#initialize?.['id'] === id) this.#initialize = undefined;
      const error = { code: -32603, message: 'The server ended before it answered' };
      this.#tell(JSON.stringify({ jsonrpc: '2.0', id, error }));
    }
    for (const [id, from] of this.#asked) if (from === generation) this.#asked.delete(id);
    if (this.#now === generation) this.#now = undefined;
  }

  #ask(next: Generation, method: string, params: unknown): Promise<Message> {
    const id = `${ours}${++this.#count}`;
    return new Promise((resolve) => {
      this.#swallowed.set(id, resolve);
      next.send(JSON.stringify({ jsonrpc: '2.0', id, method, params }));
    });
  }

  /** Everything may be different now. */
  #announce(): void {
    for (const list of lists) {
      const method = `notifications/${list}/list_changed`;
      if (this.#initialized) this.#tell(JSON.stringify({ jsonrpc: '2.0', method }));
      for (const [id, { params }] of this.#listens) {
        const wanted = (params as { notifications?: Message } | undefined)?.notifications?.[`${list}ListChanged`] === true;
        const tag = { _meta: { [metaKeys.subscriptionId]: id } };
        if (wanted) this.#tell(JSON.stringify({ jsonrpc: '2.0', method, params: tag }));
      }
    }
  }
}

const modernParams = {
  _meta: { [metaKeys.protocolVersion]: statelessRevisions.at(-1), [metaKeys.clientCapabilities]: {} },
};

function keyOf({ method, params }: Message): string {
  return `${String(method)} ${String((params as Message | undefined)?.['uri'] ?? '')}`;
}

function isInitialize(line: string): boolean {
  return asMessage(line)?.['method'] === 'initialize';
}

/** A server that ends takes its subscriptions back; the next one has them already. */
function isGoodbye(message: Message | undefined, listens: ReadonlyMap<unknown, Message>): boolean {
  return message?.['method'] === 'notifications/cancelled' && listens.has((message['params'] as Message | undefined)?.['requestId']);
}

function asMessage(line: string): Message | undefined {
  try {
    const value: unknown = JSON.parse(line);
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Message) : undefined;
  } catch {
    // The server answers it as it deserves.
    return undefined;
  }
}
