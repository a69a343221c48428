// A function asks first whether a newer text of it is there: so an edit of its body needs nothing of the engine, whose own way to
// swap functions walks the whole heap. The question is a global property nobody has set yet, which the optimiser takes for granted.
import { createHash } from 'node:crypto';
import type { AnyNode, Function as FunctionNode, Pattern } from 'acorn';
import { childrenOf, namesIn } from '../cells/references.ts';
import { hasMarks, type Insertion, piece, withInsertions } from './insertions.ts';
import { hasMap, mapAt, parser, type Runnable, withoutTail } from './transform.ts';

/** A function that can have a newer text. */
export interface Guard {
  readonly start: number;
  readonly end: number;
  readonly name: string;
  /** All names its parameters bind. */
  readonly parameters: readonly string[];
  readonly arrow: boolean;
  /** The classes it stands in: within, their names and the rules of the language are their own. */
  readonly classes: readonly string[] | undefined;
  /** The number of its class among those whose scope can be reached. */
  readonly inside: number | undefined;
  /** Where the question stands. */
  readonly at: number;
}

export interface Guards {
  readonly guards: readonly Guard[];
  /** Ends of classes whose scope can be reached. */
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

/**
 * What could mean another thing in a text that is evaluated beside the file, and what the engine takes for the end of a line or the name
 * of a file where we do not.
 */
const unfit = /(?<![\w$])eval(?![\w$])|\.caller(?![\w$])|__vivarium_|\\u(?:00|\{0*)[4-7]|sourceURL=|\r(?!\n)|[\u2028\u2029]/;

/** Whether functions of the file can have newer texts. Where a compiler moved things, places are told by its map. */
export function isFit(made: Runnable): boolean {
  const code = withoutTail(made);
  return !unfit.test(code) && !hasMarks(code) && !hasMap(code);
}

export function hashOf(text: string): string {
  return createHash('sha1').update(text).digest('base64url');
}

/** Cells are properties of the global object, which are there before the code runs. */
export function cellName(kind: string, number: number): string {
  return `__vivarium_${kind}${number}`;
}

/** Which of all instances of files it is. */
export function instanceOf({ kind, first }: { readonly kind: string; readonly first: number }): string {
  return `${kind}${first}`;
}

/** The same, by what was put into its text. */
export function instanceIn(insertions: readonly Insertion[]): string | undefined {
  const [, kind, first] =
    /\{"kind":"(\w)","first":(\d+),/.exec(insertions.findLast(({ text }) => text.includes('.keep('))?.text ?? '') ?? [];
  return kind === undefined ? undefined : instanceOf({ kind, first: Number(first) });
}

export function guardsOf(made: Runnable): Guards {
  if (!isFit(made)) return noGuards;
  const { code, format } = made;
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
      const namesItself = node.id != null && code.slice(node.body.start, node.end).includes(node.id.name);
      // At its end: Node 20 ends when a class that begins with such a block is swapped.
      const reachable =
        (hasPrivates || namesItself) &&
        ownLine.test(code.slice(code.lastIndexOf('\n', node.end - 1), node.end - 1)) &&
        endsLine(code, node.end);
      if (reachable) insides.push(node.end - 1);
      const names = [...(outer.classes ?? []), ...(node.id == null ? [] : [node.id.name])];
      own = { name: outer.name, classes: names, inside: reachable ? insides.length - 1 : undefined, derived: node.superClass != null };
    } else if (node.type === 'MethodDefinition') {
      const lead = node.static ? /^static\s*(?=[^\s/])/.exec(code.slice(node.start, node.key.end))?.[0] : '';
      if (node.computed || lead === undefined || (node.kind === 'constructor' && outer.derived === true)) return;
      own = { ...outer, name: textOf(node.key, code), begin: node.start + lead.length };
    } else if (node.type === 'Property')
      own = {
        ...outer,
        name: node.computed ? '' : textOf(node.key, code),
        begin: node.method || node.kind !== 'init' ? node.start : undefined,
      };
    else if (node.type === 'VariableDeclarator') own = { ...outer, name: textOf(node.id, code), begin: undefined };
    for (const one of childrenOf(node)) visit(one, own);
  };
  visit(program, { name: '' });
  guards.sort((a, b) => a.start - b.start);
  return { guards, insides, classes, begins };
}

interface Surroundings {
  readonly name: string;
  readonly classes?: readonly string[];
  readonly inside?: number | undefined;
  readonly derived?: boolean;
  readonly begin?: number | undefined;
}

function guardOf(node: FunctionNode & AnyNode, code: string, { name, classes, inside }: Surroundings): Guard | undefined {
  const { body, params, start, end } = node;
  // That a call of it waits just now could not be told.
  if (node.async || node.generator || body.type !== 'BlockStatement' || !endsLine(code, body.start + 1)) return undefined;
  const own = 'id' in node && node.id != null ? node.id.name : undefined;
  if (own !== undefined && node.type === 'FunctionExpression') return undefined;
  if (body.body[0]?.type === 'ExpressionStatement' && body.body[0].directive !== undefined) return undefined;
  const parameters = params.flatMap(namesIn);
  if (!params.every(isPlainPattern) || new Set(parameters).size < parameters.length) return undefined;
  // What has the name of a parameter in the body is another variable, or a function from the start.
  const mayHide = parameters.length > 0 && /\b(?:var|function)\b/.test(code.slice(body.start, end));
  if (mayHide && hoistedIn(body).some((one) => parameters.includes(one))) return undefined;
  const arrow = node.type === 'ArrowFunctionExpression';
  return { start, end, name: own ?? name, parameters, arrow, classes, inside, at: body.start + 1 };
}

/** Variables and functions of its own, in whatever block they stand. */
function hoistedIn(node: AnyNode): string[] {
  if (node.type === 'FunctionDeclaration') return [node.id?.name ?? ''];
  if (isFunction(node)) return [];
  const own = node.type === 'VariableDeclaration' && node.kind === 'var' ? node.declarations.flatMap(({ id }) => namesIn(id)) : [];
  return [...own, ...childrenOf(node).flatMap(hoistedIn)];
}

const ownLine = /^\n[ \t]*$/;

/** What stands behind it in its line is a comment at most: so nothing the user wrote moves. */
export function endsLine(code: string, at: number): boolean {
  const rest = /[ \t]*(?:\/\/.*)?\r?\n/y;
  rest.lastIndex = at;
  return rest.test(code);
}

/** Its values hold nothing of the call: a function among them would see the variables of the text before. */
function isPlainPattern(pattern: Pattern): boolean {
  switch (pattern.type) {
    case 'Identifier':
      return true;
    case 'RestElement':
      return isPlainPattern(pattern.argument);
    case 'ArrayPattern':
      return pattern.elements.every((one) => one === null || isPlainPattern(one));
    case 'ObjectPattern':
      return pattern.properties.every((one) =>
        one.type === 'RestElement' ? isPlainPattern(one) : !one.computed && isPlainPattern(one.value),
      );
    case 'AssignmentPattern': {
      const { left, right } = pattern;
      if (right.type === 'ObjectExpression') return right.properties.length === 0 && isPlainPattern(left);
      if (right.type === 'ArrayExpression') return right.elements.length === 0 && isPlainPattern(left);
      if (right.type === 'TemplateLiteral') return right.expressions.length === 0 && isPlainPattern(left);
      return right.type === 'Literal' && isPlainPattern(left);
    }
  }
  return false;
}

/** The file as it is loaded. `kind` and `first` name its cells; `hash` is that of the text on disk. */
export function guarded(made: Runnable, { guards, insides }: Guards, kind: string, first: number, hash: string): string {
  const all: Insertion[] = guards.map(({ at, parameters, arrow }, number) => {
    const cell = cellName(kind, first + number);
    const call = arrow ? `${cell}(${parameters})` : `${cell}.call(${['this', ...parameters]})`;
    // Whoever tidies the global object up may have taken the cell away.
    return { at, text: piece(`if(typeof ${cell}==="function")return ${call};`) };
  });
  for (const [number, at] of insides.entries())
    all.push({ at, text: piece(`;static{globalThis.__vivarium_guards?.inside("${kind}${first}.${number}",${scope})}`) });
  const address = made.format === 'module' ? 'import.meta.url' : '__filename';
  const facts = JSON.stringify({ kind, first, count: guards.length, hash });
  const tail = piece(`;globalThis.__vivarium_guards?.keep(${address},${scope},${facts});`);
  return withInsertions(made.code, [...all, { at: mapAt(made.code), text: tail }]);
}

function textOf(node: AnyNode, code: string): string {
  return node.type === 'Identifier' || node.type === 'PrivateIdentifier' ? code.slice(node.start, node.end) : '';
}

function isFunction(node: AnyNode): node is FunctionNode & AnyNode {
  return node.type === 'FunctionDeclaration' || node.type === 'FunctionExpression' || node.type === 'ArrowFunctionExpression';
}
