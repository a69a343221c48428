// The newer text of a function as code that makes it, in the scope of its file or class.
import type { AnyNode } from 'acorn';
import { childrenOf } from '../cells/references.ts';
import type { Guard } from '../loader/guards.ts';
import { parser, type Runnable } from '../loader/transform.ts';
import type { Part } from './outline.ts';

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
}

/** Calls that are done with the functions they are given when they return, or call them once. */
const passing = new Set(
  'every filter find findIndex findLast findLastIndex flatMap forEach from map reduce reduceRight replace replaceAll some sort then toSorted'.split(
    ' ',
  ),
);

/** Undefined where it has to be the engine that swaps it. */
export function bodyOf(guard: Guard, old: Part, now: Part, { format, url, line, column }: Place): NewerBody | undefined {
  const name = JSON.stringify(guard.name);
  const parameters = `(${guard.parameters})`;
  const head = guard.arrow ? `${name}:${parameters}=>` : `${name}${parameters}`;
  const used = new Set<string>();
  for (const { body } of [old, now]) {
    try {
      const text = `({${head}\n${body}\n})`;
      // With its own names of parameters alone: those of classes around it are not known here.
      const program = parser().parse(text, {
        ecmaVersion: 'latest',
        sourceType: format === 'module' ? 'module' : 'script',
        checkPrivateFields: false,
      } as Parameters<ReturnType<typeof parser>['parse']>[1]);
      if (!isPassing(functionIn(program))) return undefined;
      if (body === now.body) note(program, used);
    } catch {
      return undefined;
    }
  }
  if (['arguments', 'eval', 'MetaProperty', 'ImportExpression'].some((one) => used.has(one))) return undefined;
  if (used.has('Super') && guard.home === undefined) return undefined;
  if (used.has('PrivateIdentifier') && guard.inside === undefined) return undefined;
  const home = used.has('Super') ? `__proto__:Object.getPrototypeOf(${guard.home}),` : '';
  const code = `${'\n'.repeat(line)}({${home}${head}\n${' '.repeat(column)}${now.body}\n})[${name}]\n//# sourceURL=${url}`;
  return used.has('PrivateIdentifier') && guard.inside !== undefined ? { code, inside: guard.inside } : { code };
}

function functionIn(node: AnyNode): AnyNode {
  return /Function/.test(node.type) ? node : functionIn(childrenOf(node).at(-1) as AnyNode);
}

/** What it makes of functions is gone when it returns: none could be left that has a text of before. */
function isPassing(node: AnyNode): boolean {
  return childrenOf(node).every((one) => {
    if (/^Class/.test(one.type)) return false;
    if (/Function/.test(one.type) && !isPassed(one, node)) return false;
    return isPassing(one);
  });
}

function isPassed(one: AnyNode, by: AnyNode): boolean {
  if (by.type !== 'CallExpression' || one === by.callee) return false;
  const { callee } = by;
  return callee.type === 'MemberExpression' && callee.property.type === 'Identifier' && passing.has(callee.property.name);
}

function note(node: AnyNode, used: Set<string>): void {
  used.add(node.type === 'Identifier' ? node.name : node.type);
  for (const one of childrenOf(node)) note(one, used);
}
