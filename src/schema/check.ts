// What a schema is compiled to.
import type { JsonSchema } from './infer.ts';

/** What is wrong with a value; undefined when it fits. */
export type Check = (value: unknown) => string | undefined;

/** Throws when the schema cannot be compiled. */
export type Compile = (schema: JsonSchema) => Check;

export type Dialect = '2020-12' | '2019-09' | 'draft-07';
