// What a file computed when it was loaded, by functions that have changed since: it keeps its value, and that is said.
import type { AnyNode } from 'acorn';
import { childrenOf, namesIn } from '../cells/references.ts';
import type { Units } from './units.ts';

export interface Computed {
  /** Variables with a value that a changed function had a part in. */
  readonly kept: readonly string[];
  /** Functions that changed, and those that call them. */
  readonly changed: ReadonlySet<string>;
}

/** `roots` are functions and classes of the file, or names it imports. */
export function computedBy({ all }: Units, roots: Iterable<string>): Computed {
  const calls = new Map<string, Set<string>>();
  for (const unit of all) {
    if (unit.kind === 'function') calls.set(unit.name, calledIn(unit.node));
    else if (unit.kind === 'class') calls.set(unit.name, constructedBy(unit.node));
    else if (unit.kind === 'variable' && unit.node.init != null && /Function/.test(unit.node.init.type))
      calls.set(unit.name, calledIn(unit.node.init));
  }
  const changed = new Set(roots);
  for (const one of changed) for (const [name, called] of calls) if (called.has(one)) changed.add(name);
  const kept = all.flatMap((unit) => {
    if (unit.kind !== 'variable' || unit.node.init == null || /Function|ClassExpression/.test(unit.node.init.type)) return [];
    return [...calledIn(unit.node.init)].some((name) => changed.has(name)) ? namesIn(unit.node.id) : [];
  });
  return { kept, changed };
}

/** Names of functions that are called there, and of classes that are made. */
function calledIn(node: AnyNode, found: Set<string> = new Set()): Set<string> {
  const isCall = node.type === 'CallExpression' || node.type === 'NewExpression';
  const callee = isCall ? node.callee : undefined;
  if (callee?.type === 'Identifier') found.add(callee.name);
  const method = callee?.type === 'MemberExpression' && callee.property.type === 'Identifier' ? callee.property.name : '';
  if (callee?.type === 'MemberExpression' && callee.object.type === 'Identifier') found.add(`${callee.object.name}.${method}`);
  for (const one of childrenOf(node)) {
    // What only stands there runs later, if ever.
    if (!/Function|^Class/.test(one.type) || one === callee || callsAtOnce.test(method)) calledIn(one, found);
  }
  return found;
}

const callsAtOnce = /^(?:map|flatMap|filter|find|findLast|some|every|forEach|reduce|reduceRight|sort|toSorted|from|replace|replaceAll)$/;

/** By `new`: its constructor, and the first values of its fields. */
function constructedBy({ body }: { readonly body: { readonly body: readonly AnyNode[] } }): Set<string> {
  const found = new Set<string>();
  for (const one of body.body) {
    const isPart = one.type === 'PropertyDefinition' || (one.type === 'MethodDefinition' && one.kind === 'constructor');
    if (isPart) calledIn(one.value ?? one, found);
  }
  return found;
}

/** The functions and classes among the names of what was swapped. */
export function rootsIn(names: readonly string[]): string[] {
  return names.flatMap((name) => {
    const [, own] = /^(?:fields of )?([\w$]+)(?:\.constructor)?$/.exec(name) ?? [];
    return own === undefined ? [] : [own];
  });
}
