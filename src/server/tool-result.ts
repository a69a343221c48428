// From what a handler returned to the result of tools/call, in the shape each revision knows.

import type { RevisionTraits } from '../protocol/revision.ts';
import { encodeNow, type TextFormat } from '../protocol/text.ts';
import type { ContentBlock } from '../protocol/types.ts';
import { type ResultOptions, StructuredResult, type ToolError } from './tool.ts';

/** The result under construction; its members keep this order on the wire. */
export interface ToolResult {
  resultType?: 'complete';
  content: readonly ContentBlock[];
  structuredContent?: unknown;
  isError: boolean;
  _meta?: Readonly<Record<string, unknown>>;
  [other: string]: unknown;
}

export function textResult(text: string, isError: boolean): ToolResult {
  return { content: [{ type: 'text', text }], isError };
}

export function errorResult(error: ToolError): ToolResult | string {
  const built: ToolResult = { content: [{ type: 'text', text: error.message }, ...error.content], isError: true };
  if (error.structured !== undefined) built.structuredContent = error.structured;
  if (error.meta !== undefined) built._meta = error.meta;
  return checked(built);
}

/** Without `output`: text, blocks, a whole result, or nothing. A string that comes back says what was wrong. */
export function fromFree(returned: unknown): ToolResult | string {
  if (typeof returned === 'string') return textResult(returned, false);
  if (returned === undefined || returned === null) return textResult('Done.', false);
  if (Array.isArray(returned)) {
    if (returned.length === 0) return textResult('Done.', false);
    return checked({ content: returned.map((item) => (typeof item === 'string' ? { type: 'text', text: item } : item)), isError: false });
  }
  if (typeof returned !== 'object')
    return `a ${typeof returned}: return a string, content blocks or a whole result, or give it an output schema`;
  if (returned instanceof StructuredResult) return fromValue(returned.value, 'json', { ...returned.options, text: 'json' });
  if ('content' in returned || 'structuredContent' in returned) return fromWhole(returned as Record<string, unknown>);
  return checked({ content: [returned as ContentBlock], isError: false });
}

/** Members that are set by hand, and the one that would set a prototype. */
const taken: ReadonlySet<string> = new Set(['content', 'isError', 'resultType', '__proto__']);

function fromWhole(whole: Record<string, unknown>): ToolResult | string {
  const { content, structuredContent } = whole;
  if (content !== undefined && !Array.isArray(content)) return 'a result whose content is not an array';
  const built: ToolResult = { content: content ?? [], isError: whole['isError'] === true };
  for (const key in whole) if (!taken.has(key) && typeof whole[key] !== 'function') built[key] = whole[key];
  if (built.content.length === 0) {
    built.content = [{ type: 'text', text: structuredContent === undefined ? 'Done.' : encodeNow(structuredContent, 'json').text }];
  }
  return checked(built);
}

/** With `output`: the validated value, its text, and what `result()` added. */
export function fromValue(
  value: unknown,
  format: TextFormat | ((value: never) => string),
  extra: ResultOptions | undefined,
): ToolResult | string {
  const block = typeof format === 'function' ? { text: format(value as never), format: 'json' } : encodeNow(value, format);
  const first: ContentBlock =
    block.format === 'toon' ? { type: 'text', text: block.text, _meta: { 'vivarium/format': 'toon' } } : { type: 'text', text: block.text };
  const built: ToolResult = { content: extra?.content ? [first, ...extra.content] : [first], structuredContent: value, isError: false };
  if (extra?.meta !== undefined) built._meta = extra.meta;
  return checked(built);
}

/** Down to what the peer's revision knows. `wrapped`: the schema promises `{ result }`; without a schema the value decides. */
export function project(built: ToolResult, traits: RevisionTraits, wrapped: boolean | undefined): ToolResult {
  const { structuredContent: value } = built;
  if (value !== undefined) {
    if (traits.structured === 'none') delete built.structuredContent;
    else if (traits.structured === 'object' && (wrapped ?? !isObject(value))) built.structuredContent = { result: value };
  }
  if (!traits.blockMeta) built.content = built.content.map((block) => older(block, traits));
  return built;
}

function isObject(value: unknown): boolean {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

export function older(block: ContentBlock, traits: RevisionTraits): ContentBlock {
  if (block.type === 'audio' && !traits.audio) {
    const { data, mimeType } = block;
    return { type: 'resource', resource: { uri: 'audio:result', mimeType, blob: data } };
  }
  if (block.type === 'resource_link' && !traits.resourceLinks) {
    const label = block.title ?? block.name;
    return { type: 'text', text: `${label}: ${block.uri}${block.description === undefined ? '' : `\n${block.description}`}` };
  }
  if (block._meta === undefined) return block;
  const { _meta, ...plain } = block;
  return plain as ContentBlock;
}

/** A block the protocol does not know never leaves the server. */
function checked(built: ToolResult): ToolResult | string {
  for (const block of built.content) {
    const fault = blockFault(block);
    if (fault !== undefined) return fault;
  }
  return built;
}

export function blockFault(block: unknown): string | undefined {
  if (typeof block !== 'object' || block === null) return `a content block that is ${block === null ? 'null' : `a ${typeof block}`}`;
  const { type, text, data, mimeType, uri, name, resource } = block as Record<string, unknown>;
  switch (type) {
    case 'text':
      return typeof text === 'string' ? undefined : 'a text block without text';
    case 'image':
    case 'audio':
      return typeof data === 'string' && typeof mimeType === 'string' ? undefined : `an ${type} block without data and mimeType`;
    case 'resource_link':
      return typeof uri === 'string' && typeof name === 'string' ? undefined : 'a resource_link without uri and name';
    case 'resource':
      return isContents(resource) ? undefined : 'an embedded resource without uri and either text or blob';
    default:
      return type === undefined
        ? 'an object that is neither a content block nor a whole result (to return structured data, give the tool an output schema)'
        : `a content block of unknown type ${JSON.stringify(type)}`;
  }
}

function isContents(resource: unknown): boolean {
  if (typeof resource !== 'object' || resource === null) return false;
  const { uri, text, blob } = resource as Record<string, unknown>;
  return typeof uri === 'string' && (typeof text === 'string') !== (typeof blob === 'string');
}
