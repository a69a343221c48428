// What an author writes against: register things, then hand the server to any number of porches.
import { VivariumError } from '../jsonrpc/error.ts';
import { isRevision } from '../protocol/revision.ts';
import { defineSchema, type Schema } from '../schema/schema.ts';
import { brand, Core } from './core.ts';
import type { ServerOptions } from './options.ts';
import { type AnyHandler, Tool } from './tool.ts';
import type { ToolDetails, ToolHandler, ToolOptions } from './tool-options.ts';

/** A handle on something registered. */
export interface Registered<Details> {
  readonly name: string;
  /** Everything but schemas and handler: a changed schema is another tool, so remove and add. */
  update(details: Details): void;
  remove(): void;
}

/** Something described but not yet registered; not generic, so that one file per tool stays easy to type. */
export interface Definition {
  readonly kind: 'tool';
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
    const core = this.#core;
    const { input, output, text, ...details } = options;
    checkName(name);
    if (typeof handler !== 'function')
      throw new VivariumError('ERR_CONFIG', `Tool "${name}" has no handler: give a function as the last argument`);
    let tool = new Tool(
      name,
      details,
      handler as unknown as AnyHandler,
      input === undefined ? undefined : this.#schema(name, 'input', input),
      output === undefined ? undefined : this.#schema(name, 'output', output),
      (text as Tool['text'] | undefined) ?? core.options.text ?? 'json',
    );
    if (!core.tools.add(tool)) {
      throw new VivariumError('ERR_DUPLICATE', `Tool "${name}" exists already: remove() it first, or choose another name`);
    }
    core.changed('tools');
    return {
      name,
      update: (changes) => {
        if (core.tools.get(name) !== tool)
          throw new VivariumError('ERR_CONFIG', `Tool "${name}" was removed: register it again with server.tool()`);
        tool = tool.with(changes);
        core.tools.replace(tool);
        core.changed('tools');
      },
      remove: () => {
        if (core.tools.get(name) === tool && core.tools.remove(name)) core.changed('tools');
      },
    };
  }

  /** Registers what `defineTool` described. */
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
    await this.#core.loading();
    for (const tool of this.#core.tools.values()) {
      await tool.prepare();
      for (const side of ['input', 'output'] as const) {
        const fault = tool[side]?.fault;
        if (fault !== undefined) throw new VivariumError('ERR_SCHEMA', `Tool "${tool.name}", ${side}: ${fault}; correct the schema`);
      }
    }
  }

  #schema(tool: string, side: 'input' | 'output', given: object): Schema {
    const schema = defineSchema(given, { side, objectRoot: side === 'input', toJsonSchema: this.#core.options.toJsonSchema });
    if ('problem' in schema) throw new VivariumError('ERR_SCHEMA', `Tool "${tool}", ${side}: ${schema.problem}`);
    return schema;
  }
}

/** Describes a tool without registering it. */
export function defineTool<const I extends object | undefined = undefined, const O extends object | undefined = undefined>(
  name: string,
  options: ToolOptions<I, O>,
  handler: ToolHandler<I, O>,
): Definition {
  return { kind: 'tool', name, register: (server) => void server.tool(name, options, handler) };
}

function checkOptions({ name, version, revisions, pageSize }: ServerOptions): void {
  if (typeof name !== 'string' || name === '' || typeof version !== 'string' || version === '') {
    throw new VivariumError('ERR_CONFIG', "A server needs a name and a version: new Server({ name: 'sums', version: '1.0.0' })");
  }
  if (revisions !== undefined && (revisions.length === 0 || !revisions.every(isRevision))) {
    throw new VivariumError(
      'ERR_CONFIG',
      `revisions must name known revisions, got ${JSON.stringify(revisions)}; leave it out to serve all five`,
    );
  }
  if (pageSize !== undefined && !(Number.isInteger(pageSize) && pageSize > 0)) {
    throw new VivariumError('ERR_CONFIG', `pageSize must be a positive integer, got ${pageSize}; leave it out for 100`);
  }
}

/** The set the specification recommends, and the slash many servers use for grouping: safe in headers, logs and terminals. */
function checkName(name: string): void {
  if (!/^[A-Za-z0-9_./-]{1,128}$/.test(name)) {
    throw new VivariumError(
      'ERR_CONFIG',
      `${JSON.stringify(name)} cannot name a tool: use 1 to 128 letters, digits and the characters _ - . /`,
    );
  }
}
