// What of a result a model should be shown: each thing once, and never nothing.
import { encodeNow } from '../protocol/text.ts';
import type { CallToolResult, ContentBlock } from '../protocol/types.ts';
import { same } from '../schema/equality.ts';

/** `content` where it says what `structuredContent` says, or there is none; otherwise the structured value as text, beside what is no text. */
export function modelView(result: CallToolResult): readonly ContentBlock[] {
  const { content = [], structuredContent } = result;
  if (structuredContent === undefined)
    return content.length > 0 ? content : [{ type: 'text', text: result.isError === true ? 'Failed.' : 'Done.' }];
  // The words of a failure are what matters.
  if (result.isError === true && content.length > 0) return content;
  const held = new Set(typeof structuredContent === 'object' && structuredContent !== null ? Object.values(structuredContent) : []);
  // A value that carries the very words: what is beside them is for programs.
  const repeats = (text: string): boolean => (text !== '' && held.has(text)) || says(text, structuredContent);
  if (content.some((block) => block.type === 'text' && repeats(block.text))) return content;
  const projected: ContentBlock = { type: 'text', text: textOf(structuredContent) };
  return [projected, ...content.filter((block) => block.type !== 'text')];
}

/** A server may nest deeper than can be written. */
function textOf(value: unknown): string {
  try {
    return encodeNow(value, 'json').text;
  } catch {
    return 'The value is nested too deeply to be shown.';
  }
}

function says(text: string, value: unknown): boolean {
  try {
    return same(JSON.parse(text), value);
  } catch {
    return false;
  }
}
