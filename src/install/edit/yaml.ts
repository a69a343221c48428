// One entry of a YAML file: found by the places that its parser gives to each node, put in and taken out as text.
import {
  type Document,
  isAlias,
  isCollection,
  isMap,
  isPair,
  isScalar,
  LineCounter,
  type Pair,
  parseAllDocuments,
  stringify,
  type YAMLMap,
} from 'yaml';
import { isNestedDeeply } from '../../text/nesting.ts';
import { layoutOf, lineEnd, lineStart, memberCut, nextLine, withCuts } from './layout.ts';
import { Refusal } from './refusal.ts';

/** As the readers of this file bound it: a few aliases can stand for a very large value. */
const maxAliasCount = 100;

interface Ranged {
  readonly range?: readonly [number, number, number] | null;
}

export function parseYaml(text: string): unknown {
  return documentOf(text).toJS({ maxAliasCount }) ?? undefined;
}

export function setInYaml(text: string, path: readonly string[], value: unknown): string {
  let node: unknown = documentOf(text).contents;
  if (node === null || (isScalar(node) && node.value === null)) return appended(text, path, value);
  for (const [depth, key] of path.entries()) {
    if (!isMap(node)) throw notMap(path.slice(0, depth), node);
    const pair = pairOf(node, key);
    const inside = nested(path.slice(depth + 1), value);
    if (pair === undefined) return insert(text, node, key, inside);
    if (depth === path.length - 1) return replaced(text, node, pair, key, inside);
    if (node.flow !== true && isBare(pair.value)) return filled(text, pair, inside);
    node = pair.value;
  }
  throw new Refusal('shape', 'No name was given for the entry');
}

export function removeFromYaml(text: string, path: readonly string[]): string {
  let node: unknown = documentOf(text).contents;
  let holder: Pair | undefined;
  for (const [depth, key] of path.slice(0, -1).entries()) {
    if (!isMap(node)) throw notMap(path.slice(0, depth), node);
    holder = pairOf(node, key);
    node = holder?.value;
  }
  if (!isMap(node)) throw notMap(path.slice(0, -1), node);
  const pair = pairOf(node, path.at(-1) ?? '');
  if (pair === undefined) throw new Refusal('missing', `There is no ${path.join('.')}`);
  return withoutPair(text, node, pair, holder);
}

function documentOf(text: string): Document.Parsed {
  if (isNestedDeeply(text)) throw new Refusal('damaged', 'It is nested too deeply', { hint: 'Mend it by hand' });
  const lines = new LineCounter();
  const all = parseAllDocuments(text, { lineCounter: lines, logLevel: 'error' });
  const [only, second] = Array.isArray(all) ? all : [];
  if (second !== undefined) throw new Refusal('shape', 'It holds several documents', { hint: 'Keep one of them' });
  if (only === undefined) return parseAllDocuments('null')[0] as Document.Parsed;
  const [error] = only.errors;
  if (error === undefined) return only;
  const { line, col } = lines.linePos(error.pos[0]);
  const [what = ''] = error.message.split(/ at line \d|\n/);
  throw new Refusal('damaged', `${what} in line ${line}, column ${col}`, { hint: 'Mend it by hand, then try again' });
}

function insert(text: string, map: YAMLMap, key: string, value: unknown): string {
  const [start = 0, end = 0] = (map as Ranged).range ?? [];
  if (map.flow === true) {
    const close = text.lastIndexOf('}', end - 1);
    const before = text.slice(start + 1, close).trimEnd();
    const comma = map.items.length === 0 || before.endsWith(',') ? '' : ',';
    const at = start + 1 + before.length;
    return withCuts(text, [{ from: at, to: at, put: `${comma} ${JSON.stringify(key)}: ${JSON.stringify(value)}` }]);
  }
  const [first] = map.items;
  const keyStart = (first?.key as Ranged | undefined)?.range?.[0];
  const from = keyStart === undefined ? -1 : lineStart(text, keyStart);
  const indent = text.slice(from, keyStart);
  if (from < 0 || indent.trim() !== '') throw new Refusal('shape', 'Its entries are written in a way that is not understood');
  const last = map.items.at(-1) as Pair;
  return inserted(text, behindRemarks(text, endOfPair(text, last), indent), entryText(key, value, indent, layoutOf(text, start)));
}

/** Remarks below an entry that are indented further are about it. */
function behindRemarks(text: string, from: number, indent: string): number {
  let end = from;
  for (let at = from; at < text.length; ) {
    const next = nextLine(text, at);
    const [, blanks, sign] = /^([ \t]*)(#?)/.exec(text.slice(at, next)) ?? [];
    const isRemark = sign === '#' && (blanks ?? '').length > indent.length;
    if (!isRemark && text.slice(at, next).trim() !== '') break;
    if (isRemark) end = next;
    at = next;
  }
  return end;
}

/** In lines of its own; without a line break at the end where the file has none. */
function inserted(text: string, at: number, lines: string): string {
  const { eol } = layoutOf(text, at);
  const isEnded = at === 0 || text[at - 1] === '\n';
  return withCuts(text, [{ from: at, to: at, put: isEnded ? `${lines}${eol}` : `${eol}${lines}` }]);
}

function entryText(key: string, value: unknown, indent: string, { eol, unit }: { readonly eol: string; readonly unit: string }): string {
  const written = stringify({ [key]: value }, { indent: unit.startsWith('\t') ? 2 : unit.length, lineWidth: 0 });
  return written
    .trimEnd()
    .split('\n')
    .map((line) => (line === '' ? line : indent + line))
    .join(eol);
}

/** Where the line behind it begins. Remarks that follow are not its own: a block would count them. */
function endOfPair(text: string, pair: Pair): number {
  let last: unknown = pair;
  for (;;) {
    const inner: unknown = isPair(last)
      ? (last.value ?? last.key)
      : isCollection(last) && last.flow !== true
        ? last.items.at(-1)
        : undefined;
    if (inner === undefined || inner === null) break;
    last = inner;
  }
  const [, end = 0] = (last as Ranged).range ?? [];
  // A block ends behind its last line break.
  const inside = end > 0 && text[end - 1] === '\n' ? end - 1 : end;
  return nextLine(text, inside);
}

function isBare(value: unknown): boolean {
  return value === null || (isScalar(value) && value.value === null) || (isMap(value) && value.flow === true && value.items.length === 0);
}

/** `extensions:` with nothing behind it, null or {}. */
function filled(text: string, pair: Pair, value: unknown): string {
  const [keyStart = 0, keyEnd = 0] = (pair.key as Ranged).range ?? [];
  const [from = 0, to = 0] = (pair.value as Ranged | null)?.range ?? [];
  const blanks = from - keyEnd - text.slice(keyEnd, from).trimEnd().length;
  const cuts = to > from ? [{ from: from - blanks, to }] : [];
  const layout = layoutOf(text, keyStart);
  const indent = text.slice(lineStart(text, keyStart), keyStart);
  const lines = Object.entries(value as object).map(([key, one]) => entryText(key, one, indent + layout.unit, layout));
  const at = lineEnd(text, Math.max(keyEnd, to));
  return withCuts(text, [...cuts, { from: at, to: at, put: `${layout.eol}${lines.join(layout.eol)}` }]);
}

function replaced(text: string, map: YAMLMap, pair: Pair, key: string, value: unknown): string {
  const [keyStart = 0, keyEnd = 0] = (pair.key as Ranged).range ?? [];
  const [from = keyEnd, to = keyEnd] = (pair.value as Ranged | null)?.range ?? [];
  if (map.flow === true) return withCuts(text, [{ from, to, put: JSON.stringify(value) }]);
  const start = lineStart(text, keyStart);
  const end = endOfPair(text, pair);
  const layout = layoutOf(text, start);
  const put = entryText(key, value, text.slice(start, keyStart), layout) + (text[end - 1] === '\n' ? layout.eol : '');
  return withCuts(text, [{ from: start, to: end, put }]);
}

function withoutPair(text: string, map: YAMLMap, pair: Pair, holder: Pair | undefined): string {
  const [keyStart = 0] = (pair.key as Ranged).range ?? [];
  const from = lineStart(text, keyStart);
  if (map.flow === true) {
    const [open = 0, close = 0] = (map as Ranged).range ?? [];
    const [, end = 0] = (pair.value as Ranged | null)?.range ?? (pair.key as Ranged).range ?? [];
    return withCuts(text, [memberCut(text, [keyStart, end], [open + 1, text.lastIndexOf('}', close - 1)])]);
  }
  if (text.slice(from, keyStart).trim() !== '')
    throw new Refusal('shape', 'Its entries are written in a way that is not understood', { hint: 'Remove it by hand' });
  const to = endOfPair(text, pair);
  if (map.items.length > 1 || holder === undefined) return withCuts(text, [{ from, to }]);
  // A map without entries is written in the line of its name.
  const colon = text.indexOf(':', (holder.key as Ranged).range?.[1]);
  return withCuts(text, [
    { from: colon + 1, to: colon + 1, put: ' {}' },
    { from, to },
  ]);
}

function appended(text: string, path: readonly string[], value: unknown): string {
  const layout = layoutOf(text);
  const { [path[0] as string]: inside } = nested(path, value) as Record<string, unknown>;
  return inserted(text, text.length, entryText(path[0] as string, inside, '', layout));
}

function nested(path: readonly string[], value: unknown): unknown {
  return path.reduceRight<unknown>((inside, key) => ({ [key]: inside }), value);
}

function pairOf(map: YAMLMap, key: string): Pair | undefined {
  return map.items.find((pair) => isScalar(pair.key) && pair.key.value === key);
}

function notMap(path: readonly string[], node: unknown): Refusal {
  const name = path.length === 0 ? 'The file' : `"${path.join('.')}"`;
  return new Refusal('shape', `${name} is ${isAlias(node) ? 'an alias of another part' : 'no map'}`, { hint: 'Mend it by hand' });
}
