// Whether a value fits a schema that the one who is judged wrote, told in bounded time.
import { bounded, isCostly } from '../../schema/bounded.ts';
import { compileSchema } from '../../schema/json-schema.ts';
import type { Json } from '../value.ts';

export type Fit = { readonly problem: string | undefined } | { readonly untold: string };

/** Undefined for a dialect that is not loaded, or a schema that is none: another rule speaks of it. */
export function fitOf(schema: Json, value: unknown): Fit | undefined {
  const compiled = compileSchema(schema);
  if ('then' in compiled || compiled.fault !== undefined) return undefined;
  const run = isCostly(schema) ? bounded() : undefined;
  try {
    return { problem: run === undefined ? compiled.check(value) : run(() => compiled.check(value)) };
  } catch {
    // A pattern can take for ever, and a value be too deep.
    return { untold: 'to compare the result with its schema takes too long' };
  }
}
