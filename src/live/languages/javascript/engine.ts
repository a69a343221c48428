// JavaScript and TypeScript on Node: the project's own modules, in a child of its own.
import { basename } from 'node:path';
import {
  CellFault,
  type CellOptions,
  type Engine,
  type Launch,
  type LaunchOptions,
  type Notebook,
  type Prepared,
} from '../../image/engine.ts';
import { packageFile } from '../../package-files.ts';
import { languages } from '../languages.ts';
import { type Cell, CellError, prepareCell } from './cells/cell.ts';
import { type ChosenNode, chooseNode } from './choose-node.ts';
import { javascriptFacts } from './facts.ts';
import { SourceError, stripTypes } from './loader/strip-types.ts';
import { nodeTests } from './test-runner.ts';

export interface JavaScriptOptions {
  /** The Node that runs the project; 20 or newer. Default: the one it asks for, where that is installed, otherwise this one. */
  readonly node?: string;
  /** Further flags for it, such as --conditions. */
  readonly nodeArgs?: readonly string[];
}

export function javascript({ node, nodeArgs = [] }: JavaScriptOptions = {}): Engine {
  const { language, aliases } = javascriptFacts;
  const nodeFor = async (cwd: string): Promise<ChosenNode> => (node === undefined ? chooseNode(cwd) : { command: node });
  return {
    language,
    aliases,
    title: 'JavaScript and TypeScript',
    features: {
      interrupt: 'keep',
      readOnly: true,
      debug: true,
      restarts: false,
      reload: true,
      lookup: true,
      packages: false,
      save: 'journal',
    },
    hint: "Import the project's own modules by path (import { x } from './src/x.ts'), call them, look at what they hold.",
    async launch({ cwd, env, heapMb }: LaunchOptions): Promise<Launch> {
      // With some room: what fills the memory is to be stopped before the engine gives up.
      // Modules may be loaded by these, before the image can see to it that they can be swapped: loader/eager.ts.
      const eager = nodeArgs.length === 0 ? [] : ['--no-lazy', '--no-flush-bytecode'];
      const args = [`--max-old-space-size=${heapMb + 64}`, ...eager, ...nodeArgs, packageFile('live/languages/javascript/boot.cjs')];
      return { ...(await nodeFor(cwd)), args, env, cwd, terms: { heapMb } };
    },
    open: () => new JavaScriptNotebook(),
    loadCode: (file) =>
      languages.some(({ files }) => files?.test(file))
        ? undefined
        : `import * as ${nameFor(file)} from ${JSON.stringify(asSpecifier(file))}`,
    testRunner: (cwd) => nodeTests(cwd, async () => (await nodeFor(cwd)).command),
    methodsCode,
  };
}

/** A program that was started with --import vivarium/here. */
export function visited(socket: string): Engine {
  const engine = javascript();
  return {
    ...engine,
    title: 'a running program',
    foreign: true,
    launch: ({ cwd, env }) => ({ command: '', args: [], env, cwd, socket, terms: {} }),
  };
}

class JavaScriptNotebook implements Notebook {
  readonly #known = { names: new Set<string>(), functions: new Set<string>() };

  async prepare(code: string, number: number, { language, pauses = false }: CellOptions = {}): Promise<Prepared> {
    const { declares, functionNames, fresh, ...cell } = await this.#read(code, `cell-${number}`, language, pauses);
    for (const name of functionNames) this.#known.functions.add(name);
    for (const name of fresh) this.#known.names.add(name);
    return { fields: { ...cell, fresh }, declares };
  }

  /** As JavaScript where it is, otherwise without its types. */
  async #read(code: string, name: string, language: string | undefined, pauses: boolean): Promise<Cell> {
    // Parsers recurse, and the compiler of types does not survive it.
    if (isTooDeep(code)) throw syntaxFault(new CellError('nested too deeply', 1, 1), name, code);
    try {
      if (language !== 'typescript') return prepareCell(code, name, this.#known, pauses);
    } catch (error) {
      if (!(error instanceof CellError)) throw error;
      const stripped = await stripTypes(code).catch((why: unknown) => further(error, why));
      if (typeof stripped !== 'string') throw syntaxFault(stripped, name, code);
      return this.#stripped(stripped, name, code, pauses, error);
    }
    const stripped = await stripTypes(code).catch((why: unknown) => {
      throw why instanceof SourceError ? syntaxFault(why, name, code) : why;
    });
    return this.#stripped(stripped, name, code, pauses);
  }

  #stripped(stripped: string, name: string, code: string, pauses: boolean, first?: CellError): Cell {
    try {
      return prepareCell(stripped, name, this.#known, pauses);
    } catch (error) {
      throw syntaxFault(first ?? (error as CellError), name, code);
    }
  }
}

const deepest = 1_000;

/** Taken from a class of their own, whose prototype has the same one above it, so that `super` means what it did. */
function methodsCode(on: string, source: string): string {
  const move =
    '(from, to, skip) => { for (const key of Reflect.ownKeys(from)) if (!skip.includes(key)) Object.defineProperty(to, key, Object.getOwnPropertyDescriptor(from, key)); }';
  return [
    `((to) => { const from = class { ${source}`,
    `}; const move = ${move};`,
    'Object.setPrototypeOf(from.prototype, Object.getPrototypeOf(to.prototype)); Object.setPrototypeOf(from, Object.getPrototypeOf(to));',
    "move(from.prototype, to.prototype, ['constructor']); move(from, to, ['length', 'name', 'prototype']); return to; })",
    `(${on})`,
  ].join(' ');
}

export function isTooDeep(code: string): boolean {
  let depth = 0;
  let most = 0;
  for (const bracket of code.match(/[([{)\]}]/g) ?? []) {
    depth += '([{'.includes(bracket) ? 1 : -1;
    most = Math.max(most, depth);
  }
  return most > deepest;
}

/** Of what two readers said the one that got further: to the first, a type is a mistake already. */
export function further(error: CellError, other: unknown): CellError {
  if (!(other instanceof SourceError)) return error;
  const { message, line, column } = other;
  const isFurther = line > error.line || (line === error.line && column > error.column);
  return isFurther ? new CellError(message, line, column) : error;
}

/** With the line and a mark under the place. */
export function syntaxFault({ message, line, column }: CellError | SourceError, file: string, code: string): CellFault {
  const text = code.split('\n')[line - 1] ?? '';
  const from = Math.max(0, column - 60);
  const shown = `${text.slice(from, from + 100)}\n${' '.repeat(column - 1 - from)}^`;
  return new CellFault({
    type: 'SyntaxError',
    message: `${message}\n${shown}`,
    kind: 'syntax',
    frames: [{ name: '', file, line, column }],
  });
}

function nameFor(file: string): string {
  const bare = basename(file).replace(/\.[^.]*$/, '');
  const name = bare.replace(/[^\w$]+(\w?)/g, (_, next: string) => next.toUpperCase()).replace(/^(?=\d)/, '_');
  if (name === '' || name === 'index') return 'app';
  return reserved.test(name) ? `${name}_` : name;
}

const reserved =
  /^(?:await|break|case|catch|class|const|continue|debugger|default|delete|do|else|enum|export|extends|false|finally|for|function|if|implements|import|in|instanceof|interface|let|new|null|package|private|protected|public|return|static|super|switch|this|throw|true|try|typeof|var|void|while|with|yield)$/;

function asSpecifier(file: string): string {
  return /^(?:\.{0,2}\/|[a-z]:|file:)/i.test(file) ? file : `./${file}`;
}
