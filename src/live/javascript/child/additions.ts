// Functions that a file gained while it runs. The engine adds no names to a module, so they are made in its scope by its tail,
// kept in a table, and called from there.
import type { AnyNode, Program } from 'acorn';
import { parser, type Runnable, tailBody } from './transform.ts';

export interface Folded {
  readonly code: string;
  /** By name; empty where nothing was added. */
  readonly added: ReadonlyMap<string, string>;
}

const table = '__vivarium_added';

/** Functions at the top level that are not exported. */
export function declaredIn({ code, format }: Runnable): Set<string> {
  return new Set(programOf({ code, format }).body.flatMap((one) => (one.type === 'FunctionDeclaration' ? [one.id.name] : [])));
}

/** The code as if it had only the functions in `present`; undefined where a name has two meanings. */
export function folded(made: Runnable, present: ReadonlySet<string>, keyOf: (name: string) => string): Folded | undefined {
  const { code } = made;
  const program = programOf(made);
  const names = new Set<string>();
  for (const one of program.body) if (one.type === 'FunctionDeclaration' && !present.has(one.id.name)) names.add(one.id.name);
  if (names.size === 0 || !code.includes(tailBody)) return { code, added: new Map() };
  const edits: { readonly at: number; readonly end: number; readonly text: string }[] = [];
  let clear = true;
  const visit = (node: AnyNode, parent: AnyNode, key: string): void => {
    if (node.type === 'Identifier' && names.has(node.name)) {
      const role = roleOf(parent, key);
      if (role === 'declares') clear &&= parent.type === 'FunctionDeclaration' && program.body.includes(parent as never) && key === 'id';
      else if (role === 'uses') edits.push({ at: node.start, end: node.end, text: `${table}.${keyOf(node.name)}` });
      else if (role === 'short') edits.push({ at: node.start, end: node.end, text: `${node.name}: ${table}.${keyOf(node.name)}` });
    }
    for (const [name, value] of Object.entries(node)) {
      if (Array.isArray(value)) for (const one of value) if (isNode(one)) visit(one, node, name);
      // A short property has its name twice.
      if (isNode(value) && !(node.type === 'Property' && node.shorthand && name === 'value')) visit(value, node, name);
    }
  };
  visit(program, program, '');
  if (!clear) return undefined;
  const rewrite = (start: number, end: number): string => {
    let text = '';
    let from = start;
    for (const edit of edits) {
      if (edit.at < start || edit.end > end) continue;
      text += code.slice(from, edit.at) + edit.text;
      from = edit.end;
    }
    return text + code.slice(from, end);
  };
  edits.sort((a, b) => a.at - b.at);
  const added = new Map<string, string>();
  let rest = '';
  let from = 0;
  for (const one of program.body) {
    if (one.type !== 'FunctionDeclaration' || !names.has(one.id.name)) continue;
    added.set(one.id.name, `${table}.${keyOf(one.id.name)} = ${rewrite(one.start, one.end)};`);
    rest += rewrite(from, one.start);
    from = one.end;
  }
  rest += rewrite(from, code.length);
  return { code: rest.replace(tailBody, () => `${tailBody} ${[...added.values()].join(' ')}\n`), added };
}

function roleOf(parent: AnyNode, key: string): 'uses' | 'short' | 'names' | 'declares' {
  switch (parent.type) {
    case 'MemberExpression':
      return key === 'property' && !parent.computed ? 'names' : 'uses';
    case 'Property':
      return key !== 'key' || parent.computed ? 'uses' : parent.shorthand ? 'short' : 'names';
    case 'MethodDefinition':
    case 'PropertyDefinition':
      return key === 'key' && !parent.computed ? 'names' : 'uses';
    case 'LabeledStatement':
    case 'BreakStatement':
    case 'ContinueStatement':
      return key === 'label' ? 'names' : 'uses';
    case 'CallExpression':
    case 'NewExpression':
    case 'ArrayExpression':
    case 'ReturnStatement':
    case 'ExpressionStatement':
    case 'AwaitExpression':
    case 'BinaryExpression':
    case 'LogicalExpression':
    case 'ConditionalExpression':
    case 'SpreadElement':
    case 'TemplateLiteral':
    case 'UnaryExpression':
    case 'IfStatement':
      return 'uses';
    case 'ArrowFunctionExpression':
      return key === 'body' ? 'uses' : 'declares';
    case 'VariableDeclarator':
      return key === 'init' ? 'uses' : 'declares';
    default:
      // Parameters, patterns, classes, exports, assignments: not worth a guess.
      return 'declares';
  }
}

function programOf({ code, format }: Runnable): Program {
  const sourceType = format === 'module' ? 'module' : 'script';
  return parser().parse(code, { ecmaVersion: 'latest', sourceType, allowHashBang: true, allowReturnOutsideFunction: true });
}

function isNode(value: unknown): value is AnyNode {
  return typeof value === 'object' && value !== null && typeof (value as { type?: unknown }).type === 'string' && 'start' in value;
}
