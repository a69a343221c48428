// ajv, set up per dialect; this file is imported only when the first JSON Schema is to be compiled.
import type { JsonSchema } from './infer.ts';
import { type AjvError, describeErrors } from './issues.ts';
import type { Check, Compile, Dialect } from './json-schema.ts';

export async function ajvCompiler(dialect: Dialect): Promise<Compile> {
  const [Ajv, { fullFormats }] = await Promise.all([classes[dialect](), import('ajv-formats/dist/formats.js')]);
  // Compiling the meta-schema is the dear part (50 ms), so one instance judges all schemas of the dialect.
  const judge = new Ajv({ ...plain, validateFormats: false, code: { optimize: false } });
  // One error only: collecting all of them lets a large value cost far more than it did to send.
  // Own properties only: 30 ns for two fields, 90 for five in two levels, 25 for each row of a list, and `{}` has no "constructor".
  const options = {
    ...plain,
    formats: fullFormats,
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
    return checkOf(new Ajv(options).compile(rest), rest);
  };
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
  '2020-12': async () => (await import('ajv/dist/2020.js')).Ajv2020,
  '2019-09': async () => (await import('ajv/dist/2019.js')).Ajv2019,
  'draft-07': async () => (await import('ajv')).Ajv,
};

/** The part of ajv that is used here. */
type AjvClass = new (
  options: object,
) => {
  readonly errors?: readonly AjvError[] | null | undefined;
  validateSchema(schema: object): unknown;
  compile(schema: object): Validate;
};

interface Validate {
  (value: unknown): unknown;
  readonly errors?: readonly AjvError[] | null | undefined;
}
