// What the clients of a watched server over HTTP have said: enough to bring a new server to where each session believes it to be.
import { type Answer, askOnce } from './watch-forward.ts';

type Message = Readonly<Record<string, unknown>>;
export type Headers = Readonly<Record<string, string | readonly string[] | undefined>>;

/** Requests that make a session what it is; the last of each kind, or each of them, is said again. */
const settings: ReadonlySet<string> = new Set(['logging/setLevel', 'resources/subscribe']);
const session = 'mcp-session-id';
const mostSessions = 10_000;
/** They belong to one request, and not to the session. */
const ownHeaders: ReadonlySet<string> = new Set([session, 'content-length', 'transfer-encoding', 'connection', 'last-event-id', 'expect']);

interface Session {
  readonly initialize: { readonly body: Buffer; readonly headers: Headers };
  /** Its name at the server of now. */
  inner: string;
  version: string | undefined;
  isReady: boolean;
  readonly settings: Map<string, Message>;
}

export class WatchSessions {
  readonly #known = new Map<string, Session>();
  #count = 0;

  /** The headers for the server of now. */
  inward(headers: Headers): Headers {
    const inner = this.#known.get(String(headers[session]))?.inner;
    return inner === undefined ? headers : { ...headers, [session]: inner };
  }

  has(id: unknown): boolean {
    return this.#known.has(String(id));
  }

  /** What was asked and answered makes sessions, changes them, or ends them. */
  learn(method: string | undefined, message: Message | undefined, body: Buffer, headers: Headers, answer: Answer): void {
    const outer = String(headers[session]);
    const given = answer.headers[session];
    if (message?.['method'] === 'initialize' && typeof given === 'string' && answer.status < 300) {
      const made = { initialize: { body, headers }, inner: given, version: undefined, isReady: false, settings: new Map() };
      this.#known.set(given, made);
      // Whoever never ends a session is forgotten in the end.
      for (const [oldest] of this.#known) if (this.#known.size > mostSessions) this.#known.delete(oldest);
      return;
    }
    const known = this.#known.get(outer);
    if (known === undefined) return;
    if (method === 'DELETE' && answer.status < 300) return void this.#known.delete(outer);
    const version = headers['mcp-protocol-version'];
    if (typeof version === 'string') known.version = version;
    if (message === undefined) return;
    const { method: said } = message;
    if (said === 'notifications/initialized') known.isReady = true;
    if (typeof said === 'string' && settings.has(said)) known.settings.set(keyOf(message), message);
    if (said === 'resources/unsubscribe') known.settings.delete(keyOf({ ...message, method: 'resources/subscribe' }));
  }

  /** Begins every session anew at another server; what it does not take is forgotten, so that its client hears 404 and begins anew. */
  async move(port: number): Promise<void> {
    await Promise.all([...this.#known].map(([outer, one]) => this.#moveOne(outer, one, port)));
  }

  async #moveOne(outer: string, one: Session, port: number): Promise<void> {
    const { body, headers } = one.initialize;
    const base = Object.fromEntries(Object.entries(headers).filter(([name]) => !ownHeaders.has(name)));
    const target = { port, path: this.path, method: 'POST' };
    const greeted = await askOnce({ ...target, headers: base }, body).catch(() => undefined);
    const inner = greeted?.headers[session];
    if (typeof inner !== 'string') return void this.#known.delete(outer);
    const later = { ...base, [session]: inner, ...(one.version !== undefined && { 'mcp-protocol-version': one.version }) };
    const tell = (message: Message) => askOnce({ ...target, headers: later }, Buffer.from(JSON.stringify(message))).catch(() => undefined);
    if (one.isReady) await tell({ jsonrpc: '2.0', method: 'notifications/initialized' });
    for (const { method, params } of one.settings.values())
      await tell({ jsonrpc: '2.0', id: `vivarium-watch-${++this.#count}`, method, params });
    one.inner = inner;
  }

  /** Of the endpoint. */
  path = '/mcp';
}

function keyOf({ method, params }: Message): string {
  return `${String(method)} ${String((params as Message | undefined)?.['uri'] ?? '')}`;
}
