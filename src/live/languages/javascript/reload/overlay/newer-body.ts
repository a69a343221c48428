// The newer text of a function as code that makes it, in the scope of its file or class.
import type { AnyNode, Pattern } from 'acorn';
import { childrenOf, namesIn } from '../../cells/references.ts';
import type { Guard } from '../../loader/guards.ts';
import { parser, type Runnable } from '../../loader/transform.ts';
import type { Part } from '../outline.ts';

export interface NewerBody {
  readonly code: string;
  /** It uses the private names of its class. */
  readonly inside?: number;
}

interface Place {
  readonly format: Runnable['format'];
  readonly url: string;
  /** After which line of the code it begins, from 0, and in which column. */
  readonly line: number;
  readonly column: number;
  /** What is evaluated in its scope may declare variables there. */
  readonly sloppy: boolean;
}

/** Undefined where it has to be the engine that swaps it. */
export function bodyOf(guard: Guard, old: Part, now: Part, { format, url, line, column, sloppy }: Place): NewerBody | undefined {
  // Stacks show it.
  const name = JSON.stringify(guard.name || old.name);
  const parameters = `(${guard.parameters})`;
  const head = guard.arrow ? `${name}:${parameters}=>` : `${name}${parameters}`;
  const [before, after] = [old, now].map(({ body }) => contentsOf(`({${head}\n${body}\n})`, format));
  if (before === undefined || after === undefined) return undefined;
  // Whoever keeps one that either text has made would never get a later edit of it.
  if (before.hasFunctions || after.hasFunctions) return undefined;
  // It calls itself by way of the one it lies over, which takes twice the stack.
  const own = [guard.name, old.name.split('.').at(-1) ?? ''].map((one) => one.replace('#', ''));
  if (own.some((one) => before.words.has(one) || after.words.has(one))) return undefined;
  if (outside.some((one) => after.words.has(one)) || readsStack(after.words) || after.asserts) return undefined;
  const isInside = after.words.has('PrivateIdentifier') || guard.classes?.some((one) => after.words.has(one)) === true;
  if (isInside && guard.inside === undefined) return undefined;
  // Each time the engine would look up by name which variable that is.
  if (sloppy && !isInside && after.assigned.some((one) => !after.declared.has(one) && !guard.parameters.includes(one))) return undefined;
  const strict = guard.classes === undefined ? '' : '"use strict";';
  const code = `${strict}${'\n'.repeat(line)}({${head}\n${' '.repeat(column)}${now.body}\n})[${name}]\n//# sourceURL=${url}`;
  return isInside && guard.inside !== undefined ? { code, inside: guard.inside } : { code };
}

/** They mean what they do only where they stand. */
const outside = ['arguments', 'MetaProperty', 'ImportExpression', 'Super', 'Directive'];

/** In a stack it counts who called whom: the call by way of the one it lies over is one more. */
function readsStack(words: ReadonlySet<string>): boolean {
  if (['captureStackTrace', 'prepareStackTrace', 'getCallSites'].some((one) => words.has(one))) return true;
  return words.has('stack') && [...words].some((one) => one.endsWith('Error'));
}

interface Contents {
  /** Names, and kinds of nodes. */
  readonly words: ReadonlySet<string>;
  readonly hasFunctions: boolean;
  /** Node tells a failed assertion by the line that stands on disk where it was called. */
  readonly asserts: boolean;
  readonly assigned: readonly string[];
  readonly declared: ReadonlySet<string>;
}

/** Undefined where it cannot be read. */
function contentsOf(text: string, format: Runnable['format']): Contents | undefined {
  const words = new Set<string>();
  const assigned: string[] = [];
  const declared = new Set<string>();
  let [hasFunctions, asserts] = [false, false];
  const visit = (node: AnyNode): void => {
    hasFunctions ||= /Function|^Class(?:Decl|Expr)/.test(node.type);
    words.add(node.type === 'ExpressionStatement' && node.directive !== undefined ? 'Directive' : node.type);
    if (node.type === 'Identifier' || node.type === 'PrivateIdentifier') words.add(node.name);
    if (node.type === 'CallExpression') asserts ||= /(?<![\w$])(?:assert|ok)(?![\w$])/.test(text.slice(node.callee.start, node.callee.end));
    if (node.type === 'VariableDeclarator') for (const name of namesIn(node.id)) declared.add(name);
    if (node.type === 'CatchClause' && node.param != null) for (const name of namesIn(node.param)) declared.add(name);
    const target = targetOf(node);
    if (target !== undefined) assigned.push(...namesIn(target));
    for (const one of childrenOf(node)) visit(one);
  };
  try {
    // The private names of classes around it are not known here.
    const terms = { ecmaVersion: 'latest', sourceType: format === 'module' ? 'module' : 'script', checkPrivateFields: false } as const;
    visit(bodyIn(parser().parse(text, terms as Parameters<ReturnType<typeof parser>['parse']>[1])));
    return { words, hasFunctions, asserts, assigned, declared };
  } catch {
    return undefined;
  }
}

/** What it gives a value. */
function targetOf(node: AnyNode): Pattern | undefined {
  if (node.type === 'AssignmentExpression') return node.left;
  if (node.type === 'UpdateExpression') return node.argument as Pattern;
  if (node.type !== 'ForInStatement' && node.type !== 'ForOfStatement') return undefined;
  return node.left.type === 'VariableDeclaration' ? undefined : node.left;
}

function bodyIn(node: AnyNode): AnyNode {
  const last = childrenOf(node).at(-1) as AnyNode;
  return /Function/.test(node.type) ? last : bodyIn(last);
}
