// A cell of Smalltalk as an image takes it that compiles one expression at a time: its variables are the session's.
import type { Notebook, Prepared } from '../../image/engine.ts';

interface Cell {
  /** As long as what was written, without the declaration at its top. */
  readonly code: string;
  /** Names it declares at its top or assigns to. */
  readonly names: readonly string[];
}

/** Strings, comments and characters: what stands in them is no code. */
const quotes = /'(?:[^']|'')*'|"[^"]*"|\$[\s\S]/g;

function readCell(source: string): Cell {
  const bare = source.replace(quotes, (text) => blank(text));
  const declared = /^\s*\|([^|]*)\|/.exec(bare);
  const end = declared?.[0].length ?? 0;
  const temps = declared?.[1]?.split(/\s+/).filter((name) => name !== '') ?? [];
  const assigned = [...bare.matchAll(/\b([a-z]\w*)\s*:=/g)].map(([, name]) => name as string);
  const names = [...new Set([...temps, ...assigned])].slice(0, 1_000);
  return { code: blank(source.slice(0, end)) + source.slice(end), names };
}

/** The classes and variables a cell defines, for the list of definitions. */
export function declaredIn(source: string): string[] {
  const classes = [...source.matchAll(/\bsubclass:\s*#(\w+)|\bTrait\s+named:\s*#(\w+)/g)].map(([, a, b]) => a ?? (b as string));
  return [...new Set([...classes, ...readCell(source).names])].slice(0, 1_000);
}

/** Of images that are asked over the wire themselves. */
export class ImageNotebook implements Notebook {
  prepare(source: string): Prepared {
    return { fields: { ...readCell(source) }, declares: declaredIn(source) };
  }
}

function blank(text: string): string {
  return text.replace(/[^\n]/g, ' ');
}
