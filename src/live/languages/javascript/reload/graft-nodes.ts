// What a graft asks of the parts of a file: names, functions, and what runs when it is loaded.
import type { AnyNode, Class } from 'acorn';
import { childrenOf, namesIn } from '../cells/references.ts';
import { signature, type Unit, type Units } from './units.ts';

export function canKeep(old: Unit, unit: Extract<Unit, { kind: 'variable' }>): boolean {
  if (old.kind !== 'variable') return false;
  if (signature(old.node.id) !== signature(unit.node.id)) return false;
  return unit.node.id.type === 'Identifier' || signature(old.node.init) === signature(unit.node.init);
}

/** A function or class without a name gets that of its variable. */
export function named(id: AnyNode, init: AnyNode | null | undefined, text: string): string {
  const nameless = init != null && /^(?:Arrow)?FunctionExpression$|^ClassExpression$/.test(init.type) && !('id' in init && init.id != null);
  return nameless && id.type === 'Identifier' ? `({ ${JSON.stringify(id.name)}: ${text} })[${JSON.stringify(id.name)}]` : text;
}

/** Functions of two nodes, side by side. What is called where it stands has run. */
export function pairs(old: AnyNode, now: AnyNode): (readonly [AnyNode, AnyNode])[] {
  if (/Function/.test(now.type)) return [[old, now]];
  if (isCalledThere(now)) return [];
  const before = childrenOf(old);
  return childrenOf(now).flatMap((one, at) => {
    const was = before[at];
    return was === undefined ? [] : pairs(was, one);
  });
}

export function awaits(node: AnyNode): boolean {
  if (/Function/.test(node.type)) return false;
  return node.type === 'AwaitExpression' || (node.type === 'ForOfStatement' && node.await) || childrenOf(node).some(awaits);
}

/** The fields of a class are functions, too. */
export function functionsIn(node: AnyNode): AnyNode[] {
  if (/Function/.test(node.type) || (node.type === 'PropertyDefinition' && !node.static)) return [node];
  return isCalledThere(node) ? [] : childrenOf(node).flatMap(functionsIn);
}

function isCalledThere(node: AnyNode): boolean {
  return node.type === 'CallExpression' && /Function/.test(node.callee.type);
}

/** What a CommonJS file exports as one object. */
export function exportedKeys(units: Units | undefined): string[] {
  return (units?.all ?? []).flatMap((one) => {
    const { node } = one.kind === 'statement' ? one : { node: undefined };
    const given = node?.type === 'ExpressionStatement' && node.expression.type === 'AssignmentExpression' ? node.expression : undefined;
    if (given?.right.type !== 'ObjectExpression' || units?.code.slice(given.left.start, given.left.end) !== 'module.exports') return [];
    return given.right.properties.flatMap((one) =>
      one.type === 'Property' && one.key.type === 'Identifier' && !one.computed ? [one.key.name] : [],
    );
  });
}

export function namesOf(unit: Unit): string[] {
  if (unit.kind === 'statement' || unit.kind === 'default') return [];
  return unit.kind === 'variable' ? namesIn(unit.node.id) : [unit.name];
}

export function twiceIn({ all }: Units): string | undefined {
  const names = all.flatMap(namesOf);
  return names.find((name, at) => names.indexOf(name) !== at);
}

export function directives({ program }: Units): string {
  return program.body.flatMap((one) => ('directive' in one && one.directive !== undefined ? [one.directive] : [])).join();
}

export function span({ start, end }: { readonly start: number; readonly end: number }): { readonly start: number; readonly end: number } {
  return { start, end };
}

/** Its members without the bodies of methods; fields, whole, begin with `=`. */
export function membersIn({ body }: Class, code: string): string {
  return body.body
    .map((one) => {
      if (one.type !== 'MethodDefinition') return `=${code.slice(one.start, one.end)}`;
      return `${one.static} ${one.kind} ${code.slice(one.key.start, one.key.end)}`;
    })
    .join('\n');
}
