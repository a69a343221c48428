// A file as the engine can swap it: the functions that may change while it runs, and everything else, which may not.
import type { AnyNode, ClassBody, Function as FunctionNode, PropertyDefinition } from 'acorn';
import { isNode } from '../cells/references.ts';
import { parser, type Runnable, tailBody } from '../loader/transform.ts';

/** A function that stands in no other. */
export interface Part {
  readonly name: string;
  readonly text: string;
  readonly start: number;
  readonly end: number;
  /** Of an arrow without braces. */
  readonly expression: string | undefined;
  /** From its start to its body, and the body. */
  readonly head: string;
  readonly body: string;
  /** Behind the parenthesis of its parameters, from its start; an arrow may have none. */
  readonly paren: number | undefined;
  readonly async: boolean;
  /** Handed to a call while the file was loaded: what that computed stays as it is. */
  readonly given: boolean;
  /** The fields of a class, which are no function. */
  readonly isFields?: true;
  /** The name of the last of them, where it has no value. */
  readonly lastName?: string;
}

interface Word {
  readonly start: number;
  readonly text: string;
}

export interface Outline {
  readonly code: string;
  /** All words outside of functions; comments and layout do not count. */
  readonly shape: string;
  /** Kinds of its statements: the same words may be others where a line ends elsewhere. */
  readonly statements: string;
  readonly parts: readonly Part[];
}

export function outlineOf({ code, format }: Runnable): Outline {
  const { parse } = parser();
  const words: Word[] = [];
  const program = parse(code, {
    ecmaVersion: 'latest',
    sourceType: format === 'module' ? 'module' : 'script',
    allowHashBang: true,
    allowReturnOutsideFunction: true,
    onToken: ({ start, end }) => words.push({ start, text: code.slice(start, end) }),
  });
  const parts: Part[] = [];
  const kinds: string[] = [];
  const visit = (node: AnyNode, name: string, given: boolean): void => {
    if (isFunction(node)) {
      parts.push({ ...partOf(node, name, code), paren: parenIn(node, words), given });
      kinds.push(`${node.type}${node.async ? ' async' : ''}${node.generator ? ' *' : ''} ${nameOf(node.id, code)}`);
      return;
    }
    // One that is called where it stands ran once, as the code around it.
    if (node.type === 'CallExpression' && isFunction(node.callee as AnyNode)) return;
    const own = namedBy(node, name, code);
    const fields = node.type === 'ClassBody' ? fieldsOf(node, code) : undefined;
    if (fields !== undefined) {
      parts.push({ ...fields.part, name: `fields of ${own}`, isFields: true });
      kinds.push(`fields ${fields.privates}`);
    }
    const inCall = given || node.type === 'CallExpression' || node.type === 'NewExpression';
    for (const value of Object.values(node)) {
      if (Array.isArray(value)) for (const one of value) if (isNode(one) && !isWithin(one, fields?.part)) visit(one, own, inCall);
      if (isNode(value)) visit(value, own, inCall);
    }
  };
  visit(program, '', false);
  parts.sort((a, b) => a.start - b.start);
  let at = 0;
  const outside = words.filter(({ start }) => {
    while (at < parts.length && start >= (parts[at] as Part).end) at++;
    const part = parts[at];
    return part === undefined || start < part.start;
  });
  const statements = program.body.map((one) => (one.type === 'ExpressionStatement' ? one.expression.type : one.type)).join(' ');
  return { code, statements, shape: `${outside.map(({ text }) => text).join(' ')}\n${kinds.join('\n')}`, parts };
}

/** Node 24 ends when a function that was swapped evaluates text in its own scope. */
export function evaluates({ parts }: Outline): boolean {
  return parts.some(({ text }) => /(?<![.\w$])eval\s*\(/.test(text.replace(tailBody, '')));
}

export function changedNames(known: Outline, wanted: Outline): string[] {
  return [...new Set(wanted.parts.filter(({ text }, at) => text !== known.parts[at]?.text).map(({ name }) => name))];
}

/** Whether one that changed was handed to a call. */
export function changesGiven(known: Outline, wanted: Outline): boolean {
  return wanted.parts.some(({ text, name, given }, at) => given && !name.includes('__vivarium') && text !== known.parts[at]?.text);
}

function partOf(node: FunctionNode & { readonly id?: unknown }, name: string, code: string): Omit<Part, 'given' | 'paren'> {
  const { start, end, body } = node as unknown as { start: number; end: number; body: AnyNode };
  // Parentheses around a body belong to it.
  const arrow = node.type === 'ArrowFunctionExpression' && node.expression;
  const from = arrow ? code.indexOf('=>', lastParameter(node)) + 2 : body.start;
  const text = code.slice(from, end);
  return {
    name: nameOf(node.id, code) || name || '(anonymous)',
    text: code.slice(start, end),
    start,
    end,
    expression: arrow ? text : undefined,
    head: code.slice(start, from),
    body: text,
    async: node.async,
  };
}

function parenIn(node: FunctionNode & { readonly id?: unknown }, words: readonly Word[]): number | undefined {
  const from = isNode(node.id) ? node.id.end : node.start;
  const to = node.params[0]?.start ?? Number.POSITIVE_INFINITY;
  let [at, high] = [0, words.length];
  while (at < high) {
    const middle = (at + high) >> 1;
    if ((words[middle] as Word).start < from) at = middle + 1;
    else high = middle;
  }
  while (at < words.length && (words[at] as Word).start < to && words[at]?.text !== '(') at++;
  const found = words[at]?.start ?? Number.POSITIVE_INFINITY;
  return found < to && found < bodyOf(node).start ? found + 1 - node.start : undefined;
}

function bodyOf(node: FunctionNode): AnyNode {
  return node.body as AnyNode;
}

/**
 * The fields that every instance gets are one function for the engine, from the first to the last, whose value is its end.
 * Without a value its name is the end. Undefined where other members stand between them.
 */
export function fieldsOf(
  { body }: ClassBody,
  code: string,
): { readonly part: Omit<Part, 'name'>; readonly all: readonly PropertyDefinition[]; readonly privates: string } | undefined {
  const fields = body.filter((one): one is PropertyDefinition => one.type === 'PropertyDefinition' && !one.static);
  const [first, last] = [fields[0], fields.at(-1)];
  if (first === undefined || last === undefined || body.indexOf(last) - body.indexOf(first) !== fields.length - 1) return undefined;
  const { start } = first;
  if (last.value == null) {
    if (last.computed || last.key.type !== 'Identifier') return undefined;
    const text = code.slice(start, last.key.end);
    const own = { text, start, end: last.key.end, expression: 'undefined', head: `${text} = `, body: 'undefined', lastName: last.key.name };
    return { part: { ...own, paren: undefined, async: false, given: false }, all: fields, privates: privatesOf(fields) };
  }
  const from = code.indexOf('=', last.key.end) + 1;
  const end = start + code.slice(start, last.end).replace(/;$/, '').trimEnd().length;
  const expression = code.slice(from, end);
  const head = code.slice(start, from);
  return {
    part: { text: code.slice(start, end), start, end, expression, head, body: expression, paren: undefined, async: false, given: false },
    all: fields,
    privates: privatesOf(fields),
  };
}

function privatesOf(fields: readonly PropertyDefinition[]): string {
  const names = fields.flatMap(({ key }) => (key.type === 'PrivateIdentifier' ? [key.name] : []));
  return names.sort().join();
}

function isWithin(node: AnyNode, part: { readonly start: number; readonly end: number } | undefined): boolean {
  return part !== undefined && node.start >= part.start && node.start < part.end;
}

function lastParameter({ params, start }: FunctionNode): number {
  return params.at(-1)?.end ?? start;
}

/** What things in this node are called. */
function namedBy(node: AnyNode, outer: string, code: string): string {
  switch (node.type) {
    case 'ClassDeclaration':
    case 'ClassExpression':
      return nameOf(node.id, code) || outer;
    case 'MethodDefinition':
    case 'PropertyDefinition':
    case 'Property':
      return outer === '' ? nameOf(node.key, code) : `${outer}.${nameOf(node.key, code)}`;
    case 'VariableDeclarator':
      return nameOf(node.id, code);
    case 'AssignmentExpression':
      return nameOf(node.left, code).replace(/^(?:module\.)?exports\./, '');
    case 'CallExpression':
      return outer || `${nameOf(node.callee, code)}(…)`;
    case 'ExportDefaultDeclaration':
      return 'default';
  }
  return outer;
}

function nameOf(node: unknown, code: string): string {
  return isNode(node) ? code.slice(node.start, node.end).replace(/\s+/g, ' ').slice(0, 40) : '';
}

export function isFunction(node: AnyNode): node is FunctionNode & AnyNode & { readonly id?: unknown } {
  return node.type === 'FunctionDeclaration' || node.type === 'FunctionExpression' || node.type === 'ArrowFunctionExpression';
}
