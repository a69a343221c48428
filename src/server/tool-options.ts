// The types a tool's author meets: what may be given, what the handler receives, what it may return.

import type { TextFormat } from '../protocol/text.ts';
import type { CallToolResult, ContentBlock, Icon, ToolAnnotations } from '../protocol/types.ts';
import type { InputOf, LiteralHint, OutputOf } from '../schema/infer.ts';
import type { Access } from './access.ts';
import type { Context } from './context.ts';
import type { Budget } from './options.ts';
import type { StructuredResult } from './tool.ts';

/** What of a tool can change while it is registered: everything but its schemas and its handler. */
export interface ToolDetails extends Access, Budget {
  readonly title?: string;
  readonly description?: string;
  readonly icons?: readonly Icon[];
  readonly annotations?: ToolAnnotations;
  /** `_meta` in the list. */
  readonly meta?: Readonly<Record<string, unknown>>;
}

export interface ToolOptions<I = undefined, O = undefined> extends ToolDetails {
  /** A Standard Schema or a JSON Schema with an object at its root. */
  readonly input?: I;
  /** With it, what the handler returns is the structured result. */
  readonly output?: O;
  /** How the structured result is written for the model; by default as the server says. */
  readonly text?: TextFormat | ((value: OutputOf<O>) => string);
}

export type ToolHandler<I, O> = (args: ArgumentsOf<I>, ctx: Context) => ReturnOf<O> | Promise<ReturnOf<O>>;

export type ArgumentsOf<I> = [I] extends [undefined] ? Readonly<Record<string, unknown>> : OutputOf<I>;

export type ReturnOf<O> = ([O] extends [undefined] ? FreeReturn : StructuredReturn<InputOf<O>>) | LiteralHint;

// biome-ignore lint/suspicious/noConfusingVoidType: a handler that returns nothing is typed void by the compiler
export type FreeReturn = string | ContentBlock | readonly (string | ContentBlock)[] | WholeResult | undefined | void;

type StructuredReturn<T> = T | StructuredResult<T>;

/** A `CallToolResult` as an author writes it: `isError` may be left out, and so may `content` beside a structured value. */
export type WholeResult = Pick<CallToolResult, 'isError' | '_meta'> &
  (
    | { readonly content: readonly ContentBlock[]; readonly structuredContent?: unknown }
    | { readonly content?: readonly ContentBlock[]; readonly structuredContent: unknown }
  );
