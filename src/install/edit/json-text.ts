// A value as people write it in JSON: objects line by line, short lists in one line.
import type { Layout } from './layout.ts';

const widest = 100;

/** Without `indent`, in one line. */
export function jsonText(value: unknown, layout: Layout, indent: string | undefined): string {
  if (typeof value !== 'object' || value === null || layout.compact === true) return JSON.stringify(value) ?? 'null';
  const inside = indent === undefined ? undefined : indent + layout.unit;
  const isList = Array.isArray(value);
  const [open, close] = isList ? '[]' : '{}';
  const parts = isList
    ? value.map((one) => jsonText(one, layout, inside))
    : Object.entries(value).map(([key, one]) => `${JSON.stringify(key)}: ${jsonText(one, layout, inside)}`);
  if (parts.length === 0) return `${open}${close}`;
  const line = isList ? `[${parts.join(', ')}]` : `{ ${parts.join(', ')} }`;
  const isShort = isList && line.length <= widest && !parts.some((part) => part.includes('\n'));
  if (inside === undefined || isShort) return line;
  return `${open}${layout.eol}${inside}${parts.join(`,${layout.eol}${inside}`)}${layout.eol}${indent}${close}`;
}
