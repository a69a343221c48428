// A tool as a TypeScript programmer would declare it, from its JSON Schema.
import type { Tool } from '../protocol/types.ts';
import { printable, printableLines } from './terminal.ts';

type Schema = Readonly<Record<string, unknown>>;

const deepest = 6;
const mostLength = 100;

/** `add(a: number, b?: number): { sum: number }` */
export function signatureOf({ name, inputSchema, outputSchema }: Tool): string {
  const input = inputSchema as Schema;
  const result = outputSchema === undefined ? '' : `: ${typeOf(outputSchema as Schema, outputSchema as Schema, 0)}`;
  const parameters = membersOf(input, input, 0);
  const line = `(${parameters.join(', ')})${result}`;
  if (name.length + line.length <= mostLength || parameters.length < 2) return printable(`${name}${line}`);
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

function membersOf(schema: Schema, root: Schema, depth: number): string[] {
  const properties = asSchema(schema['properties']) ?? {};
  const required = new Set(Array.isArray(schema['required']) ? schema['required'] : []);
  // What must be given first.
  const names = Object.keys(properties).sort((a, b) => Number(required.has(b)) - Number(required.has(a)));
  return names.map((name) => {
    const member = asSchema(properties[name]) ?? {};
    const otherwise = member['default'] === undefined ? '' : ` = ${JSON.stringify(member['default'])}`;
    return `${/^[\w$]+$/.test(name) ? name : JSON.stringify(name)}${required.has(name) ? '' : '?'}: ${typeOf(member, root, depth + 1)}${otherwise}`;
  });
}

function typeOf(schema: Schema, root: Schema, depth: number): string {
  if (depth > deepest) return '…';
  const ref = schema['$ref'];
  if (typeof ref === 'string') {
    const found = resolveRef(ref, root);
    return found === undefined ? (ref.split('/').at(-1) ?? 'unknown') : typeOf(found, root, depth + 1);
  }
  if (schema['const'] !== undefined) return JSON.stringify(schema['const']);
  if (Array.isArray(schema['enum'])) return schema['enum'].map((one) => JSON.stringify(one)).join(' | ');
  const choice = schema['anyOf'] ?? schema['oneOf'];
  if (Array.isArray(choice)) return [...new Set(choice.map((one) => typeOf(asSchema(one) ?? {}, root, depth + 1)))].join(' | ');
  if (Array.isArray(schema['allOf'])) return schema['allOf'].map((one) => typeOf(asSchema(one) ?? {}, root, depth + 1)).join(' & ');
  const type = schema['type'];
  if (Array.isArray(type)) return type.map((one) => typeOf({ ...schema, type: one }, root, depth)).join(' | ');
  if (type === 'array') return listOf(typeOf(asSchema(schema['items']) ?? {}, root, depth + 1));
  if (type === 'integer') return 'number';
  if (type === 'object' || schema['properties'] !== undefined) return objectOf(schema, root, depth);
  return typeof type === 'string' ? type : 'unknown';
}

function objectOf(schema: Schema, root: Schema, depth: number): string {
  const members = membersOf(schema, root, depth);
  if (members.length > 0) return `{ ${members.join('; ')} }`;
  const values = asSchema(schema['additionalProperties']);
  return values === undefined ? 'object' : `Record<string, ${typeOf(values, root, depth + 1)}>`;
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
