// The text to swap in: the running one with new functions, and nothing else of it touched, for the engine refuses more.
import type { Outline, Part } from './outline.ts';

/**
 * The engine compares two texts by lines, and lines that differ by characters; a function whose first or last character it finds
 * elsewhere keeps its old code, and nothing tells. So both stand in lines that do not change: their own, or such as are marked.
 * A mark is a number in blanks, for a function shows its text.
 */
const mark = (at: number): string => `\v${at.toString(2).replaceAll('0', ' ').replaceAll('1', '\t')}\v`;

/** On both sides of the break: neither line may look like another one, not even like an empty one. */
const seam = (at: number): string => `${mark(at)}\n${mark(at)}`;

/** Parts that differ, by their places in the outline. */
export function changedParts(known: Outline, wanted: Outline): number[] {
  return wanted.parts.flatMap(({ text }, at) => (text === known.parts[at]?.text ? [] : [at]));
}

/** The running text with the ends of the functions that change in lines of their own. */
export function loosened(
  running: Outline,
  wanted: Outline,
  changed: readonly number[],
  originals: readonly (string | undefined)[],
): string {
  return rewritten(running, (old, at) => {
    if (!changed.includes(at) || isMarked(old, at) || isClear(running, old, wanted.parts[at] as Part, originals[at])) return old.text;
    const original = originals[at];
    return original === undefined ? marked(old.text, old.paren, at) : beforeEnd(opened(old.text, old.paren, at), original, at);
  });
}

/** Without what was put in for the engine. */
export function withoutMarks(text: string): string {
  return text.replace(/\v[ \t]*\v\n\v[ \t]*\v/g, '');
}

/** `originals` are the ends of arrows and fields as they were loaded. */
export function swapped(running: Outline, wanted: Outline, changed: readonly number[], originals: readonly (string | undefined)[]): string {
  return rewritten(running, (old, at) => (changed.includes(at) ? replacement(wanted.parts[at] as Part, old, originals[at], at) : old.text));
}

/** Lines that went from one function to another would be found there: then one after the other is swapped. */
export function groups(running: Outline, wanted: Outline, changed: readonly number[]): readonly (readonly number[])[] {
  const before = new Map<string, Set<number>>();
  for (const at of changed) {
    for (const line of linesIn(running.parts[at])) before.set(line, (before.get(line) ?? new Set()).add(at));
  }
  const crosses = changed.some(
    (at) => linesIn(wanted.parts[at]).filter((line) => [...(before.get(line) ?? [])].some((one) => one !== at)).length > 1,
  );
  return crosses ? changed.map((at) => [at]) : [changed];
}

function linesIn(part: Part | undefined): string[] {
  return (part?.text ?? '').split('\n').filter((line) => line.trim() !== '');
}

function rewritten(running: Outline, rewrite: (part: Part, at: number) => string): string {
  let text = '';
  let from = 0;
  for (const [at, part] of running.parts.entries()) {
    text += running.code.slice(from, part.start) + rewrite(part, at);
    from = part.end;
  }
  return text + running.code.slice(from);
}

function isMarked({ text }: Part, at: number): boolean {
  return text.includes(mark(at));
}

/** Whether both have the same first and last line, and no other line looks like them. */
function isClear({ code }: Outline, old: Part, { head, body }: Part, original: string | undefined): boolean {
  if (original !== undefined || head !== old.head) return false;
  const end = ownEnd.exec(old.body)?.[0];
  if (end === undefined || end !== ownEnd.exec(body)?.[0] || !ownStart.test(old.body) || !ownStart.test(body)) return false;
  const edges = new Set([lineAt(code, old.start), lineAt(code, old.end - 1)]);
  return [old.body, body].every(
    (one) =>
      !one
        .split('\n')
        .slice(1, -1)
        .some((line) => edges.has(line)),
  );
}

const ownStart = /^\{[^\S\n]*\n/;
const ownEnd = /\n[^\S\n]*\}$/;

function lineAt(code: string, at: number): string {
  const end = code.indexOf('\n', at);
  return code.slice(code.lastIndexOf('\n', at - 1) + 1, end < 0 ? code.length : end);
}

function marked(text: string, paren: number | undefined, at: number): string {
  return `${opened(text, paren, at).slice(0, -1)}${seam(at)}}`;
}

function opened(text: string, paren: number | undefined, at: number): string {
  return paren === undefined ? text : `${text.slice(0, paren)}${seam(at)}${text.slice(paren)}`;
}

function beforeEnd(text: string, original: string, at: number): string {
  return `${text.slice(0, text.length - original.length)}${seam(at)}${original}`;
}

/** An arrow without braces keeps its old end, where it is never reached: the engine would refuse another. */
function replacement(part: Part, old: Part, original: string | undefined, at: number): string {
  const { body, expression, async } = part;
  const isOpen = old.paren !== undefined && old.text.startsWith(`${mark(at)}\n`, old.paren);
  // One parameter alone may have lost the parenthesis that is marked.
  const bare = isOpen && part.paren === undefined ? bareParameter.exec(part.head) : null;
  const head = bare === null ? part.head : `${bare[1] ?? ''}(${bare[2]}) =>`;
  const paren = !isOpen ? undefined : bare === null ? part.paren : (bare[1] ?? '').length + 1;
  const block = expression === undefined ? `${head}${body}` : `${head}{ return (${expression}\n); }`;
  if (original === undefined) return isMarked(old, at) ? marked(block, paren, at) : block;
  const inner = expression ?? (async ? `await (async () => ${body})()` : `(() => ${body})()`);
  const kept = `${opened(head, paren, at)}true?(${inner}\n):${original}`;
  return isMarked(old, at) ? beforeEnd(kept, original, at) : kept;
}

const bareParameter = /^(async\s+)?([\w$]+)\s*=>\s*$/;
