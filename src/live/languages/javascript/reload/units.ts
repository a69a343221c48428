// A file in the parts that an edit adds, changes and removes: what it declares, imports and exports, and what it does when it is loaded.
import type { AnyNode, ClassDeclaration, FunctionDeclaration, Program, VariableDeclarator } from 'acorn';
import { isNode, namesIn } from '../cells/references.ts';
import { parser, type Runnable, tailBody } from '../loader/transform.ts';

export type Unit =
  | {
      readonly kind: 'import';
      readonly name: string;
      readonly from: string;
      readonly imported: string;
      readonly options: string;
      readonly start: number;
    }
  | { readonly kind: 'function'; readonly name: string; readonly node: FunctionDeclaration }
  | { readonly kind: 'class'; readonly name: string; readonly node: ClassDeclaration }
  | { readonly kind: 'variable'; readonly name: string; readonly keyword: string; readonly node: VariableDeclarator }
  | { readonly kind: 'default'; readonly name: string; readonly node: AnyNode }
  | { readonly kind: 'statement'; readonly name: string; readonly node: AnyNode };

export interface Units {
  readonly code: string;
  readonly program: Program;
  readonly all: readonly Unit[];
  /** By the names they have outside: a name within, or the text that takes it from elsewhere. */
  readonly exports: ReadonlyMap<string, Exported>;
  /** Everything that another module exports, as it is written after `export`. */
  readonly stars: readonly Elsewhere[];
}

interface Elsewhere {
  /** As it is written after `export`. */
  readonly from: string;
  readonly source: string;
  readonly imported: string;
}

export type Exported = { readonly local: string } | Elsewhere;

export function unitsOf({ code, format }: Runnable): Units {
  const sourceType = format === 'module' ? 'module' : 'script';
  const program = parser().parse(code, { ecmaVersion: 'latest', sourceType, allowHashBang: true, allowReturnOutsideFunction: true });
  const all: Unit[] = [];
  const exports = new Map<string, Exported>();
  const stars: Elsewhere[] = [];
  const text = ({ start, end }: { readonly start: number; readonly end: number }): string => code.slice(start, end);
  const declare = (node: AnyNode): string[] => {
    if (node.type === 'FunctionDeclaration')
      all.push({ kind: 'function', name: node.id?.name ?? 'default', node: node as FunctionDeclaration });
    else if (node.type === 'ClassDeclaration')
      all.push({ kind: 'class', name: node.id?.name ?? 'default', node: node as ClassDeclaration });
    else if (node.type === 'VariableDeclaration') {
      for (const one of node.declarations) all.push({ kind: 'variable', name: namesIn(one.id).join(', '), keyword: node.kind, node: one });
      return node.declarations.flatMap(({ id }) => namesIn(id));
    }
    return 'id' in node && isNode(node.id) && node.id.type === 'Identifier' ? [node.id.name] : [];
  };
  for (const node of program.body) {
    if (node.type === 'ImportDeclaration') {
      const attributes = node.attributes.map(({ key, value }) => `${text(key)}: ${text(value)}`).join(', ');
      const options = attributes === '' ? '' : `, { with: { ${attributes} } }`;
      for (const one of node.specifiers) {
        const imported =
          one.type === 'ImportNamespaceSpecifier' ? '*' : one.type === 'ImportDefaultSpecifier' ? 'default' : nameOf(one.imported);
        all.push({ kind: 'import', name: one.local.name, from: String(node.source.value), imported, options, start: one.start });
      }
      if (node.specifiers.length === 0) all.push({ kind: 'statement', name: text(node), node });
    } else if (node.type === 'ExportNamedDeclaration') {
      if (node.declaration != null) for (const name of declare(node.declaration)) exports.set(name, { local: name });
      const behind = node.source == null ? '' : text({ start: node.source.start, end: node.end }).replace(/;$/, '');
      for (const { local, exported } of node.specifiers) {
        const from = `{ ${text(local)} as ${text(exported)} } from ${behind}`;
        const elsewhere = { from, source: String(node.source?.value), imported: nameOf(local) };
        exports.set(nameOf(exported), node.source == null ? { local: nameOf(local) } : elsewhere);
      }
    } else if (node.type === 'ExportAllDeclaration') {
      const behind = text({ start: node.source.start, end: node.end }).replace(/;$/, '');
      const name = node.exported == null ? '' : ` as ${text(node.exported)}`;
      const elsewhere = { from: `*${name} from ${behind}`, source: String(node.source.value), imported: '*' };
      if (node.exported == null) stars.push(elsewhere);
      else exports.set(nameOf(node.exported), elsewhere);
    } else if (node.type === 'ExportDefaultDeclaration') {
      const { declaration } = node;
      const named = /Declaration$/.test(declaration.type);
      if (!named) all.push({ kind: 'default', name: 'default', node: declaration });
      exports.set('default', { local: (named ? declare(declaration as AnyNode)[0] : undefined) ?? 'default' });
    } else if (/^(?:Function|Class|Variable)Declaration$/.test(node.type)) declare(node);
    else if (!text(node).includes(tailBody) && node.type !== 'EmptyStatement')
      all.push({ kind: 'statement', name: line(text(node)), node });
  }
  // What is imported and exported again is the other module's.
  for (const [name, one] of exports) {
    const unit = 'local' in one ? all.find((other) => other.kind === 'import' && other.name === one.local) : undefined;
    if (unit?.kind !== 'import') continue;
    const { imported, from: source, options } = unit;
    const what = imported === '*' ? `* as ${JSON.stringify(name)}` : `{ ${JSON.stringify(imported)} as ${JSON.stringify(name)} }`;
    const terms = options.replace(/^, \{ (with: .*) \}$/, ' $1').replace('with:', 'with');
    exports.set(name, { from: `${what} from ${JSON.stringify(source)}${terms}`, source, imported });
  }
  return { code, program, all, exports, stars };
}

function nameOf(node: AnyNode): string {
  return node.type === 'Identifier' ? node.name : String((node as { value?: unknown }).value);
}

export function line(text: string): string {
  const [first = ''] = text.split('\n');
  return first.length > 60 || first !== text ? `${first.slice(0, 60)} …` : first;
}

/** Two nodes with the same signature differ in nothing but functions that can be swapped. */
export function signature(node: AnyNode | null | undefined, whole = false): string {
  if (node == null) return '';
  if (!whole && /Function/.test(node.type)) {
    const { async, generator, id } = node as FunctionDeclaration;
    return `${node.type} ${async} ${generator} ${id?.name ?? ''}`;
  }
  // A function that is called where it stands ran once, as the code around it.
  const called = node.type === 'CallExpression' && /Function/.test(node.callee.type);
  const parts: string[] = [node.type];
  for (const [key, value] of Object.entries(node)) {
    if (key === 'start' || key === 'end' || key === 'type' || (key === 'raw' && 'value' in node && typeof node.value === 'string'))
      continue;
    if (Array.isArray(value))
      parts.push(`${key}[${value.map((one) => (isNode(one) ? signature(one, whole || called) : String(one))).join()}]`);
    else if (isNode(value)) parts.push(`${key}(${signature(value, whole || called)})`);
    else if (typeof value !== 'object' || value === null) parts.push(`${key}=${String(value)}`);
    else if (key === 'regex' || key === 'value') parts.push(`${key}=${JSON.stringify(value)}`);
  }
  return parts.join(' ');
}

export function hash(text: string): string {
  let found = 5_381;
  for (let at = 0; at < text.length; at++) found = (found * 33 + text.charCodeAt(at)) | 0;
  return (found >>> 0).toString(36);
}

/** Whether a text of one is as good as a text of the other. */
export function isSame(old: AnyNode, now: AnyNode): boolean {
  return signature(old, true) === signature(now, true);
}
