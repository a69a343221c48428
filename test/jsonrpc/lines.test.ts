import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { LineSplitter } from '../../src/jsonrpc/lines.ts';

type Event = string | { readonly fault: 'utf8' | 'size' };

const bytesOf = (text: string): Uint8Array => new TextEncoder().encode(text);
const plenty = 1_000_000;
const bom = [0xef, 0xbb, 0xbf];

/** What comes out when the bytes arrive in these pieces; the last entry is what was left at the end. */
function split(pieces: Iterable<Uint8Array>, maxBytes = plenty): { events: Event[]; rest: string | undefined } {
  const events: Event[] = [];
  const splitter = new LineSplitter({ line: (text) => events.push(text), fault: (fault) => events.push({ fault }) }, maxBytes);
  for (const piece of pieces) splitter.push(piece);
  return { events, rest: splitter.end() };
}

/** The same in the plainest way, on all bytes at once. */
function expected(bytes: Uint8Array, maxBytes = plenty): { events: Event[]; rest: string | undefined } {
  const lines: Uint8Array[] = [];
  for (let from = 0; from <= bytes.length; ) {
    const next = bytes.indexOf(10, from);
    const end = next === -1 ? bytes.length : next;
    lines.push(bytes.subarray(from, end));
    from = end + 1;
  }
  const events = lines.map((line, index): Event => {
    if (line.length > maxBytes) return { fault: 'size' };
    try {
      const text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(line);
      return index === 0 ? text.replace(/^\ufeff/, '') : text;
    } catch {
      return { fault: 'utf8' };
    }
  });
  const last = events.pop();
  if (typeof last === 'object' && last.fault === 'size') return { events: [...events, last], rest: undefined };
  return { events, rest: typeof last === 'string' && lines.at(-1)?.length !== 0 ? last : undefined };
}

function* pieces(bytes: Uint8Array, size: number): Generator<Uint8Array> {
  for (let from = 0; from < bytes.length; from += size) yield bytes.slice(from, from + size);
}

function join(...parts: readonly (readonly number[] | Uint8Array)[]): Uint8Array {
  return Uint8Array.from(parts.flatMap((part) => [...part]));
}

const fragment: fc.Arbitrary<Uint8Array> = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 12 }).map(bytesOf),
  fc.constantFrom('é', '漢', '👩‍👩‍👧', '\u2028', '\u2029', '\u0085', '\r', '\t', '{"jsonrpc":"2.0"}').map(bytesOf),
  fc
    .constantFrom([0xff], [0xfe], [0xc3], [0xc0, 0xaf], [0xed, 0xa0, 0x80], [0xf0, 0x9f, 0x98], [0x80], bom, [0])
    .map((bytes) => Uint8Array.from(bytes)),
);
const ending = fc.constantFrom('\n', '\r\n', '\n\n', '').map(bytesOf);
const stream = fc
  .tuple(fc.constantFrom<number[]>([], [], bom), fc.array(fc.tuple(fragment, fragment, ending), { maxLength: 12 }))
  .map(([start, lines]) => join(start, ...lines.flat()));

function cutAt(bytes: Uint8Array, cuts: readonly number[]): Uint8Array[] {
  const points = [0, ...cuts.map((cut) => cut % (bytes.length + 1)).sort((a, b) => a - b), bytes.length];
  return points.slice(1).map((point, index) => bytes.slice(points[index], point));
}

describe('lines', () => {
  it('are the same however the bytes are cut', () => {
    fc.assert(
      fc.property(stream, fc.array(fc.nat(), { maxLength: 20 }), (bytes, cuts) => {
        expect(split(cutAt(bytes, cuts))).toEqual(expected(bytes));
      }),
      { numRuns: 2_000 },
    );
  });

  it('are the same byte by byte, and under any limit', () => {
    fc.assert(
      fc.property(stream, fc.integer({ min: 1, max: 40 }), fc.array(fc.nat(), { maxLength: 20 }), (bytes, maxBytes, cuts) => {
        const whole = expected(bytes, maxBytes);
        expect(split([bytes], maxBytes)).toEqual(whole);
        expect(split(pieces(bytes, 1), maxBytes)).toEqual(whole);
        expect(split(cutAt(bytes, cuts), maxBytes)).toEqual(whole);
      }),
      { numRuns: 2_000 },
    );
  });

  it('are cut at newlines only: other separators stay inside', () => {
    const text = '{"a":"\u2028\u2029\u0085\u000b\u000c"}\r';
    for (const size of [1, 2, 3, 100]) expect(split(pieces(bytesOf(`${text}\nx\n`), size)).events).toEqual([text, 'x']);
  });

  it('keep an emoji that arrives one byte at a time', () => {
    const text = '{"text":"👩‍👩‍👧‍👦 🏴󠁧󠁢󠁷󠁬󠁳󠁿 é 漢"}';
    expect(split(pieces(bytesOf(`${text}\n`), 1)).events).toEqual([text]);
  });

  it('may be empty', () => {
    for (const size of [1, 2, 100]) expect(split(pieces(bytesOf('\n\r\n\n'), size))).toEqual({ events: ['', '\r', ''], rest: undefined });
  });

  it('come out during the push that completes them', () => {
    const events: string[] = [];
    const splitter = new LineSplitter({ line: (text) => events.push(text), fault: (kind) => events.push(kind) }, plenty);
    splitter.push(bytesOf('a\nb\nc'));
    expect(events).toEqual(['a', 'b']);
    splitter.push(bytesOf('\n'));
    expect(events).toEqual(['a', 'b', 'c']);
  });

  it('do not depend on what happens to a chunk after its push', () => {
    const events: string[] = [];
    const splitter = new LineSplitter({ line: (text) => events.push(text), fault: (kind) => events.push(kind) }, plenty);
    const chunk = bytesOf('abc');
    splitter.push(chunk);
    chunk.fill(0);
    splitter.push(bytesOf('d\n'));
    expect(events).toEqual(['abcd']);
  });
});

describe('the end', () => {
  it.each([
    ['', undefined],
    ['a\n', undefined],
    ['a\nb', 'b'],
    ['\r', '\r'],
  ])('of %j leaves %j', (text, rest) => {
    expect(split([bytesOf(text)]).rest).toBe(rest);
  });

  it('leaves nothing of a broken or oversized remainder, and only once anything', () => {
    expect(split([join(bytesOf('a\n'), [0xff])]).rest).toBeUndefined();
    expect(split([bytesOf('a\n12345')], 4)).toEqual({ events: ['a', { fault: 'size' }], rest: undefined });
    const splitter = new LineSplitter({ line: () => undefined, fault: () => undefined }, plenty);
    splitter.push(bytesOf('x'));
    expect([splitter.end(), splitter.end()]).toEqual(['x', undefined]);
  });
});

describe('a byte order mark', () => {
  const marked = (text: string) => join(bom, bytesOf(text));

  it.each([1, 2, 3, 4, 100])('is dropped before the first line only, in pieces of %i', (size) => {
    const bytes = join(marked('a\n'), marked('b\n'), bytesOf('c'), marked('\n'));
    expect(split(pieces(bytes, size)).events).toEqual(['a', '\ufeffb', 'c\ufeff']);
  });

  it('is dropped once', () => {
    expect(split([join(bom, marked('a\n'))]).events).toEqual(['\ufeffa']);
    expect(split([marked('a')]).rest).toBe('a');
  });

  it.each([
    ['an empty line', bytesOf('\n'), ''],
    ['a broken line', Uint8Array.from([0xff, 10]), { fault: 'utf8' }],
    ['an oversized line', bytesOf('123456789\n'), { fault: 'size' }],
  ])('is kept after %s', (_, first, event) => {
    for (const size of [1, 100]) expect(split(pieces(join(first, marked('b\n')), size), 8).events).toEqual([event, '\ufeffb']);
  });
});

describe('an oversized line', () => {
  it('costs exactly one fault and the next line is whole, whatever the chunks', () => {
    fc.assert(
      fc.property(fc.integer({ min: 11, max: 200 }), fc.integer({ min: 1, max: 250 }), fc.boolean(), (length, size, between) => {
        const bytes = bytesOf(`${between ? 'before\n' : ''}${'é'.repeat(length)}\nafter\n`);
        expect(split(pieces(bytes, size), 20).events).toEqual([...(between ? ['before'] : []), { fault: 'size' }, 'after']);
      }),
    );
  });

  it('is one byte longer than the limit, and the newline does not count', () => {
    for (const size of [1, 3, 4, 5, 100]) {
      expect(split(pieces(bytesOf('1234\n12345\n123\r\n1234\r\n'), size), 4).events).toEqual([
        '1234',
        { fault: 'size' },
        '123\r',
        { fault: 'size' },
      ]);
    }
  });

  it('is reported when it passes the limit, not when it ends', () => {
    const events: Event[] = [];
    const splitter = new LineSplitter({ line: (text) => events.push(text), fault: (fault) => events.push({ fault }) }, 4);
    splitter.push(bytesOf('12345'));
    expect(events).toEqual([{ fault: 'size' }]);
  });

  it('is not kept in memory', () => {
    const limit = 4 * 1024 * 1024;
    const chunk = new Uint8Array(65_536).fill(97);
    const splitter = new LineSplitter({ line: () => undefined, fault: () => undefined }, limit);
    const before = process.memoryUsage().arrayBuffers;
    let most = 0;
    for (let sent = 0; sent < 64 * 1024 * 1024; sent += chunk.length) {
      splitter.push(chunk);
      most = Math.max(most, process.memoryUsage().arrayBuffers);
    }
    expect(most - before).toBeLessThan(3 * limit);
  });
});

describe('the work for a line', () => {
  const length = 4 * 1024 * 1024;

  it.each([
    ['1 byte', 1],
    ['64 KB', 65_536],
    ['its own length', length + 1],
  ])('grows with its length and not with its square, in chunks of %s', (_, size) => {
    const bytes = new Uint8Array(length + 1).fill(97);
    bytes[length] = 10;
    let result: ReturnType<typeof split> | undefined;
    const work = counted(() => {
      const views = function* () {
        for (let from = 0; from < bytes.length; from += size) yield bytes.subarray(from, from + size);
      };
      result = split(views(), 8 * 1024 * 1024);
    });
    expect(result?.events.length).toBe(1);
    expect(result?.events[0]).toHaveLength(length);
    expect(work.copied).toBeLessThanOrEqual(4 * length);
    expect(work.searched).toBeLessThanOrEqual(3 * length);
    expect(work.decoded).toBeLessThanOrEqual(2 * length);
  });

  it('grows with the length of a chunk full of short and broken lines', () => {
    const bytes = new Uint8Array(1_000_000).fill(10);
    for (let at = 0; at < bytes.length; at += 4) bytes[at] = at % 400 === 0 ? 0xff : 97;
    const work = counted(() => expect(split([bytes]).events).toHaveLength(750_000));
    expect(work.searched).toBeLessThanOrEqual(3 * bytes.length);
    expect(work.decoded).toBeLessThanOrEqual(2 * bytes.length);
  });
});

/** Counts bytes that are copied, searched and decoded meanwhile, by standing in for the methods that do it. */
function counted(work: () => void): { copied: number; searched: number; decoded: number } {
  const counts = { copied: 0, searched: 0, decoded: 0 };
  const typed = Object.getPrototypeOf(Uint8Array.prototype) as Uint8Array;
  const { set, indexOf, lastIndexOf } = typed;
  const { decode } = TextDecoder.prototype;
  typed.set = function (this: Uint8Array, source: ArrayLike<number>, at?: number) {
    counts.copied += source.length;
    set.call(this, source, at);
  };
  typed.indexOf = function (this: Uint8Array, value: number, from = 0) {
    const found = indexOf.call(this, value, from);
    counts.searched += (found === -1 ? this.length : found + 1) - from;
    return found;
  };
  typed.lastIndexOf = function (this: Uint8Array, value: number) {
    const found = lastIndexOf.call(this, value);
    counts.searched += this.length - Math.max(found, 0);
    return found;
  };
  TextDecoder.prototype.decode = function (this: InstanceType<typeof TextDecoder>, ...args: Parameters<typeof decode>) {
    counts.decoded += (args[0] as Uint8Array | undefined)?.byteLength ?? 0;
    return decode.apply(this, args);
  };
  try {
    work();
  } finally {
    Object.assign(typed, { set, indexOf, lastIndexOf });
    TextDecoder.prototype.decode = decode;
  }
  return counts;
}
