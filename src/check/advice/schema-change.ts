// What a change of a JSON Schema does to the values that fit it: fewer, more, or some of each.
import { asList, asRecord, isRecord, type Json } from '../model/value.ts';
import { step } from './schema-parts.ts';

/** `changed`: neither only fewer nor only more values, or a keyword whose meaning is not compared. */
export type Effect = 'narrowed' | 'widened' | 'changed';

export interface SchemaChange {
  readonly effect: Effect;
  /** JSON pointer into the newer schema, or into the older for what is gone. */
  readonly path: string;
  readonly message: string;
  /** Where it is a property that was not there before, or is there no more. */
  readonly property?: 'new' | 'gone';
}

const maxChanges = 200;
const maxSteps = 100;
/** Keywords that say nothing about values. */
const remarks = new Set([
  'description',
  'title',
  'default',
  'examples',
  '$comment',
  '$schema',
  '$id',
  'deprecated',
  'readOnly',
  'writeOnly',
]);
const floors = new Set(['minimum', 'exclusiveMinimum', 'minLength', 'minItems', 'minProperties', 'minContains']);
const ceilings = new Set(['maximum', 'exclusiveMaximum', 'maxLength', 'maxItems', 'maxProperties', 'maxContains']);
const choices = new Set(['anyOf', 'oneOf']);
const ownWays = new Set(['type', 'enum', 'const', 'properties', 'required', 'additionalProperties', 'items', '$defs', 'definitions']);

/** Empty when the same values fit both, as far as their keywords tell. */
export function compareSchemas(before: unknown, after: unknown): readonly SchemaChange[] {
  const changes: SchemaChange[] = [];
  compare(before, after, '', changes);
  return changes.slice(0, maxChanges);
}

function compare(before: unknown, after: unknown, path: string, changes: SchemaChange[]): void {
  if (changes.length >= maxChanges || path.split('/').length > maxSteps || same(before, after)) return;
  const old = asSchema(before);
  const now = asSchema(after);
  const note = (effect: Effect, message: string, at = ''): void => {
    changes.push({ effect, path: path + at, message });
  };
  if (old === undefined || now === undefined) {
    note(after === false || before === true ? 'narrowed' : 'widened', `is ${brief(after)} instead of ${brief(before)}`);
    return;
  }
  compareSets(typesOf(old), typesOf(now), 'type', 'any type', note);
  compareSets(valuesOf(old), valuesOf(now), 'value', 'any value', note);
  compareRequired(old, now, note);
  compareProperties(old, now, path, changes);
  for (const keyword of new Set([...Object.keys(old), ...Object.keys(now)])) {
    if (!ownWays.has(keyword) && !remarks.has(keyword)) compareKeyword(keyword, old[keyword], now[keyword], note, path, changes);
  }
}

type Note = (effect: Effect, message: string, at?: string) => void;

/** Undefined sets hold everything. */
function compareSets(
  old: ReadonlySet<string> | undefined,
  now: ReadonlySet<string> | undefined,
  what: string,
  all: string,
  note: Note,
): void {
  const gone = old === undefined ? (now === undefined ? [] : [all]) : now === undefined ? [] : [...old].filter((one) => !now.has(one));
  const come = now === undefined ? (old === undefined ? [] : [all]) : old === undefined ? [] : [...now].filter((one) => !old.has(one));
  if (gone.length > 0 && come.length > 0) note('changed', `${what} ${listed(come)} instead of ${listed(gone)}`);
  else if (gone.length > 0)
    note('narrowed', old === undefined ? `only ${what} ${listed([...(now ?? [])])}` : `no longer ${what} ${listed(gone)}`);
  else if (come.length > 0) note('widened', `now also ${what === 'type' && now === undefined ? '' : `${what} `}${listed(come)}`);
}

function compareRequired(old: Json, now: Json, note: Note): void {
  const before = new Set(asList(old['required']).map(String));
  const after = new Set(asList(now['required']).map(String));
  for (const name of after) if (!before.has(name)) note('narrowed', 'is now required', `/properties${step(name)}`);
  for (const name of before) if (!after.has(name)) note('widened', 'is no longer required', `/properties${step(name)}`);
}

function compareProperties(old: Json, now: Json, path: string, changes: SchemaChange[]): void {
  const before = asRecord(old['properties']);
  const after = asRecord(now['properties']);
  const at = (name: string): string => `${path}/properties${step(name)}`;
  for (const name of Object.keys(before)) {
    if (Object.hasOwn(after, name)) compare(before[name], after[name], at(name), changes);
    else changes.push({ effect: 'narrowed', path: at(name), message: 'is gone', property: 'gone' });
  }
  for (const name of Object.keys(after)) {
    if (!Object.hasOwn(before, name)) changes.push({ effect: 'widened', path: at(name), message: 'is new', property: 'new' });
  }
  for (const keyword of ['additionalProperties', 'items'])
    compare(old[keyword] ?? true, now[keyword] ?? true, `${path}/${keyword}`, changes);
  for (const keyword of ['$defs', 'definitions']) {
    const defined = asRecord(now[keyword]);
    for (const [name, schema] of Object.entries(asRecord(old[keyword]))) {
      if (Object.hasOwn(defined, name)) compare(schema, defined[name], `${path}/${keyword}${step(name)}`, changes);
    }
  }
}

function compareKeyword(keyword: string, old: unknown, now: unknown, note: Note, path: string, changes: SchemaChange[]): void {
  if (same(old, now)) return;
  const at = `/${keyword}`;
  if (choices.has(keyword) && Array.isArray(old) && Array.isArray(now)) {
    compareBranches(old, now, path + at, changes);
  } else if (old === undefined) note('narrowed', `is new: ${brief(now)}`, at);
  else if (now === undefined) note('widened', 'is gone', at);
  else if (typeof old === 'number' && typeof now === 'number' && (floors.has(keyword) || ceilings.has(keyword))) {
    note(now > old === floors.has(keyword) ? 'narrowed' : 'widened', `is ${now} instead of ${old}`, at);
  } else note('changed', `is ${brief(now)} instead of ${brief(old)}`, at);
}

function compareBranches(old: readonly unknown[], now: readonly unknown[], path: string, changes: SchemaChange[]): void {
  const gone = old.filter((one) => !now.some((other) => same(one, other)));
  const come = now.filter((one) => !old.some((other) => same(one, other)));
  if (gone.length === 1 && come.length === 1) return compare(gone[0], come[0], `${path}/${now.indexOf(come[0])}`, changes);
  if (gone.length > 0) changes.push({ effect: 'narrowed', path, message: `${gone.length} of the alternatives are gone` });
  if (come.length > 0) changes.push({ effect: 'widened', path, message: `${come.length} of the alternatives are new` });
}

function typesOf({ type }: Json): ReadonlySet<string> | undefined {
  if (type === undefined) return undefined;
  const types = new Set((Array.isArray(type) ? type : [type]).map(String));
  return types.has('number') ? types.add('integer') : types;
}

function valuesOf(schema: Json): ReadonlySet<string> | undefined {
  if (Object.hasOwn(schema, 'const')) return new Set([JSON.stringify(sorted(schema['const']))]);
  return Array.isArray(schema['enum']) ? new Set(schema['enum'].map((value) => JSON.stringify(sorted(value)))) : undefined;
}

/** `true` is the schema of everything; `false` is no object. */
function asSchema(value: unknown): Json | undefined {
  if (value === true) return {};
  return isRecord(value) ? value : undefined;
}

/** The order of members does not matter. */
export function same(one: unknown, other: unknown): boolean {
  return one === other || JSON.stringify(sorted(one)) === JSON.stringify(sorted(other));
}

/** With the members of every object in order, so that equal values have equal texts; without what lies deeper than authors write. */
export function sorted(value: unknown, depth = 0): unknown {
  if (depth > 2 * maxSteps) return null;
  if (Array.isArray(value)) return value.map((one) => sorted(one, depth + 1));
  if (!isRecord(value)) return value;
  const members = Object.entries(value).sort(([one], [other]) => (one < other ? -1 : 1));
  return Object.fromEntries(members.map(([key, member]) => [key, sorted(member, depth + 1)]));
}

function listed(values: readonly string[]): string {
  const shown = values.slice(0, 5).map((value) => (value.length <= 40 ? value : `${value.slice(0, 39)}…`));
  return shown.join(', ') + (values.length > shown.length ? ` and ${values.length - shown.length} more` : '');
}

function brief(value: unknown): string {
  const text = JSON.stringify(sorted(value)) ?? 'absent';
  return text.length <= 60 ? text : `${text.slice(0, 59)}…`;
}
