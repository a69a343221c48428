// Statements at the top level of a file: what they do, to what, and in which order.
import type { AnyNode, CallExpression } from 'acorn';
import { childrenOf } from '../cells/references.ts';
import { line, signature, type Unit } from './units.ts';

export type Statement = Extract<Unit, { kind: 'statement' }>;

/** What a statement gives its value to: then it may run again. */
export function targetOf(node: AnyNode, code: string): string | undefined {
  if (node.type !== 'ExpressionStatement') return undefined;
  const { expression } = node;
  if (expression.type === 'AssignmentExpression' && expression.operator === '=')
    return code.slice(expression.left.start, expression.left.end);
  // As compilers write enums and namespaces.
  const given = filledBy(expression);
  return given?.type === 'LogicalExpression' && given.left.type === 'Identifier' ? given.left.name : undefined;
}

/** What a function that is called where it stands fills: that of an enum, or of a namespace. */
export function filledBy(node: AnyNode | null | undefined): AnyNode | undefined {
  if (node?.type !== 'CallExpression' || !/Function/.test(node.callee.type) || node.arguments.length !== 1) return undefined;
  const [given] = node.arguments;
  if (given?.type === 'ObjectExpression') return given.properties.length === 0 ? given : undefined;
  return given?.type === 'LogicalExpression' && given.operator === '||' && given.left.type === 'Identifier' ? given : undefined;
}

/** A member of a class that a compiler had decorated by this call. */
export function decoratedBy(node: AnyNode): { readonly name: string; readonly key: string; readonly fixed: boolean } | undefined {
  if (node.type !== 'ExpressionStatement' || node.expression.type !== 'CallExpression' || !decorates(node.expression)) return undefined;
  const [, target, key] = node.expression.arguments;
  if (key?.type !== 'Literal' || target === undefined) return undefined;
  if (target.type === 'Identifier') return { name: target.name, key: String(key.value), fixed: true };
  const isPrototype = target.type === 'MemberExpression' && target.property.type === 'Identifier' && target.property.name === 'prototype';
  if (!isPrototype || target.object.type !== 'Identifier') return undefined;
  return { name: target.object.name, key: String(key.value), fixed: false };
}

function decorates({ callee, arguments: [first] }: CallExpression): boolean {
  const name = callee.type === 'MemberExpression' ? callee.property : callee;
  return name.type === 'Identifier' && /^_{1,2}(?:ts_)?decorate(?:Class)?$/.test(name.name) && first?.type === 'ArrayExpression';
}

/** Those of the old that are left, those of the new that are there, and those that are new. */
export function matched(
  before: readonly Statement[],
  after: readonly Statement[],
  isSet: (one: Statement) => boolean,
): { readonly left: Statement[]; readonly kept: ReadonlyMap<Statement, Statement>; readonly fresh: Statement[] } {
  const left = [...before];
  const kept = new Map<Statement, Statement>();
  const fresh: Statement[] = [];
  for (const one of after) {
    const wanted = signature(one.node);
    const at = isSet(one) ? -1 : left.findIndex(({ node }) => signature(node) === wanted);
    if (at < 0) fresh.push(one);
    else for (const old of left.splice(at, 1)) kept.set(one, old);
  }
  return { left, kept, fresh };
}

/** Whether those that are there run in another order now. */
export function isReordered(before: readonly Statement[], kept: ReadonlyMap<Statement, Statement>): boolean {
  const places = [...kept.values()].map((old) => before.indexOf(old));
  return places.some((place, at) => at > 0 && place < (places[at - 1] as number));
}

/** Said of one that runs now and would have run before others. */
export function ranLate(one: Statement, all: readonly Statement[], kept: ReadonlyMap<Statement, Statement>): string | undefined {
  const [first, ...more] = all.slice(all.indexOf(one) + 1).filter((other) => kept.has(other) && doesSomething(other.node));
  if (first === undefined) return undefined;
  const others = more.length === 0 ? '' : ` and ${more.length} more`;
  const stand = more.length === 0 ? 'stands' : 'stand';
  return `\`${line(one.name)}\` ran after \`${line(first.name)}\`${others}, which ${stand} below it: a fresh start runs it before`;
}

/** Something is called, not only declared or assigned. */
function doesSomething(node: AnyNode): boolean {
  if (/Function/.test(node.type)) return false;
  return /^(?:Call|New|Await|TaggedTemplate)Expression$|^ImportDeclaration$/.test(node.type) || childrenOf(node).some(doesSomething);
}

/** Whether something is given to the name anywhere but where it is declared. */
export function isAssigned(node: AnyNode, name: string): boolean {
  const target = node.type === 'AssignmentExpression' ? node.left : node.type === 'UpdateExpression' ? node.argument : undefined;
  if (target?.type === 'Identifier' && target.name === name) return true;
  return childrenOf(node).some((one) => isAssigned(one, name));
}
