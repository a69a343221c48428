// A tool as it was registered, and what its author may make of it. What it takes to call one is loaded later: see tools.ts.
import { loadToon, type TextFormat } from '../protocol/text.ts';
import type { ContentBlock } from '../protocol/types.ts';
import type { Schema } from '../schema/schema.ts';
import type { Call } from './call.ts';
import type { Principal } from './context.ts';
import { type Listed, onlyTrue } from './listing.ts';
import type { Budget } from './options.ts';
import type { ToolDetails, ToolOptions } from './tool-options.ts';

export type AnyHandler = (args: never, ctx: Call) => unknown;
type AnyText = NonNullable<ToolOptions<unknown, unknown>['text']>;

export class Tool implements Listed {
  readonly name: string;
  readonly details: ToolDetails;
  readonly handler: AnyHandler;
  readonly input: Schema | undefined;
  readonly output: Schema | undefined;
  readonly text: AnyText;
  readonly visibleTo?: (principal: Principal | undefined) => boolean;
  /** Whether older revisions get its value as `{ result }`; undefined without an output schema. */
  readonly wraps: boolean | undefined;
  /** Bytes its result may have, where it has a limit of its own. */
  readonly limit: number | undefined;
  #toonReady: boolean;

  constructor(
    name: string,
    details: ToolDetails,
    handler: AnyHandler,
    input: Schema | undefined,
    output: Schema | undefined,
    text: AnyText,
  ) {
    this.name = name;
    this.details = details;
    this.handler = handler;
    this.input = input;
    this.output = output;
    this.text = text;
    this.wraps = output === undefined ? undefined : output.json['type'] !== 'object';
    this.limit = limitOf(details);
    this.#toonReady = output === undefined || typeof text === 'function' || text === 'json';
    if (details.visible !== undefined) this.visibleTo = onlyTrue(details.visible);
  }

  with(details: ToolDetails): Tool {
    return new Tool(this.name, { ...this.details, ...details }, this.handler, this.input, this.output, this.text);
  }

  /** What a call must wait for; undefined when nothing is left to load. */
  unready(): Promise<void> | undefined {
    return this.ready ? undefined : this.prepare();
  }

  /** Whether a validator is still to be loaded for it. */
  get validates(): boolean {
    return this.input?.waits === true || this.output?.waits === true;
  }

  get ready(): boolean {
    return this.#toonReady && (this.input === undefined || this.input.ready) && (this.output === undefined || this.output.ready);
  }

  /** Compiles what a call needs; undefined when that took no waiting. */
  prepare(): Promise<void> | undefined {
    const steps = [this.input?.prepare(), this.output?.prepare(), this.#toonReady ? undefined : this.#loadToon()];
    const waits = steps.filter((step) => step !== undefined);
    return waits.length === 0 ? undefined : Promise.all(waits).then(() => undefined);
  }

  async #loadToon(): Promise<void> {
    await loadToon();
    this.#toonReady = true;
  }
}

const fewestBytes = 480;
const bytesPerToken = 3;

/** In bytes; undefined when there is none. */
export function limitOf({ maxBytes, maxTokens }: Budget): number | undefined {
  if (maxBytes === undefined && maxTokens === undefined) return undefined;
  return Math.max(fewestBytes, Math.min(maxBytes ?? Number.POSITIVE_INFINITY, (maxTokens ?? Number.POSITIVE_INFINITY) * bytesPerToken));
}

export interface ResultOptions {
  /** Blocks after the text projection. */
  readonly content?: readonly ContentBlock[];
  readonly text?: TextFormat;
  /** `_meta` of the result. */
  readonly meta?: Readonly<Record<string, unknown>>;
}

/** A structured value with more to say than itself; made by `result()`. */
export class StructuredResult<T> {
  readonly value: T;
  readonly options: ResultOptions;

  constructor(value: T, options: ResultOptions) {
    this.value = value;
    this.options = options;
  }
}

/** For tools with `output`: the value, and beside it further blocks, a text format or `_meta`. */
export function result<T>(value: T, options: ResultOptions = {}): StructuredResult<T> {
  return new StructuredResult(value, options);
}

export interface ToolErrorOptions {
  readonly content?: readonly ContentBlock[];
  readonly structured?: unknown;
  /** `_meta` of the result. */
  readonly meta?: Readonly<Record<string, unknown>>;
}

/** A failure the model should read; other errors thrown by a tool become one too, with less control. */
export class ToolError extends Error {
  readonly content: readonly ContentBlock[];
  // Declared, not defined: an error that is printed shows every member it has.
  declare readonly structured: unknown;
  declare readonly meta: Readonly<Record<string, unknown>> | undefined;

  constructor(message: string, options: ToolErrorOptions = {}) {
    super(message);
    this.name = 'ToolError';
    this.content = options.content ?? [];
    if (options.structured !== undefined) this.structured = options.structured;
    if (options.meta !== undefined) this.meta = options.meta;
  }
}
