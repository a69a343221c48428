// Whether a value fits a schema that the one who is judged wrote, told in bounded time.
import { bounded, isCostly, isOverdue } from '../../schema/bounded.ts';
import { compileSchema } from '../../schema/json-schema.ts';
import { brief, type Json } from '../value.ts';

export type Fit = { readonly problem: string | undefined } | { readonly untold: string };

/** Undefined for a dialect that is not loaded, or a schema that is none: another rule speaks of it. */
export function fitOf(schema: Json, value: unknown): Fit | undefined {
  const compiled = compileSchema(schema);
  if ('then' in compiled || compiled.fault !== undefined) return undefined;
  const run = isCostly(schema) ? bounded() : undefined;
  try {
    return { problem: run === undefined ? compiled.check(value) : run(() => compiled.check(value)) };
  } catch (error) {
    if (isOverdue(error)) return { untold: 'to compare the result with its schema takes too long' };
    // Such as a value that is too deep for a validator.
    return { untold: `the result cannot be compared with its schema: ${brief(error instanceof Error ? error.message : error)}` };
  }
}
