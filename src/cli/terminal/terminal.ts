// What the commands show of text from anywhere.
import { escapeUnsafe } from '../../text/printable.ts';

export { printable, printableLines } from '../../text/printable.ts';
export { shellQuote as quote } from '../../text/shell-quote.ts';

/** JSON, which stays the same JSON. */
export function printableJson(value: unknown, indent?: number): string {
  return escapeUnsafe(JSON.stringify(value, null, indent));
}
