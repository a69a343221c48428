// Schemas that a peer wrote: compiling them, and checking by them, never blocks for long, whatever they hold and whatever is checked.
//
// What is proven to be cheap runs as it is: plain schemas, which take time in proportion to the value, and values for which `Cost`
// counts few steps. Everything else runs with a time limit where the platform can interrupt it (Node). Elsewhere (browsers, workers)
// it is not run at all, and the outcome says so.
import { bounded, isOverdue } from './bounded.ts';
import { Cost } from './cost.ts';
import type { JsonSchema } from './infer.ts';
import { cut } from './issues.ts';
import { attempt, type Check, type Compile, compilerOf, findingsOf, plainOf, validatorEpoch } from './json-schema.ts';
import { maxPatternSize, patternCost } from './pattern.ts';

export interface UntrustedSchema {
  /** Why nothing can be checked by it. */
  readonly fault: string | undefined;
  /** Whether that is because it is no JSON Schema, and not because of its size or where it refers to. */
  readonly isInvalid: boolean;
  check(value: unknown): Outcome;
}

export type Outcome =
  | { readonly problem: string | undefined; readonly unchecked?: undefined }
  /** Why the value was not checked; `forGood` where no other will be, either. */
  | { readonly unchecked: string; readonly forGood: boolean; readonly problem?: undefined };

const compileMs = 1_000;
const checkMs = 250;
/** Some 10 to 50 ns each. Interrupting costs as much as 20,000 of them, so fewer are not worth a time limit. */
const steps = { interruptible: 20_000, otherwise: 3_000_000 } as const;
/** Where compiling cannot be interrupted: ajv takes up to 0.1 ms for each. */
const mostValuesUninterrupted = 2_000;

/** Synchronous once the validator is there; never throws and never rejects. */
export function compileUntrusted(schema: unknown): UntrustedSchema | Promise<UntrustedSchema> {
  if (!isSchema(schema)) return useless('it is no object');
  const known = recent.get(schema);
  if (known !== undefined) return known;
  const { problem, values, patterns } = findingsOf(schema);
  if (problem !== undefined) return useless(`it ${problem}`);
  const plain = plainOf(schema);
  if (plain !== undefined) return recent.add(schema, values, { ...sound, check: (value) => ({ problem: plain.check(value) }) });
  const malformed = patterns.map(mistakeIn).find((mistake) => mistake !== undefined);
  if (malformed !== undefined) return useless(malformed, true);
  // Compiling them is the one thing that nothing can interrupt.
  const size = patterns.reduce((sum, pattern) => sum + patternCost(pattern).size, 0);
  if (size > maxPatternSize) return useless('its patterns are too large to compile');
  if (bounded() === undefined && values > mostValuesUninterrupted) {
    return useless(`it holds more than ${mostValuesUninterrupted} values, and nothing here can interrupt compiling it`);
  }
  const compile = compilerOf(schema);
  if ('then' in compile) return compile.then((loaded) => recent.add(schema, values, compiled(loaded, schema)));
  return recent.add(schema, values, compiled(compile, schema));
}

function mistakeIn(pattern: string): string | undefined {
  if (pattern.length > maxPatternSize) return undefined;
  try {
    new RegExp(pattern, 'u');
    return undefined;
  } catch (error) {
    return cut((error as Error).message, 500);
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
    const { check, fault } = run === undefined ? work() : run(work, compileMs);
    return fault === undefined ? checkedBy(schema, check) : useless(fault, true);
  } catch (error) {
    if (isOverdue(error)) return useless(`compiling it takes too long (more than ${compileMs} ms)`);
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
      if (cost.isAtMost(run === undefined ? steps.otherwise : steps.interruptible, value)) return { problem: check(value) };
      if (run === undefined) return { unchecked: 'it could take very long, and nothing here can interrupt a check', forGood: false };
      try {
        return { problem: run(() => check(value), checkMs) };
      } catch (error) {
        if (!isOverdue(error)) throw error;
        isLate = true;
        return late;
      }
    },
  };
}

const late: Outcome = { unchecked: `a check takes too long (more than ${checkMs} ms)`, forGood: true };

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
      if (this.#kept.size <= mostKept && this.#values <= mostValuesKept) break;
      this.#remove(oldest);
    }
    return compiled;
  }

  #remove(schema: JsonSchema): void {
    this.#values -= this.#kept.get(schema)?.values ?? 0;
    this.#kept.delete(schema);
  }
}

const mostKept = 200;
const mostValuesKept = 100_000;
const recent = new Recent();

function isSchema(value: unknown): value is JsonSchema {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
