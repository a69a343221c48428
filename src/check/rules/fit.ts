// Whether a value fits a schema that the one who is judged wrote, told in bounded time.
import { compileUntrusted } from '../../schema/untrusted.ts';
import { brief, type Json } from '../model/value.ts';

export type Fit = { readonly problem: string | undefined } | { readonly untold: string };

/** Undefined for a dialect that is not loaded, or a schema that is none: another rule speaks of it. */
export function fitOf(schema: Json, value: unknown): Fit | undefined {
  const compiled = compileUntrusted(schema);
  if ('then' in compiled || compiled.fault !== undefined) return undefined;
  try {
    const { problem, unchecked } = compiled.check(value);
    return unchecked === undefined ? { problem } : { untold: `the result cannot be compared with its schema: ${unchecked}` };
  } catch (error) {
    // Such as a value that is too deep for a validator.
    return { untold: `the result cannot be compared with its schema: ${brief(error instanceof Error ? error.message : error)}` };
  }
}
