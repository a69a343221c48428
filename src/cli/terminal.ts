// Text from anywhere, made safe for a terminal: shown, never obeyed.
import { escapeUnsafe } from '../check/plain-text.ts';
import { shown, unsafe } from '../jsonrpc/error.ts';

export { quote } from '../check/shell-word.ts';
export { cut, printable } from '../jsonrpc/error.ts';

/** Several lines: their breaks and tabs stay. */
export function printableLines(text: string): string {
  return text.replace(unsafe, (character) => (character === '\n' || character === '\t' ? character : shown(character)));
}

/** JSON, which stays the same JSON: with escapes of its own in the place of what a terminal would obey. */
export function printableJson(value: unknown, indent?: number): string {
  return escapeUnsafe(JSON.stringify(value, null, indent));
}
