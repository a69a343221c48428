// What the loader put into a text that runs, in the text that takes its place.
import { endsLine } from '../loader/guards.ts';
import type { Insertion } from '../loader/insertions.ts';
import { type Outline, outlineOf, type Part } from './outline.ts';
import { withoutMarks } from './rewrite.ts';

/** Outside of functions both are the same. A function keeps its guard where its head does, and nothing stands behind the guard. */
export function carried(running: string, next: string, insertions: readonly Insertion[]): Insertion[] {
  if (insertions.length === 0) return [];
  const [from, to] = [partsIn(running), partsIn(next)];
  return insertions.flatMap(({ at, text }) => {
    const index = from.findLastIndex(({ start }) => start < at);
    const [old, now] = [from[index], to[index]];
    if (old === undefined || now === undefined) return [{ at, text }];
    if (at >= old.end) return [{ at: at - old.end + now.end, text }];
    const place = now.start + now.head.length + 1;
    const stays = withoutMarks(old.head) === withoutMarks(now.head) && endsLine(next, place) && !directive.test(now.body);
    return stays ? [{ at: place, text }] : [];
  });
}

/** It is none behind a guard. */
const directive = /^\{(?:\s|\/\/.*|\/\*[\s\S]*?\*\/)*['"]/;

/** Where functions begin and end in the text that runs, with what the loader put into it. */
export function edgesOf(running: string, insertions: readonly Insertion[]): number[] {
  const behind = (at: number): number => insertions.reduce((all, one) => (one.at <= at ? all + one.text.length : all), at);
  return partsIn(running).flatMap(({ start, end, paren }) => [start, start + (paren ?? 1) - 1, end - 1].map(behind));
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
