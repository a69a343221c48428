// Text from anywhere, made safe for a terminal: shown, never obeyed.
import { shown, unsafe } from '../jsonrpc/error.ts';

export { quote } from '../check/shell-word.ts';
export { printable } from '../jsonrpc/error.ts';

/** Several lines: their breaks and tabs stay. */
export function printableLines(text: string): string {
  return text.replace(unsafe, (character) => (character === '\n' || character === '\t' ? character : shown(character)));
}

/** JSON, which stays the same JSON: with escapes of its own in the place of what a terminal would obey. */
export function printableJson(value: unknown, indent?: number): string {
  const escaped = (unit: string): string => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`;
  return JSON.stringify(value, null, indent).replace(unsafe, (found) => (found === '\n' ? found : found.split('').map(escaped).join('')));
}
