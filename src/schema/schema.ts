// A schema as the rest of the house sees it: what is advertised, and a check; whichever library it was written with.
import type { JsonSchema, TypedJsonSchema } from './infer.ts';
import { cut, describeIssues } from './issues.ts';
import { type Compiled, compileSchema, dialectOf, needsValidator, problemOf } from './json-schema.ts';
import {
  isOnlyStandard,
  isStandard,
  type StandardIssue,
  type StandardProps,
  type StandardResult,
  type StandardSchema,
} from './standard.ts';

export type CheckResult =
  | { readonly value: unknown; readonly problem?: undefined; readonly issues?: undefined }
  | {
      readonly problem: string;
      readonly value?: undefined;
      /** As the library of a Standard Schema found them. */
      readonly issues?: readonly StandardIssue[];
    };

export interface Schema {
  /** As advertised: a literal unchanged, what a library generated without naming the default dialect. */
  readonly json: JsonSchema;
  /** Whether `check` answers now, without loading or compiling anything first. */
  readonly ready: boolean;
  /** Whether it will wait for a validator to be loaded. */
  readonly waits: boolean;
  /** Once ready: why the schema cannot be compiled. Every value fails such a schema. */
  readonly fault: string | undefined;
  /** Never throws and never rejects: see `fault`. */
  prepare(): undefined | Promise<void>;
  /** Synchronous when the schema is ready and its library is synchronous. What an author's own refinement throws is passed on. */
  check(value: unknown): CheckResult | Promise<CheckResult>;
}

/** The author's mistake; ends with what to write instead. */
export interface SchemaProblem {
  readonly problem: string;
}

/**
 * JSON Schema for libraries that do not bring their own; `undefined` means "not mine". The second argument names the side
 * in the words of `z.toJSONSchema` and of valibot's `toJsonSchema`, so that both may be given as they are.
 */
export type ToJsonSchema = { convert(schema: unknown, side: ConverterSide): object | undefined }['convert'];

export interface ConverterSide {
  readonly io: 'input' | 'output';
  readonly typeMode: 'input' | 'output';
}

export interface SchemaOptions {
  readonly side: 'input' | 'output';
  /** Whether the root must be `"type": "object"`. */
  readonly objectRoot: boolean;
  readonly toJsonSchema?: ToJsonSchema | undefined;
}

/** A value with `~standard` is validated by its own library and never by ajv, anything else by ajv and nothing else. */
export function defineSchema(given: object, options: SchemaOptions): Schema | SchemaProblem {
  return isStandard(given) ? defineStandard(given, options) : defineJson(given as JsonSchema, options);
}

/** A JSON Schema whose type the compiler need not work out: for large and for generated schemas. */
export function jsonSchema<T>(schema: object): TypedJsonSchema<T> {
  return schema as TypedJsonSchema<T>;
}

function defineStandard(given: StandardSchema, options: SchemaOptions): Schema | SchemaProblem {
  const standard = given['~standard'];
  const json = convert(given, standard, options);
  if (typeof json === 'string') return { problem: json };
  if (options.objectRoot && json['type'] !== 'object') {
    return { problem: 'its root is not an object; write an object schema around it, such as z.object({ value: … })' };
  }
  return {
    json,
    ready: true,
    waits: false,
    fault: undefined,
    prepare: () => undefined,
    check(value) {
      const result = standard.validate(value);
      // Promises of another realm or library are no instances of ours.
      return 'then' in result ? Promise.resolve(result).then(verdictOf) : verdictOf(result);
    },
  };
}

function verdictOf(result: StandardResult): CheckResult {
  return result.issues ? { problem: describeIssues(result.issues), issues: result.issues } : { value: result.value };
}

/** The JSON Schema to advertise, or what is wrong. */
function convert(given: StandardSchema, { vendor, jsonSchema: own }: StandardProps, options: SchemaOptions): JsonSchema | string {
  const { side, toJsonSchema } = options;
  let json: object | undefined;
  try {
    json = own ? own[side]({ target: 'draft-2020-12' }) : toJsonSchema?.(given, { io: side, typeMode: side });
  } catch (error) {
    const reason = cut(error instanceof Error ? error.message : String(error), 300);
    return `${cut(vendor, 40)} cannot express its ${side} side as JSON Schema (${reason}); replace that part by something JSON has: a string for a date, .pipe(…) with a type after a transform`;
  }
  if (json === undefined) return `there is no JSON Schema to advertise for it; ${remedyFor(given, vendor)}`;
  if (typeof json !== 'object' || json === null) return `its converter returned no object; let toJsonSchema return a JSON Schema`;
  return withoutDefaultDialect(json as JsonSchema);
}

function remedyFor(given: StandardSchema, vendor: string): string {
  if (vendor === 'valibot') return "add toJsonSchema, from '@valibot/to-json-schema', to the options of the server";
  if (vendor === 'zod' && '_zod' in given)
    return "add toJsonSchema: z.toJSONSchema, from 'zod' or 'zod/mini', to the options of the server";
  if (vendor === 'zod')
    return "write it with zod 4, or add toJsonSchema: zodToJsonSchema, from 'zod-to-json-schema', to the options of the server";
  return 'add toJsonSchema: (schema) => …, which returns its JSON Schema, to the options of the server';
}

/** A library says it about every schema, and every revision that knows of dialects assumes this one. */
function withoutDefaultDialect(json: JsonSchema): JsonSchema {
  if (json['$schema'] === undefined || dialectOf(json) !== '2020-12') return json;
  const { $schema, ...rest } = json;
  return rest;
}

function defineJson(given: JsonSchema, options: SchemaOptions): Schema | SchemaProblem {
  const problem = problemOfJson(given, options);
  return problem === undefined ? new CompiledSchema(given) : { problem };
}

function problemOfJson(given: JsonSchema, { objectRoot }: SchemaOptions): string | undefined {
  if (Array.isArray(given)) return "it is a list; write a JSON Schema, such as { type: 'object', properties: { … } }";
  if (Object.values(given).some(isOnlyStandard)) {
    return 'it is an object of schemas and not a schema; write z.object({ … }) around it';
  }
  const problem = problemOf(given);
  if (problem !== undefined) return `the JSON Schema ${problem}`;
  if (objectRoot && given['type'] !== 'object') return `the root of the JSON Schema is not an object; write type: 'object' at its root`;
  return undefined;
}

/** Compiled on first use, because most tools of a large server are never called. */
class CompiledSchema implements Schema {
  readonly json: JsonSchema;
  #compiled: Compiled | undefined;

  constructor(json: JsonSchema) {
    this.json = json;
  }

  get ready(): boolean {
    return this.#compiled !== undefined;
  }

  get waits(): boolean {
    return this.#compiled === undefined && needsValidator(this.json);
  }

  get fault(): string | undefined {
    return this.#compiled?.fault;
  }

  prepare(): undefined | Promise<void> {
    if (this.#compiled !== undefined) return undefined;
    const compiled = compileSchema(this.json);
    if ('then' in compiled) return compiled.then((done) => this.#settle(done));
    this.#settle(compiled);
    return undefined;
  }

  check(value: unknown): CheckResult | Promise<CheckResult> {
    const pending = this.prepare();
    if (pending !== undefined) return pending.then(() => this.check(value));
    const problem = this.#compiled!.check(value);
    return problem === undefined ? { value } : { problem };
  }

  #settle(compiled: Compiled): void {
    this.#compiled = compiled;
  }
}

/** As `{ result }`, for revisions that know only objects; references into the schema are led to its new place. */
export function wrapSchema(json: JsonSchema): JsonSchema {
  const { $schema, ...inner } = json;
  const moved = json['$id'] === undefined ? moveReferences(inner) : inner;
  return { ...($schema !== undefined && { $schema }), type: 'object', properties: { result: moved }, required: ['result'] };
}

/** What stands under these is data, not schema. */
const data: ReadonlySet<string> = new Set(['const', 'enum', 'default', 'examples']);
/** Under these stand schemas by name, and the names may be anything. */
const byName: ReadonlySet<string> = new Set([
  'properties',
  'patternProperties',
  '$defs',
  'definitions',
  'dependentSchemas',
  'dependencies',
]);

function moveReferences(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(moveReferences);
  if (!isRecord(schema)) return schema;
  // References below an `$id` of its own start there.
  if (typeof schema['$id'] === 'string') return schema;
  return mapped(schema, (value, key) => {
    if (data.has(key)) return value;
    if (byName.has(key) && isRecord(value)) return mapped(value, moveReferences);
    if (key !== '$ref' || typeof value !== 'string') return moveReferences(value);
    return value === '#' || value.startsWith('#/') ? `#/properties/result${value.slice(1)}` : value;
  });
}

function mapped(record: JsonSchema, change: (value: unknown, key: string) => unknown): JsonSchema {
  return Object.fromEntries(Object.entries(record).map(([key, value]) => [key, change(value, key)]));
}

function isRecord(value: unknown): value is JsonSchema {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
