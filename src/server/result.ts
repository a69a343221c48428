// What a tool's author makes: a structured value with more to say, or a failure for the model to read.
import type { TextFormat } from '../protocol/text.ts';
import type { ContentBlock } from '../protocol/types.ts';

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

/** A failure the model should read; other errors thrown by a tool become one too, with less control. */
export class ToolError extends Error {
  readonly content: readonly ContentBlock[];
  readonly structured: unknown;

  constructor(message: string, options: { readonly content?: readonly ContentBlock[]; readonly structured?: unknown } = {}) {
    super(message);
    this.name = 'ToolError';
    this.content = options.content ?? [];
    this.structured = options.structured;
  }
}
