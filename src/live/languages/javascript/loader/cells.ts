// Cells that guards ask for newer texts: made on the main thread, handed out to whoever compiles a file.
import { BroadcastChannel, MessageChannel, type MessagePort } from 'node:worker_threads';
import { cellName, type Guards, guarded, guardsOf, hashOf, noGuards } from './guards.ts';
import { type Runnable, tailBody } from './transform.ts';

/** What the thread of the hooks needs to hand out cells. */
export interface CellSupply {
  /** How many there are. */
  readonly made: Int32Array;
  /** To ask for more. */
  readonly port: MessagePort;
}

const [ahead, most] = [256, 100_000];
const patience = 50;
/** To read a file takes time when it is loaded; what is longer was hardly written by hand. */
const longest = 200_000;
/** By it the monitor hears the texts of files as they were loaded; null for one it is not told. */
export const sources = 'vivarium:sources';

/** On the main thread, which alone can make them. */
export function supplyCells(): CellSupply {
  const made = new Int32Array(new SharedArrayBuffer(4));
  const { port1, port2 } = new MessageChannel();
  const make = (wanted: unknown): void => {
    const [from, to] = [made[0] as number, Math.min(Number(wanted), most)];
    if (to > from && areCells('m', from, to)) Atomics.store(made, 0, to);
  };
  make(ahead);
  port1.on('message', make);
  port1.unref();
  return { made, port: port2 };
}

/** False where nothing can be added to the global object any more. */
function areCells(kind: string, from: number, to: number): boolean {
  try {
    const cell = { value: undefined, writable: true, configurable: true };
    for (let number = from; number < to; number++) Object.defineProperty(globalThis, cellName(kind, number), cell);
    return true;
  } catch {
    return false;
  }
}

/** Where nothing was supplied, files have no guards. */
let supply: CellSupply | undefined;
let taken = 0;
let late = false;

export function takeSupply(given: CellSupply | undefined): void {
  supply = given;
}

/** A module, in the thread of the hooks. */
export async function guardedModule(file: string, text: string, made: Runnable): Promise<string> {
  if (supply === undefined || !made.code.includes(tailBody)) return made.code;
  say({ file, text });
  const found = guardsIn(made);
  if (found === undefined) return made.code;
  const first = taken;
  // One at least, so that the number is that of no other file.
  taken += Math.max(1, found.guards.length);
  return guarded(made, (await areMade(supply)) ? found : noGuards, 'm', first, hashOf(text));
}

async function areMade({ made, port }: CellSupply): Promise<boolean> {
  const enough = (): boolean => Atomics.load(made, 0) >= taken;
  if (enough()) return true;
  port.postMessage(taken + ahead);
  // The main thread may wait for us.
  for (let waited = 0; waited < patience && !late && !enough(); waited++) await new Promise((resolve) => setTimeout(resolve, 1));
  late = !enough();
  return !late;
}

let ownCells = 0;

/** On the main thread. */
export function guardedScript(file: string, text: string, made: Runnable): string {
  if (supply === undefined || !made.code.includes(tailBody)) return made.code;
  say({ file, text });
  const found = guardsIn(made);
  if (found === undefined) return made.code;
  const first = ownCells;
  ownCells += Math.max(1, found.guards.length);
  return guarded(made, areCells('c', first, ownCells) ? found : noGuards, 'c', first, hashOf(text));
}

/** Undefined where it cannot be read: Node says what is wrong with it, or runs it, and then it never tells that it has ended. */
function guardsIn(made: Runnable): Guards | undefined {
  try {
    return made.code.length > longest ? noGuards : guardsOf(made);
  } catch {
    return undefined;
  }
}

let channel: BroadcastChannel | undefined;

/** A file of the project that is loaded as it is. */
export function notGuarded(): void {
  if (supply !== undefined) say(null);
}

function say(loaded: { readonly file: string; readonly text: string } | null): void {
  if (channel === undefined) {
    channel = new BroadcastChannel(sources);
    (channel as unknown as { unref(): void }).unref();
  }
  channel.postMessage(loaded);
}
