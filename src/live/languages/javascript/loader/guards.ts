// A function asks first whether a newer text of it is there: so an edit of its body needs nothing of the engine, whose own way to
// swap functions walks the whole heap. The question is a global property nobody has set yet, which the optimiser takes for granted.
import { createHash } from 'node:crypto';
import type { AnyNode, Function as FunctionNode } from 'acorn';
import { childrenOf, namesIn } from '../cells/references.ts';
import { type Insertion, piece, withInsertions } from './insertions.ts';
import { movedIn } from './moved.ts';
import { parser, type Runnable } from './transform.ts';

/** A function that can have a newer text. */
export interface Guard {
  readonly start: number;
  readonly end: number;
  readonly name: string;
  /** All names its parameters bind. */
  readonly parameters: readonly string[];
  readonly arrow: boolean;
  readonly isBlock: boolean;
  /** Where `super` looks, in the words of the file; undefined where that has no name. */
  readonly home: string | undefined;
  /** The number of its class among those with private names. */
  readonly inside: number | undefined;
  /** Where the question stands. */
  readonly at: number;
}

export interface Guards {
  readonly guards: readonly Guard[];
  /** Ends of classes with private names. */
  readonly insides: readonly number[];
  readonly classes: readonly { readonly start: number; readonly end: number }[];
  /** Where the texts of functions begin, by where their parameters or their own texts do. */
  readonly begins: ReadonlyMap<number, number>;
}

/** Evaluates where it stands. */
const scope = '(__vivarium_code)=>eval(__vivarium_code)';

/** Whatever stands around them has the scope of the file. */
const plain =
  /^(?:Program|Export(?:Named|Default)Declaration|VariableDeclarat(?:ion|or)|ExpressionStatement|(?:Assignment|Call|New|Object|Array|Sequence|Conditional|Logical|Await|Member|Parenthesized)Expression|Property|Class(?:Declaration|Expression|Body)|MethodDefinition|SpreadElement)$/;

export const noGuards: Guards = { guards: [], insides: [], classes: [], begins: new Map() };

export function hashOf(text: string): string {
  return createHash('sha1').update(text).digest('base64url');
}

/** Cells are properties of the global object, which are there before the code runs. */
export function cellName(kind: string, number: number): string {
  return `__vivarium_${kind}${number}`;
}

export function guardsOf({ code, format }: Runnable): Guards {
  const guards: Guard[] = [];
  const insides: number[] = [];
  const classes: { readonly start: number; readonly end: number }[] = [];
  const begins = new Map<number, number>();
  const program = parser().parse(code, {
    ecmaVersion: 'latest',
    sourceType: format === 'module' ? 'module' : 'script',
    allowHashBang: true,
    allowReturnOutsideFunction: true,
  });
  const visit = (node: AnyNode, outer: Surroundings): void => {
    if (isFunction(node)) {
      begins.set(node.start, outer.begin ?? node.start);
      const found = guardOf(node, code, outer);
      if (found !== undefined) guards.push(found);
      return;
    }
    if (!plain.test(node.type) || (node.type === 'CallExpression' && isFunction(node.callee))) return;
    let own = outer;
    if (node.type === 'ClassDeclaration' || node.type === 'ClassExpression') {
      // Within, its name is another variable.
      if (node.type === 'ClassExpression' && node.id != null) return;
      classes.push({ start: node.start, end: node.end });
      const hasPrivates = node.body.body.some((one) => 'key' in one && one.key.type === 'PrivateIdentifier');
      const reachable = hasPrivates && staysInLine(code)({ at: node.end });
      if (reachable) insides.push(node.end - 1);
      const inside = reachable ? insides.length - 1 : undefined;
      own = { name: outer.name, of: node.id?.name, inside, derived: node.superClass != null };
    } else if (node.type === 'MethodDefinition') {
      if (node.kind === 'constructor' && outer.derived === true) return;
      const begin = node.start + (node.static ? (/^static\s*/.exec(code.slice(node.start))?.[0].length ?? 0) : 0);
      const home = outer.of === undefined ? undefined : node.static ? outer.of : `${outer.of}.prototype`;
      own = { name: textOf(node.key, code), home, inside: outer.inside, begin };
      if (node.computed) return;
    } else if (node.type === 'Property')
      own = { name: node.computed ? '' : textOf(node.key, code), begin: node.method || node.kind !== 'init' ? node.start : undefined };
    else if (node.type === 'VariableDeclarator') own = { name: textOf(node.id, code) };
    for (const one of childrenOf(node)) visit(one, own);
  };
  visit(program, { name: '' });
  guards.sort((a, b) => a.start - b.start);
  return { guards: guards.filter(staysInLine(code)), insides, classes, begins };
}

interface Surroundings {
  readonly name: string;
  readonly of?: string | undefined;
  readonly home?: string | undefined;
  readonly inside?: number | undefined;
  readonly derived?: boolean;
  readonly begin?: number | undefined;
}

function guardOf(node: FunctionNode & AnyNode, code: string, { name, home, inside }: Surroundings): Guard | undefined {
  const { body, params, start, end } = node;
  // That a call of it waits just now could not be told.
  if (node.async || node.generator) return undefined;
  const own = 'id' in node && node.id != null ? node.id.name : undefined;
  if (own !== undefined && node.type === 'FunctionExpression') return undefined;
  const isBlock = body.type === 'BlockStatement';
  if (isBlock && body.body[0]?.type === 'ExpressionStatement' && body.body[0].directive !== undefined) return undefined;
  const at = isBlock ? body.start + 1 : code.indexOf('=>', params.at(-1)?.end ?? start) + 2;
  if (params.length > 0 && /=>|\b(?:function|class|eval|arguments|this|super)\b/.test(code.slice(params[0]?.start, params.at(-1)?.end)))
    return undefined;
  const parameters = params.flatMap(namesIn);
  if (new Set(parameters).size < parameters.length) return undefined;
  return { start, end, name: own ?? name, parameters, arrow: node.type === 'ArrowFunctionExpression', isBlock, home, inside, at };
}

/** A compiler's map knows nothing of what we put into its lines. */
function staysInLine(code: string): (piece: { readonly at: number }) => boolean {
  if (!code.includes('\n//# sourceMappingURL=')) return () => true;
  return ({ at }) => /^[ \t\r]*(?:\/\/.*)?\n/.test(code.slice(at, code.indexOf('\n', at) + 1));
}

/** The file as it is loaded. `kind` and `first` name its cells; `hash` is that of the text on disk. */
export function guarded(made: Runnable, { guards, insides }: Guards, kind: string, first: number, hash: string): string {
  const all: Insertion[] = guards.map(({ at, parameters, arrow, isBlock }, number) => {
    const cell = cellName(kind, first + number);
    const call = arrow ? `${cell}(${parameters})` : `${cell}.call(${['this', ...parameters]})`;
    return { at, text: isBlock ? `if(${cell}!==undefined)return ${call};` : `${cell}!==undefined?${call}:` };
  });
  for (const [number, at] of insides.entries())
    all.push({ at, text: `static{globalThis.__vivarium_guards?.inside("${kind}${first}.${number}",${scope})}` });
  const wrapped = all.map(({ at, text }) => ({ at, text: piece(text) }));
  // The last line of a map must stay the last.
  const end = made.code.lastIndexOf('\n//# sourceMappingURL=');
  const address = made.format === 'module' ? 'import.meta.url' : '__filename';
  const facts = JSON.stringify({ kind, first, count: guards.length, hash, moved: movedIn(made.code, wrapped) });
  const tail = piece(`;globalThis.__vivarium_guards?.keep(${address},${scope},${facts});`);
  return withInsertions(made.code, [...wrapped, { at: end < 0 ? made.code.length : end, text: tail }]);
}

function textOf(node: AnyNode, code: string): string {
  return node.type === 'Identifier' || node.type === 'PrivateIdentifier' ? code.slice(node.start, node.end) : '';
}

function isFunction(node: AnyNode): node is FunctionNode & AnyNode {
  return node.type === 'FunctionDeclaration' || node.type === 'FunctionExpression' || node.type === 'ArrowFunctionExpression';
}
