// The schemas inside a schema, each with its place; bounded, because a stranger wrote it.
import { isRecord, type Json } from '../model/value.ts';

export interface SchemaPart {
  readonly schema: Json;
  /** JSON pointer from the root of the schema; empty for the root. */
  readonly path: string;
  /** How many objects and arrays of values it lies in. */
  readonly depth: number;
}

const maxParts = 20_000;
const maxSteps = 100;

/** Keywords under which schemas stand by name, in lists, or alone; and how much deeper in the value they describe it lies. */
const named: ReadonlyMap<string, number> = new Map([
  ['properties', 1],
  ['patternProperties', 1],
  ['dependentSchemas', 0],
  ['$defs', 0],
  ['definitions', 0],
]);
const listed: ReadonlyMap<string, number> = new Map([
  ['anyOf', 0],
  ['oneOf', 0],
  ['allOf', 0],
  ['prefixItems', 1],
]);
const alone: ReadonlyMap<string, number> = new Map([
  ['items', 1],
  ['additionalProperties', 1],
  ['contains', 1],
  ['not', 0],
  ['if', 0],
  ['then', 0],
  ['else', 0],
]);

/** From the outside in. What lies deeper than any author writes is left out. */
export function partsOf(root: unknown): readonly SchemaPart[] {
  const parts: SchemaPart[] = isRecord(root) ? [{ schema: root, path: '', depth: 0 }] : [];
  for (let index = 0; index < parts.length; index += 1) {
    const { schema, path, depth } = parts[index] as SchemaPart;
    if (path.split('/').length > maxSteps) continue;
    for (const [keyword, inner] of Object.entries(schema)) {
      for (const [at, part, deeper] of inside(keyword, inner)) {
        if (parts.length < maxParts && isRecord(part)) parts.push({ schema: part, path: path + at, depth: depth + deeper });
      }
    }
  }
  return parts;
}

export function step(name: string): string {
  return `/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`;
}

type Found = readonly [at: string, part: unknown, deeper: number];

function inside(keyword: string, inner: unknown): readonly Found[] {
  const list = listed.get(keyword) ?? (keyword === 'items' ? 1 : undefined);
  if (Array.isArray(inner)) {
    return list === undefined ? [] : inner.map((part, index): Found => [`${step(keyword)}/${index}`, part, list]);
  }
  const byName = named.get(keyword);
  if (byName !== undefined && isRecord(inner)) {
    return Object.entries(inner).map(([name, part]): Found => [step(keyword) + step(name), part, byName]);
  }
  const deeper = alone.get(keyword);
  return deeper === undefined ? [] : [[step(keyword), inner, deeper]];
}
