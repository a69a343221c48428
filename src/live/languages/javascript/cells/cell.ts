// A cell before it runs: imports become calls, and one that awaits becomes a function whose names outlive it.
import { type AnyNode, type Comment, type ModuleDeclaration, type Node, type Program, parse, type Statement } from 'acorn';
import type { Column } from '../../../js-runtime/positions.ts';
import { namesIn } from './references.ts';
import { Edits, type Run } from './text-edits.ts';

export interface Cell {
  readonly code: string;
  /** Its function declarations: they stand before anything of it runs. Lines and columns are those of the cell. */
  readonly functions: string;
  /** The value comes by way of a promise. */
  readonly awaits: boolean;
  /** Where runs of what was written begin in `code`: the line, its column there, and the column it was written at; from 0. */
  readonly columns: readonly Column[];
  /** What it imports, by the names it gave it. */
  readonly imports: readonly Imported[];
  /** All names it declares, and those of them that must be declared before it runs. */
  readonly declares: readonly string[];
  readonly fresh: readonly string[];
  /** Of these, those that are functions and nothing else. */
  readonly functionNames: readonly string[];
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

/** What cells before it declared. */
export interface Known {
  /** With a declaration of their own: another one would be refused. */
  readonly names: ReadonlySet<string>;
  /** As functions, which may be declared again and again. */
  readonly functions: ReadonlySet<string>;
}

const nothing: Known = { names: new Set(), functions: new Set() };

/**
 * `code` is JavaScript; types are gone already.
 *
 * Names are declared apart from what gives them their values, so that they can be declared again and none stays
 * unusable because its cell failed. Lines stay where they are, so that errors point to what was written.
 */
export function prepareCell(code: string, name: string, known: Known = nothing, pauses = false): Cell {
  const source = asExpression(code) ?? code.replace(/^#!/, '//');
  const remarks: Comment[] = [];
  const program = read(source, remarks);
  const edits = new Edits(source, remarks);
  const found = survey(program, edits);
  // An error that leaves an asynchronous function is told apart from one that the program catches itself.
  const awaits = found.awaits || pauses || program.body.some((one) => one.type === 'ImportDeclaration');
  const imports: Imported[] = [];
  const functions: Node[] = [];
  const declared = new Set(found.vars);
  const functionNames = new Set<string>();
  const last = program.body.findLastIndex(gives);
  for (const [at, outer] of program.body.entries()) {
    const statement = unexported(outer, edits);
    if (statement === undefined) continue;
    for (const one of declaredBy(statement)) declared.add(one);
    const returns = awaits && at === last;
    if (statement.type === 'ImportDeclaration') importing(statement, edits, imports);
    else if (statement.type === 'VariableDeclaration') assigning(statement, edits, returns ? 'value' : 'statement');
    else if (statement.type === 'FunctionDeclaration') {
      functions.push(statement);
      functionNames.add(statement.id.name);
      // A name that was declared otherwise stays that, and gets the function before anything runs.
      if (known.names.has(statement.id.name)) naming(statement, statement.id.name, edits);
    } else if (statement.type === 'ClassDeclaration') naming(statement, statement.id.name, edits, returns);
    else if (statement.type === 'ExpressionStatement' && returns) {
      // From its own start on: parentheses around it are no part of the expression.
      edits.insert(statement.start, 'return (');
      edits.insert(edits.text(statement).endsWith(';') ? statement.end - 1 : statement.end, ')');
    }
  }
  const declares = [...declared];
  const fresh = declares.filter((one) => !known.names.has(one) && !known.functions.has(one) && !functionNames.has(one));
  const label = `\n//# sourceURL=${name}`;
  const { text: rest, runs } = edits.without(functions);
  // Below our own call, Node 20 takes every error for one that is caught.
  const apart = pauses ? 'await null; ' : '';
  const head = awaits ? `void ${run}(async () => { ${apart}` : '';
  return {
    code: awaits ? `${head}${rest}\n});${label}` : `${rest}${label}`,
    // In the same columns, so that one table is right for both.
    functions: functions.length === 0 ? '' : `${' '.repeat(head.length)}${edits.only(functions)}${label}`,
    awaits,
    columns: columnsOf(rest, source, runs, head.length, source === code || /^#!/.test(code) ? 0 : 1),
    imports,
    declares,
    fresh,
    functionNames: [...functionNames].filter((one) => !known.names.has(one)),
  };
}

/** Lines are the same in both; `shift` and `wrapped` are what the first one has more than was made, and than was written. */
export function columnsOf(made: string, source: string, runs: readonly Run[], shift: number, wrapped: number): Column[] {
  const columns: Column[] = [];
  const column = (text: string, at: number): number => at - (text.lastIndexOf('\n', at - 1) + 1);
  const add = (line: number, there: number, written: number): void => {
    const last = columns.at(-1);
    const before = last?.[0] === line ? last[2] - last[1] : 0;
    if (written - there !== before) columns.push([line, there, written]);
  };
  for (const [at, from] of runs) {
    const line = made.slice(0, at).split('\n').length - 1;
    const first = line === 0;
    add(line, column(made, at) + (first ? shift : 0), column(source, from) - (first ? wrapped : 0));
  }
  return columns;
}

/** A cell is no module: what it exports, everybody has. Undefined where nothing is left. */
function unexported(
  statement: Statement | ModuleDeclaration,
  edits: Edits,
): Statement | Extract<ModuleDeclaration, { type: 'ImportDeclaration' }> | undefined {
  if (statement.type === 'ExportNamedDeclaration' || statement.type === 'ExportDefaultDeclaration') {
    const { declaration } = statement;
    if (declaration === null || declaration === undefined) {
      edits.replace(statement.start, statement.end, edits.blank(statement));
      return undefined;
    }
    edits.replace(statement.start, declaration.start, statement.type === 'ExportDefaultDeclaration' ? ';' : '');
    return 'id' in declaration && declaration.id !== null && /Declaration$/.test(declaration.type)
      ? (declaration as Statement)
      : statement.type === 'ExportNamedDeclaration'
        ? (declaration as Statement)
        : undefined;
  }
  if (statement.type === 'ExportAllDeclaration') {
    edits.replace(statement.start, statement.end, edits.blank(statement));
    return undefined;
  }
  return statement;
}

/** `{ a: 1 }` is meant as a value, not as a block with a label. */
export function asExpression(code: string): string | undefined {
  if (!/^\s*\{/.test(code) || /;\s*$/.test(code)) return undefined;
  const wrapped = `(${code}\n)`;
  try {
    read(wrapped);
    return wrapped;
  } catch {
    return undefined;
  }
}

function read(code: string, onComment: Comment[] = []): Program {
  const terms = { ecmaVersion: 'latest', locations: true, allowHashBang: true, allowAwaitOutsideFunction: true, onComment } as const;
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

interface Found {
  readonly awaits: boolean;
  /** Of the kind that belongs to the whole cell wherever it stands. */
  readonly vars: readonly string[];
}

/** Everything that must be written differently wherever it stands, and whether the cell itself awaits. */
function survey(program: Program, edits: Edits): Found {
  let awaits = false;
  const vars: string[] = [];
  const visit = (node: AnyNode, inside: boolean, parent: AnyNode | undefined): void => {
    if (node.type === 'ImportExpression') edits.replace(node.start, node.start + 'import'.length, load);
    else if (node.type === 'MetaProperty' && node.meta.name === 'import') edits.replace(node.start, node.end, meta);
    else if (!inside && (node.type === 'AwaitExpression' || (node.type === 'ForOfStatement' && node.await))) awaits = true;
    else if (
      !inside &&
      node.type === 'VariableDeclaration' &&
      node.kind === 'var' &&
      parent !== program &&
      parent?.type !== 'ExportNamedDeclaration'
    ) {
      for (const { id } of node.declarations) vars.push(...namesIn(id));
      if (/^For/.test(parent?.type ?? '')) edits.replace(node.start, node.start + 'var'.length, '');
      else assigning(node, edits, /^(?:BlockStatement|StaticBlock|SwitchCase)$/.test(parent?.type ?? '') ? 'statement' : 'only');
    }
    const within = inside || /Function|^PropertyDefinition$|^StaticBlock$/.test(node.type);
    for (const value of Object.values(node)) {
      if (Array.isArray(value)) for (const one of value) if (isNode(one)) visit(one, within, node);
      if (isNode(value)) visit(value, within, node);
    }
  };
  visit(program, false, undefined);
  return { awaits, vars };
}

function isNode(value: unknown): value is AnyNode {
  return typeof value === 'object' && value !== null && typeof (value as { type?: unknown }).type === 'string' && 'start' in value;
}

type Import = Extract<ModuleDeclaration, { type: 'ImportDeclaration' }>;

function importing(statement: Import, edits: Edits, imports: Imported[]): void {
  const from = String(statement.source.value);
  const attributes = statement.attributes.map(({ key, value }) => `${edits.text(key)}: ${edits.text(value)}`).join(', ');
  const picked: string[] = [];
  const before = imports.length;
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
  const wanted = imports.slice(before).flatMap(({ imported }) => (imported === '*' ? [] : [JSON.stringify(imported)]));
  const options = attributes === '' ? 'undefined' : `{ with: { ${attributes} } }`;
  const call = `await ${load}(${statement.source.raw}, ${options}, [${wanted.join(', ')}])`;
  const lines = '\n'.repeat(edits.text(statement).split('\n').length - 1);
  const taken = whole === undefined ? call : `${whole} = ${call}`;
  // With a semicolon of its own: the line before may have none.
  edits.replace(statement.start, statement.end, `;${picked.length === 0 ? taken : `({ ${picked.join(', ')} } = ${taken})`};${lines}`);
}

function nameOf(node: { readonly type: string; readonly name?: string; readonly value?: unknown }): string {
  return node.type === 'Identifier' ? String(node.name) : String(node.value);
}

/** Functions stand before anything runs, and a name alone does nothing: the value of a cell is that of what comes before them. */
function gives(outer: Statement | ModuleDeclaration): boolean {
  const statement = outer.type === 'ExportNamedDeclaration' ? outer.declaration : outer;
  if (statement?.type === 'VariableDeclaration') return !isBare(statement);
  return !['EmptyStatement', 'FunctionDeclaration', undefined].includes(statement?.type);
}

type Variables = Extract<Statement, { type: 'VariableDeclaration' }>;

function isBare({ kind, declarations }: Variables): boolean {
  return kind === 'var' && declarations.every(({ init }) => init === null || init === undefined);
}

/**
 * Declared elsewhere, assigned here. With a semicolon of its own, because the line before may have none; but not where it is the
 * only statement of an `if` or a loop, which would then be another one.
 */
function assigning(statement: Variables, edits: Edits, as: 'statement' | 'only' | 'value'): void {
  const { kind, start, end, declarations } = statement;
  if (/using/.test(kind)) throw new CellError('using needs a block of its own: { using x = …; }', statement.loc?.start.line ?? 1, 1);
  const closed = edits.text(statement).at(-1) === ';';
  // It is no value either.
  if (isBare(statement)) return edits.replace(start, closed ? end - 1 : end, `${closed ? '' : ';'}${edits.blank(statement).slice(1)}`);
  edits.replace(start, start + kind.length, { statement: ';', only: '', value: 'return (' }[as]);
  for (const { init, start: from, end: to } of declarations) {
    if (init === null || init === undefined) edits.insert(to, kind === 'var' ? '' : ' = undefined');
    else {
      edits.insert(from, '(');
      edits.insert(to, ')');
    }
  }
  edits.insert(closed ? end - 1 : end, `${as === 'value' ? ')' : ''}${closed ? '' : ';'}`);
}

function naming(statement: Node, name: string, edits: Edits, returns = false): void {
  edits.insert(statement.start, `;${returns ? 'return ' : ''}${name} = `);
  edits.insert(statement.end, ';');
}

function declaredBy(statement: Statement | ModuleDeclaration): string[] {
  if (statement.type === 'VariableDeclaration') return statement.declarations.flatMap(({ id }) => namesIn(id));
  if (statement.type === 'FunctionDeclaration' || statement.type === 'ClassDeclaration') return [statement.id.name];
  return statement.type === 'ImportDeclaration' ? statement.specifiers.map(({ local }) => local.name) : [];
}
