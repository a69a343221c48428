// What other CommonJS files took out of a file's exports when they were loaded: constants that have to follow when the exports change.
import { fileURLToPath } from 'node:url';
import type { AnyNode } from 'acorn';
import { findFile } from '../loader/resolve.ts';
import { type Unit, unitsOf } from './units.ts';

/** By name, each with the text that takes it again. */
export function takenFrom(url: string, by: { readonly url: string; readonly running: string }): Map<string, string> {
  const taken = new Map<string, string>();
  const [file, importer] = [pathOf(url), pathOf(by.url)];
  if (!/\brequire\b/.test(by.running)) return taken;
  for (const unit of unitsIn(by.running)) {
    if (unit.kind !== 'variable' || unit.keyword !== 'const' || unit.node.init == null) continue;
    const { id, init } = unit.node;
    const specifier = requiredIn(init);
    if (specifier === undefined || findFile(specifier, importer) !== file) continue;
    const text = by.running.slice(init.start, init.end);
    if (id.type === 'Identifier') taken.set(id.name, text);
    if (id.type !== 'ObjectPattern') continue;
    for (const one of id.properties) {
      if (one.type !== 'Property' || one.computed || one.key.type !== 'Identifier' || one.value.type !== 'Identifier') continue;
      taken.set(one.value.name, `(${text}).${one.key.name}`);
    }
  }
  return taken;
}

/** An ES module has no `require`. */
function unitsIn(code: string): readonly Unit[] {
  try {
    return unitsOf({ code, format: 'commonjs' }).all;
  } catch {
    return [];
  }
}

function pathOf(url: string): string {
  return fileURLToPath(url.replace(/\?.*$/, ''));
}

/** `require('./a')` and `require('./a').b`. */
function requiredIn(node: AnyNode): string | undefined {
  if (node.type === 'MemberExpression') return requiredIn(node.object);
  if (node.type !== 'CallExpression' || node.callee.type !== 'Identifier' || node.callee.name !== 'require') return undefined;
  const [given] = node.arguments;
  return given?.type === 'Literal' && typeof given.value === 'string' ? given.value : undefined;
}
