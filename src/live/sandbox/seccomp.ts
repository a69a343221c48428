// System calls that code in a sandbox has no use for: those of the kernel's keyring, which is not of a namespace. A session's keys
// would be read there. The filter is a program of the kernel's (classic BPF), for every kind of call the machine may offer.
import { endianness } from 'node:os';

/** add_key, request_key and keyctl have numbers in a row, by architecture (linux/audit.h). */
const keyCalls: readonly (readonly [architecture: number, first: number])[] = [
  // x86_64
  [0xc000_003e, 248],
  // i386, which programs of x86_64 may call as well
  [0x4000_0003, 286],
  // aarch64
  [0xc000_00b7, 217],
  // arm
  [0x4000_0028, 309],
  // riscv64
  [0xc000_00f3, 217],
];
const x86 = 0xc000_003e;
/** Of x32: the calls of x86_64 once more, under other numbers. */
const x32 = 0x4000_0000;

const [load, equal, atLeast, answer] = [0x20, 0x15, 0x35, 0x06];
const [numberAt, architectureAt] = [0, 4];
const allowed = 0x7fff_0000;
/** EPERM */
const denied = 0x0005_0001;

type Instruction = readonly [code: number, then: number, otherwise: number, value: number];

/** For --seccomp of bubblewrap. */
export function callFilter(): Buffer {
  const program: Instruction[] = [[load, 0, 0, architectureAt]];
  for (const [architecture, first] of keyCalls) {
    const checks: Instruction[] = [
      [load, 0, 0, numberAt],
      ...(architecture === x86 ? [[atLeast, 2, 0, x32] as const] : []),
      [atLeast, 0, 2, first],
      [atLeast, 1, 0, first + 3],
      [answer, 0, 0, denied],
      [answer, 0, 0, allowed],
    ];
    program.push([equal, 0, checks.length, architecture], ...checks);
  }
  program.push([answer, 0, 0, allowed]);
  const bytes = Buffer.alloc(program.length * 8);
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  const isLittle = endianness() === 'LE';
  for (const [at, [code, then, otherwise, value]] of program.entries()) {
    view.setUint16(at * 8, code, isLittle);
    view.setUint8(at * 8 + 2, then);
    view.setUint8(at * 8 + 3, otherwise);
    view.setUint32(at * 8 + 4, value, isLittle);
  }
  return bytes;
}
