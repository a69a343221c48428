// A tool as a TypeScript programmer would declare it, from its JSON Schema.
import type { Tool } from '../../protocol/types.ts';
import { printable, printableLines } from './terminal.ts';

type Schema = Readonly<Record<string, unknown>>;

const deepest = 6;
const maxLength = 100;
/** Parts of one signature: references and choices of a stranger's schema can multiply to any number. */
const maxParts = 1_000;
const maxValue = 500;

interface Drawing {
  readonly root: Schema;
  parts: number;
}

/** `add(a: number, b?: number): { sum: number }` */
export function signatureOf({ name, inputSchema, outputSchema }: Tool): string {
  const result = outputSchema === undefined ? '' : `: ${typeOf(asSchema(outputSchema) ?? {}, drawingOf(outputSchema), 0)}`;
  const parameters = membersOf(asSchema(inputSchema) ?? {}, drawingOf(inputSchema), 0);
  const line = `(${parameters.join(', ')})${result}`;
  if (name.length + line.length <= maxLength || parameters.length < 2) return printable(`${name}${line}`);
  return `${printable(name)}(\n${parameters.map((one) => `  ${printable(one)},\n`).join('')})${printable(result)}`;
}

/** The first paragraph is enough to choose by; `whole` is everything. */
export function descriptionOf(description: string | undefined, whole: boolean): string[] {
  const text = typeof description === 'string' ? description.trim() : '';
  if (text === '') return [];
  const shown = whole ? text : (text.split(/\n\s*\n/)[0] ?? '').replaceAll(/\s+/g, ' ');
  const cut = whole || shown.length <= 240 ? shown : `${shown.slice(0, 240)}…`;
  return printableLines(cut).split('\n');
}

/** The hints that change what one would do with it. */
export function hintsOf({ annotations }: Tool): string {
  const { readOnlyHint, destructiveHint } = annotations ?? {};
  return readOnlyHint === true ? 'read-only' : destructiveHint === true ? 'destructive' : '';
}

function drawingOf(root: unknown): Drawing {
  return { root: asSchema(root) ?? {}, parts: 0 };
}

/** Each of many, as far as there is room. */
function each<T>(all: readonly T[], drawing: Drawing, draw: (one: T) => string): string[] {
  const drawn: string[] = [];
  for (const one of all) {
    drawing.parts += 1;
    if (drawing.parts > maxParts) return [...drawn, '…'];
    drawn.push(draw(one));
  }
  return drawn;
}

/** A server may nest a value deeper than can be written. */
function literal(value: unknown): string {
  try {
    const text = JSON.stringify(value);
    return text.length <= maxValue ? text : `${text.slice(0, maxValue)}…`;
  } catch {
    return '…';
  }
}

function membersOf(schema: Schema, drawing: Drawing, depth: number): string[] {
  const properties = asSchema(schema['properties']) ?? {};
  const required = new Set(Array.isArray(schema['required']) ? schema['required'] : []);
  // What must be given first.
  const names = Object.keys(properties).sort((a, b) => Number(required.has(b)) - Number(required.has(a)));
  return each(names, drawing, (name) => {
    const member = asSchema(properties[name]) ?? {};
    const otherwise = member['default'] === undefined ? '' : ` = ${literal(member['default'])}`;
    return `${/^[\w$]+$/.test(name) ? name : literal(name)}${required.has(name) ? '' : '?'}: ${typeOf(member, drawing, depth + 1)}${otherwise}`;
  });
}

function typeOf(schema: Schema, drawing: Drawing, depth: number): string {
  if (depth > deepest) return '…';
  const inner = (one: unknown): string => typeOf(asSchema(one) ?? {}, drawing, depth + 1);
  const ref = schema['$ref'];
  if (typeof ref === 'string') {
    const found = resolveRef(ref, drawing.root);
    return found === undefined ? (ref.split('/').at(-1) ?? 'unknown') : inner(found);
  }
  if (schema['const'] !== undefined) return literal(schema['const']);
  if (Array.isArray(schema['enum'])) return each(schema['enum'], drawing, literal).join(' | ');
  const choice = schema['anyOf'] ?? schema['oneOf'];
  if (Array.isArray(choice)) return [...new Set(each(choice, drawing, inner))].join(' | ');
  if (Array.isArray(schema['allOf'])) return each(schema['allOf'], drawing, inner).join(' & ');
  const type = schema['type'];
  // A list in a list is no type, and would go on for ever.
  if (Array.isArray(type)) return each(type, drawing, (one) => typeOf({ ...schema, type: String(one) }, drawing, depth)).join(' | ');
  if (type === 'array') return listOf(inner(schema['items']));
  if (type === 'integer') return 'number';
  if (type === 'object' || schema['properties'] !== undefined) return objectOf(schema, drawing, depth);
  return typeof type === 'string' ? type : 'unknown';
}

function objectOf(schema: Schema, drawing: Drawing, depth: number): string {
  const members = membersOf(schema, drawing, depth);
  if (members.length > 0) return `{ ${members.join('; ')} }`;
  const values = asSchema(schema['additionalProperties']);
  return values === undefined ? 'object' : `Record<string, ${typeOf(values, drawing, depth + 1)}>`;
}

function listOf(type: string): string {
  return /[ |&]/.test(type) && !/^\{.*\}$/.test(type) ? `(${type})[]` : `${type}[]`;
}

/** Only within the schema itself. */
export function resolveRef(ref: string, root: Schema): Schema | undefined {
  if (!ref.startsWith('#/')) return undefined;
  let at: unknown = root;
  for (const part of ref.slice(2).split('/')) {
    const key = part.replaceAll('~1', '/').replaceAll('~0', '~');
    if (asSchema(at) === undefined || !Object.hasOwn(at as object, key)) return undefined;
    at = (at as Schema)[key];
  }
  return asSchema(at);
}

function asSchema(value: unknown): Schema | undefined {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Schema) : undefined;
}
