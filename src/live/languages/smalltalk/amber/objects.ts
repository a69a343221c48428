// Smalltalk objects as they are made: shown and taken apart without sending them a message, so that nothing of the user's runs.
import { types } from 'node:util';
import { type Amber, type Behavior, isBehavior, nameOf, slotsOf } from './amber.ts';

export interface Part {
  readonly key: string;
  readonly value: unknown;
}

const maxElements = 10;
const maxString = 200;

export class Objects {
  readonly #amber: Amber;

  constructor(amber: Amber) {
    this.#amber = amber;
  }

  isNil(value: unknown): boolean {
    return value === undefined || value === null || value === this.#amber.nil;
  }

  /** Undefined for what comes from JavaScript. */
  classOf(value: unknown): Behavior | undefined {
    if (this.isNil(value)) return this.#amber.globals['UndefinedObject'] as Behavior;
    if (types.isProxy(value)) return undefined;
    const found = dataOf(value, 'a$cls');
    return isBehavior(found) ? found : undefined;
  }

  typeName(value: unknown): string {
    const behavior = this.classOf(value);
    return behavior === undefined ? 'a JavaScript object' : nameOf(behavior);
  }

  /** `a Counter`, `an Array (1 2 3)`, `'text'`. */
  brief(value: unknown, depth = 1): string {
    if (this.isNil(value)) return 'nil';
    if (typeof value === 'string') return quoted(value);
    if (typeof value !== 'object' && typeof value !== 'function') return String(value);
    if (isBehavior(value)) return nameOf(value);
    const name = this.typeName(value);
    const called = name.startsWith('a ') ? name : `${/^[AEIOU]/.test(name) ? 'an' : 'a'} ${name}`;
    if (types.isProxy(value) || depth === 0 || typeof value === 'function') return called;
    const { parts, total, kind } = this.#parts(value, 0, maxElements);
    if (kind === 'slots') {
      if (total === 0) return called;
      return `${called}(${parts.map(({ key, value: one }) => `${key}: ${this.brief(one, depth - 1)}`).join(' ')}${total > parts.length ? ' …' : ''})`;
    }
    const shown = parts.map(({ key, value: one }) => (kind === 'keys' ? `${key}->` : '') + this.brief(one, depth - 1));
    return `${called} (${[...shown, ...(total > parts.length ? ['…'] : [])].join(' ')})`;
  }

  parts(value: unknown, offset: number, most: number): { readonly parts: readonly Part[]; readonly total: number } {
    return this.#parts(value, offset, most);
  }

  /** By the key it is shown under; undefined where there is none. */
  part(value: unknown, key: string): Part | undefined {
    const { parts } = this.#parts(value, 0, Number.MAX_SAFE_INTEGER);
    return parts.find((one) => one.key === key);
  }

  #parts(value: unknown, offset: number, most: number): { parts: readonly Part[]; total: number; kind: 'elements' | 'keys' | 'slots' } {
    if (this.isNil(value) || (typeof value !== 'object' && typeof value !== 'function') || types.isProxy(value))
      return { parts: [], total: 0, kind: 'slots' };
    if (Array.isArray(value)) {
      const page = value.slice(offset, offset + Math.min(most, 1_000_000));
      return {
        parts: page.map((one, at) => ({ key: String(offset + at + 1), value: one as unknown })),
        total: value.length,
        kind: 'elements',
      };
    }
    if (isBehavior(value)) return paged(this.#ofClass(value), offset, most, 'slots');
    const { keys, values } = value as { keys?: unknown; values?: unknown };
    if (this.typeName(value) === 'Dictionary' && Array.isArray(keys) && Array.isArray(values)) {
      const page = keys.slice(offset, offset + Math.min(most, 1_000_000));
      const parts = page.map((key, at) => ({ key: this.brief(key, 0), value: values[offset + at] as unknown }));
      return { parts, total: keys.length, kind: 'keys' };
    }
    const behavior = this.classOf(value);
    // What JavaScript brought has properties, and a hashed collection has nothing else.
    const slots = behavior === undefined || nameOf(behavior) === 'HashedCollection' ? Object.keys(value as object) : slotsOf(behavior);
    return paged(
      slots.map((key) => ({ key, value: dataOf(value, key) })),
      offset,
      most,
      'slots',
    );
  }

  #ofClass({ name, superclass, slots, comment }: Behavior): Part[] {
    return [
      { key: 'name', value: name },
      { key: 'superclass', value: superclass },
      { key: 'slots', value: slots },
      { key: 'comment', value: comment ?? '' },
    ];
  }
}

function paged<K extends string>(all: readonly Part[], offset: number, most: number, kind: K): { parts: Part[]; total: number; kind: K } {
  return { parts: all.slice(offset, offset + most), total: all.length, kind };
}

/** Without running a getter, its own or inherited. */
function dataOf(value: unknown, key: string): unknown {
  let at: unknown = (typeof value === 'object' && value !== null) || typeof value === 'function' ? value : Object.getPrototypeOf(value);
  for (; at !== null && !types.isProxy(at); at = Object.getPrototypeOf(at) as unknown) {
    const found = Object.getOwnPropertyDescriptor(at as object, key);
    if (found !== undefined) return found.value;
  }
  return undefined;
}

function quoted(text: string): string {
  const shown = text.length > maxString ? `${text.slice(0, maxString)}…` : text;
  return `'${shown.replaceAll("'", "''")}'`;
}
