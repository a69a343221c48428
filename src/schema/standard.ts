// The part of Standard Schema v1 that we rely on (zod, valibot, arktype and others speak it), and how to recognise it.

export interface StandardSchema<Input = unknown, Output = Input> {
  readonly '~standard': StandardProps<Input, Output>;
}

export interface StandardProps<Input = unknown, Output = Input> {
  readonly version: 1;
  readonly vendor: string;
  readonly validate: (value: unknown) => StandardResult<Output> | Promise<StandardResult<Output>>;
  /** For the compiler only. */
  readonly types?: { readonly input: Input; readonly output: Output } | undefined;
  /** Standard JSON Schema, a later addition: zod has it since 4.2 (zod/mini has not), arktype since 2.2. */
  readonly jsonSchema?: StandardConverter | undefined;
}

/** Both throw when the library cannot express the schema. */
export interface StandardConverter {
  readonly input: (options: { readonly target: string }) => object;
  readonly output: (options: { readonly target: string }) => object;
}

export type StandardResult<Output = unknown> =
  | { readonly value: Output; readonly issues?: undefined }
  | { readonly issues: readonly StandardIssue[] };

export interface StandardIssue {
  readonly message: string;
  readonly path?: readonly (PropertyKey | { readonly key: PropertyKey })[] | undefined;
}

/** Functions too: an arktype schema is one. */
export function isStandard(value: unknown): value is StandardSchema {
  if ((typeof value !== 'object' && typeof value !== 'function') || value === null) return false;
  const props = (value as { readonly '~standard'?: Partial<StandardProps> | null })['~standard'];
  return typeof props === 'object' && props !== null && props.version === 1 && typeof props.validate === 'function';
}

/**
 * Standard, and not plain JSON as well: what `z.toJSONSchema` returns carries a hidden `~standard`, and is JSON Schema wherever
 * it stands inside another one.
 */
export function isOnlyStandard(value: unknown): value is StandardSchema {
  if (!isStandard(value)) return false;
  return Object.getPrototypeOf(value) !== Object.prototype || Object.prototype.propertyIsEnumerable.call(value, '~standard');
}
