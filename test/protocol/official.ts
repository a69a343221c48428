// Reads the official JSON Schemas and writes each definition as a TypeScript type.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

export const reference: string | undefined = process.env['VIVARIUM_REFERENCE'];

export interface Schema {
  readonly $ref?: string;
  readonly const?: unknown;
  readonly enum?: readonly unknown[];
  readonly anyOf?: readonly Schema[];
  readonly allOf?: readonly Schema[];
  readonly type?: string | readonly string[];
  readonly items?: Schema;
  readonly properties?: { readonly [name: string]: Schema };
  readonly required?: readonly string[];
  readonly additionalProperties?: Schema;
}

export type Definitions = { readonly [name: string]: Schema };

export function definitionsOf(revision: string): Definitions {
  const schema = JSON.parse(readFileSync(join(reference ?? '', 'spec', `${revision}.schema.json`), 'utf8'));
  return schema.$defs ?? schema.definitions;
}

export function toTypeScript(definitions: Definitions): string {
  return Object.entries(definitions)
    .map(([name, schema]) => `export type ${name} = ${typeOf(schema)};\n`)
    .join('');
}

function typeOf(schema: Schema): string {
  if (schema.$ref !== undefined) return schema.$ref.slice(schema.$ref.lastIndexOf('/') + 1);
  if (schema.const !== undefined) return JSON.stringify(schema.const);
  if (schema.enum !== undefined) return union(schema.enum.map((value) => JSON.stringify(value)));
  if (schema.anyOf !== undefined) return union(schema.anyOf.map(typeOf));
  if (schema.allOf !== undefined) return schema.allOf.map(typeOf).join(' & ');
  if (typeof schema.type === 'object') return union(schema.type.map((type) => typeOf({ type })));
  switch (schema.type) {
    case 'object':
      return objectOf(schema);
    case 'array':
      return `readonly (${typeOf(schema.items ?? {})})[]`;
    case 'integer':
      return 'number';
    case undefined:
      return 'any';
    default:
      return schema.type;
  }
}

function objectOf({ properties = {}, required = [], additionalProperties }: Schema): string {
  const members = Object.entries(properties).map(([name, schema]) => {
    // The schemas say only "string", the prose says which string in which result; ours follow the prose.
    const type = name === 'resultType' ? 'any' : typeOf(schema);
    return `${JSON.stringify(name)}${required.includes(name) ? '' : '?'}: ${type}`;
  });
  if (members.length === 0) members.push(`[member: string]: ${typeOf(additionalProperties ?? {})}`);
  else if (additionalProperties !== undefined) members.push('[member: string]: any');
  return `{ ${members.join('; ')} }`;
}

function union(types: readonly string[]): string {
  return `(${types.join(' | ')})`;
}

export interface Member {
  /** Keys that lead from the definition to the object, `number` for the items of a list. */
  readonly path: readonly string[];
  readonly name: string;
  readonly required: boolean;
  /** The only values it may have, as a type; absent when the schema does not fix them. */
  readonly fixed?: string;
}

/** Every member of a definition, also of objects written inside it. */
export function membersOf(schema: Schema, path: readonly string[] = []): Member[] {
  const nested = Object.entries(schema.properties ?? {}).flatMap(([name, inner]) => {
    const member = { path, name, required: schema.required?.includes(name) ?? false };
    const isFixed = inner.const !== undefined || inner.enum !== undefined;
    return [isFixed ? { ...member, fixed: typeOf(inner) } : member, ...membersOf(inner, [...path, JSON.stringify(name)])];
  });
  const parts = [...(schema.anyOf ?? []), ...(schema.allOf ?? [])].flatMap((part) => membersOf(part, path));
  return [...nested, ...parts, ...(schema.items === undefined ? [] : membersOf(schema.items, [...path, 'number']))];
}
