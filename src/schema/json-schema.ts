// JSON Schema as authors and peers write it: looked through once, then compiled when first needed: at once where it is plain, otherwise by ajv, or by a plugged validator.
import type { Check, Compile, Dialect } from './check.ts';
import type { JsonSchema } from './infer.ts';
import { cut } from './issues.ts';
import { plainCheck } from './plain.ts';
import { type Findings, walkSchema } from './walk.ts';

/** Says what is wrong with a value; nothing when it is valid. */
export interface Compiled {
  readonly check: Check;
  /** Why there is no real check: then `check` says the same about every value. */
  readonly fault: string | undefined;
  /** The schema is legal all the same. */
  readonly isLegal?: boolean | undefined;
}

const dialects: Readonly<Record<string, Dialect>> = {
  'json-schema.org/draft/2020-12/schema': '2020-12',
  'json-schema.org/draft/2019-09/schema': '2019-09',
  'json-schema.org/draft-07/schema': 'draft-07',
};

let plugged: Compile | undefined;
/** By the author's own object, so that compiling it again costs nothing and forgetting it frees everything. */
let cache = new WeakMap<JsonSchema, Compiled>();
const loaded = new Map<Dialect, Compile>();
/** Comes with ajv, so that a server without need of it does not load it. */
let guard: ((schema: JsonSchema, check: Check) => Check) | undefined;
const loading = new Map<Dialect, Promise<Compile>>();

/**
 * Replaces ajv for every schema compiled from now on, in any dialect: for environments where `new Function` is forbidden.
 * `undefined` gives ajv back.
 */
export function setValidator(compile: Compile | undefined): void {
  plugged = compile;
  cache = new WeakMap();
}

/** Another one after every `setValidator`: what was compiled before then is no longer to be used. */
export function validatorEpoch(): object {
  return cache;
}

/** Loads ajv: from then on every schema of the dialect compiles at once. Never rejects: what fails here is said by the schemas that need it. */
export async function loadValidator(dialect: Dialect = '2020-12'): Promise<void> {
  if (plugged !== undefined) return;
  const compile = await load(dialect);
  // Loading and compiling the meta-schema take some 50 ms each: let messages through between the two.
  await new Promise((resolve) => setTimeout(resolve));
  attempt(compile, {});
}

/** Synchronous once the validator is there; never throws and never rejects. For schemas of a peer there is `compileUntrusted`. */
export function compileSchema(schema: JsonSchema): Compiled | Promise<Compiled> {
  const known = cache.get(schema);
  if (known !== undefined) return known;
  const plain = plainOf(schema);
  if (plain !== undefined) return kept(schema, plain);
  const compile = compilerOf(schema);
  if ('then' in compile) return compile.then(() => compileSchema(schema));
  const { check, fault } = attempt(compile, schema);
  return kept(schema, { check: fault === undefined && guard !== undefined ? guard(schema, check) : check, fault });
}

/** Undefined where a validator is needed. */
export function plainOf(schema: JsonSchema): Compiled | undefined {
  const check = plugged === undefined ? plainCheck(schema) : undefined;
  return check && { check, fault: undefined };
}

/** The validator for the dialect of a schema. */
export function compilerOf(schema: JsonSchema): Compile | Promise<Compile> {
  const dialect = dialectOf(schema) ?? '2020-12';
  return plugged ?? loaded.get(dialect) ?? load(dialect);
}

function kept(schema: JsonSchema, compiled: Compiled): Compiled {
  cache.set(schema, compiled);
  return compiled;
}

/** Whether ajv is still to be loaded for it. */
export function needsValidator(schema: JsonSchema): boolean {
  return plugged === undefined && !loaded.has(dialectOf(schema) ?? '2020-12') && plainCheck(schema) === undefined;
}

/** Says what is wrong and what to write instead; nothing when the schema may be advertised and compiled. */
export function problemOf(schema: JsonSchema): string | undefined {
  return findingsOf(schema).problem;
}

export function findingsOf(schema: JsonSchema): Findings {
  const findings = walkSchema(schema);
  if (findings.problem !== undefined || plugged !== undefined || dialectOf(schema) !== undefined) return findings;
  const name = cut(String(schema['$schema']), 200);
  return { ...findings, problem: `names the unknown dialect ${name}; leave "$schema" out and write 2020-12, or name 2019-09 or draft-07` };
}

/** Undefined when it names one that we do not know. */
export function dialectOf({ $schema }: JsonSchema): Dialect | undefined {
  if ($schema === undefined) return '2020-12';
  const name = typeof $schema === 'string' ? $schema.replace(/^https?:\/\//, '').replace(/#$/, '') : '';
  return Object.hasOwn(dialects, name) ? dialects[name] : undefined;
}

export function attempt(compile: Compile, schema: JsonSchema): Compiled {
  try {
    return { check: compile(schema), fault: undefined };
  } catch (error) {
    const hint = error instanceof EvalError ? ' (where code generation is forbidden, plug in a validator with setValidator)' : '';
    const fault = `schema cannot be compiled: ${cut(messageOf(error), 500)}${hint}`;
    return { check: () => fault, fault, isLegal: (error as Compiled | undefined)?.isLegal };
  }
}

function load(dialect: Dialect): Promise<Compile> {
  let promise = loading.get(dialect);
  if (promise === undefined) {
    promise = import('./ajv.ts')
      .then(({ ajvCompiler, boundRecursion }) => {
        guard = boundRecursion;
        return ajvCompiler(dialect);
      })
      .catch((cause): Compile => {
        const problem = new Error(`ajv cannot be loaded: ${messageOf(cause)}`, { cause });
        return () => {
          throw problem;
        };
      })
      .then((compile) => {
        loaded.set(dialect, compile);
        return compile;
      });
    loading.set(dialect, promise);
  }
  return promise;
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
