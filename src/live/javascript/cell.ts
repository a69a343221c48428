// A cell before it runs: imports become calls, and one that awaits becomes a function whose names outlive it.
import { type AnyNode, type ModuleDeclaration, type Node, type Pattern, type Program, parse, type Statement } from 'acorn';

export interface Cell {
  readonly code: string;
  /** The value comes by way of a promise. */
  readonly awaits: boolean;
  /** What it imports, by the names it gave it. */
  readonly imports: readonly Imported[];
  /** All names it declares, and those of them that must be declared before it runs. */
  readonly declares: readonly string[];
  readonly fresh: readonly string[];
}

export interface Imported {
  readonly local: string;
  /** `*` for the whole module. */
  readonly imported: string;
  readonly from: string;
}

export class CellError extends SyntaxError {
  override readonly name = 'SyntaxError';
  readonly line: number;
  readonly column: number;

  constructor(message: string, line: number, column: number) {
    super(message);
    this.line = line;
    this.column = column;
  }
}

/** Names the image provides. */
const load = '__vivarium_import';
const run = '__vivarium_cell';
const meta = '__vivarium_meta';

/**
 * `code` is JavaScript; types are gone already. `known` are the names that cells before it declared.
 *
 * Names are declared apart from what gives them their values, so that they can be declared again and none stays
 * unusable because its cell failed. Lines stay where they are, so that errors point to what was written.
 */
export function prepareCell(code: string, name: string, known: ReadonlySet<string> = new Set(), pauses = false): Cell {
  const source = asExpression(code) ?? code;
  const program = read(source);
  const edits = new Edits(source);
  // An error that leaves an asynchronous function is told apart from one that the program catches itself.
  const awaits = survey(program, edits) || pauses || program.body.some((one) => one.type === 'ImportDeclaration');
  const imports: Imported[] = [];
  const functions: string[] = [];
  for (const [at, statement] of program.body.entries()) {
    const last = at === program.body.length - 1;
    if (statement.type === 'ImportDeclaration') importing(statement, edits, imports);
    else if (statement.type === 'VariableDeclaration') assigning(statement, edits, awaits && last);
    else if (statement.type === 'FunctionDeclaration') {
      functions.push(statement.id.name);
      if (!awaits && known.has(statement.id.name)) naming(statement, statement.id.name, edits);
    } else if (statement.type === 'ClassDeclaration') naming(statement, statement.id.name, edits);
    else if (statement.type === 'ExpressionStatement' && awaits && last) {
      // From its own start on: parentheses around it are no part of the expression.
      edits.insert(statement.start, 'return (');
      edits.insert(edits.text(statement).endsWith(';') ? statement.end - 1 : statement.end, ')');
    }
  }
  const declares = [...new Set(program.body.flatMap(declaredBy))];
  // As they are, functions declare themselves, and can be called before they stand.
  const fresh = declares.filter((one) => !known.has(one) && (awaits || !functions.includes(one)));
  const label = `\n//# sourceURL=${name}`;
  if (!awaits) return { code: `${edits.apply()}${label}`, awaits, imports, declares, fresh };
  // Inside, a function's own name hides the one outside, which is therefore set from there.
  const setters = functions.map((one) => `${one}: (value) => { ${one} = value; }`).join(', ');
  const hoisted = functions.map((one) => `set.${one}(${one}); `).join('');
  return { code: `void ${run}(async (set) => { ${hoisted}${edits.apply()}\n}, { ${setters} });${label}`, awaits, imports, declares, fresh };
}

/** `{ a: 1 }` is meant as a value, not as a block with a label. */
function asExpression(code: string): string | undefined {
  if (!/^\s*\{/.test(code) || /;\s*$/.test(code)) return undefined;
  const wrapped = `(${code}\n)`;
  try {
    read(wrapped);
    return wrapped;
  } catch {
    return undefined;
  }
}

function read(code: string): Program {
  const terms = { ecmaVersion: 'latest', locations: true, allowHashBang: true, allowAwaitOutsideFunction: true } as const;
  try {
    return parse(code, { ...terms, sourceType: 'module' });
  } catch (error) {
    try {
      // Old code may do what modules may not.
      return parse(code, { ...terms, sourceType: 'script', allowReturnOutsideFunction: false });
    } catch {
      const { message, loc } = error as SyntaxError & { readonly loc?: { readonly line: number; readonly column: number } };
      throw new CellError(message.replace(/ \(\d+:\d+\)$/, ''), loc?.line ?? 1, (loc?.column ?? 0) + 1);
    }
  }
}

/** Everything that must be written differently wherever it stands, and whether the cell itself awaits. */
function survey(program: Program, edits: Edits): boolean {
  let awaits = false;
  const visit = (node: AnyNode, inside: boolean): void => {
    if (node.type === 'ImportExpression') edits.replace(node.start, node.start + 'import'.length, load);
    else if (node.type === 'MetaProperty' && node.meta.name === 'import') edits.replace(node.start, node.end, meta);
    else if (!inside && (node.type === 'AwaitExpression' || (node.type === 'ForOfStatement' && node.await))) awaits = true;
    const within = inside || /Function|^PropertyDefinition$|^StaticBlock$/.test(node.type);
    for (const value of Object.values(node)) {
      if (Array.isArray(value)) for (const one of value) if (isNode(one)) visit(one, within);
      if (isNode(value)) visit(value, within);
    }
  };
  visit(program, false);
  return awaits;
}

function isNode(value: unknown): value is AnyNode {
  return typeof value === 'object' && value !== null && typeof (value as { type?: unknown }).type === 'string' && 'start' in value;
}

type Import = Extract<ModuleDeclaration, { type: 'ImportDeclaration' }>;

function importing(statement: Import, edits: Edits, imports: Imported[]): void {
  const from = String(statement.source.value);
  const attributes = statement.attributes.map(({ key, value }) => `${edits.text(key)}: ${edits.text(value)}`).join(', ');
  const call = `await ${load}(${statement.source.raw}${attributes === '' ? '' : `, { with: { ${attributes} } }`})`;
  const picked: string[] = [];
  let whole: string | undefined;
  for (const one of statement.specifiers) {
    const local = one.local.name;
    if (one.type === 'ImportNamespaceSpecifier') {
      whole = local;
      imports.push({ local, imported: '*', from });
      continue;
    }
    const imported = one.type === 'ImportDefaultSpecifier' ? 'default' : nameOf(one.imported);
    imports.push({ local, imported, from });
    picked.push(`${JSON.stringify(imported)}: ${local}`);
  }
  const lines = '\n'.repeat(edits.text(statement).split('\n').length - 1);
  const taken = whole === undefined ? call : `${whole} = ${call}`;
  edits.replace(statement.start, statement.end, `${picked.length === 0 ? taken : `({ ${picked.join(', ')} } = ${taken})`};${lines}`);
}

function nameOf(node: { readonly type: string; readonly name?: string; readonly value?: unknown }): string {
  return node.type === 'Identifier' ? String(node.name) : String(node.value);
}

/** Declared elsewhere, assigned here. */
function assigning(statement: Extract<Statement, { type: 'VariableDeclaration' }>, edits: Edits, returns: boolean): void {
  const only = statement.declarations.length === 1 && statement.declarations[0]?.init != null;
  edits.replace(statement.start, statement.start + statement.kind.length, returns && only ? 'return' : '');
  for (const { init, start, end } of statement.declarations) {
    if (init === null || init === undefined) edits.insert(end, statement.kind === 'var' ? '' : ' = undefined');
    else {
      edits.insert(start, '(');
      edits.insert(end, ')');
    }
  }
  if (edits.text(statement).at(-1) !== ';') edits.insert(statement.end, ';');
}

function naming(statement: Node, name: string, edits: Edits): void {
  edits.insert(statement.start, `${name} = `);
  edits.insert(statement.end, ';');
}

function declaredBy(statement: Statement | ModuleDeclaration): string[] {
  if (statement.type === 'VariableDeclaration') return statement.declarations.flatMap(({ id }) => namesIn(id));
  if (statement.type === 'FunctionDeclaration' || statement.type === 'ClassDeclaration') return [statement.id.name];
  return statement.type === 'ImportDeclaration' ? statement.specifiers.map(({ local }) => local.name) : [];
}

function namesIn(pattern: Pattern): string[] {
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

/** Changes to a text by the positions of the original. */
class Edits {
  readonly #source: string;
  readonly #edits: { readonly start: number; readonly end: number; readonly text: string; readonly order: number }[] = [];

  constructor(source: string) {
    this.#source = source;
  }

  text({ start, end }: Node): string {
    return this.#source.slice(start, end);
  }

  insert(at: number, text: string): void {
    this.replace(at, at, text);
  }

  replace(start: number, end: number, text: string): void {
    this.#edits.push({ start, end, text, order: this.#edits.length });
  }

  apply(): string {
    let at = 0;
    let made = '';
    for (const { start, end, text } of this.#edits.sort((a, b) => a.start - b.start || a.order - b.order)) {
      // What was replaced as a whole has no inside any more.
      if (start < at) continue;
      made += this.#source.slice(at, start) + text;
      at = end;
    }
    return made + this.#source.slice(at);
  }
}
