// What a server offers, as its lists give it, and what of it is called.
import type { Json } from './value.ts';

export interface Surface {
  readonly tools: readonly Json[];
  readonly resources: readonly Json[];
  readonly templates: readonly Json[];
  readonly prompts: readonly Json[];
}

export interface CallTerms {
  /** Arguments by the name of the tool. */
  readonly arguments: ReadonlyMap<string, Json>;
  readonly allowSideEffects: boolean;
}

export interface ToolCall {
  readonly name: string;
  readonly arguments: Json;
  readonly tool: Json;
}

export interface Lock {
  readonly version: 1;
  readonly surface: Surface;
}
