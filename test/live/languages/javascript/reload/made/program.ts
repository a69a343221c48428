// A small program as data: an edit changes the data, and a lie is made smaller by leaving parts of it out.

export type Format = 'mjs' | 'cjs' | 'ts';

export const kinds = [
  'function',
  'arrow',
  'constant',
  'variable',
  'counter',
  'pattern',
  'class',
  'object',
  'closed',
  'factory',
  'statement',
  'enum',
  'namespace',
] as const;
export type Kind = (typeof kinds)[number];

export const memberKinds = [
  'method',
  'async',
  'generator',
  'getter',
  'setter',
  'static',
  'staticField',
  'field',
  'private',
  'arrow',
] as const;
export type MemberKind = (typeof memberKinds)[number];

export interface Member {
  readonly id: number;
  readonly kind: MemberKind;
  readonly name: string;
  readonly value: number;
  readonly ref?: number | undefined;
}

/** Something at the top level. Others refer to it by its number, so that it can get another name. */
export interface Unit {
  readonly id: number;
  readonly kind: Kind;
  readonly name: string;
  readonly exported: boolean;
  readonly isDefault: boolean;
  /** In which way it is written, of those that its kind has. */
  readonly variant: number;
  readonly value: number;
  readonly ref?: number | undefined;
  readonly members: readonly Member[];
  readonly comment?: string | undefined;
}

/** What a file hands on from another one. */
export interface Passed {
  readonly id: number;
  readonly kind: 'named' | 'all' | 'namespace';
  readonly from: number;
  readonly unit?: number | undefined;
}

export interface File {
  readonly units: readonly Unit[];
  readonly passes: readonly Passed[];
  /** Exports where they are declared, or at the end. */
  readonly listed: boolean;
  /** Imports by name, or the whole module. */
  readonly whole: boolean;
}

/** Files import those that come after them; the first is the entry. */
export interface Program {
  readonly format: Format;
  readonly files: readonly File[];
}

/** The same numbers from the same seed, on any machine. */
export class Random {
  #state: number;

  constructor(seed: number) {
    this.#state = seed >>> 0;
  }

  below(limit: number): number {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(this.#state ^ (this.#state >>> 15), this.#state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) % limit;
  }

  chance(percent: number): boolean {
    return this.below(100) < percent;
  }

  pick<T>(list: readonly T[]): T {
    return list[this.below(list.length)] as T;
  }
}

export class Maker {
  readonly random: Random;
  #last = 0;

  constructor(random: Random) {
    this.random = random;
  }

  program(): Program {
    const format = this.random.pick<Format>(['mjs', 'cjs', 'ts']);
    const count = 1 + this.random.below(3);
    const files: File[] = [];
    const known: number[] = [];
    // The last first: others refer to what is there.
    for (let at = count - 1; at >= 0; at--) {
      const units: Unit[] = [];
      const wanted = 2 + this.random.below(5);
      for (let index = 0; index < wanted; index++) {
        const unit = this.unit(format, [...known, ...units.map(({ id }) => id)]);
        units.push({ ...unit, isDefault: unit.isDefault && !units.some((one) => one.isDefault) });
      }
      const passes = at < count - 1 && this.random.chance(40) ? [this.passed(at, files)] : [];
      files.unshift({ units, passes, listed: this.random.chance(40), whole: this.random.chance(30) });
      known.push(...units.map(({ id }) => id));
    }
    return { format, files };
  }

  unit(format: Format, known: readonly number[]): Unit {
    const all = format === 'ts' ? kinds : kinds.filter((kind) => kind !== 'enum' && kind !== 'namespace');
    const kind = this.random.pick(all);
    const id = this.id();
    const members = ['class', 'object', 'enum', 'namespace'].includes(kind) ? this.#members(kind, known) : [];
    return {
      id,
      kind,
      name: `${kind === 'class' || kind === 'enum' || kind === 'namespace' ? kind[0]?.toUpperCase() : kind === 'factory' ? 'make' : kind[0]}${id}`,
      exported: this.random.chance(70),
      isDefault: this.random.chance(10) && (kind === 'function' || kind === 'class' || kind === 'arrow'),
      variant: this.random.below(12),
      value: this.random.below(100),
      ref: known.length > 0 && this.random.chance(55) ? this.random.pick(known) : undefined,
      members,
    };
  }

  #members(kind: Kind, known: readonly number[]): Member[] {
    return Array.from({ length: 1 + this.random.below(4) }, () => this.member(kind, known));
  }

  member(kind: Kind, known: readonly number[]): Member {
    const id = this.id();
    const memberKind =
      kind === 'class'
        ? this.random.pick(memberKinds)
        : this.random.pick(['method', 'async', 'generator', 'getter', 'field', 'arrow'] as const);
    return {
      id,
      kind: memberKind,
      name: `m${id}`,
      value: this.random.below(100),
      ref: known.length > 0 && this.random.chance(30) ? this.random.pick(known) : undefined,
    };
  }

  /** `files` are those after the one at `at`. */
  passed(at: number, files: readonly File[]): Passed {
    const index = this.random.below(files.length);
    const units = files[index]?.units ?? [];
    return {
      id: this.id(),
      kind: this.random.pick(['named', 'all', 'namespace'] as const),
      from: at + 1 + index,
      unit: this.random.pick(units)?.id,
    };
  }

  id(): number {
    return ++this.#last;
  }
}
