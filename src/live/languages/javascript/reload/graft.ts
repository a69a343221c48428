// A new text of a file in the shape it was loaded with: changed functions where the old ones are, everything else in the file's tail,
// which can do in the file's own scope what a module may not do any more once it runs.
import type { AnyNode, Class } from 'acorn';
import { namesIn, References } from '../cells/references.ts';
import { type Runnable, tailBody } from '../loader/transform.ts';
import { classGraft, type Edit } from './class-graft.ts';
import { leftBy, renumbered, type Step } from './earlier.ts';
import { type Facade, facadeOf } from './exports.ts';
import { awaits, canKeep, directives, exportedKeys, functionsIn, membersIn, named, namesOf, pairs, span, twiceIn } from './graft-nodes.ts';
import { decoratedBy, filledBy, isAssigned, isReordered, matched, ranLate, type Statement, targetOf } from './statements.ts';
import { hash, isSame, line, signature, type Unit, type Units, unitsOf } from './units.ts';

export interface Graft {
  readonly units: Units;
  readonly steps: ReadonlyMap<string, Step>;
  readonly facade: Facade;
  readonly remarks: readonly string[];
  /** With the steps that are due; `opened` where one of them needs a way into a class. */
  code(due: ReadonlySet<string>, opened: boolean): string;
  readonly opens: ReadonlySet<string>;
  /** Names of the file that live elsewhere, each with the text that stands for it. */
  readonly moved: ReadonlyMap<string, string>;
}

/** What is known of a file besides its text. */
export interface Terms {
  /** Keeps the names of one file apart from those of others. */
  readonly id: string;
  /** Imports of which the file has to be given another module, each with a number that is new when it is another one again. */
  readonly detached: ReadonlyMap<string, number>;
  /** What runs now. */
  readonly before?: Graft;
  /** Steps that were done at some time. */
  readonly done: ReadonlySet<string>;
}

const table = '__vivarium_added';

export function detachedKey(specifier: string, imported: string): string {
  return JSON.stringify([specifier, imported]);
}

/** A string says why it cannot be done. */
export function grafted(base: Runnable, made: Runnable, terms: Terms): Graft | string {
  if (!base.code.includes(tailBody)) return 'its top-level code changed';
  return new Grafting(unitsOf(base), unitsOf(made), terms).graft();
}

class Grafting {
  readonly #from: Units;
  readonly #to: Units;
  readonly #terms: Terms;
  readonly #known: Map<string, Unit>;
  readonly #moved: Map<string, string> = new Map();
  readonly #references: References;
  /** For what is done before constants have their new values. */
  readonly #late: References;
  readonly #edits: Edit[] = [];
  readonly #opened: Map<string, readonly Edit[]> = new Map();
  readonly #steps: Map<string, Step> = new Map();
  readonly #remarks: Set<string> = new Set();
  /** Members that are decorated with the class they are put on. */
  readonly #decorated: Set<string> = new Set();
  #reason: string | undefined;

  constructor(from: Units, to: Units, terms: Terms) {
    this.#from = from;
    this.#to = to;
    this.#terms = terms;
    this.#known = new Map(from.all.flatMap((one) => (one.kind === 'statement' ? [] : [[one.name, one]])));
    for (const one of to.all) this.#move(one);
    this.#forget();
    this.#references = new References(to.code, to.program, this.#moved);
    const constants = to.all.flatMap((one) =>
      this.#isOther(one) ? [[one.name, `${table}.${this.#key('constant', one.name)}`] as const] : [],
    );
    this.#late = constants.length === 0 ? this.#references : new References(to.code, to.program, new Map([...this.#moved, ...constants]));
  }

  graft(): Graft | string {
    if (directives(this.#from) !== directives(this.#to)) return 'its directives changed';
    const twice = twiceIn(this.#from) ?? twiceIn(this.#to);
    if (twice !== undefined) return `${twice} is declared twice`;
    for (const one of this.#to.all) if (one.kind !== 'statement') this.#unit(one);
    this.#statements();
    for (const one of leftBy(this.#terms.before?.steps, this.#steps)) this.#remarks.add(one);
    const facade = facadeOf(this.#from, this.#to, this.#moved, (name, local) => this.#shown(name, local));
    for (const [name, one] of this.#to.exports) {
      // The one in front would have copies of it.
      if (facade.places.has(name) && 'local' in one && isAssigned(this.#to.program, one.local))
        this.#reason ??= `it exports the variable ${one.local} now`;
    }
    if (this.#reason !== undefined) return this.#reason;
    return {
      units: this.#to,
      steps: new Map([...this.#steps].sort(([, a], [, b]) => a.at - b.at)),
      facade,
      remarks: [...this.#remarks],
      opens: new Set(this.#opened.keys()),
      moved: this.#moved,
      code: (due, opened) => this.#code(due, opened),
    };
  }

  /** A name that the running file does not have, or has as something else. */
  #move(unit: Unit): void {
    if (unit.kind === 'statement' || unit.kind === 'default') return;
    const old = this.#known.get(unit.name);
    if (unit.kind === 'import') {
      const isKept = old?.kind === 'import' && old.from === unit.from && old.imported === unit.imported && old.options === unit.options;
      if (isKept && !this.#terms.detached.has(detachedKey(unit.from, unit.imported))) return;
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

  /** What was removed is not found by its name any more, unless something global has it. */
  #forget(): void {
    const names = new Set(this.#to.all.flatMap(namesOf));
    const isSloppy = this.#to.program.sourceType === 'script' && !directives(this.#to).includes('use strict');
    for (const name of this.#from.all.flatMap(namesOf)) {
      if (!names.has(name)) this.#moved.set(name, `__vivarium_global(${JSON.stringify(name)}${isSloppy ? ', true' : ''}).value`);
    }
  }

  #key(kind: string, name: string): string {
    return `${this.#terms.id}_${kind}_${name.replace(/[^\w$]+/g, '_')}`;
  }

  #unit(unit: Exclude<Unit, { kind: 'statement' }>): void {
    const old = this.#known.get(unit.name);
    if (unit.kind === 'import') {
      if (!this.#moved.has(unit.name)) return;
      const key = this.#key('import', unit.name);
      const [from, wanted] = [JSON.stringify(unit.from), JSON.stringify(unit.imported)];
      const missing = `throw new SyntaxError(${JSON.stringify(`${unit.from} does not provide an export named ${unit.imported}`)})`;
      const check = unit.imported === '*' ? '' : ` if (!(${wanted} in found)) ${missing};`;
      const turn = this.#terms.detached.get(detachedKey(unit.from, unit.imported)) ?? 0;
      const text = `__vivarium_due.take(import(${from}${unit.options}), (found) => {${check} ${table}.${key} = found; }); /* ${turn} */`;
      const isSaid = this.#known.get(unit.name)?.kind !== 'import' || turn === 0;
      this.#step(key, { text, names: isSaid ? [unit.name] : [], at: -2 });
      return;
    }
    const isNew = unit.kind === 'variable' ? namesIn(unit.node.id).some((one) => this.#moved.has(one)) : this.#moved.has(unit.name);
    if (isNew) return this.#added(unit);
    if (unit.kind === 'function' && old?.kind === 'function') {
      const text = this.#references.text(unit.node);
      const key = this.#key('again', unit.name);
      if (signature(old.node) === signature(unit.node) && !this.#did(key)) this.#edit(old.node, unit.node);
      else if (unit.name === 'default') this.#reason ??= 'its default export changed';
      else {
        this.#step(key, { text: `${unit.name} = ${table}.${key} = ${text};`, names: [unit.name], at: -1 });
        const { body, async, generator, start } = old.node;
        // Whoever holds the old one gets to the new one by it, where the old one can return whatever that returns.
        const way = ` if (${table}.${key} !== undefined) return ${table}.${key}.apply(this, arguments);`;
        if (async || generator) this.#remarks.add(`what holds ${unit.name} from before has the old one`);
        else this.#edits.push({ start, end: body.start + 1, text: `${this.#from.code.slice(start, body.start + 1)}${way}` });
      }
    } else if (unit.kind === 'variable' && old?.kind === 'variable') this.#variable(old, unit);
    else if (unit.kind === 'class' && old?.kind === 'class') this.#class(unit.name, old.node, unit.node);
    else if (unit.kind === 'default' && old?.kind === 'default' && signature(old.node) === signature(unit.node))
      this.#edit(old.node, unit.node);
    else this.#reason ??= 'its default export changed';
  }

  /** A constant with another value. */
  #isOther(unit: Unit): unit is Extract<Unit, { kind: 'variable' }> {
    const old = this.#known.get(unit.name);
    if (unit.kind !== 'variable' || unit.keyword !== 'const' || old?.kind !== 'variable' || !canKeep(old, unit)) return false;
    const [was, is] = [old.node.init, unit.node.init];
    if ((is?.type === 'ClassExpression' && was?.type === 'ClassExpression') || filledBy(is) !== undefined) return false;
    return signature(was) !== signature(is) || this.#did(this.#key('constant', unit.name));
  }

  #added(unit: Exclude<Unit, { kind: 'statement' | 'import' }>): void {
    const text = unit.kind === 'class' ? this.#classText(unit.node) : this.#late.text(unit.node);
    const before = this.#terms.before?.units;
    const was = before?.all.find((one) => one.kind === 'class' && one.name === unit.name);
    // A class with fields that is made again gets the members of before: the engine keeps them.
    if (before !== undefined && was?.kind === 'class' && unit.kind === 'class') {
      const [old, now] = [membersIn(was.node, before.code), membersIn(unit.node, this.#to.code)];
      if (old !== now && /^=/m.test(`${old}\n${now}`)) this.#reason ??= `members of ${unit.name} changed, which an earlier reload added`;
    }
    const key = this.#key('own', unit.name);
    const place = `${table}.${key}`;
    const at = unit.kind === 'function' ? -1 : unit.node.start;
    if (unit.kind === 'class') this.#step(key, { text: `${place} = __vivarium_graft(${place}, ${text});`, names: [unit.name], at });
    else if (unit.kind !== 'variable') this.#step(key, { text: `${place} = ${text};`, names: [unit.name], at });
    else {
      const { id, init } = unit.node;
      const value = init == null ? 'undefined' : init.type === 'ClassExpression' ? this.#classText(init as Class) : this.#late.text(init);
      const once = unit.keyword !== 'const' && filledBy(init) === undefined;
      const text = `(${this.#references.text(id)} = ${named(id, init, value)});`;
      this.#step(key, { text, names: [unit.name], at, ...(once && { once }) }, init);
    }
  }

  /**
   * The engine takes a constructor that is not written for the function that makes the fields, which stands in the same place: with the
   * next edit the class would lose its methods, or the program end.
   */
  #classText({ start, end, body, superClass }: Class): string {
    const isWritten = body.body.some((one) => one.type === 'MethodDefinition' && one.kind === 'constructor');
    if (isWritten || !body.body.some(({ type }) => type === 'PropertyDefinition')) return this.#late.text({ start, end });
    const own = superClass == null ? 'constructor() {}' : 'constructor(...all) { super(...all); }';
    return `${this.#late.text({ start, end: body.start + 1 })} ${own} ${this.#late.text({ start: body.start + 1, end })}`;
  }

  #variable(old: Extract<Unit, { kind: 'variable' }>, unit: Extract<Unit, { kind: 'variable' }>): void {
    const { init } = unit.node;
    const key = this.#key('constant', unit.name);
    if (signature(old.node.init) === signature(init) && !this.#did(key)) {
      if (init != null && old.node.init != null) this.#edit(old.node.init, init);
      return;
    }
    if (init?.type === 'ClassExpression' && old.node.init?.type === 'ClassExpression')
      return this.#class(unit.name, old.node.init as Class, init as Class);
    const at = unit.node.start;
    const given = filledBy(init);
    if (given !== undefined && init != null) {
      if (filledBy(old.node.init) === undefined) {
        this.#reason ??= `${unit.name} is another kind of thing now`;
        return;
      }
      const other = renumbered(this.#terms.before?.units ?? this.#from, this.#to, unit.name);
      if (other.length > 0) this.#remarks.add(`what was taken from ${unit.name} before keeps its value: ${other.join(', ')}`);
      // An enum: whoever has it sees the new members.
      const value = `${this.#late.text({ start: init.start, end: given.start })}{}${this.#late.text({ start: given.end, end: init.end })}`;
      this.#step(key, { text: `__vivarium_renew(${unit.name}, ${value});`, names: [unit.name], at });
      return;
    }
    // A variable that may change has the value it has got to by now; that its first value changed is no reason to begin again.
    if (unit.keyword !== 'const') {
      this.#remarks.add(`${unit.name} keeps its value`);
      return;
    }
    const value = init == null ? 'undefined' : this.#late.text(init);
    const isMade = init?.type === 'NewExpression';
    const text = `${table}.${key} = ${named(unit.node.id, init, value)};`;
    this.#step(key, { text, names: [unit.name], constant: unit.name, at, ...(isMade && { isMade }) }, init);
  }

  #class(name: string, old: Class, now: Class): void {
    const key = this.#key('class', name);
    const decorators = (member: string, fixed: boolean): string => {
      this.#decorated.add(JSON.stringify([name, member, fixed]));
      return this.#to.all
        .flatMap((one) => {
          const by = one.kind === 'statement' ? decoratedBy(one.node) : undefined;
          return one.kind === 'statement' && by?.name === name && by.key === member && by.fixed === fixed ? [one.node] : [];
        })
        .map((node) => this.#references.text(node))
        .join(' ');
    };
    const from = { code: this.#from.code, node: old };
    const found = classGraft(name, from, { code: this.#to.code, node: now, references: this.#references, decorators }, key);
    if (typeof found === 'string') {
      this.#reason ??= found;
      return;
    }
    const isReplaced = this.#to.all.some((one) => one.kind === 'statement' && targetOf(one.node, this.#to.code) === name);
    if (!found.idle && isReplaced) this.#reason ??= `${name} is decorated, and its members changed`;
    if (!found.idle && now.id != null && now.id.name !== name) this.#reason ??= `${name} has another name for itself`;
    this.#outside(now as AnyNode);
    if (found.hasFields) this.#remarks.add('instances made before keep the fields they have');
    this.#edits.push(...found.edits);
    if (found.opened.length > 0) this.#opened.set(key, found.opened);
    this.#step(key, { text: found.step, names: found.names, at: now.start, ...(found.idle && { idle: true }) });
  }

  /** What the file does when it is loaded: what was added is done now, what was removed stays done. */
  #statements(): void {
    const before = this.#from.all.filter((one) => one.kind === 'statement');
    const after = this.#to.all.filter((one) => one.kind === 'statement');
    const target = (one: Statement): string | undefined => targetOf(one.node, this.#to.code);
    const isSet = (one: Statement): boolean => {
      const to = target(one);
      return to !== undefined && this.#did(this.#key('set', to));
    };
    const { left, kept, fresh } = matched(before, after, isSet);
    if (isReordered(before, kept)) this.#reason ??= 'the order of its statements changed';
    for (const [now, old] of kept) this.#edit(old.node, now.node);
    for (const one of fresh) {
      const to = target(one);
      const by = decoratedBy(one.node);
      const at = left.findIndex(
        ({ node }) =>
          (to !== undefined && targetOf(node, this.#from.code) === to) ||
          (by !== undefined && JSON.stringify(decoratedBy(node)) === JSON.stringify(by)),
      );
      if (at >= 0) left.splice(at, 1);
      if (by !== undefined && this.#decorated.has(JSON.stringify([by.name, by.key, by.fixed]))) continue;
      if (by !== undefined && at >= 0) this.#reason ??= `the decorators of ${by.name}.${by.key} changed`;
      const text =
        one.node.type === 'ImportDeclaration' ? `__vivarium_due.take(import(${one.node.source.raw}));` : this.#again(one.node, at >= 0);
      const key = to === undefined ? this.#key('run', hash(signature(one.node, true))) : this.#key('set', to);
      const name = by === undefined ? `ran \`${one.name}\`` : `decorated ${by.name}.${by.key}`;
      this.#step(key, { text, names: [to ?? name], at: one.node.start }, one.node);
      if (to === undefined && at < 0 && left.length > 0) this.#reason ??= `\`${one.name}\` changed`;
      const late = to === undefined && by === undefined ? ranLate(one, after, kept) : undefined;
      if (late !== undefined) this.#remarks.add(late);
    }
    for (const one of left) {
      const by = decoratedBy(one.node);
      if (by !== undefined && this.#decorated.has(JSON.stringify([by.name, by.key, by.fixed]))) continue;
      this.#remarks.add(`what \`${line(one.name)}\` did stays done`);
    }
  }

  /** Those who have the object that was exported get what it has now. */
  #again(node: AnyNode, exported: boolean): string {
    const text = this.#late.text(node);
    const whole = exported ? /^module\.exports\s*=\s*(?=\{)/.exec(text)?.[0] : undefined;
    if (whole !== undefined) {
      const before = JSON.stringify([this.#from, this.#terms.before?.units].flatMap(exportedKeys));
      return `__vivarium_renew(module.exports, ${text.slice(whole.length).replace(/;\s*$/, '')}, ${before});`;
    }
    const given = node.type === 'ExpressionStatement' ? filledBy(node.expression) : undefined;
    const name = given?.type === 'LogicalExpression' && given.left.type === 'Identifier' ? given.left.name : undefined;
    const declared = this.#to.all.find((one) => one.kind !== 'statement' && one.name === name);
    const isOnly = this.#to.all.filter((one) => one.kind === 'statement' && targetOf(one.node, this.#to.code) === name).length === 1;
    if (given === undefined || declared?.kind !== 'variable' || declared.node.init != null || !isOnly) return text;
    // A namespace: what it has lost goes.
    this.#remarks.add(`${name} ran again: its own variables begin again, and what was taken out of it before stays as it was`);
    const place = this.#moved.get(name as string) ?? name;
    const value = `const made = {}; ${this.#late.text({ start: node.start, end: given.start })}made${this.#late.text({ start: given.end, end: node.end })}`;
    return `{ ${value}; ${place} = __vivarium_renew(${place}, made); }`;
  }

  /** Where a name that is new outside is kept. */
  #shown(name: string, local: string): string {
    const key = this.#key('out', name);
    if (local === 'default') this.#reason ??= 'its default export is new';
    const value = this.#to.all.some((one) => one.name === local && this.#isOther(one)) ? `${table}.${this.#key('constant', local)}` : local;
    this.#step(key, { text: `${table}.${key} = ${value};`, names: [name], at: Number.POSITIVE_INFINITY });
    return `${table}.${key}`;
  }

  /** Of two nodes of one signature only functions differ. What only looks different is left alone. */
  #edit(old: AnyNode, now: AnyNode): void {
    for (const [was, is] of pairs(old, now)) {
      const text = this.#references.text(is);
      if (text !== this.#to.code.slice(is.start, is.end) || !isSame(was, is)) this.#edits.push({ ...span(was), text });
    }
    this.#outside(now);
  }

  /** What has run stays as it was, whatever its names mean now. */
  #outside(node: AnyNode): void {
    const functions = functionsIn(node);
    const names = this.#references
      .within(node)
      .filter(({ start }) => !functions.some((one) => start >= one.start && start < one.end))
      .map(({ name }) => name);
    for (const name of new Set(names)) this.#remarks.add(`what was computed with ${name} when the file was loaded keeps its value`);
  }

  /** What was set once has to be set again, even to what it was at first. */
  #did(key: string): boolean {
    return this.#terms.done.has(key);
  }

  #step(key: string, step: Step, node?: AnyNode | null): void {
    const text = node != null && awaits(node) ? `__vivarium_due.take((async () => { ${step.text} })());` : step.text;
    this.#steps.set(key, { ...step, text });
  }

  #code(due: ReadonlySet<string>, opened: boolean): string {
    const ways = opened ? [...this.#opened].filter(([key]) => due.has(key)).flatMap(([, edit]) => edit) : [];
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
