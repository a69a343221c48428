// What the clients of a watched server over HTTP have said: enough to bring a new server to where each session believes it to be.
import { type AnswerHead, askOnce, type Fields, mapped } from './watch-forward.ts';

type Message = Readonly<Record<string, unknown>>;

/** What was asked: its head, and its message where it was one. */
export interface ClientRequest {
  readonly method: string;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly fields: Fields;
  readonly body: Buffer | undefined;
  readonly message: Message | undefined;
}

/** Requests that make a session what it is; the last of each kind, or each of them, is said again. */
const settings: ReadonlySet<string> = new Set(['logging/setLevel', 'resources/subscribe']);
const session = 'mcp-session-id';
/** Of everything that is kept; the oldest sessions are forgotten beyond it, so that their clients begin anew after a restart. */
const maxBytes = 64 * 1024 * 1024;
/** They belong to one request, and not to the session. */
const ownFields: ReadonlySet<string> = new Set([session, 'content-length', 'transfer-encoding', 'last-event-id']);

interface Session {
  readonly initialize: { readonly body: Buffer; readonly fields: Fields };
  /** Its name at the server of now. */
  inner: string;
  version: string | undefined;
  isReady: boolean;
  readonly settings: Map<string, Message>;
  bytes: number;
}

export class WatchSessions {
  readonly #known = new Map<string, Session>();
  readonly #path: string;
  #bytes = 0;
  #count = 0;

  /** Of the endpoint. */
  constructor(path: string) {
    this.#path = path;
  }

  /** The fields for the server of now. */
  inward(fields: Fields): Fields {
    return mapped(fields, (name, value) => (name === session ? (this.#known.get(value)?.inner ?? value) : value));
  }

  has(id: unknown): boolean {
    return this.#known.has(String(id));
  }

  /** What was asked, and granted, makes sessions, changes them, or ends them. */
  learn({ method, headers, fields, body, message }: ClientRequest, answer: AnswerHead): void {
    // Whoever was refused has changed nothing.
    if (answer.status >= 300) return;
    const outer = String(headers[session]);
    const given = answer.headers[session];
    if (message?.['method'] === 'initialize' && body !== undefined && typeof given === 'string') {
      const kept = mapped(fields, (name, value) => (ownFields.has(name) ? undefined : value));
      const initialize = { body, fields: kept };
      this.#known.set(given, { initialize, inner: given, version: undefined, isReady: false, settings: new Map(), bytes: 0 });
      return this.#grow(given, body.length + kept.join('').length);
    }
    const known = this.#known.get(outer);
    if (known === undefined) return;
    if (method === 'DELETE') return this.#forget(outer);
    const version = headers['mcp-protocol-version'];
    if (typeof version === 'string') known.version = version;
    if (message === undefined) return;
    const { method: said } = message;
    if (said === 'notifications/initialized') known.isReady = true;
    if (said === 'resources/unsubscribe') known.settings.delete(keyOf({ ...message, method: 'resources/subscribe' }));
    if (typeof said !== 'string' || !settings.has(said)) return;
    known.settings.set(keyOf(message), message);
    this.#grow(outer, body?.length ?? 0);
  }

  #grow(id: string, bytes: number): void {
    const known = this.#known.get(id) as Session;
    known.bytes += bytes;
    this.#bytes += bytes;
    for (const oldest of this.#known.keys()) if (this.#bytes > maxBytes) this.#forget(oldest);
  }

  #forget(id: string): void {
    this.#bytes -= this.#known.get(id)?.bytes ?? 0;
    this.#known.delete(id);
  }

  /** Begins every session anew at another server; what it does not take is forgotten, so that its client hears 404 and begins anew. */
  async move(port: number): Promise<void> {
    await Promise.all([...this.#known].map(([outer, one]) => this.#moveOne(outer, one, port)));
  }

  async #moveOne(outer: string, one: Session, port: number): Promise<void> {
    const { body, fields } = one.initialize;
    const target = { port, path: this.#path, method: 'POST' };
    const greeted = await askOnce({ ...target, fields }, body).catch(() => undefined);
    const inner = greeted?.headers[session];
    if (typeof inner !== 'string') return this.#forget(outer);
    const version = one.version === undefined ? [] : ['mcp-protocol-version', one.version];
    const later = [...mapped(fields, (name, value) => (name === 'mcp-protocol-version' ? undefined : value)), session, inner, ...version];
    const tell = (message: Message) => askOnce({ ...target, fields: later }, Buffer.from(JSON.stringify(message))).catch(() => undefined);
    if (one.isReady) await tell({ jsonrpc: '2.0', method: 'notifications/initialized' });
    for (const { method, params } of one.settings.values())
      await tell({ jsonrpc: '2.0', id: `vivarium-watch-${++this.#count}`, method, params });
    one.inner = inner;
  }
}

function keyOf({ method, params }: Message): string {
  return `${String(method)} ${String((params as Message | undefined)?.['uri'] ?? '')}`;
}
