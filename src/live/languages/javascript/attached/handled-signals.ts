// The signals a running Node program handles itself. The system does not tell whose handler it is; libuv's own table does.
import { closeSync, openSync, readFileSync, readSync } from 'node:fs';

const table = 'uv__signal_tree';
/** Of uv_signal_t, which libuv has promised not to change: the number of the signal, and the two branches below it. */
const numberAt = 104;
const leftAt = 112;
const nodeBytes = 128;
const maxHandlers = 1_000;
const symbolBytes = 24;

/** Undefined where that cannot be told: then nothing may be taken for granted. */
export function handledSignals(pid: number): ReadonlySet<number> | undefined {
  try {
    const root = addressOf(pid);
    if (root === undefined) return undefined;
    const memory = openSync(`/proc/${pid}/mem`, 'r');
    try {
      return walk(memory, root);
    } finally {
      closeSync(memory);
    }
  } catch {
    // Not allowed to look, or it has just ended.
    return undefined;
  }
}

function walk(memory: number, root: number): ReadonlySet<number> | undefined {
  const found = new Set<number>();
  const open = [Number(bytesAt(memory, root, 8).readBigUInt64LE())];
  for (let seen = 0; open.length > 0; ) {
    const at = open.pop() as number;
    if (at === 0) continue;
    if (++seen > maxHandlers || at % 8 !== 0) return undefined;
    const node = bytesAt(memory, at, nodeBytes);
    const signal = node.readInt32LE(numberAt);
    // Then this is not the table that is known here.
    if (signal < 1 || signal > 64) return undefined;
    found.add(signal);
    open.push(Number(node.readBigUInt64LE(leftAt)), Number(node.readBigUInt64LE(leftAt + 8)));
  }
  return found;
}

/** Of the table in the memory of the process, by the symbols of its program. */
function addressOf(pid: number): number | undefined {
  const program = openSync(`/proc/${pid}/exe`, 'r');
  try {
    const head = bytesAt(program, 0, 64);
    // ELF, 64 bits, little-endian.
    if (head.readUInt32BE(0) !== 0x7f454c46 || head[4] !== 2 || head[5] !== 1) return undefined;
    const sections = sectionsOf(program, head);
    const symbols = sections.find(({ type }) => type === 2);
    const strings = symbols === undefined ? undefined : sections[symbols.link];
    if (symbols === undefined || strings === undefined) return undefined;
    const texts = bytesAt(program, strings.offset, strings.size);
    const name = texts.indexOf(`\0${table}\0`);
    if (name < 0) return undefined;
    const entries = bytesAt(program, symbols.offset, symbols.size);
    for (let at = 0; at + symbolBytes <= entries.length; at += symbolBytes) {
      if (entries.readUInt32LE(at) !== name + 1) continue;
      const address = Number(entries.readBigUInt64LE(at + 8));
      // A program that is loaded anywhere counts from where it is.
      return head.readUInt16LE(16) === 2 ? address : baseOf(pid) + address;
    }
    return undefined;
  } finally {
    closeSync(program);
  }
}

interface Section {
  readonly type: number;
  readonly offset: number;
  readonly size: number;
  readonly link: number;
}

function sectionsOf(program: number, head: Buffer): Section[] {
  const size = head.readUInt16LE(58);
  const count = head.readUInt16LE(60);
  const all = bytesAt(program, Number(head.readBigUInt64LE(40)), size * count);
  return Array.from({ length: count }, (_, at) => {
    const one = all.subarray(at * size);
    return {
      type: one.readUInt32LE(4),
      offset: Number(one.readBigUInt64LE(24)),
      size: Number(one.readBigUInt64LE(32)),
      link: one.readUInt32LE(40),
    };
  });
}

function baseOf(pid: number): number {
  const [start = ''] = /^[\da-f]+/.exec(readFileSync(`/proc/${pid}/maps`, 'latin1')) ?? [];
  return Number.parseInt(start, 16);
}

function bytesAt(file: number, at: number, length: number): Buffer {
  const bytes = Buffer.alloc(length);
  if (readSync(file, bytes, 0, length, at) !== length) throw new Error('There is less than there should be');
  return bytes;
}
