// The scripts of the project that are loaded, and the cells: where things stand in them, what they export, what they mention.
import { SourceMap } from 'node:module';
import { relative, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { AnyNode, Expression, Node, Pattern, Program } from 'acorn';
import type { Debugger } from '../../../js-runtime/debugger.ts';
import type { Inspector } from '../../../js-runtime/inspector.ts';
import type { MonitorServices } from '../../../js-runtime/monitor-thread.ts';
import type { Positions } from '../../../js-runtime/positions.ts';

export interface Script {
  readonly id: string;
  /** As it is shown: within the project's folder, or `cell-3`. */
  readonly file: string;
  readonly source: string;
  /** A cell before it was made ready; its lines are the same. */
  readonly written?: string | undefined;
}

/** Texts that the engine has otherwise. */
export interface ShownTexts {
  /** The source of a script as its file is now. */
  sourceOf(url: string, source: string): string;
  /** The text of a function or a class as its file has it now. */
  shownText(text: string): string;
}

export interface Place {
  readonly file: string;
  readonly line: number;
}

export interface Exported extends Place {
  readonly name: string;
  /** The text that declares it, where it stands in the same file. */
  readonly text: string;
  readonly start: number;
  readonly script: Script;
}

export interface Mention extends Place {
  readonly text: string;
  readonly offset: number;
}

const maxCells = 500;
const maxCellText = 100_000;

export class ProjectScripts {
  readonly #inspector: Inspector;
  readonly #debugging: Debugger;
  readonly #positions: Positions;
  readonly #folder: string;
  readonly shown: ShownTexts;
  /** The engine forgets the text of what has run and is done. */
  readonly #cells: Map<string, { readonly source: string; readonly written: string | undefined }> = new Map();
  #last: Promise<unknown> = Promise.resolve();

  constructor(
    { inspector, debugging, positions, folder }: Pick<MonitorServices, 'inspector' | 'debugging' | 'positions' | 'folder'>,
    shown: ShownTexts,
  ) {
    this.#inspector = inspector;
    this.#debugging = debugging;
    this.#positions = positions;
    this.shown = shown;
    this.#folder = folder;
  }

  /** `written`: what the user wrote, where that is known. */
  remember(code: string, written?: string): void {
    const name = /\n\/\/# sourceURL=(cell-\d+)$/.exec(code)?.[1];
    if (name === undefined || name === 'cell-0' || code.length > maxCellText) return;
    this.#cells.set(name, { source: code.slice(0, code.lastIndexOf('\n')), written });
    for (const oldest of this.#cells.keys()) {
      if (this.#cells.size <= maxCells) break;
      this.#cells.delete(oldest);
    }
  }

  /** The newest of each file, then the cells. */
  all(): Promise<Script[]> {
    return this.#within(async (scripts) => {
      const newest = new Map<string, string>();
      for (const [id, url] of scripts) {
        const file = this.#fileOf(url);
        if (file !== undefined) newest.set(file, id);
      }
      const found: Script[] = [];
      for (const [file, id] of newest) found.push({ id, file, source: await this.#source(id, scripts.get(id)) });
      for (const [file, cell] of this.#cells) found.push({ id: '', file, ...cell });
      return found;
    });
  }

  /** Their names alone. */
  files(): Promise<string[]> {
    return this.#within(async (scripts) => [
      ...new Set([...scripts.values()].map((url) => this.#fileOf(url)).filter((one) => one !== undefined)),
    ]);
  }

  /** Any script, the project's or not, and where a place in it is now; lines and columns from 0. */
  find(id: string, line: number, column: number): Promise<{ readonly script: Script; readonly line: number; readonly column: number }> {
    return this.#within(async (scripts) => {
      const url = scripts.get(id) ?? '';
      const script = { id, file: this.#fileOf(url) ?? url, source: await this.#source(id, url) };
      return { script, ...this.#positions.inOverlaid(url, line, column) };
    });
  }

  /** One after the other: the list of scripts is there only while someone needs it. */
  #within<T>(work: (scripts: ReadonlyMap<string, string>) => Promise<T>): Promise<T> {
    const next = this.#last.then(() => this.#debugging.withScripts(work));
    this.#last = next.catch(() => undefined);
    return next;
  }

  async #source(scriptId: string, url = ''): Promise<string> {
    const { scriptSource } = await this.#inspector.post<{ scriptSource: string }>('Debugger.getScriptSource', { scriptId });
    return this.shown.sourceOf(url, scriptSource);
  }

  #fileOf(url: string): string | undefined {
    if (/^cell-\d+$/.test(url)) return this.#cells.has(url) ? undefined : url;
    if ((!url.startsWith('file://') && !url.startsWith('/')) || /\?facade=\d+$/.test(url)) return undefined;
    try {
      const file = relative(this.#folder, url.startsWith('/') ? url : fileURLToPath(url.replace(/[?#].*$/, '')));
      return file.startsWith('..') || file.split(sep).includes('node_modules') || file === '[cell]' ? undefined : file;
    } catch {
      return undefined;
    }
  }
}

/** As it was written, where the script was made from something else. */
export function placeOf({ file, source }: Script, offset: number): Place {
  const before = source.slice(0, offset);
  const line = before.split('\n').length - 1;
  const map = /\n\/\/# sourceMappingURL=data:application\/json[^,]*;base64,([\w+/=]+)\s*$/.exec(source)?.[1];
  if (map !== undefined) {
    try {
      const found = new SourceMap(JSON.parse(Buffer.from(map, 'base64').toString())).findEntry(line, offset - before.lastIndexOf('\n') - 1);
      if ('originalLine' in found) return { file, line: found.originalLine + 1 };
    } catch {
      // A map that cannot be read is none.
    }
  }
  return { file, line: line + 1 };
}

async function parsed(source: string, tokens?: (type: string, value: unknown, start: number) => void): Promise<Program | undefined> {
  const { parse } = await import('acorn');
  for (const sourceType of ['module', 'script'] as const) {
    const heard: (readonly [string, unknown, number])[] = [];
    try {
      const program = parse(source, {
        ecmaVersion: 'latest',
        sourceType,
        allowHashBang: true,
        allowReturnOutsideFunction: true,
        allowAwaitOutsideFunction: true,
        onToken: (token) => heard.push([token.type.label, (token as { value?: unknown }).value, token.start]),
      });
      for (const one of heard) tokens?.(...one);
      return program;
    } catch {
      // Old code may do what modules may not.
    }
  }
  return undefined;
}

/** Where a name stands in code; comments and strings do not count. */
export async function mentions(script: Script, name: string): Promise<Mention[]> {
  const { source } = script;
  if (!source.includes(name)) return [];
  const found: Mention[] = [];
  await parsed(source, (type, value, start) => {
    if (value !== name || (type !== 'name' && type !== 'privateId')) return;
    const from = source.lastIndexOf('\n', start) + 1;
    const end = source.indexOf('\n', start);
    const place = placeOf(script, start);
    const text = (script.written?.split('\n')[place.line - 1] ?? asWritten(source.slice(from, end < 0 ? undefined : end))).trim();
    if (found.at(-1)?.line !== place.line) found.push({ ...place, text: text.slice(0, 160), offset: start });
  });
  return found;
}

/** Without what a cell was wrapped into. */
function asWritten(line: string): string {
  const bare = line.replace(/^void __vivarium_cell\(async \(set\) => \{ (?:set\.\w+\(\w+\); )*/, '');
  return bare.replaceAll('__vivarium_import', 'import').replaceAll('__vivarium_meta', 'import.meta');
}

export async function exportsOf(script: Script): Promise<Exported[]> {
  if (script.id === '' || !/\bexports?\b/.test(script.source)) return [];
  const program = await parsed(script.source);
  const found: Exported[] = [];
  const add = (name: string, { start, end }: Node): void => {
    found.push({ name, ...placeOf(script, start), text: script.source.slice(start, end), start, script });
  };
  const declared = new Map<string, Node>();
  for (const one of program?.body ?? []) {
    const inner = one.type === 'ExportNamedDeclaration' && one.declaration != null ? one.declaration : one;
    for (const name of namesOf(inner)) declared.set(name, inner);
  }
  for (const one of program?.body ?? []) {
    if (one.type === 'ExportDefaultDeclaration') add('default', one.declaration);
    else if (one.type === 'ExportNamedDeclaration') {
      if (one.declaration != null) for (const name of namesOf(one.declaration)) add(name, one.declaration);
      for (const { exported, local } of one.specifiers) {
        if (exported.type === 'Identifier') add(exported.name, declared.get(local.type === 'Identifier' ? local.name : '') ?? one);
      }
    } else if (one.type === 'ExpressionStatement')
      for (const [name, node] of assigned(one.expression)) add(name, declared.get(name) ?? node);
  }
  return found;
}

function namesOf(node: AnyNode): string[] {
  if (node.type === 'FunctionDeclaration' || node.type === 'ClassDeclaration') return node.id === null ? [] : [node.id.name];
  if (node.type !== 'VariableDeclaration') return [];
  return node.declarations.flatMap(({ id }: { id: Pattern }) => (id.type === 'Identifier' ? [id.name] : []));
}

/** `exports.a = …`, `module.exports.a = …` and `module.exports = { a }`. */
function assigned(expression: Expression): (readonly [string, Node])[] {
  if (expression.type !== 'AssignmentExpression' || expression.left.type !== 'MemberExpression') return [];
  const { left, right } = expression;
  const { object, property } = left;
  const key = property.type === 'Identifier' && !left.computed ? property.name : undefined;
  if (key === undefined) return [];
  if (isExports(object)) return [[key, right]];
  if (key !== 'exports' || object.type !== 'Identifier' || object.name !== 'module' || right.type !== 'ObjectExpression') return [];
  return right.properties.flatMap((one) =>
    one.type === 'Property' && one.key.type === 'Identifier' && !one.computed ? [[one.key.name, one.value] as const] : [],
  );
}

function isExports(node: AnyNode): boolean {
  if (node.type === 'Identifier') return node.name === 'exports';
  return node.type === 'MemberExpression' && node.property.type === 'Identifier' && node.property.name === 'exports';
}
