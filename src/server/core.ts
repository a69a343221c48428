// The definition behind a Server: built once, shared by every porch, never tied to a connection.

import { VivariumError } from '../jsonrpc/error.ts';
import type { Params } from '../jsonrpc/message.ts';
import { handshakeRevisions, metaKeys, type Revision, type RevisionTraits, revisions, statelessRevisions } from '../protocol/revision.ts';
import type { Implementation, ServerCapabilities } from '../protocol/types.ts';
import { loadValidator } from '../schema/json-schema.ts';
import { defineSchema, type Schema } from '../schema/schema.ts';
import type { Vault } from '../store/store.ts';
import { inOneLine } from '../text/one-line.ts';
import { printable } from '../text/printable.ts';
import type { Reply } from './answer.ts';
import type { Call } from './call.ts';
import type { BaseContext } from './context.ts';
import type { ExtensionMethod } from './extension.ts';
import { Listing } from './listing.ts';
import type { AskingOptions, ErrorDetails, ServerOptions } from './options.ts';
import type { Prompt } from './prompt.ts';
import type { serve } from './requests.ts';
import type { Resource } from './resource.ts';
import type { hiddenFrom } from './resources.ts';
import type { Server } from './server.ts';
import { limitOf, type Tool } from './tool.ts';

/** The number changes when Core changes in a way a porch of another copy of this package could not serve. */
export const brand: symbol = Symbol.for('vivarium.server.1');

export type Feature = (call: Call, params: Params | undefined) => Reply | Promise<Reply>;

/** Something clients may want to be told. The last kind is an extension's own. */
export type Change =
  | { readonly kind: 'list'; readonly of: 'tools' | 'resources' | 'prompts' }
  | { readonly kind: 'updated'; readonly uri: string }
  | { readonly kind: 'extension'; readonly member: string; readonly value: unknown; readonly method: string; readonly params?: object };

/** A wrapper around every request; see `server.around`. */
export type Around = (call: AroundCall, next: () => Promise<object>) => Promise<object>;

export interface AroundCall {
  readonly method: string;
  /** Of the tool, prompt or resource, where there is one. */
  readonly name?: string;
  readonly params: Readonly<Record<string, unknown>>;
  readonly ctx: BaseContext;
}

export class Core {
  readonly options: ServerOptions;
  readonly revisions: readonly Revision[];
  /** Newest last. */
  readonly legacy: readonly Revision[];
  readonly modern: boolean;
  /** Versions a client may name in `_meta`: one that took a legacy date from here would be refused. */
  readonly perRequest: readonly Revision[];
  readonly info: Implementation;
  /** Undefined where errors stay as they are. */
  readonly errorDetails: ErrorDetails | undefined;
  /** A connection's requests are worked on one at a time. */
  readonly sequential: boolean;
  /** Clients are told what they did not ask for. */
  readonly announces: boolean;
  readonly tools: Listing<Tool>;
  readonly resources: Listing<Resource>;
  readonly templates: Listing<Resource>;
  readonly prompts: Listing<Prompt>;
  readonly arounds: Around[] = [];
  /** By id, what each extension settles for itself. */
  readonly extensions: Map<string, object> = new Map();
  readonly extensionMethods: Map<string, ExtensionMethod> = new Map();
  /** Members of the listen filter that extensions added, and whose they are. */
  readonly listenMembers: Map<string, string> = new Map();
  /** Of these, the ones that may be listened to as a whole. */
  readonly listenAll: Set<string> = new Set();
  readonly resultTypes: Map<string, string> = new Map();
  readonly asking: Required<Omit<AskingOptions, 'key'>>;
  /** Where asks keep what they must remember; a porch with a shared store puts it here. */
  vault: Vault | undefined;
  /** How a porch without a store of its own makes one, when it is needed at all. */
  openVault: (() => Promise<Vault>) | undefined;
  /** Bytes a result may have; undefined without a limit of the server's own. */
  readonly limit: number | undefined;
  /** Serves requests; loaded when the first answer has left, because nothing before the handshake needs it. */
  serve: typeof serve | undefined;
  /** Whether a resource does not exist for someone; there once anybody can have subscribed to one. */
  hides: typeof hiddenFrom | undefined;
  readonly #origin: Readonly<Record<string, unknown>>;
  /** Told the id of a session that has ended: by its client, or because nobody used it. */
  readonly farewells: Set<(sessionId: string) => void> = new Set();
  readonly #listeners: Set<(change: Change, at: number) => void> = new Set();
  /** By what changed, with the count at which it changed last. */
  readonly #changed: Map<string, { readonly change: Change; readonly at: number }> = new Map();
  /** How many changes there have been. */
  changes = 0;
  /** Tells one definition from another where several nodes tell each other of changes. */
  readonly id: string = Math.random().toString(36).slice(2);
  #announcing = false;
  #batching = 0;
  #refs = 0;
  #loading: Promise<void> | undefined;
  readonly #forms: WeakMap<object, Schema> = new WeakMap();

  constructor(options: ServerOptions) {
    const { name, version, title, description, websiteUrl, icons } = options;
    this.options = options;
    this.revisions = revisions.filter((revision) => options.revisions?.includes(revision) ?? true);
    this.legacy = handshakeRevisions.filter((revision) => this.revisions.includes(revision));
    this.perRequest = statelessRevisions.filter((revision) => this.revisions.includes(revision));
    this.modern = this.perRequest.length > 0;
    this.info = {
      name,
      ...(title !== undefined && { title }),
      version,
      ...(description !== undefined && { description }),
      ...(websiteUrl !== undefined && { websiteUrl }),
      ...(icons !== undefined && { icons }),
    };
    this.errorDetails = options.errorDetails === 'data' ? undefined : options.errorDetails;
    this.sequential = options.sequential === true;
    this.announces = (options.announces ?? true) === true;
    this.#origin = { [metaKeys.serverInfo]: this.info };
    const pageSize = options.pageSize ?? 100;
    this.tools = new Listing('tools', pageSize);
    this.resources = new Listing('resources', pageSize);
    this.templates = new Listing('templates', pageSize);
    this.prompts = new Listing('prompts', pageSize);
    const { ttlMs = 600_000, maxRounds = 10, inlineBytes = 8_192, maxBytes = 262_144 } = options.asking ?? {};
    this.asking = { ttlMs, maxRounds, inlineBytes, maxBytes };
    this.limit = limitOf(options);
  }

  /** Settles when requests can be served; undefined when they can already. */
  loading(): Promise<void> | undefined {
    if (this.serve !== undefined) return undefined;
    this.#loading ??= import('./requests.ts').then(
      (requests) => {
        requests.equip(this);
      },
      (error: unknown) => {
        // The next request tries again: a file may be missing for a moment only.
        this.#loading = undefined;
        this.report(error, 'load');
      },
    );
    return this.#loading;
  }

  /** Derived from what is registered, never declared by hand. */
  capabilities(announces = true): ServerCapabilities {
    const denied = this.options.announces === 'denied';
    const told = announces && this.announces;
    const list = told || denied ? { listChanged: told } : {};
    return {
      ...(this.announces && { logging: {} }),
      ...(this.has('completions') && { completions: {} }),
      ...(this.has('tools') && { tools: list }),
      ...(this.has('resources') && { resources: told || denied ? { subscribe: told, ...list } : {} }),
      ...(this.has('prompts') && { prompts: list }),
      ...(this.extensions.size > 0 && { extensions: Object.fromEntries(this.extensions) as ServerCapabilities['extensions'] & object }),
    };
  }

  /** Extensions in use that this client declared: what lists show may depend on them. */
  declaredBy(call: Call): readonly string[] {
    if (this.extensions.size === 0) return none;
    return [...this.extensions.keys()].filter((id) => call.declares(id) !== undefined);
  }

  has(capability: string): boolean {
    switch (capability) {
      case 'tools':
        return this.tools.size > 0;
      case 'resources':
        return this.resources.size > 0 || this.templates.size > 0 || this.#budgeted();
      case 'prompts':
        return this.prompts.size > 0;
      case 'completions':
        return [...this.prompts.values(), ...this.templates.values()].some((one) => Object.keys(one.complete ?? {}).length > 0);
      default:
        return capability === 'logging' && this.announces;
    }
  }

  /** Some result may be cut, and its rest be read as a resource. */
  #budgeted(): boolean {
    return this.limit !== undefined || this.tools.values().some((tool) => tool.limit !== undefined);
  }

  /** The keys that seal what a call remembers between its rounds, newest first. */
  async askingKeys(): Promise<readonly Uint8Array[]> {
    const given = this.options.asking?.key;
    if (given !== undefined) return given instanceof Uint8Array ? [given] : given;
    return (await this.kept()).keys();
  }

  async kept(): Promise<Vault> {
    if (this.vault === undefined) {
      if (this.openVault === undefined) throw new VivariumError('ERR_CONFIG', 'There is no store: serve the server through a porch');
      this.vault = await this.openVault();
    }
    return this.vault;
  }

  /** Made once per schema object: a handler that asks is run again and again. */
  formSchema(given: object, key: string): Schema {
    const known = this.#forms.get(given);
    if (known !== undefined) return known;
    const schema = defineSchema(given, { side: 'input', objectRoot: true, toJsonSchema: this.options.toJsonSchema });
    if ('problem' in schema) throw new VivariumError('ERR_SCHEMA', `Elicitation "${key}": ${schema.problem}`);
    this.#forms.set(given, schema);
    return schema;
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
    // What extensions add differs by client.
    return { ttlMs, cacheScope: shared && this.extensions.size === 0 ? scope : 'private' };
  }

  /** Notifies once per turn of the event loop, however many changes there were. */
  changed(change: Change): void {
    const key = JSON.stringify(change);
    // The last state comes last.
    this.#changed.delete(key);
    this.#changed.set(key, { change, at: ++this.changes });
    this.#announce();
  }

  #announce(): void {
    if (this.#announcing || this.#batching > 0) return;
    this.#announcing = true;
    soon(() => {
      this.#announcing = false;
      const changes = [...this.#changed.values()];
      this.#changed.clear();
      for (const { change, at } of changes) for (const listener of this.#listeners) this.#tell(listener, change, at);
    });
  }

  /** One that fails, such as a `visible` that throws, does not keep the others from hearing. */
  #tell(listener: (change: Change, at: number) => void, change: Change, at: number): void {
    try {
      listener(change, at);
    } catch (error) {
      this.report(error, 'announce');
    }
  }

  batch(change: () => unknown): void {
    this.#batching++;
    try {
      if (change() instanceof Promise)
        throw new VivariumError('ERR_CONFIG', 'batch() takes a synchronous function: await first, then batch');
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
    const first = [...this.tools.values(), ...this.prompts.values()].slice(0, maxLooked);
    if (first.some((one) => one.validates)) void loadValidator();
  }

  /** A list as a result. */
  listed(list: object, nextCursor: string | undefined, traits: RevisionTraits, shared: boolean): object {
    const result = { ...list, ...(nextCursor !== undefined && { nextCursor }) };
    return traits.era === 'modern' ? this.stamp({ ...result, ...this.caching(shared) }) : result;
  }
}

const none: readonly string[] = [];
/** To look through ten thousand schemas takes as long as to load the validator, which a later one does when it is called. */
const maxLooked = 200;
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
    return printable(inOneLine(String(error instanceof Error ? (error.stack ?? error.message) : error), ' | '));
  } catch {
    return 'an error that cannot be printed';
  }
}

/** After the current turn; browsers have no setImmediate. */
export const soon: (task: () => void) => void =
  typeof setImmediate === 'function' ? (task) => void setImmediate(task) : (task) => void setTimeout(task, 0);
