// What an author writes against: register things, then hand the server to any number of porches.
import { VivariumError } from '../jsonrpc/error.ts';
import { isRevision } from '../protocol/revision.ts';
import { defineSchema, type Schema } from '../schema/schema.ts';
import { type Around, brand, Core } from './core.ts';
import { exposePrompt, exposeResources, exposeTemplate, shared } from './expose.ts';
import { type Extension, install } from './extension.ts';
import type { Listed, Listing } from './listing.ts';
import type { ServerOptions } from './options.ts';
import { Prompt, type PromptDetails, type PromptHandler, type PromptOptions, unsayable } from './prompt.ts';
import { type Read, Resource, type ResourceDetails, type ResourceHandler, type ResourceOptions } from './resource.ts';
import { type AnyHandler, Tool } from './tool.ts';
import type { ToolDetails, ToolHandler, ToolOptions } from './tool-options.ts';
import { parseTemplate } from './uri-template/uri-template.ts';

/** A handle on something registered. */
export interface Registered<Details> {
  readonly name: string;
  /** Everything but schemas and handler: a changed schema is another tool, so remove and add. */
  update(details: Details): void;
  remove(): void;
}

/** Something described but not yet registered; not generic, so that one file per tool stays easy to type. */
export interface Definition {
  readonly kind: 'tool' | 'resource' | 'prompt';
  readonly name: string;
  readonly register: (server: Server) => void;
}

/**
 * A server without a connection. It is built once and served by `serveStdio`, `serveMemory` and their like,
 * in every revision at the same time.
 *
 * @example
 * const server = new Server({ name: 'sums', version: '1.0.0' });
 * server.tool('add', { input: z.object({ a: z.number(), b: z.number() }) }, ({ a, b }) => `${a + b}`);
 */
export class Server {
  readonly #core: Core;

  constructor(options: ServerOptions) {
    checkOptions(options);
    this.#core = new Core(options);
    Object.defineProperty(this, brand, { value: this.#core });
  }

  tool<const I extends object | undefined = undefined, const O extends object | undefined = undefined>(
    name: string,
    options: ToolOptions<I, O>,
    handler: ToolHandler<I, O>,
  ): Registered<ToolDetails> {
    const what = `Tool "${name}"`;
    checkName(name, 'tool');
    checkKeys(options, toolKeys, what, name);
    checkHandler(handler, what);
    const { input, output, text, ...details } = options;
    const tool = new Tool(
      name,
      details,
      handler as unknown as AnyHandler,
      input === undefined ? undefined : this.#schema(what, 'input', input),
      output === undefined ? undefined : this.#schema(what, 'output', output),
      (text as Tool['text'] | undefined) ?? this.#core.options.text ?? 'json',
    );
    return this.#register(this.#core.tools, tool, 'tools', what);
  }

  /** A brace in the URI makes it a template (RFC 6570); its variables are typed from the literal. */
  resource<const U extends string>(uri: U, options: ResourceOptions<U>, read: ResourceHandler<U>): Registered<ResourceDetails> {
    const what = `Resource "${uri}"`;
    checkKeys(options, resourceKeys, what, uri);
    checkHandler(read, what);
    const template = uri.includes('{') ? parseTemplate(uri) : undefined;
    if (template !== undefined && 'problem' in template) throw new VivariumError('ERR_CONFIG', `${what}: ${template.problem}`);
    if (!(template === undefined ? isUri(uri) : /^(?:[A-Za-z][A-Za-z0-9+.-]*:|\{)/.test(uri))) {
      throw new VivariumError('ERR_CONFIG', `${what} has no absolute URI: write something like note:///index`);
    }
    if (template === undefined && (options.list ?? options.complete) !== undefined) {
      throw new VivariumError('ERR_CONFIG', `${what} is no template: list and complete belong to templates such as note:///{id}`);
    }
    const known = new Set(template?.variables.map((variable) => variable.name));
    const stray = Object.keys(options.complete ?? {}).find((variable) => !known.has(variable));
    if (stray !== undefined)
      throw new VivariumError('ERR_CONFIG', `${what} has no variable "${stray}" to complete: name one of its own, or leave it out`);
    const resource = new Resource(uri, options as ResourceOptions, read as unknown as Read, template);
    const listing = template === undefined ? this.#core.resources : this.#core.templates;
    const registered = this.#register(listing, resource, 'resources', what);
    if (this.#core.options.expose?.resources !== true) return registered;
    exposeResources(this, (tool) => this.#core.tools.get(tool) !== undefined);
    return together(
      registered,
      exposeTemplate(this, resource, (tool) => this.#core.tools.get(tool) !== undefined),
    );
  }

  prompt<const I extends object | undefined = undefined>(
    name: string,
    options: PromptOptions<I>,
    handler: PromptHandler<I>,
  ): Registered<PromptDetails> {
    const what = `Prompt "${name}"`;
    checkName(name, 'prompt');
    checkKeys(options, promptKeys, what, name);
    checkHandler(handler, what);
    const { input, complete, ...details } = options;
    const schema = input === undefined ? undefined : this.#schema(what, 'input', input);
    const mute = schema === undefined ? undefined : unsayable(schema);
    if (mute !== undefined) {
      throw new VivariumError(
        'ERR_SCHEMA',
        `${what}: the argument "${mute}" cannot be a string, and arguments of prompts are: use a coercion such as z.coerce.number()`,
      );
    }
    const known = (schema?.json['properties'] ?? {}) as object;
    const stray = Object.keys(complete ?? {}).find((argument) => !Object.hasOwn(known, argument));
    if (stray !== undefined)
      throw new VivariumError('ERR_CONFIG', `${what} has no argument "${stray}" to complete: name one of its input, or leave it out`);
    const prompt = new Prompt(name, details, handler as unknown as Prompt['handler'], schema, complete as Prompt['complete']);
    const registered = this.#register(this.#core.prompts, prompt, 'prompts', what);
    return this.#core.options.expose?.prompts === true
      ? together(
          registered,
          exposePrompt(this, prompt, (tool) => this.#core.tools.get(tool) !== undefined),
        )
      : registered;
  }

  /** Tells those who subscribed to it, in every revision. */
  resourceUpdated(uri: string): void {
    this.#core.changed({ kind: 'updated', uri });
  }

  /** Wraps every request but the handshake: for timing, limits, audit. The first wrapper is the outermost. */
  around(wrapper: Around): void {
    checkHandler(wrapper, 'around()');
    this.#core.arounds.push(wrapper);
  }

  use(extension: Extension): void {
    checkHandler(extension?.install, `Extension "${extension?.id}"`);
    install(this, this.#core, extension);
  }

  /** Registers what `defineTool` and its siblings described. */
  add(...definitions: readonly Definition[]): void {
    this.batch(() => {
      for (const definition of definitions) definition.register(this);
    });
  }

  /** Makes several changes one for those who are told of changes. */
  batch(change: () => void): void {
    this.#core.batch(change);
  }

  /** Compiles every schema now instead of on first use: for tests and builds that want to fail early. */
  async ready(): Promise<void> {
    const core = this.#core;
    await core.loading();
    for (const one of [...core.tools.values(), ...core.prompts.values()]) {
      await one.prepare();
      for (const side of ['input', 'output'] as const) {
        const fault = side in one ? (one as Tool)[side]?.fault : undefined;
        const what = one instanceof Tool ? 'Tool' : 'Prompt';
        if (fault !== undefined) throw new VivariumError('ERR_SCHEMA', `${what} "${one.name}", ${side}: ${fault}; correct the schema`);
      }
    }
  }

  #register<D, T extends Registrable<D, T>>(
    listing: Listing<T>,
    item: T,
    of: 'tools' | 'resources' | 'prompts',
    what: string,
  ): Registered<D> {
    const core = this.#core;
    const changed = (): void => core.changed({ kind: 'list', of });
    const { name } = item;
    let current = item;
    if (!listing.add(item)) throw new VivariumError('ERR_DUPLICATE', `${what} exists already: remove() it first, or choose another name`);
    changed();
    return {
      name,
      update: (details) => {
        checkKeys(details as object, updateKeys, what);
        if (listing.get(name) !== current) throw new VivariumError('ERR_CONFIG', `${what} was removed: register it again`);
        current = current.with(details);
        listing.replace(current);
        changed();
      },
      remove: () => {
        if (listing.get(name) === current && listing.remove(name)) changed();
      },
    };
  }

  #schema(what: string, side: 'input' | 'output', given: object): Schema {
    const schema = defineSchema(given, { side, objectRoot: side === 'input', toJsonSchema: this.#core.options.toJsonSchema });
    if ('problem' in schema) throw new VivariumError('ERR_SCHEMA', `${what}, ${side}: ${schema.problem}`);
    return schema;
  }
}

/** What was registered twice, as itself and as a tool, goes together. */
function together<D>(registered: Registered<D>, tool: Registered<ToolDetails> | undefined): Registered<D> {
  return {
    ...registered,
    update(details) {
      registered.update(details);
      tool?.update(shared(details as object));
    },
    remove() {
      registered.remove();
      tool?.remove();
    },
  };
}

interface Registrable<D, T> extends Listed {
  with(details: D): T;
}

/** Describes a tool without registering it. */
export function defineTool<const I extends object | undefined = undefined, const O extends object | undefined = undefined>(
  name: string,
  options: ToolOptions<I, O>,
  handler: ToolHandler<I, O>,
): Definition {
  return { kind: 'tool', name, register: (server) => void server.tool(name, options, handler) };
}

/** Describes a resource or a template without registering it. */
export function defineResource<const U extends string>(uri: U, options: ResourceOptions<U>, read: ResourceHandler<U>): Definition {
  return { kind: 'resource', name: uri, register: (server) => void server.resource(uri, options, read) };
}

/** Describes a prompt without registering it. */
export function definePrompt<const I extends object | undefined = undefined>(
  name: string,
  options: PromptOptions<I>,
  handler: PromptHandler<I>,
): Definition {
  return { kind: 'prompt', name, register: (server) => void server.prompt(name, options, handler) };
}

/** Absolute, and without characters that no URI or IRI has. */
function isUri(uri: string): boolean {
  return /^[A-Za-z][A-Za-z0-9+.-]*:(?:[^\s"<>\\^`{|}%\p{Cc}]|%[0-9A-Fa-f]{2})*$/u.test(uri);
}

const access = ['needs', 'singleUse', 'with', 'scopes', 'visible'];
const shown = ['title', 'description', 'icons', 'meta', ...access];
const toolKeys = new Set(['annotations', 'input', 'output', 'text', 'maxBytes', 'maxTokens', ...shown]);
const promptKeys = new Set(['input', 'complete', ...shown]);
const resourceKeys = new Set(['name', 'mimeType', 'annotations', 'size', 'list', 'complete', ...shown]);
const updateKeys = new Set(
  [...toolKeys, ...promptKeys, ...resourceKeys].filter((key) => !['input', 'output', 'text', 'list', 'complete'].includes(key)),
);
const features: readonly string[] = ['elicitation', 'elicitation.url', 'sampling', 'sampling.tools', 'roots'];
/** What the same thing is called elsewhere. */
const elsewhere: Readonly<Record<string, string>> = { inputSchema: 'input', argsSchema: 'input', outputSchema: 'output', _meta: 'meta' };

/** Types are gone when a module is only stripped of them: a misspelt option must not pass in silence. */
function checkKeys(options: object, known: ReadonlySet<string>, what: string, name: unknown = ''): void {
  if (typeof options !== 'object' || options === null) {
    // Everything in one object, as elsewhere.
    const remedy = typeof name === 'object' ? 'its name or URI comes first, then the options' : 'write {} for none';
    throw new VivariumError('ERR_CONFIG', `${what} has no options: ${remedy}`);
  }
  for (const key of Object.keys(options)) {
    if (known.has(key)) continue;
    const meant = elsewhere[key];
    const remedy = meant === undefined ? `it knows ${[...known].join(', ')}` : `write ${meant}`;
    throw new VivariumError('ERR_CONFIG', `${what} has no option "${key}": ${remedy}`);
  }
  const { needs = [], maxBytes, maxTokens } = options as { needs?: readonly string[]; maxBytes?: unknown; maxTokens?: unknown };
  const unknown = needs.find((feature) => !features.includes(feature));
  if (unknown !== undefined)
    throw new VivariumError('ERR_CONFIG', `${what} needs "${unknown}", which is no feature: it may need ${features.join(', ')}`);
  for (const limit of [maxBytes, maxTokens]) {
    if (limit !== undefined && !(Number.isSafeInteger(limit) && (limit as number) > 0)) {
      throw new VivariumError('ERR_CONFIG', `${what}: maxBytes and maxTokens are positive integers, got ${String(limit)}`);
    }
  }
}

function checkHandler(handler: unknown, what: string): void {
  if (typeof handler !== 'function') throw new VivariumError('ERR_CONFIG', `${what} has no handler: give a function as the last argument`);
}

function checkOptions(options: ServerOptions): void {
  if (typeof options !== 'object' || options === null) options = {} as ServerOptions;
  const { name, version, revisions, pageSize, errors, errorDetails, announces, sequential, text, cache, asking, maxBytes, maxTokens } =
    options;
  const config = (ok: boolean, message: string): void => {
    if (!ok) throw new VivariumError('ERR_CONFIG', message);
  };
  const given = typeof name === 'string' && name !== '' && typeof version === 'string' && version !== '';
  config(given, "A server needs a name and a version: new Server({ name: 'sums', version: '1.0.0' })");
  const known = revisions === undefined || (revisions.length > 0 && revisions.every(isRevision));
  config(known, `revisions must name known revisions, got ${JSON.stringify(revisions)}; leave it out to serve all five`);
  const oneOf = (option: string, value: unknown, ...values: readonly unknown[]): void =>
    config(value === undefined || values.includes(value), `${option} must be one of ${values.join(', ')}, got ${String(value)}`);
  oneOf('errors', errors, 'message', 'masked');
  oneOf('errorDetails', errorDetails, 'data', 'text', 'message');
  oneOf('announces', announces, true, false, 'denied');
  oneOf('sequential', sequential, true, false);
  oneOf('text', text, 'json', 'toon', 'auto');
  const ttlMs = cache?.ttlMs ?? 0;
  config(Number.isFinite(ttlMs) && ttlMs >= 0, `cache.ttlMs must be a number of milliseconds, got ${ttlMs}; leave it out for 0`);
  const keys = asking?.key === undefined ? [new Uint8Array(32)] : [asking.key].flat();
  const sealable = keys.length > 0 && keys.every((key) => key instanceof Uint8Array && key.length === 32);
  config(sealable, 'asking.key must be 32 bytes, or a list of such keys with the newest first; leave it out for a random one');
  for (const [key, value] of Object.entries({ pageSize, maxBytes, maxTokens, ...asking, key: undefined })) {
    const ok = value === undefined || (Number.isSafeInteger(value) && (value as number) > 0);
    config(ok, `${key} must be a positive integer, got ${String(value)}; leave it out for the default`);
  }
}

/** The set the specification recommends, and the slash many servers use for grouping: safe in headers, logs and terminals. */
function checkName(name: string, what: string): void {
  if (!/^[A-Za-z0-9_./-]{1,128}$/.test(name)) {
    throw new VivariumError(
      'ERR_CONFIG',
      `${JSON.stringify(name)} cannot name a ${what}: use 1 to 128 letters, digits and the characters _ - . /`,
    );
  }
}
