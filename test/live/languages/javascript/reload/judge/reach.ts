// Which names of a program a name depends on: by the words in the declarations, over all files. It may name too much, never too little.
import { type AnyNode, parse } from 'acorn';
import { transformSync } from 'esbuild';
import type { Files } from './run.ts';

const word = /[\p{ID_Start}$_#][\p{ID_Continue}$]*/gu;

export class Reach {
  readonly #uses: Map<string, Set<string>> = new Map();

  constructor(...versions: readonly Files[]) {
    for (const files of versions) for (const [path, text] of Object.entries(files)) if (/\.[cm]?[jt]sx?$/.test(path)) this.#add(path, text);
  }

  /** All that the name may depend on, itself among it. */
  of(name: string): Set<string> {
    const found = new Set([name]);
    for (const one of found) for (const used of this.#uses.get(one) ?? []) found.add(used);
    return found;
  }

  #add(path: string, text: string): void {
    for (const statement of statementsOf(path, text)) {
      const words = new Set(statement.text.match(word));
      for (const name of statement.names) this.#uses.set(name, new Set([...(this.#uses.get(name) ?? []), ...words]));
    }
  }
}

interface Statement {
  readonly names: readonly string[];
  readonly text: string;
}

function statementsOf(path: string, text: string): Statement[] {
  const plain = /\.[cm]?tsx?$/.test(path) ? transformSync(text, { loader: 'ts' }).code : text;
  try {
    const program = parse(plain, {
      ecmaVersion: 'latest',
      sourceType: /^(?:import|export)\b/m.test(plain) ? 'module' : 'script',
      allowHashBang: true,
    });
    return program.body.map((node) => {
      const own = plain.slice(node.start, node.end);
      return { names: namesOf(node, own), text: own };
    });
  } catch {
    return [{ names: [...new Set(plain.match(word))], text: plain }];
  }
}

/** What it declares; of anything else, all the words before its first value: those may be what it changes. */
function namesOf(node: AnyNode, text: string): string[] {
  if (node.type === 'FunctionDeclaration' || node.type === 'ClassDeclaration') return node.id ? [node.id.name] : ['default'];
  if (node.type === 'VariableDeclaration')
    return node.declarations.flatMap(({ id, init }) => [
      ...(text.slice(id.start - node.start, (init?.start ?? id.end) - node.start).match(word) ?? []),
    ]);
  if (node.type === 'ExportNamedDeclaration' && node.declaration)
    return namesOf(node.declaration, text.slice(node.declaration.start - node.start));
  if (node.type === 'ExportDefaultDeclaration')
    return ['default', ...namesOf(node.declaration as AnyNode, text.slice(node.declaration.start - node.start))];
  return ['default', 'module.exports', ...(text.match(word) ?? [])];
}
