// Names of a file that live elsewhere: every mention of one is written as the place where it is now.
import type { AnyNode, Pattern, Program } from 'acorn';

export type Edit = { readonly start: number; readonly end: number; readonly text: string };

export class References {
  readonly #code: string;
  readonly #edits: Edit[] = [];
  readonly #moved: ReadonlyMap<string, string>;
  readonly #targets: ReadonlyMap<string, string>;
  readonly #statements: Set<number> = new Set();

  /** `moved`: what stands for a name of the top level; `targets`: what does so where something is assigned to it. */
  constructor(code: string, program: Program, moved: ReadonlyMap<string, string>, targets: ReadonlyMap<string, string> = moved) {
    this.#code = code;
    this.#moved = moved;
    this.#targets = targets;
    if (moved.size + targets.size > 0) for (const one of program.body) this.#visit(one, one, '', new Set(), false);
    this.#edits.sort((a, b) => a.start - b.start);
  }

  text({ start, end }: { readonly start: number; readonly end: number }): string {
    let text = '';
    let from = start;
    for (const edit of this.#edits) {
      if (edit.start < start || edit.end > end) continue;
      text += this.#code.slice(from, edit.start) + edit.text;
      from = edit.end;
    }
    return text + this.#code.slice(from, end);
  }

  /** Where names that live elsewhere stand in it. */
  within({ start, end }: { readonly start: number; readonly end: number }): readonly { readonly start: number; readonly name: string }[] {
    return this.#edits
      .filter((edit) => edit.start >= start && edit.end <= end)
      .map((edit) => ({ start: edit.start, name: this.#code.slice(edit.start, edit.end) }));
  }

  get edits(): readonly Edit[] {
    return this.#edits;
  }

  #visit(node: AnyNode, parent: AnyNode, key: string, hidden: ReadonlySet<string>, isTarget: boolean): void {
    if (node.type === 'Identifier') {
      const place = hidden.has(node.name) || isLabelOrKey(parent, key) ? undefined : this.#place(node.name, isTarget);
      if (place !== undefined) this.#edits.push({ start: node.start, end: node.end, text: this.#used(node, parent, key, place) });
      return;
    }
    if (node.type === 'ExpressionStatement') this.#statements.add(node.start);
    if (/^(?:Import|Export(?:All|Specifier))/.test(node.type) && node.type !== 'ImportExpression') return;
    const own = declaredIn(node).filter((name) => this.#moved.has(name) || this.#targets.has(name));
    const within = own.length === 0 ? hidden : new Set([...hidden, ...own]);
    if (node.type === 'Property' && node.shorthand) return this.#short(node, within, isTarget);
    for (const [name, value] of Object.entries(node)) {
      if (name === 'id' && /^(?:Function|Class)/.test(node.type)) continue;
      const assigned = isAssignedAt(node, name, isTarget);
      if (Array.isArray(value)) for (const one of value) if (isNode(one)) this.#visit(one, node, name, within, assigned);
      if (isNode(value)) this.#visit(value, node, name, within, assigned);
    }
  }

  #place(name: string, isTarget: boolean): string | undefined {
    return (isTarget ? this.#targets : this.#moved).get(name);
  }

  /** Called by its name a function has no `this`. At the start of a statement a parenthesis would belong to the line before. */
  #used(node: AnyNode, parent: AnyNode, key: string, place: string): string {
    // What is nowhere has a type all the same.
    if (parent.type === 'UnaryExpression' && parent.operator === 'typeof')
      return place.replace(/^(__vivarium_global\(.*\))\.value$/, '$1.maybe');
    if (!/^(?:callee|tag)$/.test(key) || !/^(?:Call|TaggedTemplate)Expression$/.test(parent.type)) return place;
    return `${this.#statements.has(node.start) ? '0, ' : ''}(0, ${place})`;
  }

  /** `{ a }` and `{ a = 1 }`: the name stays the key. */
  #short(node: Extract<AnyNode, { type: 'Property' | 'AssignmentProperty' }>, hidden: ReadonlySet<string>, isTarget: boolean): void {
    const value = node.value as AnyNode;
    const target = value.type === 'AssignmentPattern' ? (value.left as AnyNode) : value;
    const name = target.type === 'Identifier' ? target.name : '';
    const place = hidden.has(name) ? undefined : this.#place(name, isTarget);
    if (place !== undefined) this.#edits.push({ start: target.start, end: target.end, text: `${name}: ${place}` });
    if (value.type === 'AssignmentPattern') this.#visit(value.right, value, 'right', hidden, false);
  }
}

/** Whether something is assigned to what stands there; `isTarget`: to the node itself. */
function isAssignedAt(node: AnyNode, key: string, isTarget: boolean): boolean {
  switch (node.type) {
    case 'AssignmentExpression':
      return key === 'left';
    case 'UpdateExpression':
      return true;
    case 'ForInStatement':
    case 'ForOfStatement':
      return key === 'left' && node.left.type !== 'VariableDeclaration';
    case 'AssignmentPattern':
      return isTarget && key === 'left';
    case 'Property':
      return isTarget && key === 'value';
    case 'ObjectPattern':
    case 'ArrayPattern':
    case 'RestElement':
      return isTarget;
  }
  return false;
}

/** Names that have another meaning inside of the node. */
function declaredIn(node: AnyNode): string[] {
  switch (node.type) {
    case 'FunctionDeclaration':
    case 'FunctionExpression':
    case 'ArrowFunctionExpression':
      return [
        ...node.params.flatMap(namesIn),
        ...varsIn(node.body),
        ...(node.type === 'FunctionExpression' && node.id != null ? [node.id.name] : []),
      ];
    case 'ClassExpression':
      return node.id == null ? [] : [node.id.name];
    case 'BlockStatement':
    case 'StaticBlock':
      return node.body.flatMap(declares);
    case 'SwitchStatement':
      return node.cases.flatMap(({ consequent }) => consequent.flatMap(declares));
    case 'ForStatement':
      return node.init == null ? [] : declares(node.init);
    case 'ForInStatement':
    case 'ForOfStatement':
      return declares(node.left);
    case 'CatchClause':
      return node.param == null ? [] : namesIn(node.param);
  }
  return [];
}

function declares(node: AnyNode): string[] {
  if (node.type === 'VariableDeclaration') return node.declarations.flatMap(({ id }) => namesIn(id));
  if (node.type === 'FunctionDeclaration' || node.type === 'ClassDeclaration') return node.id === null ? [] : [node.id.name];
  return [];
}

/** Those belong to the whole function wherever they stand. */
function varsIn(node: AnyNode): string[] {
  if (/Function/.test(node.type)) return [];
  const own = node.type === 'VariableDeclaration' && node.kind === 'var' ? declares(node) : [];
  return [...own, ...childrenOf(node).flatMap(varsIn)];
}

export function namesIn(pattern: Pattern): string[] {
  switch (pattern.type) {
    case 'Identifier':
      return [pattern.name];
    case 'ObjectPattern':
      return pattern.properties.flatMap((one) => namesIn(one.type === 'RestElement' ? one.argument : one.value));
    case 'ArrayPattern':
      return pattern.elements.flatMap((one) => (one === null ? [] : namesIn(one)));
    case 'AssignmentPattern':
      return namesIn(pattern.left);
    case 'RestElement':
      return namesIn(pattern.argument);
    default:
      return [];
  }
}

function isLabelOrKey(parent: AnyNode, key: string): boolean {
  switch (parent.type) {
    case 'MemberExpression':
      return key === 'property' && !parent.computed;
    case 'Property':
    case 'MethodDefinition':
    case 'PropertyDefinition':
      return key === 'key' && !parent.computed;
    case 'LabeledStatement':
    case 'BreakStatement':
    case 'ContinueStatement':
      return key === 'label';
    case 'MetaProperty':
      return true;
  }
  return false;
}

export function childrenOf(node: AnyNode): AnyNode[] {
  return Object.values(node).flatMap((value) => (Array.isArray(value) ? value.filter(isNode) : isNode(value) ? [value] : []));
}

export function isNode(value: unknown): value is AnyNode {
  return typeof value === 'object' && value !== null && typeof (value as { type?: unknown }).type === 'string' && 'start' in value;
}
