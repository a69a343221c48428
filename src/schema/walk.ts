// A walk through a JSON Schema before anything is done with it: is it finite, plain JSON, of reasonable size, and complete in itself?
import type { JsonSchema } from './infer.ts';
import { cut, pointer } from './issues.ts';
import { isOnlyStandard } from './standard.ts';

export interface Findings {
  /** What is wrong, and what to write instead. */
  readonly problem: string | undefined;
  /** It refers to another document. */
  readonly reason?: 'remote-reference';
  /** How many schemas, lists, names and scalars it holds. */
  readonly values: number;
  /** Its regular expressions, each as often as it occurs. */
  readonly patterns: readonly string[];
}

const maxValues = 20_000;
const maxLevels = 200;
const maxText = 1024 * 1024;
/** Each is resolved against the one above it: a long one would be read as often as there are others. */
const maxAddress = 2_000;

export function walkSchema(schema: JsonSchema): Findings {
  // Any base will do: it is only compared with itself.
  const base = 'json-schema:/';
  const walk: Walk = { values: 0, text: 0, path: [], above: new Set(), ids: new Set([base]), refs: [], patterns: [] };
  const problem = visit(schema, 'schema', base, walk);
  const remote = problem === undefined ? unresolved(walk) : undefined;
  return {
    problem: problem ?? remote,
    ...(remote !== undefined && { reason: 'remote-reference' }),
    values: walk.values,
    patterns: walk.patterns,
  };
}

/** Keywords whose members are schemas under names of the author's choosing. */
const named = new Set(['properties', 'patternProperties', '$defs', 'definitions', 'dependentSchemas', 'dependencies']);
/** Keywords that hold values, in which `$ref` is a key like any other. */
const data = new Set(['const', 'enum', 'default', 'examples']);
const references = ['$ref', '$dynamicRef', '$recursiveRef'];

type Position = 'schema' | 'named' | 'data';

interface Walk {
  values: number;
  text: number;
  readonly patterns: string[];
  readonly path: string[];
  readonly above: Set<object>;
  /** Every `$id`, absolute and without its fragment. */
  readonly ids: Set<string>;
  readonly refs: { readonly ref: string; readonly target: string | undefined; readonly at: string }[];
}

function visit(value: unknown, position: Position, base: string, walk: Walk): string | undefined {
  walk.values += 1;
  if (walk.values > maxValues) return `holds more than ${maxValues} values; leave out detail, or split the tool`;
  if (isOnlyStandard(value)) {
    const vendor = cut(value['~standard'].vendor, 40);
    return `holds a ${vendor} schema at ${here(walk)}; write the whole schema with ${vendor}, or this part as JSON Schema`;
  }
  if (typeof value === 'function' || typeof value === 'symbol' || typeof value === 'bigint') {
    return `holds a ${typeof value} at ${here(walk)}; give plain JSON Schema, or a schema of zod 4, valibot or arktype`;
  }
  if (typeof value === 'string') walk.text += value.length;
  if (walk.text > maxText) return `holds more than ${maxText} characters; leave out detail, or split the tool`;
  if (typeof value !== 'object' || value === null) return undefined;
  if (walk.above.has(value)) return `contains itself at ${here(walk)}; write the recursion as { "$ref": "#/…" }`;
  if (walk.path.length >= maxLevels) return `is nested deeper than ${maxLevels} levels; move parts to "$defs" and refer to them`;

  const members = value as Readonly<Record<string, unknown>>;
  const inner = position === 'schema' ? note(members, base, walk) : base;
  if (inner === undefined) return `has an address of more than ${maxAddress} characters at ${here(walk)}; write a shorter one`;
  walk.above.add(value);
  for (const key of Object.keys(members)) {
    walk.path.push(key);
    walk.text += key.length;
    const problem = visit(members[key], positionOf(key, members, position), inner, walk);
    if (problem !== undefined) return problem;
    walk.path.pop();
  }
  walk.above.delete(value);
  return undefined;
}

/** Notes the `$id`, references and patterns of a schema; returns the base for what is inside it, or nothing where an address is too long. */
function note(schema: JsonSchema, base: string, walk: Walk): string | undefined {
  const { $id: id, pattern, patternProperties } = schema;
  if (typeof pattern === 'string') walk.patterns.push(pattern);
  if (typeof patternProperties === 'object' && patternProperties !== null) walk.patterns.push(...Object.keys(patternProperties));
  if ([id, ...references.map((keyword) => schema[keyword])].some((one) => typeof one === 'string' && one.length > maxAddress))
    return undefined;
  const own = typeof id === 'string' ? (absolute(id, base) ?? base) : base;
  walk.ids.add(own);
  for (const keyword of references) {
    const ref = schema[keyword];
    if (typeof ref === 'string' && !ref.startsWith('#')) walk.refs.push({ ref, target: absolute(ref, own), at: here(walk) });
  }
  return own;
}

function positionOf(key: string, parent: object, position: Position): Position {
  if (position === 'data') return 'data';
  if (position === 'named' || Array.isArray(parent)) return 'schema';
  return named.has(key) ? 'named' : data.has(key) ? 'data' : 'schema';
}

function unresolved(walk: Walk): string | undefined {
  const remote = walk.refs.find(({ target }) => target === undefined || !walk.ids.has(target));
  if (remote === undefined) return undefined;
  return `refers to ${cut(remote.ref, 200)} at ${remote.at}, which is never fetched; copy it into "$defs" and write { "$ref": "#/$defs/…" }`;
}

function absolute(uri: string, base: string): string | undefined {
  try {
    return new URL(uri, base).href.replace(/#.*$/s, '');
  } catch {
    return undefined;
  }
}

function here({ path }: Walk): string {
  return path.length === 0 ? '(root)' : cut(pointer(path), 200);
}
