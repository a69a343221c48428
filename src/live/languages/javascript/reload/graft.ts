// A new text of a file in the shape it was loaded with: changed functions where the old ones are, everything else in the file's tail,
// which can do in the file's own scope what a module may not do any more once it runs.
import type { AnyNode } from 'acorn';
import { namesIn, References } from '../cells/references.ts';
import { type Runnable, tailBody } from '../loader/transform.ts';
import { classGraft, type Edit } from './class-graft.ts';
import { isSame, line, signature, type Unit, type Units, unitsOf } from './units.ts';

export interface Step {
  readonly text: string;
  readonly names: readonly string[];
  /** A variable's first value: it has its own since. */
  readonly once?: true;
  readonly idle?: true;
  /** A constant of the file that gets what the step computes. */
  readonly constant?: string;
}

export interface Graft {
  readonly steps: ReadonlyMap<string, Step>;
  /** Names that are new outside, each with what it stands for. */
  readonly exports: ReadonlyMap<string, string>;
  /** What comes from elsewhere, as it is written after `export`. */
  readonly passed: readonly string[];
  readonly remarks: readonly string[];
  readonly hasDefault: boolean;
  /** With the steps that are due; `opened` where one of them needs a way into a class. */
  code(due: ReadonlySet<string>, opened: boolean): string;
  readonly opens: ReadonlySet<string>;
}

const table = '__vivarium_added';

/** A string says why it cannot be done. `id` keeps the names of one file apart from those of others; `before` is what runs now. */
export function grafted(base: Runnable, made: Runnable, id: string, before?: Graft): Graft | string {
  if (!base.code.includes(tailBody)) return 'its top-level code changed';
  return new Grafting(unitsOf(base), unitsOf(made), id, before).graft();
}

class Grafting {
  readonly #from: Units;
  readonly #to: Units;
  readonly #id: string;
  readonly #before: Graft | undefined;
  readonly #known: Map<string, Unit>;
  readonly #moved: Map<string, string> = new Map();
  readonly #references: References;
  readonly #edits: Edit[] = [];
  readonly #opened: Map<string, Edit> = new Map();
  readonly #steps: Map<string, Step> = new Map();
  readonly #remarks: string[] = [];
  #reason: string | undefined;

  constructor(from: Units, to: Units, id: string, before: Graft | undefined) {
    this.#from = from;
    this.#to = to;
    this.#id = id;
    this.#before = before;
    this.#known = new Map(from.all.flatMap((one) => (one.kind === 'statement' ? [] : [[one.name, one]])));
    for (const one of to.all) this.#move(one);
    this.#references = new References(to.code, to.program, this.#moved);
  }

  graft(): Graft | string {
    for (const one of this.#to.all) if (one.kind !== 'statement') this.#unit(one);
    this.#statements();
    const exports = this.#exports();
    if (this.#reason !== undefined) return this.#reason;
    const passed = [...this.#to.exports].flatMap(([name, one]) => ('from' in one && !this.#from.exports.has(name) ? [one.from] : []));
    return {
      steps: this.#steps,
      exports,
      passed,
      remarks: this.#remarks,
      hasDefault: this.#from.exports.has('default'),
      opens: new Set(this.#opened.keys()),
      code: (due, opened) => this.#code(due, opened),
    };
  }

  /** A name that the running file does not have, or has as something else. */
  #move(unit: Unit): void {
    if (unit.kind === 'statement' || unit.kind === 'default') return;
    const old = this.#known.get(unit.name);
    if (unit.kind === 'import') {
      if (old?.kind === 'import' && old.from === unit.from && old.imported === unit.imported) return;
      const module = `${table}.${this.#key('import', unit.name)}`;
      this.#moved.set(unit.name, unit.imported === '*' ? module : `${module}[${JSON.stringify(unit.imported)}]`);
    } else if (old?.kind !== unit.kind || (unit.kind === 'variable' && !canKeep(old, unit))) {
      const names = unit.kind === 'variable' ? namesIn(unit.node.id) : [unit.name];
      for (const name of names) this.#moved.set(name, `${table}.${this.#key('own', name)}`);
    } else return;
    // What others have imported of it would stay what it is.
    const outside = [...this.#from.exports.values()].some(
      (one) => 'local' in one && this.#moved.has(one.local) && unit.name.includes(one.local),
    );
    if (outside) this.#reason ??= `${unit.name} is another kind of thing now`;
  }

  #key(kind: string, name: string): string {
    return `${this.#id}_${kind}_${name.replace(/[^\w$]+/g, '_')}`;
  }

  #unit(unit: Exclude<Unit, { kind: 'statement' }>): void {
    const old = this.#known.get(unit.name);
    if (unit.kind === 'import') {
      if (!this.#moved.has(unit.name)) return;
      const key = this.#key('import', unit.name);
      const [from, wanted] = [JSON.stringify(unit.from), JSON.stringify(unit.imported)];
      const missing = `throw new SyntaxError(${JSON.stringify(`${unit.from} does not provide an export named ${unit.imported}`)})`;
      const check = unit.imported === '*' ? '' : ` if (!(${wanted} in ${table}.${key})) ${missing};`;
      this.#step(key, { text: `${table}.${key} = await import(${from}${unit.options});${check}`, names: [unit.name] });
      return;
    }
    const isNew = unit.kind === 'variable' ? namesIn(unit.node.id).some((one) => this.#moved.has(one)) : this.#moved.has(unit.name);
    if (isNew) return this.#added(unit);
    if (unit.kind === 'function' && old?.kind === 'function') {
      const text = this.#references.text(unit.node);
      const key = this.#key('again', unit.name);
      if (signature(old.node) === signature(unit.node) && !this.#did(key)) this.#edit(old.node, unit.node);
      else if (unit.name === 'default') this.#reason ??= 'its default export changed';
      else this.#step(key, { text: `${unit.name} = ${text};`, names: [unit.name] });
    } else if (unit.kind === 'variable' && old?.kind === 'variable') this.#variable(old, unit);
    else if (unit.kind === 'class' && old?.kind === 'class') this.#class(old, unit);
    else if (unit.kind === 'default' && old?.kind === 'default' && signature(old.node) === signature(unit.node))
      this.#edit(old.node, unit.node);
    else this.#reason ??= 'its default export changed';
  }

  #added(unit: Exclude<Unit, { kind: 'statement' | 'import' }>): void {
    const text = this.#references.text(unit.node);
    const key = this.#key('own', unit.name);
    const place = `${table}.${key}`;
    if (unit.kind === 'class') this.#step(key, { text: `${place} = __vivarium_graft(${place}, ${text});`, names: [unit.name] });
    else if (unit.kind !== 'variable') this.#step(key, { text: `${place} = ${text};`, names: [unit.name] });
    else {
      const { id, init } = unit.node;
      const value = init == null ? 'undefined' : this.#references.text(init);
      this.#step(key, {
        text: `(${this.#references.text(id)} = ${named(id, init, value)});`,
        names: [unit.name],
        ...(unit.keyword !== 'const' && { once: true }),
      });
    }
  }

  #variable(old: Extract<Unit, { kind: 'variable' }>, unit: Extract<Unit, { kind: 'variable' }>): void {
    const { init } = unit.node;
    const key = this.#key('constant', unit.name);
    if (signature(old.node.init) === signature(init) && !this.#did(key)) {
      if (init != null && old.node.init != null) this.#edit(old.node.init, init);
      return;
    }
    // A variable that may change has the value it has got to by now; that its first value changed is no reason to begin again.
    if (unit.keyword !== 'const') {
      this.#remarks.push(`${unit.name} keeps its value`);
      return;
    }
    const value = init == null ? 'undefined' : this.#references.text(init);
    this.#step(key, { text: `${table}.${key} = ${named(unit.node.id, init, value)};`, names: [unit.name], constant: unit.name });
  }

  #class(old: Extract<Unit, { kind: 'class' }>, unit: Extract<Unit, { kind: 'class' }>): void {
    const key = this.#key('class', unit.name);
    const found = classGraft(
      unit.name,
      { code: this.#from.code, node: old.node },
      { code: this.#to.code, node: unit.node, references: this.#references },
      key,
    );
    if (typeof found === 'string') {
      this.#reason ??= found;
      return;
    }
    this.#edits.push(...found.edits);
    if (found.opened !== undefined) this.#opened.set(key, found.opened);
    this.#step(key, { text: found.step, names: found.names, ...(found.idle && { idle: true }) });
  }

  /** What the file does when it is loaded: what was added is done now, what was removed stays done. */
  #statements(): void {
    const left = this.#from.all.filter((one) => one.kind === 'statement');
    const fresh: Extract<Unit, { kind: 'statement' }>[] = [];
    for (const one of this.#to.all) {
      if (one.kind !== 'statement') continue;
      const wanted = signature(one.node);
      const target = targetOf(one.node, this.#to.code);
      const isSet = target !== undefined && this.#did(this.#key('set', target));
      const at = isSet ? -1 : left.findIndex(({ node }) => signature(node) === wanted);
      if (at < 0) fresh.push(one);
      else for (const old of left.splice(at, 1)) this.#edit(old.node, one.node);
    }
    for (const one of fresh) {
      const target = targetOf(one.node, this.#to.code);
      const at = target === undefined ? -1 : left.findIndex(({ node }) => targetOf(node, this.#from.code) === target);
      if (at >= 0) left.splice(at, 1);
      const text = one.node.type === 'ImportDeclaration' ? `await import(${one.node.source.raw});` : this.#again(one.node, at >= 0);
      const key = target === undefined ? this.#key('run', hash(signature(one.node, true))) : this.#key('set', target);
      this.#step(key, { text, names: [target ?? `ran \`${one.name}\``] });
      if (at < 0 && left.length > 0) this.#reason ??= `\`${one.name}\` changed`;
    }
    for (const one of left) this.#remarks.push(`what \`${line(one.name)}\` did stays done`);
  }

  /** Those who have the object that was exported get what it has now. */
  #again(node: AnyNode, exported: boolean): string {
    const text = this.#references.text(node);
    const whole = exported ? /^module\.exports\s*=\s*(?=\{)/.exec(text)?.[0] : undefined;
    return whole === undefined ? text : `Object.assign(module.exports, ${text.slice(whole.length).replace(/;\s*$/, '')});`;
  }

  #exports(): Map<string, string> {
    const exports = new Map<string, string>();
    for (const [name, one] of this.#to.exports) {
      if (this.#from.exports.has(name) || 'from' in one) continue;
      const place = this.#moved.get(one.local);
      if (place !== undefined) exports.set(name, place);
      else if (one.local === 'default') this.#reason ??= 'its default export is new';
      else {
        const key = this.#key('out', name);
        exports.set(name, `${table}.${key}`);
        this.#step(key, { text: `${table}.${key} = ${one.local};`, names: [name] });
      }
    }
    return exports;
  }

  #edit(old: AnyNode, now: AnyNode): void {
    const text = this.#references.text(now);
    // What only looks different is left alone.
    if (text !== this.#to.code.slice(now.start, now.end) || !isSame(old, now)) this.#edits.push({ ...span(old), text });
  }

  /** What was set once has to be set again, even to what it was at first. */
  #did(key: string): boolean {
    return this.#before?.steps.has(key) === true;
  }

  #step(key: string, step: Step): void {
    this.#steps.set(key, step);
  }

  #code(due: ReadonlySet<string>, opened: boolean): string {
    const ways = opened ? [...this.#opened].filter(([key]) => due.has(key)).map(([, edit]) => edit) : [];
    const edits = [...this.#edits.filter(({ start }) => !ways.some((way) => way.start === start)), ...ways].sort(
      (a, b) => a.start - b.start,
    );
    let text = '';
    let at = 0;
    for (const { start, end, text: now } of edits) {
      text += this.#from.code.slice(at, start) + now;
      at = end;
    }
    text += this.#from.code.slice(at);
    const steps = [...this.#steps].filter(([key, { idle }]) => idle !== true || due.has(key));
    const all = steps.map(([key, step]) => `if (__vivarium_due?.(${JSON.stringify(key)})) { ${step.text} }`).join('\n');
    return all === '' ? text : text.replace(tailBody, () => `${tailBody}\n${all}\n`);
  }
}

function canKeep(old: Unit, unit: Extract<Unit, { kind: 'variable' }>): boolean {
  if (old.kind !== 'variable') return false;
  if (signature(old.node.id) !== signature(unit.node.id)) return false;
  return unit.node.id.type === 'Identifier' || signature(old.node.init) === signature(unit.node.init);
}

/** What a statement gives its value to: then it may run again. */
function targetOf(node: AnyNode, code: string): string | undefined {
  if (node.type !== 'ExpressionStatement') return undefined;
  const { expression } = node;
  if (expression.type === 'AssignmentExpression' && expression.operator === '=')
    return code.slice(expression.left.start, expression.left.end);
  // As compilers write enums and namespaces.
  const [given] = expression.type === 'CallExpression' && /Function/.test(expression.callee.type) ? expression.arguments : [];
  return given?.type === 'LogicalExpression' && given.left.type === 'Identifier' ? given.left.name : undefined;
}

/** A function or class without a name gets that of its variable. */
function named(id: AnyNode, init: AnyNode | null | undefined, text: string): string {
  const nameless = init != null && /^(?:Arrow)?FunctionExpression$|^ClassExpression$/.test(init.type) && !('id' in init && init.id != null);
  return nameless && id.type === 'Identifier' ? `({ ${JSON.stringify(id.name)}: ${text} })[${JSON.stringify(id.name)}]` : text;
}

function hash(text: string): string {
  let found = 5_381;
  for (let at = 0; at < text.length; at++) found = (found * 33 + text.charCodeAt(at)) | 0;
  return (found >>> 0).toString(36);
}

function span({ start, end }: { readonly start: number; readonly end: number }): { readonly start: number; readonly end: number } {
  return { start, end };
}
