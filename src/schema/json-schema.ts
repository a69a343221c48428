// JSON Schema as authors and peers write it: looked through once, then compiled when first needed: at once where it is plain, otherwise by ajv, or by a plugged validator.
import type { JsonSchema } from './infer.ts';
import { cut, pointer } from './issues.ts';
import { plainCheck } from './plain.ts';
import { isOnlyStandard } from './standard.ts';

/** Says what is wrong with a value; nothing when it is valid. */
export type Check = (value: unknown) => string | undefined;

/** Throws when the schema cannot be compiled. */
export type Compile = (schema: JsonSchema) => Check;

export interface Compiled {
  readonly check: Check;
  /** Why there is no real check: then `check` says the same about every value. */
  readonly fault: string | undefined;
}

export type Dialect = '2020-12' | '2019-09' | 'draft-07';

const dialects: Readonly<Record<string, Dialect>> = {
  'json-schema.org/draft/2020-12/schema': '2020-12',
  'json-schema.org/draft/2019-09/schema': '2019-09',
  'json-schema.org/draft-07/schema': 'draft-07',
};

let plugged: Compile | undefined;
/** By the author's own object, so that compiling it again costs nothing and forgetting it frees everything. */
let cache = new WeakMap<JsonSchema, Compiled>();
const loaded = new Map<Dialect, Compile>();
const loading = new Map<Dialect, Promise<Compile>>();

/**
 * Replaces ajv for every schema compiled from now on, in any dialect: for environments where `new Function` is forbidden.
 * `undefined` gives ajv back.
 */
export function setValidator(compile: Compile | undefined): void {
  plugged = compile;
  cache = new WeakMap();
}

/** Loads ajv: from then on every schema of the dialect compiles at once. Never rejects: what fails here is said by the schemas that need it. */
export async function loadValidator(dialect: Dialect = '2020-12'): Promise<void> {
  if (plugged !== undefined) return;
  const compile = await load(dialect);
  // Loading and compiling the meta-schema take some 50 ms each: let messages through between the two.
  await new Promise((resolve) => setTimeout(resolve));
  attempt(compile, {});
}

/** Synchronous once the validator is there; never throws and never rejects. */
export function compileSchema(schema: JsonSchema): Compiled | Promise<Compiled> {
  const known = cache.get(schema);
  if (known !== undefined) return known;
  const plain = plugged === undefined ? plainCheck(schema) : undefined;
  if (plain !== undefined) return kept(schema, { check: plain, fault: undefined });
  const dialect = dialectOf(schema) ?? '2020-12';
  const compile = plugged ?? loaded.get(dialect);
  if (compile === undefined) return load(dialect).then(() => compileSchema(schema));
  return kept(schema, attempt(compile, schema));
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
  // Any base will do: it is only compared with itself.
  const base = 'json-schema:/';
  const walk: Walk = { values: 0, path: [], above: new Set(), ids: new Set([base]), refs: [] };
  const problem = visit(schema, 'schema', base, walk) ?? unresolved(walk);
  if (problem !== undefined || plugged !== undefined || dialectOf(schema) !== undefined) return problem;
  return `names the unknown dialect ${cut(String(schema['$schema']), 200)}; leave "$schema" out and write 2020-12, or name 2019-09 or draft-07`;
}

/** Undefined when it names one that we do not know. */
export function dialectOf({ $schema }: JsonSchema): Dialect | undefined {
  if ($schema === undefined) return '2020-12';
  const name = typeof $schema === 'string' ? $schema.replace(/^https?:\/\//, '').replace(/#$/, '') : '';
  return Object.hasOwn(dialects, name) ? dialects[name] : undefined;
}

function attempt(compile: Compile, schema: JsonSchema): Compiled {
  try {
    return { check: compile(schema), fault: undefined };
  } catch (error) {
    const hint = error instanceof EvalError ? ' (where code generation is forbidden, plug in a validator with setValidator)' : '';
    const fault = `schema cannot be compiled: ${cut(messageOf(error), 500)}${hint}`;
    return { check: () => fault, fault };
  }
}

function load(dialect: Dialect): Promise<Compile> {
  let promise = loading.get(dialect);
  if (promise === undefined) {
    promise = import('./ajv.ts')
      .then(({ ajvCompiler }) => ajvCompiler(dialect))
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

const mostValues = 20_000;
const mostLevels = 200;

/** Keywords whose members are schemas under names of the author's choosing. */
const named = new Set(['properties', 'patternProperties', '$defs', 'definitions', 'dependentSchemas', 'dependencies']);
/** Keywords that hold values, in which `$ref` is a key like any other. */
const data = new Set(['const', 'enum', 'default', 'examples']);
const references = ['$ref', '$dynamicRef', '$recursiveRef'];

type Position = 'schema' | 'named' | 'data';

interface Walk {
  values: number;
  readonly path: string[];
  readonly above: Set<object>;
  /** Every `$id`, absolute and without its fragment. */
  readonly ids: Set<string>;
  readonly refs: { readonly ref: string; readonly target: string | undefined; readonly at: string }[];
}

function visit(value: unknown, position: Position, base: string, walk: Walk): string | undefined {
  walk.values += 1;
  if (walk.values > mostValues) return `holds more than ${mostValues} values; leave out detail, or split the tool`;
  if (isOnlyStandard(value)) {
    const vendor = cut(value['~standard'].vendor, 40);
    return `holds a ${vendor} schema at ${here(walk)}; write the whole schema with ${vendor}, or this part as JSON Schema`;
  }
  if (typeof value === 'function' || typeof value === 'symbol' || typeof value === 'bigint') {
    return `holds a ${typeof value} at ${here(walk)}; give plain JSON Schema, or a schema of zod 4, valibot or arktype`;
  }
  if (typeof value !== 'object' || value === null) return undefined;
  if (walk.above.has(value)) return `contains itself at ${here(walk)}; write the recursion as { "$ref": "#/…" }`;
  if (walk.path.length >= mostLevels) return `is nested deeper than ${mostLevels} levels; move parts to "$defs" and refer to them`;

  const members = value as Readonly<Record<string, unknown>>;
  const inner = position === 'schema' ? note(members, base, walk) : base;
  walk.above.add(value);
  for (const key of Object.keys(members)) {
    walk.path.push(key);
    const problem = visit(members[key], positionOf(key, members, position), inner, walk);
    if (problem !== undefined) return problem;
    walk.path.pop();
  }
  walk.above.delete(value);
  return undefined;
}

/** Notes the `$id` and the references of a schema; returns the base for what is inside it. */
function note(schema: JsonSchema, base: string, walk: Walk): string {
  const id = schema['$id'];
  const own = typeof id === 'string' ? (absolute(id, base) ?? base) : base;
  walk.ids.add(own);
  for (const keyword of references) {
    const ref = schema[keyword];
    if (typeof ref === 'string' && !ref.startsWith('#')) walk.refs.push({ ref, target: absolute(ref, own), at: here(walk) });
  }
  return own;
}

function positionOf(key: string, parent: object, position: Position): Position {
  if (position === 'data') return 'data';
  if (position === 'named' || Array.isArray(parent)) return 'schema';
  return named.has(key) ? 'named' : data.has(key) ? 'data' : 'schema';
}

function unresolved(walk: Walk): string | undefined {
  const remote = walk.refs.find(({ target }) => target === undefined || !walk.ids.has(target));
  if (remote === undefined) return undefined;
  return `refers to ${cut(remote.ref, 200)} at ${remote.at}, which is never fetched; copy it into "$defs" and write { "$ref": "#/$defs/…" }`;
}

function absolute(uri: string, base: string): string | undefined {
  try {
    return new URL(uri, base).href.replace(/#.*$/s, '');
  } catch {
    return undefined;
  }
}

function here({ path }: Walk): string {
  return path.length === 0 ? '(root)' : cut(pointer(path), 200);
}
