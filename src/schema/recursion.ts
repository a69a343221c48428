// Checks by recursive schemas: one that tries two forms at every level of a value takes twice as long for each level.

import type { Check } from './check.ts';
import { Cost } from './cost.ts';
import type { JsonSchema } from './infer.ts';
import { bounded, isOverdue } from './time-limit.ts';

/** What is proven to take no more is checked as it is. */
const cheapSteps = 1_000_000;
const limitMs = 1_000;

/** A check that refuses a value rather than taking exponential time; the same check where the schema has no references. */
export function boundRecursion(schema: JsonSchema, check: Check): Check {
  if (!/"\$(?:ref|dynamicRef|recursiveRef)":/.test(JSON.stringify(schema))) return check;
  const cost = new Cost(schema);
  return (value) => {
    const run = cost.isAtMost(cheapSteps, value) ? undefined : bounded();
    if (run === undefined) return check(value);
    try {
      return run(() => check(value), limitMs);
    } catch (error) {
      if (isOverdue(error)) return '(root) takes too long to check; nest it less deeply';
      throw error;
    }
  };
}
