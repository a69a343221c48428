// Results that are too large for a model: what fits is sent, the rest is kept for a while under an address, and the model is told.

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

export function exceeds(built: ToolResult, limit: number): boolean {
  return textBytes(built.content) > limit;
}

export async function shrink(call: Call, tool: Tool, built: ToolResult, limit: number): Promise<ToolResult> {
  const place = built.isError || typeof tool.text === 'function' ? undefined : largestList(built.structuredContent);
  return place === undefined ? fitText(call, built, limit) : fitList(call, tool, built, place, limit);
}

/** Where the longest list of a value is: the value itself, or one of its members. */
function largestList(value: unknown): { readonly key: string | undefined; readonly list: readonly unknown[] } | undefined {
  if (Array.isArray(value)) return value.length > 1 ? { key: undefined, list: value } : undefined;
  if (typeof value !== 'object' || value === null) return undefined;
  const lists = Object.entries(value).filter((entry): entry is [string, unknown[]] => Array.isArray(entry[1]) && entry[1].length > 1);
  const [largest] = lists.sort((a, b) => JSON.stringify(b[1]).length - JSON.stringify(a[1]).length);
  return largest === undefined ? undefined : { key: largest[0], list: largest[1] };
}

async function fitList(
  call: Call,
  tool: Tool,
  built: ToolResult,
  { key, list }: NonNullable<ReturnType<typeof largestList>>,
  limit: number,
): Promise<ToolResult> {
  const format = typeof tool.text === 'function' ? 'json' : tool.text;
  const value = (count: number): unknown =>
    key === undefined ? list.slice(0, count) : { ...(built.structuredContent as object), [key]: list.slice(0, count) };
  const count = most(list.length, (n) => bytes(encodeNow(value(n), format).text) <= limit - noteBytes);
  // One element alone is too much, or something beside the list: then the text is cut instead.
  if (count === 0) return fitText(call, built, limit);
  const uri = await keep(call, { who: call.principal?.id ?? null, limit, list }, count);
  const what = key === undefined ? 'elements' : `elements of "${key}"`;
  const note = `Shown: ${count} of ${list.length} ${what}. The rest: ${uri}`;
  const others = built.content.slice(1);
  return {
    ...built,
    content: [{ type: 'text', text: encodeNow(value(count), format).text }, ...others, ...pointer(uri, note)],
    structuredContent: value(count),
  };
}

/** The longest text keeps its head and its tail: the end of an output often says most. */
async function fitText(call: Call, built: ToolResult, limit: number): Promise<ToolResult> {
  const texts = built.content.filter((block) => block.type === 'text').map((block) => block.text);
  const longest = texts.reduce((a, b) => (b.length > a.length ? b : a), '');
  const others = textBytes(built.content) - bytes(longest);
  const room = Math.max(0, limit - others - noteBytes);
  const characters = [...longest];
  const head = most(characters.length, (n) => bytes(characters.slice(0, n).join('')) <= (room * 2) / 3);
  const tail = most(characters.length - head, (n) => bytes(characters.slice(characters.length - n).join('')) <= room / 3);
  const uri = await keep(call, { who: call.principal?.id ?? null, limit, text: longest }, 0);
  const left = characters.length - head - tail;
  const cut = `${characters.slice(0, head).join('')}\n[… ${left} of ${characters.length} characters left out …]\n${characters.slice(characters.length - tail).join('')}`;
  const content = built.content.map((block) => (block.type === 'text' && block.text === longest ? { ...block, text: cut } : block));
  return { ...built, content: [...content, ...pointer(uri, `The whole text: ${uri}`)] };
}

function pointer(uri: string, note: string): ContentBlock[] {
  return [
    { type: 'text', text: note },
    { type: 'resource_link', uri, name: 'rest of the result' },
  ];
}

async function keep(call: Call, kept: Kept, from: number): Promise<string> {
  const id = crypto.randomUUID();
  await (await call.core.kept()).put(`rest ${id}`, JSON.stringify(kept), keptMs);
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
  const whole = kept.list ?? [...(kept.text ?? '')];
  if (from > whole.length) return undefined;
  const write = (to: number): string => (kept.list === undefined ? whole.slice(from, to).join('') : JSON.stringify(whole.slice(from, to)));
  // At least one element, however large: a page that does not move on would never end.
  const count = Math.max(
    1,
    most(whole.length - from, (n) => bytes(write(from + n)) <= kept.limit - noteBytes),
  );
  const next = from + count < whole.length ? `${prefix}${id}/${from + count}` : undefined;
  const mimeType = kept.list === undefined ? 'text/plain' : 'application/json';
  const contents = [
    { uri, mimeType, text: write(from + count) },
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
