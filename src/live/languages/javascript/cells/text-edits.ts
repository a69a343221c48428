// Changes to a cell's text, with where what was written is found again in what was made.
import type { Comment, Node } from 'acorn';

/** A place in the text that was made, and in the source. */
export type Run = readonly [made: number, source: number];

/** Changes to a text by the positions of the original. */
export class Edits {
  readonly #source: string;
  readonly #remarks: readonly Comment[];
  readonly #edits: { readonly start: number; readonly end: number; readonly text: string; readonly order: number }[] = [];

  constructor(source: string, remarks: readonly Comment[]) {
    this.#source = source;
    this.#remarks = remarks;
  }

  text({ start, end }: Node): string {
    return this.#source.slice(start, end);
  }

  insert(at: number, text: string): void {
    this.replace(at, at, text);
  }

  replace(start: number, end: number, text: string): void {
    this.#edits.push({ start, end, text, order: this.#edits.length });
  }

  /** Nothing of it, but its lines. */
  blank({ start, end }: { readonly start: number; readonly end: number }): string {
    return this.#source.slice(start, end).replace(/[^\n]/g, ' ');
  }

  /** Everything but these, in whose place is nothing. */
  without(nodes: readonly Node[]): { readonly text: string; readonly runs: readonly Run[] } {
    let at = 0;
    let text = '';
    const runs: Run[] = [];
    for (const node of nodes) {
      text += this.#part(at, node.start, runs, text.length);
      runs.push([text.length, node.start]);
      text += this.blank(node);
      at = node.end;
    }
    return { text: text + this.#part(at, this.#source.length, runs, text.length), runs };
  }

  /** Only these, at their lines, with the comments above them. */
  only(nodes: readonly Node[]): string {
    let at = 0;
    let made = '';
    for (const node of nodes) {
      made += this.#comments(at, node.start) + this.#part(node.start, node.end);
      at = node.end;
    }
    return made;
  }

  #comments(from: number, to: number): string {
    let at = from;
    let made = '';
    for (const { start, end } of this.#remarks) {
      if (start < at || end > to) continue;
      made += this.blank({ start: at, end: start }) + this.#source.slice(start, end);
      at = end;
    }
    return made + this.blank({ start: at, end: to });
  }

  #part(from: number, to: number, runs: Run[] = [], offset = 0): string {
    const within = this.#edits.filter(
      ({ start, end }) => start >= from && end <= to && (end > start || start < to || to === this.#source.length),
    );
    // What is put before something stands before what replaces it.
    const sorted = within.sort((a, b) => a.start - b.start || Math.sign(a.end - a.start) - Math.sign(b.end - b.start) || a.order - b.order);
    let at = from;
    let made = '';
    for (const { start, end, text } of sorted) {
      // What was replaced as a whole has no inside any more.
      if (start < at) continue;
      if (start > at) runs.push([offset + made.length, at]);
      made += this.#source.slice(at, start) + text;
      at = end;
    }
    if (to > at) runs.push([offset + made.length, at]);
    return made + this.#source.slice(at, to);
  }
}
