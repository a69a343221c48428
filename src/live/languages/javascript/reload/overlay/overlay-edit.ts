// An edit of a file in which only bodies of guarded functions changed: the code that makes them, what they say of themselves, and where
// everything in the file stands now.
import type { Places } from '../../../../js-runtime/place-table.ts';
import { cellName, type Guards, guarded, guardsOf, instanceOf, isFit } from '../../loader/guards.ts';
import { type Insertion, insertionsIn, withInsertions } from '../../loader/insertions.ts';
import type { Runnable } from '../../loader/transform.ts';
import { linesOf } from '../alignment.ts';
import { type Outline, outlineOf, type Part } from '../outline.ts';
import { bodyOf } from './newer-body.ts';
import type { LoadedFile, NewerText, ShownText } from './newer-texts.ts';

/** A file as it was loaded. */
export interface Base {
  readonly loaded: LoadedFile;
  readonly made: Runnable;
  readonly outline: Outline;
  readonly guards: Guards;
  /** By where they stand; in this order. */
  readonly insertions: ReadonlyMap<number, string>;
}

export interface Edit {
  readonly newer: readonly NewerText[];
  readonly shown: readonly ShownText[];
  readonly places: Places;
}

type Place = readonly [line: number, column: number];
type Span = { readonly start: number; readonly end: number };

const strict = /^(?:#!.*\n)?(?:\s|\/\/.*\n)*(['"])use strict\1/;

/** Undefined where nothing of it can be laid over. */
export function baseOf(loaded: LoadedFile, made: Runnable): Base | undefined {
  const { kind, first, count, hash } = loaded;
  const guards = guardsOf(made);
  // The project may be compiled in another way since.
  if (guards.guards.length !== count || count === 0) return undefined;
  const insertions = insertionsIn(guarded(made, guards, kind, first, hash)).map(({ at, text }) => [at, text] as const);
  return { loaded, made, guards, outline: outlineOf(made), insertions: new Map(insertions) };
}

/** Undefined where it has to be the engine that swaps. */
export function editOf(base: Base, made: Runnable, wanted: Outline): Edit | undefined {
  const { shape, statements } = base.outline;
  if (wanted.shape !== shape || wanted.statements !== statements || !isFit(made)) return undefined;
  const { url, kind, first } = base.loaded;
  const instance = instanceOf(base.loaded);
  const [at, to] = [linesOf(base.made.code), linesOf(made.code)];
  const places: Places[number][] = [];
  const newer: NewerText[] = [];
  const sloppy = base.made.format !== 'module' && !strict.test(base.made.code);
  const numbers = new Map(base.guards.guards.map(({ start }, number) => [start, number]));
  // Newer texts stand behind the file, as far as lines go: so places in both can be told apart.
  let line = base.made.code.split('\n').length;
  for (const [index, now] of wanted.parts.entries()) {
    const old = base.outline.parts[index] as Part;
    const number = numbers.get(old.start) ?? -1;
    const guard = base.guards.guards[number];
    const [from, end] = [at(old.start), at(old.end)];
    const cell = cellName(kind, first + number);
    if (guard !== undefined) places.push(...guardPlaces(base.insertions.get(guard.at), at(guard.at), to(now.start)));
    if (now.text === old.text) {
      places.push(...linePlaces(from, to(now.start), now.text));
      if (guard !== undefined) newer.push({ url, instance, cell, from: 0, to: 0 });
      continue;
    }
    if (guard === undefined || now.head !== old.head) return undefined;
    const body = to(now.end - now.body.length);
    const made = bodyOf(guard, old, now, { format: base.made.format, url, line, column: body[1], sloppy });
    if (made === undefined) return undefined;
    const inside = made.inside === undefined ? {} : { inside: `${kind}${first}.${made.inside}` };
    newer.push({ url, instance, cell, code: made.code, ...inside, from: from[0] + 1, to: end[0] + 1 });
    places.push([line, 0, ...to(now.start)]);
    places.push(...linePlaces(from, to(now.start), now.head), ...linePlaces([line + 1, body[1]], body, now.body));
    line += now.body.split('\n').length + 2;
  }
  const guards = guardsOf(made);
  for (const [index, { start }] of base.guards.classes.entries()) places.push([...at(start), ...to(guards.classes[index]?.start ?? 0)]);
  const shown = shownTexts(base, made, wanted, guards);
  return { newer, shown, places: places.sort(([a, b], [c, d]) => a - c || b - d) };
}

/** What functions and classes that can have newer texts say of themselves. */
function shownTexts({ loaded, made: base, outline, guards, insertions }: Base, made: Runnable, wanted: Outline, now: Guards): ShownText[] {
  const instance = instanceOf(loaded);
  const shown = ({ start, end }: Span, pieces: readonly Insertion[], text: string): ShownText => {
    const within = pieces.map(({ at, text: piece }) => ({ at: at - start, text: piece }));
    return { instance, was: withInsertions(base.code.slice(start, end), within), now: text };
  };
  const all = [...insertions].map(([at, text]) => ({ at, text }));
  const parts = new Map(outline.parts.map(({ start }, index) => [start, wanted.parts[index] as Part]));
  return [
    ...guards.guards.map(({ start, end, at }) => {
      const part = parts.get(start) as Part;
      const text = made.code.slice(now.begins.get(part.start) ?? part.start, part.end);
      return shown({ start: guards.begins.get(start) ?? start, end }, [{ at, text: insertions.get(at) ?? '' }], text);
    }),
    ...guards.classes.flatMap((one, index) => {
      const pieces = all.filter(({ at }) => at > one.start && at < one.end);
      return pieces.length === 0 ? [] : shown(one, pieces, made.code.slice(now.classes[index]?.start, now.classes[index]?.end));
    }),
  ];
}

/** The call in a guard stands in no column of the file. */
function guardPlaces(text = '', [line, column]: Place, [toLine]: Place): Places[number][] {
  const [found = '', lead = '', dot = ''] = /^(.*?return )__vivarium_\w+(\.call)?\(/.exec(text) ?? [];
  const offsets = [lead.length, ...(dot === '' ? [] : [found.length - 'call('.length])];
  return offsets.map((at) => [line, column + at, toLine, -1] as const);
}

/** Lines of a text that stands in two places. */
function linePlaces([line, column]: Place, [toLine, toColumn]: Place, text: string): Places[number][] {
  return text.split('\n').map((_, at) => [line + at, at === 0 ? column : 0, toLine + at, at === 0 ? toColumn : 0] as const);
}
