// Programs as files: ES modules, CommonJS or TypeScript.
import type { Files } from '../judge/run.ts';
import type { File, Format, Member, Program, Unit } from './program.ts';

const names = ['main', 'lib', 'base'];

export function render(program: Program): Files {
  return Object.fromEntries(program.files.map((_, at) => [pathOf(program, at), new Writer(program, at).text()]));
}

export function pathOf({ format }: Program, at: number): string {
  return `${names[at]}.${format}`;
}

class Writer {
  readonly #program: Program;
  readonly #at: number;
  readonly #file: File;
  readonly #format: Format;
  /** What is imported: files with the names taken of them. */
  readonly #taken: Map<number, Set<string>> = new Map();

  constructor(program: Program, at: number) {
    this.#program = program;
    this.#at = at;
    this.#file = program.files[at] as File;
    this.#format = program.format;
  }

  text(): string {
    const { units, listed } = this.#file;
    const body = units.map((unit) => `${unit.comment === undefined ? '' : `// ${unit.comment}\n`}${this.#unit(unit)}`);
    const common = this.#format === 'cjs';
    const ends: string[] = [];
    if (listed || common) {
      const all = units.filter((unit) => this.#isOut(unit)).map(({ name }) => name);
      if (!common) ends.push(...(all.length === 0 ? [] : [`export { ${all.join(', ')} };`]));
      else if (listed) ends.push(`module.exports = { ${all.join(', ')} };`);
    }
    for (const unit of units) if (unit.isDefault && common) ends.push(`exports.default = ${unit.name};`);
    const passes = this.#file.passes.flatMap((pass) => this.#passed(pass));
    return `${[...this.#imports(), ...(common ? [] : passes), ...body, ...ends, ...(common ? passes : [])].join('\n')}\n`;
  }

  /** Needed by another file, it is exported in any case. */
  #isOut(unit: Unit): boolean {
    if (unit.kind === 'statement') return false;
    const users = this.#program.files.slice(0, this.#at);
    return (
      unit.exported ||
      users.some(
        ({ units, passes }) =>
          units.some(({ ref, members }) => ref === unit.id || members.some((one) => one.ref === unit.id)) ||
          passes.some((one) => one.kind === 'named' && one.unit === unit.id),
      )
    );
  }

  #imports(): string[] {
    const { whole } = this.#file;
    return [...this.#taken]
      .sort(([a], [b]) => a - b)
      .map(([at, taken]) => {
        const path = this.#path(at);
        const what = whole ? `* as ${names[at]}` : `{ ${[...taken].join(', ')} }`;
        if (this.#format === 'cjs') return `const ${whole ? names[at] : what} = require(${path});`;
        return `import ${what} from ${path};`;
      });
  }

  #passed({ kind, from, unit, id }: File['passes'][number]): string[] {
    const [path, common] = [this.#path(from), this.#format === 'cjs'];
    const named = this.#program.files[from]?.units.find((one) => one.id === unit);
    if (from <= this.#at || from >= this.#program.files.length) return [];
    if (kind === 'named') {
      if (named === undefined || named.kind === 'statement') return [];
      return [common ? `exports.p${id} = require(${path}).${named.name};` : `export { ${named.name} as p${id} } from ${path};`];
    }
    if (kind === 'namespace') return [common ? `exports.n${id} = require(${path});` : `export * as n${id} from ${path};`];
    return [common ? `Object.assign(exports, require(${path}));` : `export * from ${path};`];
  }

  #path(at: number): string {
    return `'./${pathOf(this.#program, at)}'`;
  }

  /** An expression with what another unit has; a plain value where it is not there any more. */
  #ref(ref: number | undefined, atLoad = false): string {
    if (ref === undefined) return '0';
    for (const [at, { units }] of this.#program.files.entries()) {
      const unit = units.find((one) => one.id === ref);
      if (unit === undefined) continue;
      if (unit.kind === 'statement' || at < this.#at) return '0';
      let name = unit.name;
      if (at !== this.#at) {
        this.#taken.set(at, (this.#taken.get(at) ?? new Set()).add(name));
        if (this.#file.whole) name = `${names[at]}.${name}`;
      }
      return used(unit, name, atLoad);
    }
    return '0';
  }

  #unit(unit: Unit): string {
    const { name, isDefault } = unit;
    const text = this.#declared(unit);
    if (unit.kind === 'statement') return text;
    const out = this.#isOut(unit) && !this.#file.listed;
    if (this.#format === 'cjs') return out ? `${text}\nexports.${name} = ${name};` : text;
    if (isDefault) return `${out ? 'export ' : ''}${text}\nexport { ${name} as default };`;
    return out ? `export ${text}` : text;
  }

  #declared(unit: Unit): string {
    const { kind, name, variant, value } = unit;
    const any = this.#format === 'ts' ? ': any' : '';
    const ref = (atLoad = false): string => this.#ref(unit.ref, atLoad);
    switch (kind) {
      case 'function': {
        const head = ['function ', 'async function ', 'function* ', 'function ', 'async function* ', 'function '][variant % 6];
        const does = head?.includes('*') ? `yield a; yield [${value}, ${ref()}];` : `return [a, b, ${value}, ${ref()}];`;
        return `${head}${name}(a${any} = ${variant}, b${any} = undefined) { ${does} }`;
      }
      case 'arrow':
        return [
          `const ${name} = (a${any} = 1) => [a, ${value}, ${ref()}];`,
          `const ${name} = async (a${any}) => { const x = ${value}; return [a, x, ${ref()}]; };`,
          `const ${name} = function (a${any}) { return [a, ${value}, ${ref()}]; };`,
          `const ${name} = ((f${any}) => (a${any}) => f(a))((x${any}) => [x, ${value}, ${ref()}]);`,
          `let ${name} = (a${any}) => [a, ${value}, ${ref()}];`,
        ][variant % 5] as string;
      case 'constant':
        return [
          `const ${name} = ${value};`,
          `const ${name} = [${value}, ${ref(true)}];`,
          `const ${name} = ${value} + ${ref(true)};`,
          `const ${name} = Object.freeze({ a: ${value}, b: ${ref(true)} });`,
          `const ${name} = new Map${this.#format === 'ts' ? '<any, any>' : ''}([[${value}, ${ref(true)}]]);`,
          `const ${name} = /x${value}/g;`,
          `const ${name} = \`t${value}\`, ${name}b = ${value} * 2;`,
        ][variant % 7] as string;
      case 'variable':
        return `${variant % 2 === 0 ? 'let' : 'var'} ${name}${any} = ${variant % 3 === 0 ? ref(true) : value};`;
      case 'counter':
        return `function ${name}() { return [${name}Up(), ${name}State]; }\nlet ${name}State = ${variant};\nfunction ${name}Up() { return ${name}State += ${value}; }`;
      case 'pattern':
        return variant % 2 === 0
          ? `const { ${name}, ...${name}Rest } = { ${name}: ${value}, other: ${ref(true)} };`
          : `const [${name}, ${name}Second = 3] = [${value}, ${ref(true)}];`;
      case 'object':
        return `const ${name} = { ${unit.members.map((one) => this.#member(one, ', ', false)).join(' ')} };`;
      case 'closed':
        return `const ${name} = (() => { let n = ${variant}; const inner = ${value}; return { get: () => [inner, ${ref()}], up(by${any} = 1) { return n += by; } }; })();`;
      case 'factory':
        return `function ${name}(x${any} = 1) { let n = 1; return (y${any} = 1) => [n += 1, x, y, ${value}, ${ref()}]; }`;
      case 'statement':
        return this.#statement(unit);
      case 'enum':
        return `${variant % 3 === 0 ? 'const ' : ''}enum ${name} { ${unit.members.map((one, at) => (at === 0 ? `${one.name} = ${one.value}` : one.name)).join(', ')} }`;
      case 'namespace':
        return `namespace ${name} { ${unit.members.map((one) => `export ${one.kind === 'field' ? `const ${one.name} = ${one.value};` : `function ${one.name}() { return [${one.value}, ${this.#ref(one.ref)}]; }`}`).join(' ')} }`;
      case 'class':
        return this.#class(unit);
    }
  }

  #statement({ variant, value, ref }: Unit): string {
    const shared = 'globalThis.registered';
    const any = this.#format === 'ts' ? '(globalThis as any).registered' : shared;
    return [
      `(${any} ??= []).push(${value});`,
      `(${any} ??= []).push(() => [${value}, ${this.#ref(ref)}]);`,
      `for (let i = 0; i < ${value % 4}; i++) (${any} ??= []).push(i);`,
      `if (${value} > 50) (${any} ??= []).push('big');`,
      `{ const inner = ${value}; (${any} ??= []).push(inner); }`,
    ][variant % 5] as string;
  }

  #class(unit: Unit): string {
    const { name, variant, value, members } = unit;
    const any = this.#format === 'ts' ? ': any' : '';
    const base = this.#baseOf(unit);
    const supers = base === undefined ? '' : 'super(a);';
    const made =
      variant % 3 === 0
        ? ''
        : variant % 3 === 1 && this.#format === 'ts'
          ? `constructor(public a${any}, readonly z${any} = ${value}) { ${supers} }`
          : `constructor(a${any}) { ${supers} ${this.#format === 'ts' ? '(this as any)' : 'this'}.made = [a, ${value}]; }`;
    const body = [
      ...members.map((one) => this.#member(one, ' ', true)),
      made,
      variant % 7 === 6 ? `static { ${name}.${this.#format === 'ts' ? 'name' : 'stat'}; }` : '',
    ];
    const head = `class ${name}${base === undefined ? '' : ` extends ${base}`} {`;
    return variant % 5 === 4
      ? `const ${name} = ${head.replace(name, variant % 2 === 0 ? name : '')} ${body.join(' ')} };`
      : `${head}\n  ${body.filter((one) => one !== '').join('\n  ')}\n}`;
  }

  #baseOf({ ref, variant }: Unit): string | undefined {
    const found = this.#file.units.find((one) => one.id === ref);
    return found?.kind === 'class' && variant % 2 === 0 ? found.name : undefined;
  }

  #member({ kind, name, value, ref }: Member, end: string, isClass: boolean): string {
    const any = this.#format === 'ts' ? ': any' : '';
    const self = this.#format === 'ts' ? '(this as any)' : 'this';
    const result = `[${value}, ${this.#ref(ref)}]`;
    const last = isClass ? '' : end;
    switch (kind) {
      case 'method':
        return `${name}(a${any} = 1) { return [a, ${result}]; }${last}`;
      case 'async':
        return `async ${name}(a${any} = 1) { return [a, ${result}]; }${last}`;
      case 'generator':
        return `*${name}(a${any} = 1) { yield a; yield ${result}; }${last}`;
      case 'getter':
        return `get ${name}() { return ${result}; }${last}`;
      case 'setter':
        return `set ${name}(to${any}) { ${self}.${name}Set = [to, ${value}]; }${last}`;
      case 'static':
        return `static ${name}(a${any} = 1) { return [a, ${result}]; }`;
      case 'staticField':
        return `static ${name}${any} = ${value};`;
      case 'private':
        return `#${name}${any} = ${value}; ${name}() { return [this.#${name}, ${result}]; }`;
      case 'arrow':
        return isClass ? `${name} = (a${any} = 1) => [a, ${result}];` : `${name}: (a${any} = 1) => [a, ${result}]${last}`;
      case 'field':
        return isClass ? `${name}${any} = ${value};` : `${name}: ${value}${last}`;
    }
  }
}

function used(unit: Unit, name: string, atLoad: boolean): string {
  switch (unit.kind) {
    case 'function':
    case 'counter':
    case 'factory':
      return atLoad && unit.kind === 'counter' ? '0' : `${name}(1)`;
    case 'arrow':
      return `${name}(1)`;
    case 'class':
      return `typeof new ${name}(1)`;
    case 'object':
    case 'namespace':
      return `Object.keys(${name}).length`;
    case 'closed':
      return `${name}.get()`;
    case 'enum':
      return unit.members[0] === undefined ? '0' : `${name}.${unit.members[0].name}`;
    default:
      return name;
  }
}
