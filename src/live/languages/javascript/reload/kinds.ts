// Functions that become asynchronous, generators, accessors or the reverse. The engine takes a function for unchanged where its text is,
// and does not look at what stands before it: so it would stay what it was. A blank in it makes it another one.
import type { AnyNode, Program } from 'acorn';
import { childrenOf } from '../cells/references.ts';
import { parser } from '../loader/transform.ts';
import { isFunction } from './outline.ts';

/** How many blanks a function has got, by its kind and its text: it is to keep them. */
export type Blanks = Map<string, number>;

interface Literal {
  readonly kind: string;
  /** Without what says its kind. */
  readonly text: string;
  /** Where a blank changes nothing. */
  readonly at: number;
}

const mayDiffer = /\basync\b|\*|\b[gs]et\b/;

/** The next text, such that the engine sees that functions of another kind are others. */
export function withKinds(running: string, next: string, blanks: Blanks): string {
  if (!mayDiffer.test(next) && !mayDiffer.test(running)) return next;
  const [old, now] = [literalsIn(running), literalsIn(next)];
  if (old === undefined || now === undefined) return next;
  const kinds = new Map<string, Set<string>>();
  for (const { kind, text } of old) kinds.set(text, (kinds.get(text) ?? new Set()).add(kind));
  let [code, from] = ['', 0];
  for (const { kind, text, at } of now) {
    const key = `${kind} ${text}`;
    let count = blanks.get(key) ?? 0;
    const isOther = (): boolean => {
      const those = kinds.get(`${text.slice(0, 1)}${' '.repeat(count)}${text.slice(1)}`);
      return those !== undefined && !those.has(kind);
    };
    while (isOther()) count++;
    if (count === 0) continue;
    blanks.set(key, count);
    code += next.slice(from, at) + ' '.repeat(count);
    from = at;
  }
  return code + next.slice(from);
}

function literalsIn(code: string): Literal[] | undefined {
  const program = programOf(code, 'module') ?? programOf(code, 'script');
  if (program === undefined) return undefined;
  const found: Literal[] = [];
  const visit = (node: AnyNode, parent?: AnyNode): void => {
    if (isFunction(node)) {
      const { type, async, generator, body, end } = node;
      const of = parent?.type === 'MethodDefinition' || parent?.type === 'Property' ? parent.kind : '';
      // From its body on: what stands before it, such as parameters, is seen.
      const at = body.type === 'BlockStatement' ? body.start + 1 : body.start;
      found.push({ kind: `${type} ${async} ${generator} ${of}`, text: code.slice(body.start, end), at });
    }
    for (const one of childrenOf(node)) visit(one, node);
  };
  visit(program);
  return found.sort((a, b) => a.at - b.at);
}

function programOf(code: string, sourceType: 'module' | 'script'): Program | undefined {
  try {
    const options = { ecmaVersion: 'latest', sourceType, allowHashBang: true, allowReturnOutsideFunction: true } as const;
    return parser().parse(code, options);
  } catch {
    return undefined;
  }
}
