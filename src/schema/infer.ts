// What a schema means to the compiler: the type a handler receives, the type it returns.

/** A JSON Schema whose content the compiler does not know. */
export type JsonSchema = Readonly<Record<string, unknown>>;

declare const typed: unique symbol;

/** A JSON Schema whose type its author vouches for; made by `jsonSchema<T>(schema)`. */
export interface TypedJsonSchema<T> extends JsonSchema {
  /** For the compiler only: there is no such property. */
  readonly [typed]: T;
}

/** What a handler receives: the validated value. */
export type OutputOf<S> = S extends { readonly _zod: { readonly output: unknown } }
  ? // zod 4 tells its types here to library authors; through `~standard` the same costs a fifth more instantiations.
    S['_zod']['output']
  : S extends { readonly '~standard': { readonly types?: infer T } }
    ? Side<T, 'output'>
    : FromGiven<S>;

/** What a handler returns for an output schema: the value before validation. */
export type InputOf<S> = S extends { readonly _zod: { readonly input: unknown } }
  ? S['_zod']['input']
  : S extends { readonly '~standard': { readonly types?: infer T } }
    ? Side<T, 'input'>
    : FromGiven<S>;

declare const never: unique symbol;

/**
 * Never satisfied. Beside a type that is still open while a handler is read, it keeps literals in what the handler returns
 * from widening: `{ kind: 'a' }` stays that and does not become `{ kind: string }`.
 */
export interface LiteralHint {
  readonly [never]: never;
  readonly [key: string]: LiteralHintValue;
}

type LiteralHintValue = '' | 0 | false | LiteralHint | readonly [LiteralHintValue?, ...LiteralHintValue[]];

type Side<T, K extends 'input' | 'output'> = NonNullable<T> extends { readonly [key in K]: infer V } ? V : unknown;

type FromGiven<S> = S extends { readonly [typed]: infer T } ? T : FromJson<S>;

/**
 * The type a JSON Schema literal describes, six levels deep. What it cannot tell is `unknown` at that place, never wrong:
 * a keyword that only narrows (`allOf`, `not`, `if`, `pattern`) is passed over.
 */
export type FromJson<S, Depth extends number = 0> = Depth extends 6
  ? unknown
  : // Up to draft-07 everything beside a $ref is ignored.
    S extends { readonly $ref: unknown }
    ? unknown
    : S extends { readonly const: infer C }
      ? NotASchema<C>
      : S extends { readonly enum: readonly (infer E)[] }
        ? E
        : S extends { readonly type: infer T }
          ? OfType<S, T extends readonly (infer U)[] ? U : T, Depth> | OrNull<S>
          : S extends { readonly anyOf: readonly (infer U)[] }
            ? OfAny<U, Depth>
            : S extends { readonly oneOf: readonly (infer U)[] }
              ? OfAny<U, Depth>
              : unknown;

/** A raw shape may have a field named `const`. */
type NotASchema<C> = C extends { readonly '~standard': unknown } ? unknown : C;

/** Not JSON Schema but OpenAPI; ajv honours it beside `type` and cannot be told otherwise. */
type OrNull<S> = S extends { readonly nullable: true } ? null : never;

type OfAny<U, Depth extends number> = U extends unknown ? FromJson<U, Depth> : never;

interface Scalars {
  readonly string: string;
  readonly number: number;
  readonly integer: number;
  readonly boolean: boolean;
  readonly null: null;
}

type OfType<S, T, Depth extends number> = T extends keyof Scalars
  ? Scalars[T]
  : T extends 'object'
    ? OfObject<S, Depth>
    : T extends 'array'
      ? OfArray<S, Depth>
      : unknown;

type Deeper = readonly [1, 2, 3, 4, 5, 6];

type OfArray<S, Depth extends number> = S extends { readonly prefixItems: unknown }
  ? unknown[]
  : S extends { readonly items: infer I }
    ? I extends readonly unknown[]
      ? unknown[]
      : FromJson<I, Deeper[Depth]>[]
    : unknown[];

type OfObject<S, Depth extends number> = S extends { readonly properties: infer P }
  ? S extends { readonly additionalProperties: object }
    ? // The rest cannot be typed by an index signature that the named properties would have to satisfy.
      Fields<P, RequiredOf<S>, Deeper[Depth]> & Record<string, unknown>
    : Fields<P, RequiredOf<S>, Deeper[Depth]>
  : S extends { readonly patternProperties: unknown }
    ? Record<string, unknown>
    : S extends { readonly additionalProperties: infer A extends object }
      ? Record<string, FromJson<A, Deeper[Depth]>>
      : S extends { readonly anyOf: readonly (infer U)[] }
        ? OfAnyObject<U, Depth>
        : S extends { readonly oneOf: readonly (infer U)[] }
          ? OfAnyObject<U, Depth>
          : Record<string, unknown>;

/** The members of `{ type: 'object', oneOf: […] }` need not repeat the type. */
type OfAnyObject<U, Depth extends number> = U extends { readonly $ref: unknown } ? Record<string, unknown> : OfObject<U, Depth>;

/** A list not known at compile time requires nothing we could rely on. */
type RequiredOf<S> = S extends { readonly required: readonly (infer R)[] } ? (string extends R ? never : R) : never;

type Fields<P, R, Depth extends number> = Flat<
  { [K in keyof P & R]: FromJson<P[K], Depth> } & { [K in Exclude<keyof P, R>]?: FromJson<P[K], Depth> }
>;

type Flat<T> = { [K in keyof T]: T[K] };
