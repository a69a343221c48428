// Shapes of JSON values as data, and a judge that says where a value departs from one; every object is open, as in the specification.
import { type Format, isFormat } from './formats.ts';

export type Shape =
  | { readonly is: 'any' | 'boolean' | 'null' }
  | { readonly is: 'string'; readonly format?: Format; readonly oneOf?: readonly string[] }
  | { readonly is: 'number'; readonly integer: boolean; readonly least?: number; readonly most?: number }
  | { readonly is: 'code'; readonly value: number }
  | { readonly is: 'list'; readonly of: Shape; readonly most?: number }
  | { readonly is: 'object'; readonly fields: readonly Field[]; readonly rest: Shape | undefined }
  /** The first that fits; when none does, the one that is nearest says why. */
  | { readonly is: 'either'; readonly of: readonly Shape[] }
  /** Told apart by the text of one member. */
  | { readonly is: 'tagged'; readonly tag: string; readonly of: ReadonlyMap<string, Shape>; readonly other: Shape | undefined };

interface Field {
  readonly name: string;
  readonly required: boolean;
  readonly shape: Shape;
}

/** `missing`: not there; `type`: another kind of JSON value; `value`: a value that is not allowed; `format`: text of another form. */
export type IssueKind = 'missing' | 'type' | 'value' | 'format';

export interface Issue {
  /** JSON pointer into the message. */
  readonly path: string;
  readonly kind: IssueKind;
  readonly message: string;
}

/** A hostile list of a million wrong items gives this many issues. */
const maxIssues = 20;

export const anything: Shape = { is: 'any' };
export const boolean: Shape = { is: 'boolean' };
export const nothing: Shape = { is: 'null' };
export const string: Shape = { is: 'string' };
export const uri: Shape = { is: 'string', format: 'uri' };
export const uriTemplate: Shape = { is: 'string', format: 'uri-template' };
export const base64: Shape = { is: 'string', format: 'base64' };
export const number: Shape = { is: 'number', integer: false };
export const integer: Shape = { is: 'number', integer: true };
export const natural: Shape = { is: 'number', integer: true, least: 0 };
/** From nothing to everything. */
export const share: Shape = { is: 'number', integer: false, least: 0, most: 1 };

export function word(...oneOf: readonly string[]): Shape {
  return { is: 'string', oneOf };
}

export function code(value: number): Shape {
  return { is: 'code', value };
}

export function list(of: Shape, most?: number): Shape {
  return most === undefined ? { is: 'list', of } : { is: 'list', of, most };
}

/** A name that ends in `?` may be left out; `rest` is the shape of all members that are not named. */
export function object(fields: Readonly<Record<string, Shape>> = {}, rest?: Shape): Shape {
  return {
    is: 'object',
    fields: Object.entries(fields).map(([name, shape]) => ({ name: name.replace(/\?$/, ''), required: !name.endsWith('?'), shape })),
    rest,
  };
}

/** An object under whose every name stands the same shape. */
export function dictionary(of: Shape): Shape {
  return object({}, of);
}

export function either(...of: readonly Shape[]): Shape {
  return { is: 'either', of };
}

/** Without `other`, a tag that is not in the table is an issue. */
export function tagged(tag: string, of: Readonly<Record<string, Shape>>, other?: Shape): Shape {
  return { is: 'tagged', tag, of: new Map(Object.entries(of)), other };
}

/** What is wrong with the value, from the outside in; empty when it fits. */
export function issuesOf(shape: Shape, value: unknown, path = ''): readonly Issue[] {
  const issues: Issue[] = [];
  judge(shape, value, path, issues);
  return issues;
}

/** As one step of a JSON pointer. */
export function step(name: string | number): string {
  return `/${String(name).replaceAll('~', '~0').replaceAll('/', '~1')}`;
}

function judge(shape: Shape, value: unknown, path: string, issues: Issue[]): void {
  if (issues.length >= maxIssues) return;
  const wrong = (kind: IssueKind, message: string): void => {
    issues.push({ path, kind, message });
  };
  switch (shape.is) {
    case 'any':
      return;
    case 'boolean':
      if (typeof value !== 'boolean') wrong('type', `must be true or false, is ${nameOf(value)}`);
      return;
    case 'null':
      if (value !== null) wrong('type', `must be null, is ${nameOf(value)}`);
      return;
    case 'string':
      if (typeof value !== 'string') wrong('type', `must be a string, is ${nameOf(value)}`);
      else if (shape.oneOf?.includes(value) === false) wrong('value', `must be ${choice(shape.oneOf)}, is ${quoted(value)}`);
      else if (shape.format !== undefined && !isFormat(shape.format, value))
        wrong('format', `is not a valid ${shape.format}: ${quoted(value)}`);
      return;
    case 'number':
      return judgeNumber(shape, value, wrong);
    case 'code':
      if (value !== shape.value) wrong(typeof value === 'number' ? 'value' : 'type', `must be ${shape.value}, is ${nameOf(value)}`);
      return;
    case 'list':
      return judgeList(shape, value, path, issues);
    case 'object':
      return judgeObject(shape, value, path, issues);
    case 'either':
      return judgeEither(shape.of, value, path, issues);
    case 'tagged':
      return judgeTagged(shape, value, path, issues);
  }
}

type Wrong = (kind: IssueKind, message: string) => void;

function judgeNumber({ integer, least, most }: Shape & { is: 'number' }, value: unknown, wrong: Wrong): void {
  // Infinity is what JSON.parse makes of 1e400.
  if (typeof value !== 'number' || !Number.isFinite(value)) wrong('type', `must be a number, is ${nameOf(value)}`);
  else if (integer && !Number.isInteger(value)) wrong('type', `must be an integer, is ${value}`);
  else if (least !== undefined && value < least) wrong('value', `must be at least ${least}, is ${value}`);
  else if (most !== undefined && value > most) wrong('value', `must be at most ${most}, is ${value}`);
}

function judgeList({ of, most }: Shape & { is: 'list' }, value: unknown, path: string, issues: Issue[]): void {
  if (!Array.isArray(value)) {
    issues.push({ path, kind: 'type', message: `must be an array, is ${nameOf(value)}` });
    return;
  }
  if (most !== undefined && value.length > most)
    issues.push({ path, kind: 'value', message: `must have at most ${most} items, has ${value.length}` });
  for (const [index, item] of value.entries()) {
    if (issues.length >= maxIssues) return;
    judge(of, item, path + step(index), issues);
  }
}

function judgeObject({ fields, rest }: Shape & { is: 'object' }, value: unknown, path: string, issues: Issue[]): void {
  if (!isObject(value)) {
    issues.push({ path, kind: 'type', message: `must be an object, is ${nameOf(value)}` });
    return;
  }
  for (const { name, required, shape } of fields) {
    if (Object.hasOwn(value, name)) judge(shape, value[name], path + step(name), issues);
    else if (required) issues.push({ path: path + step(name), kind: 'missing', message: 'is required' });
  }
  if (rest === undefined) return;
  for (const [name, member] of Object.entries(value)) {
    if (issues.length >= maxIssues) return;
    if (!fields.some((field) => field.name === name)) judge(rest, member, path + step(name), issues);
  }
}

function judgeEither(shapes: readonly Shape[], value: unknown, path: string, issues: Issue[]): void {
  let nearest: readonly Issue[] | undefined;
  for (const shape of shapes) {
    const found = issuesOf(shape, value, path);
    if (found.length === 0) return;
    if (nearest === undefined || distance(found) < distance(nearest)) nearest = found;
  }
  issues.push(...(nearest ?? []));
}

/** A wrong kind of value at the top is further off than any number of faults inside. */
function distance(issues: readonly Issue[]): number {
  const shallowest = Math.min(...issues.map(({ path }) => path.split('/').length));
  return issues.length - shallowest * (maxIssues + 1);
}

function judgeTagged({ tag, of, other }: Shape & { is: 'tagged' }, value: unknown, path: string, issues: Issue[]): void {
  if (!isObject(value)) return judgeObject({ is: 'object', fields: [], rest: undefined }, value, path, issues);
  const name = Object.hasOwn(value, tag) ? value[tag] : undefined;
  const shape = typeof name === 'string' ? (of.get(name) ?? other) : other;
  if (shape !== undefined) judge(shape, value, path, issues);
  else judgeObject(object({ [tag]: word(...of.keys()) }) as Shape & { is: 'object' }, value, path, issues);
}

export function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function nameOf(value: unknown): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'an array';
  if (typeof value === 'string') return `the string ${quoted(value)}`;
  if (typeof value === 'object') return 'an object';
  return typeof value === 'number' ? `the number ${value}` : String(value);
}

function quoted(text: string): string {
  return JSON.stringify(text.length > 60 ? `${text.slice(0, 60).replace(/[\uD800-\uDBFF]$/, '')}…` : text);
}

function choice(words: readonly string[]): string {
  return words.length === 1 ? quoted(words[0] as string) : `one of ${words.map(quoted).join(', ')}`;
}
