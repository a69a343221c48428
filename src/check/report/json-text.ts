// JSON as a report holds it: the same value, and nothing in it that a terminal would obey.
import { escapeUnsafe } from '../../text/printable.ts';

export function jsonText(value: unknown): string {
  return `${escapeUnsafe(JSON.stringify(value, null, 2))}\n`;
}
