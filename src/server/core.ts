// The definition behind a Server: built once, shared by every porch, never tied to a connection.
import { VivariumError } from '../jsonrpc/error.ts';
import { metaKeys, type Revision, type RevisionTraits, revisions, traitsOf } from '../protocol/revision.ts';
import type { Implementation, ServerCapabilities } from '../protocol/types.ts';
import { Listing } from './listing.ts';
import type { ServerOptions } from './options.ts';
import type { serve } from './requests.ts';
import type { Server } from './server.ts';
import type { Tool } from './tool.ts';

/** The number changes when Core changes in a way a porch of another copy of this package could not serve. */
export const brand: symbol = Symbol.for('vivarium.server.1');

/** A list that changed. */
export type Change = 'tools';

export class Core {
  readonly options: ServerOptions;
  readonly revisions: readonly Revision[];
  /** Newest last. */
  readonly legacy: readonly Revision[];
  readonly modern: boolean;
  readonly info: Implementation;
  readonly tools: Listing<Tool>;
  /** Serves requests; loaded when the first answer has left, because nothing before the handshake needs it. */
  serve: typeof serve | undefined;
  readonly #origin: Readonly<Record<string, unknown>>;
  readonly #listeners: Set<(change: Change, at: number) => void> = new Set();
  /** With the count at which each changed last. */
  readonly #changed: Map<Change, number> = new Map();
  /** How many changes there have been. */
  changes = 0;
  #announcing = false;
  #batching = 0;
  #refs = 0;
  #loading: Promise<void> | undefined;

  constructor(options: ServerOptions) {
    const { name, version, title, description, websiteUrl, icons } = options;
    this.options = options;
    this.revisions = revisions.filter((revision) => options.revisions?.includes(revision) ?? true);
    this.legacy = this.revisions.filter((revision) => traitsOf(revision).era === 'legacy');
    this.modern = this.revisions.includes('2026-07-28');
    this.info = {
      name,
      ...(title !== undefined && { title }),
      version,
      ...(description !== undefined && { description }),
      ...(websiteUrl !== undefined && { websiteUrl }),
      ...(icons !== undefined && { icons }),
    };
    this.#origin = { [metaKeys.serverInfo]: this.info };
    this.tools = new Listing('tools', options.pageSize ?? 100);
  }

  /** Settles when requests can be served; undefined when they can already. */
  loading(): Promise<void> | undefined {
    if (this.serve !== undefined) return undefined;
    this.#loading ??= import('./requests.ts').then((requests) => {
      this.serve = requests.serve;
    });
    return this.#loading;
  }

  /** Derived from what is registered, never declared by hand. */
  capabilities(): ServerCapabilities {
    return this.has('tools') ? { tools: { listChanged: true } } : {};
  }

  has(capability: string): boolean {
    return capability === 'tools' && this.tools.size > 0;
  }

  /** Makes a fresh result a modern one. */
  stamp<T extends object>(fresh: T): T {
    const result = fresh as { resultType?: unknown; _meta?: Readonly<Record<string, unknown>> };
    result.resultType ??= 'complete';
    result._meta = result._meta === undefined ? this.#origin : { ...result._meta, ...this.#origin };
    return fresh;
  }

  caching(shared: boolean): { readonly ttlMs: number; readonly cacheScope: 'public' | 'private' } {
    const { ttlMs = 0, scope = 'private' } = this.options.cache ?? {};
    return { ttlMs, cacheScope: shared ? scope : 'private' };
  }

  /** Notifies once per turn of the event loop, however many changes there were. */
  changed(change: Change): void {
    this.#changed.set(change, ++this.changes);
    this.#announce();
  }

  #announce(): void {
    if (this.#announcing || this.#batching > 0) return;
    this.#announcing = true;
    soon(() => {
      this.#announcing = false;
      const changes = [...this.#changed];
      this.#changed.clear();
      for (const [change, at] of changes) for (const listener of this.#listeners) listener(change, at);
    });
  }

  batch(change: () => void): void {
    this.#batching++;
    try {
      change();
    } finally {
      this.#batching--;
      if (this.#changed.size > 0) this.#announce();
    }
  }

  onChange(listener: (change: Change, at: number) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Tells the author of an unexpected throw; gives back a reference when the client is not to see the message. */
  report(error: unknown, method: string, name?: string): string | undefined {
    const ref = this.options.errors === 'masked' ? reference(++this.#refs) : undefined;
    const info = { method, ...(name !== undefined && { name }), ...(ref !== undefined && { ref }) };
    try {
      if (this.options.onError !== undefined) this.options.onError(error, info);
      else
        console.error(
          `vivarium: ${method}${name === undefined ? '' : ` ${name}`}${ref === undefined ? '' : ` (ref ${ref})`}: ${line(error)}`,
        );
    } catch {
      // A reporter that fails must not take the answer with it.
    }
    return ref;
  }

  /** Begins to load what calls will need, once nothing is waiting for an answer any more. */
  warm(): void {
    void this.loading();
    if (this.tools.values().some((tool) => !tool.ready))
      void import('../schema/json-schema.ts').then(({ loadValidator }) => loadValidator());
  }

  /** A list as a result. */
  listed(list: object, nextCursor: string | undefined, traits: RevisionTraits, shared: boolean): object {
    const result = { ...list, ...(nextCursor !== undefined && { nextCursor }) };
    return traits.era === 'modern' ? this.stamp({ ...result, ...this.caching(shared) }) : result;
  }
}

/** By brand, not by class: the Server may come from another copy of this package. */
export function isServer(value: unknown): value is Server {
  return typeof value === 'object' && value !== null && brand in value;
}

export function coreOf(server: Server): Core {
  if (isServer(server)) return (server as unknown as Record<symbol, Core>)[brand] as Core;
  throw new VivariumError('ERR_CONFIG', "Expected a Server: make one with new Server({ name, version }) from 'vivarium/server'");
}

function reference(count: number): string {
  return (count * 0x10000 + Math.floor(Math.random() * 0x10000)).toString(16).padStart(6, '0');
}

function line(error: unknown): string {
  try {
    return String(error instanceof Error ? (error.stack ?? error.message) : error).replace(/\s*\n\s*/g, ' | ');
  } catch {
    return 'an error that cannot be printed';
  }
}

/** After the current turn; browsers have no setImmediate. */
export const soon: (task: () => void) => void =
  typeof setImmediate === 'function' ? (task) => void setImmediate(task) : (task) => void setTimeout(task, 0);
