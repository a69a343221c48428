// Fields that a class gains or loses where the engine cannot swap them: its constructor makes and removes them instead.
import type { AnyNode, Class, MethodDefinition, PropertyDefinition } from 'acorn';
import type { References } from '../cells/references.ts';
import { isSame, signature } from './units.ts';

interface Side {
  readonly code: string;
  readonly node: Class;
}

/** The text of the new constructor; undefined where no field changed, or it cannot be done so. */
export function constructorFields(from: Side, to: Side & { readonly references: References }): string | undefined {
  const [before, after] = [fieldsIn(from), fieldsIn(to)];
  const [old, now] = [constructorIn(from.node), constructorIn(to.node)];
  if (before === undefined || after === undefined || old === undefined || now === undefined) return undefined;
  if (signature(old) !== signature(now)) return undefined;
  const isKept = ([name, field]: [string, PropertyDefinition]): boolean => {
    const was = before.get(name);
    return was !== undefined && isSame(was, field);
  };
  const all = [...after];
  const first = all.findIndex((one) => !isKept(one));
  const lost = [...before.keys()].filter((name) => !after.has(name));
  if (first < 0 && lost.length === 0) return undefined;
  // From the first that is new on all are made again, for they have an order.
  const again = first < 0 ? [] : all.slice(first);
  const gone = [...lost, ...again.map(([name]) => name).filter((name) => before.has(name))];
  if (!gone.every((name) => isPlain(before.get(name)?.value))) return undefined;
  const made = again.map(([name, { value }]) => `${name}: { value: ${value == null ? 'undefined' : to.references.text(value)}, ${terms} }`);
  const text = `; ${gone.map((name) => `delete this.${name};`).join(' ')} Object.defineProperties(this, { ${made.join(', ')} }); `;
  const at = startOf(now, to.node);
  if (at === undefined) return undefined;
  const { start, end } = now.value;
  return `${to.references.text({ start, end: at })}${text}${to.references.text({ start: at, end })}`;
}

const terms = 'writable: true, enumerable: true, configurable: true';

/** By name; undefined where some have none that can be written. */
function fieldsIn({ node }: Side): Map<string, PropertyDefinition> | undefined {
  const fields = new Map<string, PropertyDefinition>();
  for (const one of node.body.body) {
    if (one.type !== 'PropertyDefinition' || one.static || one.key.type === 'PrivateIdentifier') continue;
    if (one.computed || one.key.type !== 'Identifier' || fields.has(one.key.name)) return undefined;
    fields.set(one.key.name, one);
  }
  return fields;
}

function constructorIn({ body }: Class): MethodDefinition | undefined {
  return body.body.find((one): one is MethodDefinition => one.type === 'MethodDefinition' && one.kind === 'constructor');
}

/** Where the fields of an instance are made: at the start, or behind the call of the constructor above it. */
function startOf({ value }: MethodDefinition, { superClass }: Class): number | undefined {
  if (superClass == null) return value.body.start + 1;
  const call = value.body.body.find(
    (one) => one.type === 'ExpressionStatement' && one.expression.type === 'CallExpression' && one.expression.callee.type === 'Super',
  );
  return call?.end;
}

/** It does nothing that could be seen when it is made and thrown away. */
function isPlain(node: AnyNode | null | undefined): boolean {
  if (node == null) return true;
  if (node.type === 'ArrayExpression') return node.elements.every((one) => one === null || isPlain(one));
  if (node.type === 'ObjectExpression')
    return node.properties.every((one) => one.type === 'Property' && !one.computed && isPlain(one.value));
  if (node.type === 'NewExpression') {
    const { callee, arguments: given } = node;
    return callee.type === 'Identifier' && /^(?:Map|Set|WeakMap|WeakSet|Date|Array)$/.test(callee.name) && given.length === 0;
  }
  return /^(?:Literal|Identifier|UnaryExpression|ArrowFunctionExpression|FunctionExpression)$/.test(node.type);
}
