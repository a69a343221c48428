// Forms are flat: what an author's schema becomes in `requestedSchema`, and a check of the answer against it.
import type { RevisionTraits } from '../protocol/revision.ts';

type Json = Readonly<Record<string, unknown>>;

/** Members a field may have, by its type; everything else in the author's schema is for its own validator. */
const fieldMembers: ReadonlyMap<string, readonly string[]> = new Map([
  ['string', ['minLength', 'maxLength', 'format', 'enum', 'enumNames', 'oneOf']],
  ['number', ['minimum', 'maximum']],
  ['integer', ['minimum', 'maximum']],
  ['boolean', []],
  ['array', ['minItems', 'maxItems', 'items']],
]);
const formats = ['email', 'uri', 'date', 'date-time'];

export interface FlatSchema {
  readonly type: 'object';
  readonly properties: Readonly<Record<string, Json>>;
  readonly required?: readonly string[];
}

/** A text instead of a schema says why it cannot be asked as a form. */
export function toFlatSchema(json: Json, traits: RevisionTraits): FlatSchema | string {
  if (json['type'] !== 'object') return 'a form is an object: write z.object({ … })';
  const properties: [name: string, field: Json][] = [];
  for (const [name, given] of Object.entries((json['properties'] ?? {}) as Record<string, Json>)) {
    const field = toField(given, traits);
    if (typeof field === 'string') return `the field "${name}" ${field}`;
    properties.push([name, field]);
  }
  const required = json['required'] as readonly string[] | undefined;
  return { type: 'object', properties: Object.fromEntries(properties), ...(required !== undefined && required.length > 0 && { required }) };
}

function toField(given: Json, traits: RevisionTraits): Json | string {
  const type = String(given['type'] ?? (given['enum'] !== undefined || given['oneOf'] !== undefined ? 'string' : ''));
  const members = fieldMembers.get(type);
  if (members === undefined) return 'is not a string, number, boolean or choice: forms have no nested fields';
  if (type === 'array' && !traits.richElicitation) return `offers several choices at once, which ${traits.revision} does not have`;
  const choices = type === 'array' ? (given['items'] as Json | undefined) : given;
  const chosen = type === 'array' || (type === 'string' && (given['enum'] !== undefined || given['oneOf'] !== undefined));
  if (chosen && choicesOf(choices) === undefined) return 'is a choice of something else than strings';
  const field: Record<string, unknown> = { type };
  for (const member of ['title', 'description', ...members]) if (given[member] !== undefined) field[member] = given[member];
  if (field['format'] !== undefined && !formats.includes(field['format'] as string)) delete field['format'];
  if (given['default'] !== undefined && (traits.richElicitation || type === 'boolean')) field['default'] = given['default'];
  if (!traits.richElicitation) return withoutTitledChoices(field);
  return type === 'array' ? { ...field, items: withTitles(choices as Json, 'anyOf') } : withTitles(field, 'oneOf');
}

/** 2025-06-18 knows `enum` with `enumNames` only. */
function withoutTitledChoices(field: Record<string, unknown>): Json {
  const { oneOf, ...rest } = field;
  if (!Array.isArray(oneOf)) return field;
  return { ...rest, enum: oneOf.map((choice) => choice.const), enumNames: oneOf.map((choice) => choice.title ?? choice.const) };
}

/** Later revisions want a title for each choice, once one has it; a field names them in `oneOf`, a list in `anyOf`. */
function withTitles(field: Json, member: 'oneOf' | 'anyOf'): Json {
  const { enum: plain, enumNames, oneOf, anyOf, ...rest } = field;
  const titled = oneOf ?? anyOf;
  if (Array.isArray(titled)) {
    const titles = titled.map((choice) => ({ const: choice.const, title: choice.title ?? choice.const }));
    if (member === 'oneOf') return { ...rest, oneOf: titles };
    return { anyOf: titles };
  }
  if (!Array.isArray(plain)) return field;
  if (member === 'oneOf') return field;
  if (!Array.isArray(enumNames)) return { type: 'string', enum: plain };
  return { anyOf: plain.map((value, at) => ({ const: value, title: enumNames[at] ?? value })) };
}

function choicesOf(field: Json | undefined): readonly string[] | undefined {
  const titled = field?.['oneOf'] ?? field?.['anyOf'];
  const choices = field?.['enum'] ?? (Array.isArray(titled) ? titled.map((choice) => choice?.const) : undefined);
  return Array.isArray(choices) && choices.every((choice) => typeof choice === 'string') ? choices : undefined;
}

/** Types and bounds only: the author's own schema judges after it. */
export function flatFault(schema: FlatSchema, content: unknown): string | undefined {
  if (typeof content !== 'object' || content === null || Array.isArray(content)) return 'content must be an object';
  for (const name of schema.required ?? []) if (!Object.hasOwn(content, name)) return `/${name} is required`;
  for (const [name, field] of Object.entries(schema.properties)) {
    if (!Object.hasOwn(content, name)) continue;
    const fault = fieldFault(field, (content as Record<string, unknown>)[name]);
    if (fault !== undefined) return `/${name} ${fault}`;
  }
  return undefined;
}

function fieldFault(field: Json, value: unknown): string | undefined {
  const {
    type,
    minLength = 0,
    maxLength = Number.POSITIVE_INFINITY,
    minimum = Number.NEGATIVE_INFINITY,
    maximum = Number.POSITIVE_INFINITY,
  } = field as {
    type: string;
    minLength?: number;
    maxLength?: number;
    minimum?: number;
    maximum?: number;
  };
  switch (type) {
    case 'boolean':
      return typeof value === 'boolean' ? undefined : 'must be true or false';
    case 'number':
    case 'integer':
      if (typeof value !== 'number' || (type === 'integer' && !Number.isInteger(value)))
        return `must be ${type === 'integer' ? 'an integer' : 'a number'}`;
      return value >= minimum && value <= maximum ? undefined : 'is out of range';
    case 'array':
      return Array.isArray(value) && value.every((item) => choicesOf(field['items'] as Json)?.includes(item as string))
        ? undefined
        : 'must be a list of the choices';
    default: {
      if (typeof value !== 'string') return 'must be a string';
      const choices = choicesOf(field);
      if (choices !== undefined && !choices.includes(value)) return 'must be one of the choices';
      const { length } = [...value];
      return length >= minLength && length <= maxLength ? undefined : 'is too short or too long';
    }
  }
}
