// Makes an image of Debian's Squeak that runs a file first: a string, a method and a context are written behind what is there.
import { readFileSync, writeFileSync } from 'node:fs';

/** Little-endian, 32 bits, before closures: that is what Scratch 1.4 is. */
const format = 6502;
const special = {
  nil: 0,
  scheduler: 3,
  string: 6,
  methodContext: 10,
  compiledMethod: 16,
  doesNotUnderstand: 20,
  characters: 24,
  compact: 28,
};

interface Found {
  readonly oop: number;
  readonly bytes: number;
  readonly format: number;
  readonly compact: number;
  readonly behavior: number;
}

/** `code` is evaluated by the image as the first thing it does. */
export function writeImage(from: string, code: string, to: string): void {
  const image = new SqueakImage(readFileSync(from));
  writeFileSync(to, image.withFirst(code));
}

class SqueakImage {
  readonly #bytes: Buffer;
  readonly #head: number;
  readonly #size: number;
  readonly #base: number;
  readonly #special: number;
  readonly #objects: Map<number, Found> = new Map();

  constructor(bytes: Buffer) {
    if (bytes.readUInt32LE(0) !== format) throw new Error('This is no image of the format 6502');
    this.#bytes = bytes;
    this.#head = bytes.readUInt32LE(4);
    this.#size = bytes.readUInt32LE(8);
    this.#base = bytes.readUInt32LE(12);
    this.#special = bytes.readUInt32LE(16);
    this.#walk();
  }

  withFirst(code: string): Buffer {
    const compiler = this.#symbol('Compiler');
    const evaluate = this.#symbol('evaluate:');
    const binding = this.#global(compiler);
    const process = this.#field(this.#field(this.#field(this.#special, special.scheduler), 1), 1);
    const running = this.#field(process, 1);
    const nil = this.#field(this.#special, special.nil);
    const added: Buffer[] = [];
    let end = this.#base + this.#size;
    const add = (words: readonly number[]): void => {
      const bytes = Buffer.alloc(words.length * 4);
      for (const [at, word] of words.entries()) bytes.writeUInt32LE(word >>> 0, at * 4);
      added.push(bytes);
      end += bytes.length;
    };
    const text = Buffer.from(code.replace(/\r?\n/g, '\r'), 'latin1');
    const padding = (4 - (text.length % 4)) % 4;
    // A string is long, so it has the longest of headers: size, class, and the rest.
    const string = end + 8;
    const stringClass = this.#field(this.#special, special.string);
    const stringKind = ((8 | padding) << 8) | (this.#compactIndex(stringClass) << 12) | hash(11);
    add([4 + text.length + padding, stringClass, stringKind, ...wordsOf(Buffer.concat([text, Buffer.alloc(padding)]))]);
    // push Compiler; push the string; send evaluate:; pop; return self
    const bytecodes = Buffer.from([0x42, 0x20, 0xe1, 0x87, 0x79, 0, 0, 0]);
    const method = end;
    const methodKind = (15 << 8) | (this.#compactIndex(this.#field(this.#special, special.compiledMethod)) << 12) | hash(22);
    add([28 | 3 | methodKind, small(3 << 9), string, evaluate, binding, ...wordsOf(bytecodes)]);
    const context = end;
    const contextKind = (3 << 8) | (this.#compactIndex(this.#field(this.#special, special.methodContext)) << 12) | hash(33);
    add([92 | 3 | contextKind, running, small((3 + 1) * 4 + 1), small(0), method, nil, nil, ...new Array<number>(16).fill(nil)]);
    const whole = Buffer.concat([this.#bytes.subarray(0, this.#head + this.#size), ...added]);
    whole.writeUInt32LE(end - this.#base, 8);
    // What was running goes on when ours returns.
    whole.writeUInt32LE(context, process + 8 - this.#base + this.#head);
    return whole;
  }

  #walk(): void {
    for (let at = this.#base; at < this.#base + this.#size; ) {
      const word = this.#word(at);
      const kind = word & 3;
      if (kind === 2) {
        at += word & 0x1ffffffc;
        continue;
      }
      const oop = kind === 0 ? at + 8 : kind === 1 ? at + 4 : at;
      const head = this.#word(oop);
      const bytes = kind === 0 ? (this.#word(at) & ~3) >>> 0 : head & 0xfc;
      const behavior = kind === 0 ? (this.#word(at + 4) & ~3) >>> 0 : kind === 1 ? (word & ~3) >>> 0 : 0;
      this.#objects.set(oop, { oop, bytes, format: (head >>> 8) & 15, compact: (head >>> 12) & 31, behavior });
      at = oop + bytes;
    }
  }

  #symbol(name: string): number {
    const known = this.#objects.get(this.#field(this.#field(this.#special, 23), 0)) as Found;
    const symbols = this.#classOf(known);
    for (const one of this.#objects.values())
      if (one.format >= 8 && one.format < 12 && this.#classOf(one) === symbols && this.#text(one) === name) return one.oop;
    throw new Error(`The image has no symbol ${name}`);
  }

  /** The association of a class in the dictionary of globals. */
  #global(symbol: number): number {
    for (const one of this.#objects.values()) {
      if (one.format > 4 || one.bytes !== 12 || this.#field(one.oop, 0) !== symbol) continue;
      const value = this.#objects.get(this.#field(one.oop, 1));
      if (value !== undefined && value.bytes > 32 && this.#field(value.oop, 6) === symbol) return one.oop;
    }
    throw new Error('The image has no compiler');
  }

  #compactIndex(behavior: number): number {
    const table = this.#field(this.#special, special.compact);
    for (let at = 0; at < 31; at++) if (this.#field(table, at) === behavior) return at + 1;
    return 0;
  }

  #classOf({ compact, behavior }: Found): number {
    return compact === 0 ? behavior : this.#field(this.#field(this.#special, special.compact), compact - 1);
  }

  #text({ oop, bytes, format: kind }: Found): string {
    const at = oop - this.#base + this.#head;
    return this.#bytes.toString('latin1', at + 4, at + bytes - (kind & 3));
  }

  #field(oop: number, at: number): number {
    return this.#word(oop + 4 + 4 * at);
  }

  #word(address: number): number {
    return this.#bytes.readUInt32LE(address - this.#base + this.#head);
  }
}

function wordsOf(bytes: Buffer): number[] {
  return Array.from({ length: bytes.length / 4 }, (_, at) => bytes.readUInt32LE(at * 4));
}

function small(value: number): number {
  return ((value << 1) | 1) >>> 0;
}

function hash(value: number): number {
  return (value & 0xfff) << 17;
}
