// Names that a file does not have, or has no more: they mean what they mean outside of it. On the main thread.
import { runInThisContext } from 'node:vm';

interface Outside {
  value: unknown;
  /** For `typeof`, which takes a name that is nowhere. */
  readonly maybe: unknown;
}

const known = new Map<string, Outside>();

/** `sloppy`: what is assigned to a name that is nowhere becomes a global, as in a file without 'use strict'. `near`: what it has instead. */
export function outside(name: string, sloppy = false, near = ''): Outside {
  const key = `${name} ${sloppy} ${near}`;
  const found = known.get(key) ?? made(name, sloppy, near);
  known.set(key, found);
  return found;
}

/** Variables of cells are in no object: only a script has them. */
function made(name: string, sloppy: boolean, near: string): Outside {
  const read = runInThisContext(`() => ${name}`) as () => unknown;
  const write = runInThisContext(`${sloppy ? '' : '"use strict"; '}(value) => { ${name} = value; }`) as (value: unknown) => void;
  const told = (error: unknown): unknown =>
    error instanceof ReferenceError && !(name in globalThis) ? new ReferenceError(`${name} is not defined${near}`) : error;
  return {
    get value(): unknown {
      try {
        return read();
      } catch (error) {
        throw told(error);
      }
    },
    set value(value: unknown) {
      try {
        write(value);
      } catch (error) {
        throw told(error);
      }
    },
    get maybe(): unknown {
      try {
        return read();
      } catch {
        return undefined;
      }
    },
  };
}

/** Stands for a name that cannot be assigned where something is assigned to it. */
export function fixed(why: string): { value: unknown } {
  const refuse = (): never => {
    throw new TypeError(`Assignment to constant variable. ${why}`);
  };
  return {
    get value() {
      return refuse();
    },
    set value(_) {
      refuse();
    },
  };
}
