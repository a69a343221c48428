// A file that holds the surface of a server, and what has changed since it was written.

import type { Lock, Surface } from '../model/surface.ts';
import { asList, isRecord, type Json } from '../model/value.ts';
import { compareSchemas, type Effect, type SchemaChange, same, sorted } from './schema-change.ts';

/** `reworded`: what models and users read has changed, which is how a server that was trusted turns on them. */
export type ChangeKind = 'added' | 'removed' | 'reworded' | Effect;

export interface SurfaceChange {
  readonly kind: ChangeKind;
  /** `tool search`, `resource file:///a`, `template …`, `prompt …`. */
  readonly about: string;
  /** JSON pointer into the definition. */
  readonly path: string;
  readonly message: string;
  /** Whether a caller who kept to the old surface may fail with the new one. */
  readonly breaking: boolean;
}

const kinds = [
  { list: 'tools', name: 'tool', key: 'name' },
  { list: 'resources', name: 'resource', key: 'uri' },
  { list: 'templates', name: 'template', key: 'uriTemplate' },
  { list: 'prompts', name: 'prompt', key: 'name' },
] as const;

/** The text of the file: the same for the same surface, in whatever order it was listed. */
export function lockText(surface: Surface): string {
  const lists = kinds.map(({ list, key }) => [list, [...surface[list]].sort(byKey(key)).map((item) => sorted(item))]);
  return `${JSON.stringify({ version: 1, surface: Object.fromEntries(lists) }, undefined, 2)}\n`;
}

/** Says what is wrong with a file that is no lock. */
export function readLock(text: string): Lock | { readonly problem: string } {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    return { problem: `is not JSON: ${error instanceof Error ? error.message : String(error)}` };
  }
  if (!isRecord(value) || !isRecord(value['surface'])) return { problem: 'is not a lock of a surface' };
  if (value['version'] !== 1) return { problem: `has the version ${String(value['version']).slice(0, 40)}, and only 1 is known` };
  const { surface } = value as { readonly surface: Json };
  const wrong = kinds.find(({ list }) => !Array.isArray(surface[list]) || !asList(surface[list]).every(isRecord));
  if (wrong !== undefined) return { problem: `has no list of ${wrong.list}` };
  return { version: 1, surface: surface as unknown as Surface };
}

/** What was added, removed, narrowed, widened or said in other words, in the order of the kinds and of their names. */
export function changesSince(lock: Lock, surface: Surface): readonly SurfaceChange[] {
  return kinds.flatMap(({ list, name, key }) => compareLists(name, keyed(lock.surface[list], key), keyed(surface[list], key)));
}

function compareLists(kind: string, before: ReadonlyMap<string, Json>, after: ReadonlyMap<string, Json>): readonly SurfaceChange[] {
  const names = [...new Set([...before.keys(), ...after.keys()])].sort();
  return names.flatMap((name): readonly SurfaceChange[] => {
    const about = `${kind} ${name.length <= 120 ? name : `${name.slice(0, 119)}…`}`;
    const old = before.get(name);
    const now = after.get(name);
    if (old === undefined) return [{ kind: 'added', about, path: '', message: 'is new', breaking: false }];
    if (now === undefined) return [{ kind: 'removed', about, path: '', message: 'is gone', breaking: true }];
    return same(old, now) ? [] : compareItems(about, old, now);
  });
}

function compareItems(about: string, old: Json, now: Json): readonly SurfaceChange[] {
  const members = [...new Set([...Object.keys(old), ...Object.keys(now)])].sort().filter((member) => !same(old[member], now[member]));
  return members.flatMap((member): readonly SurfaceChange[] => {
    if (member === 'inputSchema' || member === 'outputSchema') return schemaChanges(about, member, old, now);
    if (member === 'arguments') return argumentChanges(about, old, now);
    const kind = member === 'description' || member === 'title' || member === 'annotations' ? 'reworded' : 'changed';
    const message = !Object.hasOwn(now, member) ? 'is gone' : !Object.hasOwn(old, member) ? 'is new' : 'is another';
    return [{ kind, about, path: `/${member}`, message, breaking: false }];
  });
}

function schemaChanges(about: string, member: 'inputSchema' | 'outputSchema', old: Json, now: Json): readonly SurfaceChange[] {
  const changes = compareSchemas(old[member] ?? true, now[member] ?? true);
  if (changes.length === 0) return [{ kind: 'reworded', about, path: `/${member}`, message: 'is worded otherwise', breaking: false }];
  return changes.map((change) => ({
    kind: change.effect,
    about,
    path: `/${member}${change.path}`,
    message: change.message,
    breaking: member === 'inputSchema' ? hurtsSender(change) : hurtsReader(change),
  }));
}

/** By what it may no longer send. */
function hurtsSender({ effect }: SchemaChange): boolean {
  return effect !== 'widened';
}

/** By what it may now receive, and by what is no longer there to be read. */
function hurtsReader({ effect, property }: SchemaChange): boolean {
  return property === undefined ? effect !== 'narrowed' : property === 'gone';
}

function argumentChanges(about: string, old: Json, now: Json): readonly SurfaceChange[] {
  const before = keyed(asList(old['arguments']).filter(isRecord), 'name');
  const after = keyed(asList(now['arguments']).filter(isRecord), 'name');
  return [...new Set([...before.keys(), ...after.keys()])].sort().flatMap((name): readonly SurfaceChange[] => {
    const path = `/arguments/${name}`;
    const was = before.get(name);
    const is = after.get(name);
    if (is === undefined) return [{ kind: 'narrowed', about, path, message: 'is gone', breaking: true }];
    const required = is['required'] === true;
    if (was === undefined) {
      const message = required ? 'is new and required' : 'is new';
      return [{ kind: required ? 'narrowed' : 'widened', about, path, message, breaking: required }];
    }
    if ((was['required'] === true) === required) {
      return same(was, is) ? [] : [{ kind: 'reworded', about, path, message: 'is worded otherwise', breaking: false }];
    }
    const message = required ? 'is now required' : 'is no longer required';
    return [{ kind: required ? 'narrowed' : 'widened', about, path, message, breaking: required }];
  });
}

function keyed(items: readonly Json[], key: string): ReadonlyMap<string, Json> {
  return new Map(items.map((item) => [String(item[key]), item]));
}

function byKey(key: string): (one: Json, other: Json) => number {
  return (one, other) => (String(one[key]) < String(other[key]) ? -1 : 1);
}
