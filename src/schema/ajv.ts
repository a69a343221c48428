// ajv, set up per dialect; this file is imported only when the first JSON Schema is to be compiled.
import { _, type Code, type Name } from 'ajv/dist/compile/codegen/index.js';
import type { Check, Compile, Dialect } from './check.ts';
import { amongOf, isComposed, twins } from './equality.ts';
import type { JsonSchema } from './infer.ts';
import { type AjvError, describeErrors } from './issues.ts';

export { boundRecursion } from './recursion.ts';

export async function ajvCompiler(dialect: Dialect): Promise<Compile> {
  const [Ajv, { fullFormats }] = await Promise.all([classes[dialect](), import('ajv-formats/dist/formats.js')]);
  // Compiling the meta-schema is the dear part (50 ms), so one instance judges all schemas of the dialect.
  const judge = byTheText(new Ajv({ ...plain, validateFormats: false, code: { optimize: false } }));
  // One error only: collecting all of them lets a large value cost far more than it did to send.
  // Own properties only: 30 ns for two fields, 90 for five in two levels, 25 for each row of a list, and `{}` has no "constructor".
  const options = {
    ...plain,
    formats: { ...fullFormats, url: linearUrl(fullFormats.url as RegExp) },
    // Larger ones become functions: written out at each reference, a hundred of a thousand members each took 100 s to compile.
    inlineRefs: 20,
    meta: false,
    validateSchema: false,
    allErrors: false,
    coerceTypes: false,
    useDefaults: false,
    ownProperties: true,
  };
  return (schema) => {
    // The dialect is chosen already, and ajv knows each by one spelling only.
    const { $schema, ...rest } = schema;
    if (judge.validateSchema(rest) !== true) throw new Error(describeErrors(judge.errors ?? []));
    // An instance keeps every schema and every `$id` it has seen. A new one for each costs no more than sharing
    // (1.6 against 2.1 ms, 8.0 against 7.3 KB), is freed with its schema, and ids do not collide.
    try {
      return checkOf(linear(new Ajv(options)).compile(rest), rest);
    } catch (error) {
      // By the meta-schema it is a JSON Schema: it has a pattern that is not ECMA-262's, or an enum without members.
      throw Object.assign(error as Error, { isLegal: (error as { missingRef?: unknown }).missingRef === undefined });
    }
  };
}

const draft07 = 'http://json-schema.org/draft-07/schema';

/** In the text of draft-07 the members of an enum only should be there, and should differ: ajv's own copy of its meta-schema demands both. */
function byTheText(ajv: AjvInstance): AjvInstance {
  const meta = ajv.schemas[draft07]?.schema;
  if (meta === undefined) return ajv;
  ajv.removeSchema(draft07);
  ajv.addMetaSchema({ ...meta, properties: { ...meta.properties, enum: { type: 'array', items: true } } }, undefined, false);
  return ajv;
}

/** The one format with a search that is quadratic: names and passwords before "@" may hold neither "/" nor "?" nor "#" here, as in RFC 3986. */
function linearUrl({ source, flags }: RegExp): RegExp {
  return new RegExp(source.replace('\\S+(?::\\S*)?@', '[^\\s/?#]+@'), flags);
}

/**
 * With our own comparison, in the places these keywords have among the others: ajv's compares everything with everything,
 * and calls a member "valueOf" of what it compares.
 */
function linear(ajv: AjvInstance): AjvInstance {
  const { enum: choices, const: only, uniqueItems } = ajv.RULES.all;
  const plainChoices = choices.definition.code;
  const plainOnly = only.definition.code;
  choices.definition = {
    ...choices.definition,
    code(cxt) {
      const { schema, gen, data } = cxt;
      const allowed = schema as readonly unknown[];
      // A few are compared fastest where they stand.
      if (allowed.length < 20 && !allowed.some(isComposed)) return plainChoices(cxt);
      cxt.fail(_`!${gen.scopeValue('func', { ref: amongOf(allowed) })}(${data})`);
    },
  };
  only.definition = {
    ...only.definition,
    code(cxt) {
      const { schema, gen, data } = cxt;
      if (!isComposed(schema)) return plainOnly(cxt);
      cxt.fail(_`!${gen.scopeValue('func', { ref: amongOf([schema]) })}(${data})`);
    },
  };
  uniqueItems.definition = {
    ...uniqueItems.definition,
    code(cxt) {
      const { schema, gen, data } = cxt;
      if (schema !== true) return;
      const found = gen.const('twins', _`${gen.scopeValue('func', { ref: twins })}(${data})`);
      cxt.setParams({ j: _`${found}[0]`, i: _`${found}[1]` });
      cxt.fail(_`${found} !== undefined`);
    },
  };
  return ajv;
}

function checkOf(validate: Validate, schema: JsonSchema): Check {
  // ajv would return a promise, which is not false.
  if (schema['$async'] !== undefined) throw new Error('"$async" is not JSON Schema; leave it out');
  return (value) => {
    try {
      return validate(value) === true ? undefined : describeErrors(validate.errors ?? []);
    } catch (error) {
      // A recursive schema follows the value down.
      if (error instanceof RangeError) return '(root) is nested too deeply to be checked';
      throw error;
    }
  };
}

/** Infinity is what JSON.parse makes of 1e400; it is no number of JSON's. */
const plain = { strict: false, strictNumbers: true, logger: false };

const classes: Readonly<Record<Dialect, () => Promise<AjvClass>>> = {
  '2020-12': async () => (await import('ajv/dist/2020.js')).Ajv2020 as unknown as AjvClass,
  '2019-09': async () => (await import('ajv/dist/2019.js')).Ajv2019 as unknown as AjvClass,
  'draft-07': async () => (await import('ajv')).Ajv as unknown as AjvClass,
};

/** The part of ajv that is used here. */
type AjvClass = new (options: object) => AjvInstance;

interface AjvInstance {
  readonly errors?: readonly AjvError[] | null | undefined;
  readonly RULES: { readonly all: Readonly<Record<'enum' | 'const' | 'uniqueItems', { definition: CodeKeyword }>> };
  readonly schemas: Readonly<Record<string, { readonly schema: { readonly properties: object } } | undefined>>;
  removeSchema(id: string): void;
  addMetaSchema(schema: object, key: undefined, validate: boolean): void;
  validateSchema(schema: object): unknown;
  compile(schema: object): Validate;
}

interface CodeKeyword {
  readonly code: (cxt: KeywordContext) => void;
}

interface KeywordContext {
  readonly schema: unknown;
  readonly data: Name;
  readonly gen: {
    const(name: string, value: Code): Name;
    scopeValue(prefix: string, value: { readonly ref: unknown }): Name;
  };
  setParams(params: Readonly<Record<string, Code>>): void;
  fail(condition: Code): void;
}

interface Validate {
  (value: unknown): unknown;
  readonly errors?: readonly AjvError[] | null | undefined;
}
