// Every regular expression in src/: those that are written down, and where others are put together.
import { parse } from 'acorn';
import { transformSync } from 'esbuild';
import type { SourceFile } from './tree.ts';

export interface Pattern {
  readonly path: string;
  readonly regexp: RegExp;
}

export interface Found {
  readonly patterns: readonly Pattern[];
  /** Files that call `new RegExp` or `RegExp` with what is known only when they run. */
  readonly made: readonly string[];
}

interface Node {
  readonly type: string;
  readonly [field: string]: unknown;
}

export function patternsOf(files: readonly SourceFile[]): Found {
  const patterns: Pattern[] = [];
  const made = new Set<string>();
  for (const { path, text } of files) {
    const { code } = transformSync(text, { loader: 'ts', target: 'esnext' });
    visit(parse(code, { ecmaVersion: 'latest', sourceType: 'module' }), (node) => {
      const { regex, callee } = node as { regex?: { pattern: string; flags: string }; callee?: { name?: string } };
      if (node.type === 'Literal' && regex !== undefined) patterns.push({ path, regexp: new RegExp(regex.pattern, regex.flags) });
      if ((node.type === 'NewExpression' || node.type === 'CallExpression') && callee?.name === 'RegExp') made.add(path);
    });
  }
  return { patterns, made: [...made] };
}

function visit(value: unknown, told: (node: Node) => void): void {
  if (Array.isArray(value)) return value.forEach((one) => void visit(one, told));
  if (typeof value !== 'object' || value === null || typeof (value as Partial<Node>).type !== 'string') return;
  told(value as Node);
  for (const inner of Object.values(value)) visit(inner, told);
}
