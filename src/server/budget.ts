// Results that are too large for a model: what fits is sent, the rest is kept for a while under an address, and the model is told.

import { cut } from '../jsonrpc/error.ts';
import { encodeNow } from '../protocol/text.ts';
import type { ContentBlock } from '../protocol/types.ts';
import type { Reply } from './answer.ts';
import type { Call } from './call.ts';
import type { Tool } from './tool.ts';
import type { ToolResult } from './tool-result.ts';

/** Room for the sentence that says what was left out. */
const noteBytes = 240;
const keptMs = 600_000;
const prefix = 'vivarium://rest/';

interface Kept {
  readonly who: string | null;
  readonly limit: number;
  /** A list is cut between its elements, a text between its characters. */
  readonly list?: readonly unknown[];
  readonly text?: string;
}

/** Counts what a model may be given: the text, and the structured value where a client passes that on instead. */
export function exceeds(built: ToolResult, limit: number): boolean {
  if (textBytes(built.content) > limit) return true;
  return built.structuredContent !== undefined && bytes(JSON.stringify(built.structuredContent)) > limit;
}

/** A list is cut between its elements; where there is none to cut, or its schema wants it whole, the text is cut instead. */
export async function shrink(call: Call, tool: Tool, built: ToolResult, limit: number): Promise<ToolResult> {
  const place = built.isError ? undefined : largestList(built.structuredContent, []);
  return (place && (await cutList(call, tool, built, place, limit))) ?? cutText(call, built, limit);
}

interface Place {
  readonly path: readonly string[];
  readonly list: readonly unknown[];
}

const deepest = 4;

/** The list that takes most of the value, at most four levels down. */
function largestList(value: unknown, path: readonly string[]): Place | undefined {
  if (typeof value !== 'object' || value === null || path.length > deepest) return undefined;
  const here = Array.isArray(value) && value.length > 1 ? { path, list: value } : undefined;
  if (here !== undefined) return here;
  const below = Object.entries(value).map(([key, item]) => largestList(item, [...path, key]));
  const places = below.filter((place) => place !== undefined);
  return places.sort((a, b) => JSON.stringify(b.list).length - JSON.stringify(a.list).length)[0];
}

function withList(value: unknown, path: readonly string[], list: readonly unknown[]): unknown {
  const [key, ...rest] = path;
  if (key === undefined) return list;
  if (Array.isArray(value)) return value.map((item, at) => (String(at) === key ? withList(item, rest, list) : item));
  return { ...(value as object), [key]: withList((value as Record<string, unknown>)[key], rest, list) };
}

async function cutList(call: Call, tool: Tool, built: ToolResult, { path, list }: Place, limit: number): Promise<ToolResult | undefined> {
  const [first, ...others] = built.content;
  const format = first?._meta?.['vivarium/format'] === 'toon' ? 'toon' : 'json';
  const write = (value: unknown): string => (typeof tool.text === 'function' ? tool.text(value as never) : encodeNow(value, format).text);
  const value = (count: number): unknown => withList(built.structuredContent, path, list.slice(0, count));
  const room = limit - noteBytes - textBytes(others);
  const fits = (count: number): boolean => bytes(write(value(count))) <= room && bytes(JSON.stringify(value(count))) <= limit;
  const count = most(Math.min(list.length, limit), fits);
  if (count === 0) return undefined;
  const verdict = await tool.output?.check(value(count));
  if (verdict?.problem !== undefined) return undefined;
  const uri = await keep(call, { who: call.principal?.id ?? null, limit, list }, count);
  const what = path.length === 0 ? 'elements' : `elements of ${cut(JSON.stringify(path.join('/')), 60)}`;
  const note = `Shown: ${count} of ${list.length} ${what}. The rest: ${uri}`;
  const shown = { ...first, type: 'text', text: write(value(count)) } as ContentBlock;
  return { ...built, content: [shown, ...others, ...pointer(uri, note)], structuredContent: value(count) };
}

/** Texts keep their heads and their tails, each its share: the end of an output often says most. */
async function cutText(call: Call, built: ToolResult, limit: number): Promise<ToolResult> {
  const total = textBytes(built.content);
  const room = Math.max(0, limit - noteBytes);
  const whole = built.content.flatMap((block) => (block.type === 'text' ? [block.text] : [])).join('\n');
  const uri = await keep(call, { who: call.principal?.id ?? null, limit, text: whole }, 0);
  const content = built.content.map((block) =>
    block.type === 'text' && total > room ? { ...block, text: headAndTail(block.text, (room * bytes(block.text)) / total) } : block,
  );
  const fitted = { ...built, content: [...content, ...pointer(uri, `The whole text: ${uri}`)] };
  if (built.structuredContent === undefined || bytes(JSON.stringify(built.structuredContent)) <= limit) return fitted;
  // The value itself is too large and has no place to be cut: without it, this is no success any more.
  const { structuredContent, ...rest } = fitted;
  return { ...rest, isError: true };
}

const gapBytes = 60;

function headAndTail(text: string, room: number): string {
  if (bytes(text) <= room) return text;
  const share = Math.max(0, room - gapBytes);
  const head = whole(
    text,
    most(Math.min(text.length, Math.floor(share)), (n) => bytes(text.slice(0, n)) <= (share * 2) / 3),
  );
  const tail = most(Math.min(text.length - head, Math.floor(share)), (n) => bytes(text.slice(text.length - n)) <= share / 3);
  const from = whole(text, text.length - tail);
  return `${text.slice(0, head)}\n[… ${from - head} of ${text.length} characters left out …]\n${text.slice(from)}`;
}

/** A position that is not in the middle of a character. */
function whole(text: string, at: number): number {
  const code = text.charCodeAt(at);
  return at > 0 && at < text.length && code >= 0xdc00 && code <= 0xdfff ? at - 1 : at;
}

function pointer(uri: string, note: string): ContentBlock[] {
  return [
    { type: 'text', text: note },
    { type: 'resource_link', uri, name: 'rest of the result' },
  ];
}

async function keep(call: Call, kept: Kept, from: number): Promise<string> {
  const id = crypto.randomUUID();
  await (await call.core.kept()).put(`rest ${id}`, JSON.stringify(kept), keptMs, call.principal?.id);
  return `${prefix}${id}/${from}`;
}

export function isRest(uri: string): boolean {
  return uri.startsWith(prefix);
}

/** One page of what was left out, and where the next one is; undefined when it is gone or someone else's. */
export async function readRest(call: Call, uri: string): Promise<Reply | undefined> {
  const [id = '', position = ''] = uri.slice(prefix.length).split('/');
  const found = /^[0-9a-f-]{36}$/.test(id) && /^\d{1,12}$/.test(position) ? await (await call.core.kept()).get(`rest ${id}`) : undefined;
  const kept = found === undefined ? undefined : (JSON.parse(found) as Kept);
  if (kept === undefined || kept.who !== (call.principal?.id ?? null)) return undefined;
  const from = Number(position);
  const { list, text = '' } = kept;
  const end = list?.length ?? text.length;
  if (from > end) return undefined;
  const write = (to: number): string => (list === undefined ? text.slice(from, to) : JSON.stringify(list.slice(from, to)));
  const fitting = most(Math.min(end - from, kept.limit), (n) => bytes(write(from + n)) <= kept.limit - noteBytes);
  // At least one element, however large: a page that does not move on would never end.
  const to = list === undefined ? Math.max(from + 2, whole(text, from + fitting)) : from + Math.max(1, fitting);
  const next = to < end ? `${prefix}${id}/${to}` : undefined;
  const mimeType = kept.list === undefined ? 'text/plain' : 'application/json';
  const contents = [
    { uri, mimeType, text: write(to) },
    ...(next === undefined ? [] : [{ uri: next, mimeType: 'text/plain', text: `More follows: ${next}` }]),
  ];
  return { result: call.finished({ contents, ...(call.era === 'modern' && call.core.caching(false)) }) };
}

/** The largest count up to `max` that fits; what fits grows with the count. */
function most(max: number, fits: (count: number) => boolean): number {
  let low = 0;
  let high = max;
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if (fits(middle)) low = middle;
    else high = middle - 1;
  }
  return low;
}

const encoder = new TextEncoder();

function bytes(text: string): number {
  return encoder.encode(text).length;
}

function textBytes(content: readonly ContentBlock[]): number {
  let total = 0;
  for (const block of content) if (block.type === 'text') total += bytes(block.text);
  return total;
}
