// One entry of a JSON file with comments: found by its syntax tree, put in and taken out as text. Nothing else moves.
import { isDeepStrictEqual } from 'node:util';
import { type Node, type ParseError, parseTree, printParseErrorCode } from 'jsonc-parser';
import { jsonText } from './json-text.ts';
import { type Cut, indentAt, type Layout, layoutOf, lineStart, withCuts } from './layout.ts';
import { placeOf, Refusal } from './refusal.ts';

export function parseJson(text: string): unknown {
  try {
    // Ten times as fast, where nothing but JSON is in it.
    return JSON.parse(text);
  } catch {
    // Comments, trailing commas, nothing at all, or damage.
  }
  const root = rootOf(text);
  return root === undefined ? undefined : plainValue(root);
}

/** `value` under `path`; what is missing on the way is made. What is there under that name is replaced. */
export function setInJson(text: string, path: readonly string[], value: unknown): string {
  const root = rootOf(text);
  if (root === undefined) return appended(text, nested(path, value));
  let node = root;
  for (const [depth, key] of path.entries()) {
    if (node.type !== 'object') throw notA('an object', text, node, path.slice(0, depth));
    const property = memberOf(text, node, key);
    const [, found] = property?.children ?? [];
    if (property !== undefined && found !== undefined) {
      const isLast = depth === path.length - 1;
      if (isLast || (found.type === 'null' && found.length > 0)) return replaced(text, property, nested(path.slice(depth + 1), value));
      node = found;
      continue;
    }
    const inside = nested(path.slice(depth + 1), value);
    return insert(text, node, (layout, indent) => propertyText(key, inside, layout, indent));
  }
  throw new Refusal('shape', 'No name was given for the entry');
}

/** One more at the end of the list under `path`. */
export function appendInJson(text: string, path: readonly string[], value: unknown): string {
  const root = rootOf(text);
  const list = root && at(root, path);
  if (list === undefined) return setInJson(text, path, [value]);
  if (list.type !== 'array') throw notA('a list', text, list, path);
  return insert(text, list, (layout, indent) => jsonText(value, layout, indent));
}

export function removeFromJson(text: string, path: readonly string[]): string {
  const root = rootOf(text);
  const parent = root && at(root, path.slice(0, -1));
  const property = parent?.type === 'object' ? memberOf(text, parent, path.at(-1) ?? '') : undefined;
  if (parent === undefined || property === undefined) throw new Refusal('missing', `There is no ${path.join('.')}`);
  return withoutChild(text, parent, property);
}

/** Out of the list under `path`; the list goes with the last of it. */
export function dropInJson(text: string, path: readonly string[], value: unknown): string {
  const root = rootOf(text);
  const list = root && at(root, path);
  const all = list?.type === 'array' ? (list.children ?? []) : [];
  const found = all.find((one) => isDeepStrictEqual(plainValue(one), value));
  if (list === undefined || found === undefined) return text;
  return all.length === 1 ? removeFromJson(text, path) : withoutChild(text, list, found);
}

function withoutChild(text: string, parent: Node, property: Node): string {
  const all = parent.children ?? [];
  const index = all.indexOf(property);
  const next = all[index + 1];
  const following = trivia(text, endOf(property), next?.offset ?? endOf(parent) - 1);
  const preceding = trivia(text, index === 0 ? parent.offset + 1 : endOf(all[index - 1] as Node), property.offset);
  if (all.length === 1 && isBlank(text, parent, [property.offset, following.comma === undefined ? endOf(property) : following.comma + 1]))
    return withCuts(text, [{ from: parent.offset + 1, to: endOf(parent) - 1 }]);
  const comma = following.comma ?? (next === undefined ? preceding.comma : undefined);
  return withCuts(text, cutsOf(text, property, comma));
}

/** Whether nothing but this is in it. */
function isBlank(text: string, { offset, length }: Node, [from, to]: readonly [number, number]): boolean {
  return `${text.slice(offset + 1, from)}${text.slice(to, offset + length - 1)}`.trim() === '';
}

/** The property with its line, and the comma that belongs to it; comments stay. */
function cutsOf(text: string, property: Node, comma: number | undefined): Cut[] {
  let [from, to] = [property.offset, endOf(property)];
  const isBefore = comma !== undefined && comma < from;
  if (comma !== undefined && isBefore && text.slice(comma + 1, from).trim() === '') from = comma;
  if (comma !== undefined && !isBefore && text.slice(to, comma).trim() === '') to = comma + 1;
  const apart = comma === undefined || (comma >= from && comma < to) ? [] : [{ from: comma, to: comma + 1 }];
  const start = lineStart(text, from);
  const rest = /^[ \t]*(?=\r?\n|$)/.exec(text.slice(to));
  if (text.slice(start, from).trim() === '' && start > 0 && rest !== null) {
    const before = text[start - 2] === '\r' ? start - 2 : start - 1;
    return [{ from: before, to: to + rest[0].length }, ...apart];
  }
  if (!isBefore) to += /^[ \t]*/.exec(text.slice(to))?.[0].length ?? 0;
  return [{ from, to }, ...apart];
}

/** As the last of a list or an object, behind every comment that is there. */
function insert(text: string, container: Node, render: (layout: Layout, indent: string | undefined) => string): string {
  const close = endOf(container) - 1;
  const last = container.children?.at(-1);
  const from = last === undefined ? container.offset + 1 : endOf(last);
  const tail = trivia(text, from, close);
  const layout = layoutOf(text, close);
  const outer = indentAt(text, container.offset);
  const space = text.slice(tail.end, close);
  if (!isSpread(text, container) && !tail.hasLine) {
    const compact = !isAiry(text);
    if (last === undefined && text.slice(from, close).trim() === '') {
      const pad = compact || container.type === 'array' ? '' : ' ';
      return withCuts(text, [{ from, to: close, put: `${pad}${render({ ...layout, compact }, undefined)}${pad}` }]);
    }
    const gap = compact ? '' : ' ';
    const [comma, after] = last === undefined ? ['', ''] : tail.comma === undefined ? [',', ''] : ['', ','];
    const put = `${comma}${gap}${render({ ...layout, compact }, undefined)}${after}`;
    return withCuts(text, [{ from: tail.end, to: tail.end, put }]);
  }
  const indent = childIndent(text, container) ?? outer + layout.unit;
  const own = { ...layout, unit: indent.startsWith(outer) && indent.length > outer.length ? indent.slice(outer.length) : layout.unit };
  const comma = last !== undefined && tail.comma === undefined ? [{ from, to: from, put: ',' }] : [];
  const after = last !== undefined && tail.comma !== undefined ? ',' : '';
  const end = space.includes('\n') ? '' : `${layout.eol}${outer}`;
  const put = `${layout.eol}${indent}${render(own, indent)}${after}${end}`;
  // Two at one place would be in no order.
  if (comma.length > 0 && tail.end === from) return withCuts(text, [{ from, to: from + (end === '' ? 0 : space.length), put: `,${put}` }]);
  return withCuts(text, [...comma, { from: tail.end, to: end === '' ? tail.end : close, put }]);
}

/** Whether its members stand in lines of their own; an empty one does where the file has lines. */
function isSpread(text: string, container: Node): boolean {
  const [first] = container.children ?? [];
  if (first !== undefined) return text.slice(container.offset, first.offset).includes('\n');
  const whole = text.trim();
  return whole.includes('\n') || whole.length === container.length;
}

function isAiry(text: string): boolean {
  // By hand: a regular expression runs out of stack in a string of some megabytes.
  let isString = false;
  for (let at = 0; at < text.length; at++) {
    const sign = text[at];
    if (isString && sign === '\\') at++;
    else if (sign === '"') isString = !isString;
    else if (!isString && (sign === ':' || sign === ',') && text[at + 1] === ' ') return true;
  }
  return false;
}

function childIndent(text: string, container: Node): string | undefined {
  const own = container.children?.findLast((one) => text.slice(lineStart(text, one.offset), one.offset).trim() === '');
  return own === undefined ? undefined : text.slice(lineStart(text, own.offset), own.offset);
}

/** What stands between two members: commas, comments and blanks. */
function trivia(text: string, from: number, to: number): { comma?: number; end: number; hasLine: boolean } {
  let [end, comma, hasLine]: [number, number | undefined, boolean] = [from, undefined, false];
  for (let at = from; at < to; ) {
    if (text.startsWith('//', at)) {
      const line = text.indexOf('\n', at);
      at = line < 0 || line > to ? to : line;
      if (text[at - 1] === '\r') at--;
      [end, hasLine] = [at, true];
    } else if (text.startsWith('/*', at)) {
      at = text.indexOf('*/', at) + 2;
      end = at;
    } else {
      if (text[at] === ',') [comma, end] = [at, at + 1];
      if (text[at] === '\n') hasLine = true;
      at++;
    }
  }
  return { ...(comma !== undefined && { comma }), end, hasLine };
}

function replaced(text: string, property: Node, value: unknown): string {
  const [, old] = property.children ?? [];
  if (old === undefined) throw new Refusal('shape', 'The entry has no value');
  const layout = layoutOf(text, old.offset);
  const isOwnLine = text.slice(lineStart(text, property.offset), property.offset).trim() === '';
  const put = jsonText(value, layout, isOwnLine ? indentAt(text, property.offset) : undefined);
  return withCuts(text, [{ from: old.offset, to: endOf(old), put }]);
}

function propertyText(key: string, value: unknown, layout: Layout, indent: string | undefined): string {
  return `${JSON.stringify(key)}:${layout.compact === true ? '' : ' '}${jsonText(value, layout, indent)}`;
}

/** A file with nothing but blanks and comments in it. */
function appended(text: string, value: unknown): string {
  const layout = layoutOf(text);
  const lead = text.trim() === '' ? '' : /\n$/.test(text) ? text : `${text}${layout.eol}`;
  return `${lead}${jsonText(value, layout, '')}${layout.eol}`;
}

function nested(path: readonly string[], value: unknown): unknown {
  return path.reduceRight<unknown>((inside, key) => ({ [key]: inside }), value);
}

function at(root: Node, path: readonly string[]): Node | undefined {
  return path.reduce<Node | undefined>((node, key) => {
    if (node?.type !== 'object') return undefined;
    return node.children?.find((one) => one.children?.[0]?.value === key)?.children?.[1];
  }, root);
}

function memberOf(text: string, node: Node, key: string): Node | undefined {
  const [first, second] = (node.children ?? []).filter((one) => one.children?.[0]?.value === key);
  if (second === undefined) return first;
  throw new Refusal('damaged', `"${key}" is there twice; the second time in ${placeOf(text, second.offset)}`, {
    hint: 'Clients read one of them only: remove the other by hand',
  });
}

function notA(what: string, text: string, node: Node, path: readonly string[]): Refusal {
  const name = path.length === 0 ? 'The file' : `"${path.join('.')}"`;
  return new Refusal('shape', `${name} is not ${what} (${placeOf(text, node.offset)})`, { hint: 'Mend it by hand' });
}

function rootOf(text: string): Node | undefined {
  const errors: ParseError[] = [];
  const root = parseTree(text, errors, { allowTrailingComma: true, allowEmptyContent: true });
  const [first] = errors;
  if (first === undefined) return root;
  const code = printParseErrorCode(first.error);
  const what = damages[code] ?? `It is no JSON (${code})`;
  throw new Refusal('damaged', `${what} in ${placeOf(text, first.offset)}`, { hint: 'Mend it by hand, then try again' });
}

const damages: Readonly<Record<string, string>> = {
  CloseBraceExpected: 'A } is missing',
  CloseBracketExpected: 'A ] is missing',
  CommaExpected: 'A comma is missing',
  ColonExpected: 'A colon is missing',
  PropertyNameExpected: 'A name in quotes is missing',
  ValueExpected: 'A value is missing',
  EndOfFileExpected: 'Something stands behind the end',
  UnexpectedEndOfString: 'A string has no end',
  UnexpectedEndOfComment: 'A comment has no end',
  InvalidSymbol: 'A word stands there without quotes',
};

/** With `__proto__` as a member like any other. */
function plainValue(node: Node): unknown {
  if (node.type === 'array') return (node.children ?? []).map(plainValue);
  if (node.type !== 'object') return node.value;
  const made: Record<string, unknown> = {};
  for (const { children: [key, value] = [] } of node.children ?? []) {
    if (key === undefined || value === undefined) continue;
    Object.defineProperty(made, key.value, { value: plainValue(value), enumerable: true, configurable: true, writable: true });
  }
  return made;
}

function endOf(node: Node): number {
  return node.offset + node.length;
}
