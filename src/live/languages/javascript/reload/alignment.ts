// Where the words of a text stand in another one that was made from it: by the functions that both have.

import type { Places } from '../../../js-runtime/place-table.ts';
import { childrenOf, isNode } from '../cells/references.ts';
import { parser, type Runnable, tailBody } from '../loader/transform.ts';
import { outlineOf, type Part } from './outline.ts';

interface Word {
  readonly text: string;
  readonly start: number;
}

interface Piece {
  readonly name: string;
  readonly start: number;
  readonly end: number;
}

/** What stands there only for the engine is longer than this nowhere. */
const farthest = 16;

/** From the text that runs to the one that is wanted. */
export function placesOf(running: Runnable, wanted: Runnable): Places {
  const to = new Map<string, Piece[]>();
  for (const piece of piecesOf(wanted)) to.set(piece.name, [...(to.get(piece.name) ?? []), piece]);
  const [from, there] = [wordsOf(running), wordsOf(wanted)];
  const [fromLine, toLine] = [linesOf(running.code), linesOf(wanted.code)];
  const places: (readonly [number, number, number, number])[] = [];
  for (const piece of piecesOf(running)) {
    const meant = to.get(piece.name)?.shift();
    if (meant === undefined) continue;
    const words = within(from, piece);
    let at = 0;
    for (const word of within(there, meant)) {
      const found = words.slice(at, at + farthest).findIndex(({ text }) => text === word.text);
      if (found < 0) continue;
      at += found;
      places.push([...fromLine((words[at] as Word).start), ...toLine(word.start)]);
      at++;
    }
  }
  return places.sort(([a, b], [c, d]) => a - c || b - d);
}

/** Functions that stand in no other, and those that the tail makes, under the names they have in the file. */
function piecesOf(made: Runnable): Piece[] {
  const { parts } = outlineOf(made);
  const tail = parts.find(({ text }) => text.includes(tailBody));
  const own = parts.filter((part) => part !== tail);
  return tail === undefined ? own : [...own, ...inTail(tail)];
}

function inTail({ text, start }: Part): Piece[] {
  const pieces: Piece[] = [];
  const terms = { ecmaVersion: 'latest', sourceType: 'module' } as const;
  const visit = (node: unknown, name: string): void => {
    if (!isNode(node)) return;
    let own = name;
    if (node.type === 'CallExpression' && node.callee.type === 'Identifier' && node.callee.name === '__vivarium_graft') {
      const [first] = node.arguments;
      own = first?.type === 'Identifier' ? first.name : '';
    } else if (node.type === 'ClassExpression' && node.id != null) own = node.id.name;
    else if (node.type === 'MethodDefinition' && node.key.type === 'Identifier') own = `${name}.${node.key.name}`;
    else if (node.type === 'AssignmentExpression')
      own = /_(?:own|constant)_(\w+)$/.exec(text.slice(node.left.start, node.left.end))?.[1] ?? name;
    if (/Function/.test(node.type)) {
      const named = 'id' in node && isNode(node.id) && node.id.type === 'Identifier' ? node.id.name : own;
      pieces.push({ name: named, start: start + node.start, end: start + node.end });
    } else for (const one of childrenOf(node)) visit(one, own);
  };
  const [only] = parser().parse(text, terms).body;
  if (only?.type === 'ExpressionStatement' && only.expression.type === 'ArrowFunctionExpression') visit(only.expression.body, '');
  return pieces;
}

function wordsOf({ code, format }: Runnable): Word[] {
  const words: Word[] = [];
  parser().parse(code, {
    ecmaVersion: 'latest',
    sourceType: format === 'module' ? 'module' : 'script',
    allowHashBang: true,
    allowReturnOutsideFunction: true,
    onToken: ({ start, end }) => words.push({ start, text: code.slice(start, end) }),
  });
  return words;
}

function within(words: readonly Word[], { start, end }: Piece): Word[] {
  return words.filter((word) => word.start >= start && word.start < end);
}

export function linesOf(code: string): (at: number) => [line: number, column: number] {
  const starts = [0, ...[...code.matchAll(/\n/g)].map(({ index }) => index + 1)];
  return (at) => {
    let [low, high] = [0, starts.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((starts[middle] as number) <= at) low = middle + 1;
      else high = middle;
    }
    return [low - 1, at - (starts[low - 1] as number)];
  };
}
