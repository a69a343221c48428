// From where the engine is to where the user wrote it: cells that were rewritten, files that a compiler moved, files that were swapped.
import { SourceMap } from 'node:module';
import type { Inspector } from './inspector.ts';
import { type Places, placeIn } from './place-table.ts';

export interface Position {
  readonly file: string;
  readonly line: number;
  readonly column: number;
}

/** In a line of a cell, from 0: a column in what runs, and the same in what was written. */
export type Column = readonly [line: number, there: number, written: number];

const maxCells = 500;

export class Positions {
  readonly #inspector: Inspector;
  readonly #cells: Map<string, readonly Column[]> = new Map();
  /** By the script's id; null where it is as it was written. */
  readonly #maps: Map<string, SourceMap | null> = new Map();
  readonly #swapped: Map<string, Places> = new Map();
  /** By address: newer texts of functions call themselves by that of their file. */
  readonly #overlaid: Map<string, Places> = new Map();

  constructor(inspector: Inspector) {
    this.#inspector = inspector;
  }

  /** A cell, by what the host sent. */
  remember(code: string, columns: unknown): void {
    const name = /\n\/\/# sourceURL=(cell-\d+)$/.exec(code)?.[1];
    if (name === undefined || !Array.isArray(columns)) return;
    this.#cells.set(name, columns as Column[]);
    for (const oldest of this.#cells.keys()) {
      if (this.#cells.size <= maxCells) break;
      this.#cells.delete(oldest);
    }
  }

  /** For a script that was swapped: from what runs to the file as it is now, by places in the code that the file was compiled to. */
  swapped(scriptId: string, compiled: Places, code: string): Places {
    const map = mapIn(code);
    const places = compiled.flatMap(([line, column, toLine, toColumn]) => {
      const to = map === null ? [toLine, toColumn] : written(map, toLine, toColumn);
      return to === undefined ? [] : [[line, column, to[0], to[1]] as Places[number]];
    });
    this.#swapped.set(scriptId, places);
    return places;
  }

  /** For a file with newer texts beside the one that was loaded: from both to the file as it is now. */
  overlaid(url: string, places: Places | undefined): void {
    if (places === undefined) this.#overlaid.delete(url);
    else this.#overlaid.set(url, places);
  }

  /** Lines and columns from 0. */
  inOverlaid(url: string, line: number, column: number): { readonly line: number; readonly column: number } {
    return placeIn(this.#overlaid.get(url) ?? [], line, column) ?? { line, column };
  }

  isSwapped(scriptId: string, url = ''): boolean {
    return this.#swapped.has(scriptId) || this.#overlaid.has(url);
  }

  /** In a cell; other files come as they were written. */
  inCell<T extends Position & { readonly name?: string }>(given: T): T {
    const columns = this.#cells.get(given.file);
    if (columns === undefined) return given;
    // The function of a cell has no name of its own.
    const at = given.name?.startsWith('__vivarium_') === true ? { ...given, name: '' } : given;
    let shift = 0;
    for (const [line, there, own] of columns) {
      if (line + 1 > at.line || (line + 1 === at.line && there > at.column - 1)) break;
      if (line + 1 === at.line) shift = own - there;
    }
    return { ...at, column: Math.max(1, at.column + shift) };
  }

  /** As the engine has it, by its own numbers. */
  async inScript<T extends Position & { readonly name?: string }>(scriptId: string, at: T): Promise<T> {
    if (/^cell-\d+$/.test(at.file)) return this.inCell(at);
    const places = this.#swapped.get(scriptId) ?? this.#overlaid.get(at.file);
    if (places !== undefined) {
      const found = placeIn(places, at.line - 1, at.column - 1);
      return found === undefined ? at : { ...at, line: found.line + 1, column: found.column + 1 };
    }
    if (!at.file.startsWith('file:') && !at.file.startsWith('/')) return at;
    const found = written(await this.#mapOf(scriptId), at.line - 1, at.column - 1);
    return found === undefined ? at : { ...at, line: found[0] + 1, column: found[1] + 1 };
  }

  async #mapOf(scriptId: string): Promise<SourceMap | null> {
    let map = this.#maps.get(scriptId);
    if (map === undefined) {
      const { scriptSource } = await this.#inspector.post<{ scriptSource: string }>('Debugger.getScriptSource', { scriptId });
      map = mapIn(scriptSource);
      this.#maps.set(scriptId, map);
    }
    return map;
  }
}

function mapIn(code: string): SourceMap | null {
  const map = /\n\/\/# sourceMappingURL=data:application\/json[^,]*;base64,([\w+/=]+)\s*$/.exec(code)?.[1];
  try {
    return map === undefined ? null : new SourceMap(JSON.parse(Buffer.from(map, 'base64').toString()));
  } catch {
    // A map that cannot be read is none.
    return null;
  }
}

/** A place in a compiled text, from 0, as it is in the file that it was made of. */
export function writtenIn(code: string, line: number, column: number): readonly [line: number, column: number] {
  return written(mapIn(code), line, column) ?? [line, column];
}

function written(map: SourceMap | null, line: number, column: number): readonly [line: number, column: number] | undefined {
  const found = map?.findEntry(line, column);
  if (found === undefined || !('originalLine' in found)) return undefined;
  return [found.originalLine, found.originalColumn];
}
