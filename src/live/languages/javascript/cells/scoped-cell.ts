// A cell that runs in the scope of a module: what it declares is its own, what it reads and assigns is the module's.
import { type AnyNode, type Program, parse } from 'acorn';
import type { Column } from '../../../js-runtime/positions.ts';
import { asExpression, CellError, columnsOf } from './cell.ts';
import { childrenOf, namesIn } from './references.ts';
import { Edits } from './text-edits.ts';

export interface ScopedCell {
  /** An asynchronous function without parameters. */
  readonly text: string;
  readonly columns: readonly Column[];
  /** Names that it mentions, and those of its surroundings that it assigns. */
  readonly reads: readonly string[];
  readonly assigns: readonly string[];
}

/** Stand for what an evaluated text cannot say. */
const importFrom = '__vivarium_import_from';
const metaOf = '__vivarium_meta_of';

/** Where the monitor puts the function that was made in the scope. */
export const scopedPlace = '__vivarium_added.within';

/** What the main thread runs then. */
export function runScoped(name: string): { readonly code: string; readonly awaits: true } {
  return { code: `void __vivarium_cell(${scopedPlace})\n//# sourceURL=${name}`, awaits: true };
}

/** `code` is JavaScript; types are gone already. `file` is the module as the caller named it. */
export function prepareScopedCell(code: string, file: string, pauses = false): ScopedCell {
  // Below our own call, Node 20 takes every error for one that is caught.
  const head = `(async () => { "use strict"; ${pauses ? 'await null; ' : ''}`;
  const source = asExpression(code) ?? code;
  const program = read(source);
  const edits = new Edits(source, []);
  const within = JSON.stringify(file);
  const visit = (node: AnyNode): void => {
    if (node.type === 'ImportExpression') {
      edits.replace(node.start, node.source.start, `${importFrom}(${within}, `);
    } else if (node.type === 'MetaProperty' && node.meta.name === 'import') edits.replace(node.start, node.end, `${metaOf}(${within})`);
    for (const one of childrenOf(node)) visit(one);
  };
  visit(program);
  for (const one of program.body) if (/^(?:Im|Ex)port/.test(one.type)) throw notHere(one);
  giving(program.body, edits);
  const { text, runs } = edits.without([]);
  return {
    text: `${head}${text}\n})`,
    columns: columnsOf(text, source, runs, head.length, source === code ? 0 : 1),
    ...mentioned(program),
  };
}

/** The value of a cell is that of its last statement, wherever in it that is computed. */
function giving(body: readonly AnyNode[], edits: Edits): void {
  const last = body.findLast((one) => one.type !== 'EmptyStatement' && one.type !== 'FunctionDeclaration');
  if (last?.type === 'ExpressionStatement') {
    edits.insert(last.start, 'return (');
    edits.insert(edits.text(last).endsWith(';') ? last.end - 1 : last.end, ')');
  } else if (last?.type === 'BlockStatement') giving(last.body, edits);
  else if (last?.type === 'IfStatement') for (const one of [last.consequent, last.alternate]) giving(one == null ? [] : [one], edits);
  else if (last?.type === 'TryStatement') for (const one of [last.block, last.handler?.body]) giving(one == null ? [] : [one], edits);
  else if (last?.type === 'VariableDeclaration') {
    const [name] = last.declarations.flatMap(({ id }) => namesIn(id)).slice(-1);
    if (name !== undefined) edits.insert(last.end, `; return ${name};`);
  }
}

function read(code: string): Program {
  try {
    // A module is strict, and so is what runs in it.
    return parse(code, { ecmaVersion: 'latest', sourceType: 'module', locations: true, allowAwaitOutsideFunction: true });
  } catch (error) {
    const { message, loc } = error as SyntaxError & { readonly loc?: { readonly line: number; readonly column: number } };
    const cause = message.replace(/ \(\d+:\d+\)$/, '');
    const cure = /^Private field/.test(cause)
      ? ': private members are in reach of their own class only; add a method that shows them by an edit and reload'
      : '';
    throw new CellError(`${cause}${cure}`, loc?.line ?? 1, (loc?.column ?? 0) + 1);
  }
}

function notHere({ type, loc }: AnyNode): CellError {
  const cure = type === 'ImportDeclaration' ? 'use await import(…)' : 'a running module gains exports by an edit and reload';
  const { line = 1, column = 0 } = loc?.start ?? {};
  return new CellError(
    `Nothing can be ${/^Im/.test(type) ? 'imported by a statement' : 'exported'} in the scope of a module: ${cure}`,
    line,
    column + 1,
  );
}

/** Every name it mentions, whatever it means there; and those it assigns without declaring them. */
function mentioned(program: Program): Pick<ScopedCell, 'reads' | 'assigns'> {
  const reads = new Set<string>();
  const assigns = new Set<string>();
  const own = new Set<string>();
  const visit = (node: AnyNode): void => {
    if (node.type === 'Identifier') reads.add(node.name);
    else if (node.type === 'AssignmentExpression' && node.left.type !== 'MemberExpression')
      for (const one of namesIn(node.left)) assigns.add(one);
    else if ((node.type === 'ForOfStatement' || node.type === 'ForInStatement') && node.left.type !== 'VariableDeclaration')
      for (const one of namesIn(node.left)) assigns.add(one);
    else if (node.type === 'UpdateExpression' && node.argument.type === 'Identifier') assigns.add(node.argument.name);
    else if (node.type === 'VariableDeclarator') for (const one of namesIn(node.id)) own.add(one);
    else if ((node.type === 'FunctionDeclaration' || node.type === 'ClassDeclaration') && node.id != null) own.add(node.id.name);
    for (const one of childrenOf(node)) visit(one);
  };
  visit(program);
  return { reads: [...reads], assigns: [...assigns].filter((one) => !own.has(one)) };
}
