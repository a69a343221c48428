// What the loader put into a text that runs, in the text that takes its place.
import type { Insertion } from '../loader/insertions.ts';
import { type Outline, outlineOf, type Part } from './outline.ts';

/** Outside of functions both are the same. A function keeps its guard where its head does. */
export function carried(running: string, next: string, insertions: readonly Insertion[]): Insertion[] {
  if (insertions.length === 0) return [];
  const [from, to] = [partsIn(running), partsIn(next)];
  return insertions.flatMap(({ at, text }) => {
    const index = from.findLastIndex(({ start }) => start < at);
    const [old, now] = [from[index], to[index]];
    if (old === undefined || now === undefined) return [{ at, text }];
    if (at >= old.end) return [{ at: at - old.end + now.end, text }];
    const before = at - old.start;
    return old.text.slice(0, before) === now.text.slice(0, before) ? [{ at: now.start + before, text }] : [];
  });
}

function partsIn(code: string): readonly Part[] {
  return outlineIn(code).parts;
}

function outlineIn(code: string): Outline {
  try {
    return outlineOf({ code, format: 'module' });
  } catch {
    return outlineOf({ code, format: 'commonjs' });
  }
}
