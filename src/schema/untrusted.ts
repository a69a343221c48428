// Schemas that a peer wrote: compiling them, and checking by them, never blocks for long, whatever they hold and whatever is checked.
//
// What is proven to be cheap runs as it is: plain schemas, which take time in proportion to the value, and values for which `Cost`
// counts few steps. Everything else runs with a time limit where the platform can interrupt it (Node). Elsewhere (browsers, workers)
// it is not run at all, and the outcome says so.

import type { Check, Compile } from './check.ts';
import { Cost } from './cost.ts';
import type { JsonSchema } from './infer.ts';
import { attempt, compilerOf, findingsOf, plainOf, validatorEpoch } from './json-schema.ts';
import { maxPatternSize, patternCost } from './pattern.ts';
import { bounded, isOverdue } from './time-limit.ts';

export interface UntrustedSchema {
  /** Why nothing can be checked by it. */
  readonly fault: string | undefined;
  /** Whether that is because it is no JSON Schema, and not because of its size or where it refers to. */
  readonly isInvalid: boolean;
  /** What it holds is legal, and of no use here: another document, which is never fetched, or what the validator cannot compile. */
  readonly reason?: 'remote-reference' | 'uncompilable';
  check(value: unknown): CheckOutcome;
}

export type CheckOutcome =
  | { readonly problem: string | undefined; readonly unchecked?: undefined }
  /** Why the value was not checked; `forGood` where no other will be, either. */
  | { readonly unchecked: string; readonly forGood: boolean; readonly problem?: undefined };

/** For compiling, and for a check. By the clock, so it must also do for a busy machine. */
const limitMs = 1_000;
/** Some 10 to 50 ns each. */
const cheapSteps = 1_000_000;
/** Where compiling cannot be interrupted: ajv takes up to 0.1 ms for each. */
const maxValuesUninterrupted = 2_000;

/** Synchronous once the validator is there; never throws and never rejects. */
export function compileUntrusted(schema: unknown): UntrustedSchema | Promise<UntrustedSchema> {
  if (!isSchema(schema)) return useless('it is no object');
  const known = recent.get(schema);
  if (known !== undefined) return known;
  const { problem, reason, values, patterns } = findingsOf(schema);
  if (problem !== undefined) return { ...useless(`it ${problem}`), ...(reason !== undefined && { reason }) };
  const plain = plainOf(schema);
  if (plain !== undefined) return recent.add(schema, values, { ...sound, check: (value) => ({ problem: plain.check(value) }) });
  const mistake = patternMistake(new Set(patterns));
  if (mistake !== undefined) return mistake;
  if (bounded() === undefined && values > maxValuesUninterrupted) {
    return useless(`it holds more than ${maxValuesUninterrupted} values, and nothing here can interrupt compiling it`);
  }
  const compile = compilerOf(schema);
  if ('then' in compile) return compile.then((loaded) => recent.add(schema, values, compiled(loaded, schema)));
  return recent.add(schema, values, compiled(compile, schema));
}

/** Compiling patterns is the one thing that nothing can interrupt. */
function patternMistake(patterns: ReadonlySet<string>): UntrustedSchema | undefined {
  let size = 0;
  for (const pattern of patterns) {
    if (size + pattern.length > maxPatternSize) return useless('its patterns are too large to compile');
    // What is none is legal, costs nothing, and is refused by the validator.
    if (isRegExp(pattern)) size += patternCost(pattern).size;
  }
  return size > maxPatternSize ? useless('its patterns are too large to compile') : undefined;
}

function isRegExp(pattern: string): boolean {
  try {
    new RegExp(pattern, 'u');
    return true;
  } catch {
    return false;
  }
}

const warm: WeakSet<Compile> = new WeakSet();

function compiled(compile: Compile, schema: JsonSchema): UntrustedSchema {
  // The first use of a validator sets up what all later ones share: that must not be interrupted.
  if (!warm.has(compile)) attempt(compile, {});
  warm.add(compile);
  const run = bounded();
  try {
    const work = () => attempt(compile, schema);
    const { check, fault, isLegal } = run === undefined ? work() : run(work, limitMs);
    if (fault === undefined) return checkedBy(schema, check);
    return isLegal === true ? { ...useless(fault), reason: 'uncompilable' } : useless(fault, true);
  } catch (error) {
    if (isOverdue(error)) return useless(`compiling it takes too long (more than ${limitMs} ms)`);
    throw error;
  }
}

function checkedBy(schema: JsonSchema, check: Check): UntrustedSchema {
  const cost = new Cost(schema);
  const run = bounded();
  let isLate = false;
  return {
    ...sound,
    check(value) {
      if (isLate) return late;
      if (cost.isAtMost(cheapSteps, value)) return { problem: check(value) };
      if (run === undefined) return { unchecked: 'it could take very long, and nothing here can interrupt a check', forGood: false };
      try {
        return { problem: run(() => check(value), limitMs) };
      } catch (error) {
        if (!isOverdue(error)) throw error;
        isLate = true;
        return late;
      }
    },
  };
}

const late: CheckOutcome = { unchecked: `a check takes too long (more than ${limitMs} ms)`, forGood: true };

const sound = { fault: undefined, isInvalid: false } as const;

function useless(fault: string, isInvalid = false): UntrustedSchema {
  return { fault, isInvalid, check: () => ({ unchecked: fault, forGood: true }) };
}

/** What was compiled lately: a peer may offer any number of schemas, and each takes some 10 KB and a millisecond. */
class Recent {
  readonly #kept: Map<JsonSchema, { readonly values: number; readonly epoch: object; readonly compiled: UntrustedSchema }> = new Map();
  #values = 0;

  get(schema: JsonSchema): UntrustedSchema | undefined {
    const found = this.#kept.get(schema);
    if (found === undefined) return undefined;
    this.#remove(schema);
    return found.epoch === validatorEpoch() ? this.add(schema, found.values, found.compiled) : undefined;
  }

  add(schema: JsonSchema, values: number, compiled: UntrustedSchema): UntrustedSchema {
    this.#remove(schema);
    this.#kept.set(schema, { values, epoch: validatorEpoch(), compiled });
    this.#values += values;
    for (const oldest of this.#kept.keys()) {
      if (this.#kept.size <= maxKept && this.#values <= maxValuesKept) break;
      this.#remove(oldest);
    }
    return compiled;
  }

  #remove(schema: JsonSchema): void {
    this.#values -= this.#kept.get(schema)?.values ?? 0;
    this.#kept.delete(schema);
  }
}

const maxKept = 200;
const maxValuesKept = 100_000;
const recent = new Recent();

function isSchema(value: unknown): value is JsonSchema {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
