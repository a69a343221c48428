// The main thread of an image, where cells run. The wire is in a worker, the monitor, which answers even while this thread is busy.
import { Session } from 'node:inspector';
import type { Fault, View } from '../image/engine.ts';
import { provideDisplay } from './display.ts';
import type { MonitorWorker } from './monitor-worker.ts';
import { captureOutput, type Output } from './output.ts';
import { runInThisContext, store, weakGet, weakSet, whenSettled } from './primordials.ts';
import { containTimers } from './timers.ts';

interface Evaluate {
  readonly op: 'evaluate';
  readonly id: number;
  readonly code: string;
  readonly functions: string;
  readonly awaits: boolean;
  readonly fresh: readonly string[];
  /** Pause on error. */
  readonly pauses: boolean;
}

interface Cell {
  readonly id: number;
  readonly pauses: boolean;
  done: boolean;
}

interface Note<Op> {
  readonly op: Op;
  readonly id: number;
}

type FromMonitor = Evaluate | Note<'probe'> | Note<'forget'> | Note<'abandon'>;

const flushMs = 200;

/** The values of a language; the monitor calls further methods of it. */
export interface CellValueStore {
  /** The value of a cell. */
  keep(value: unknown): View;
  fault(thrown: unknown): Fault;
}

export interface ImageOptions {
  readonly beside: MonitorWorker;
  readonly keeper: CellValueStore;
  /** Defines the globals that cells use; `run` runs an awaiting cell. */
  provide(folder: string, run: (work: () => Promise<unknown>) => void): void;
  /** Socket of a program that runs without us; it is changed as little as possible. */
  readonly listen?: string;
}

const session = new Session();
let keeper: CellValueStore;
let inside: Int32Array;
// Bound early: user code may replace methods of prototypes.
let tell: (message: unknown) => void;
const ask = session.post.bind(session) as (method: string, params: object, done?: (error: Error | null, result?: object) => void) => void;
let output: Output;
/** What the inspector calls next. */
let work: (() => void) | undefined;
const entry = '__vivarium_run';
let cell: Cell | undefined;
/** Whether 'unhandledRejection' is ours. */
let watches = false;
const unhandled: WeakMap<object, Cell> = new WeakMap();

export function startImage({ listen, keeper: own, provide, beside: { worker: monitor, port, inside: shared } }: ImageOptions): void {
  keeper = own;
  inside = shared;
  tell = port.postMessage.bind(port);
  output = captureOutput(port, listen !== undefined);
  session.connect();
  Object.defineProperty(globalThis, entry, { value: take });
  provide(process.cwd(), runAwaiting);
  provideDisplay(port);
  if (listen === undefined) takeOver();
  // The monitor finds the value store by this name once, before any user code has run.
  Object.defineProperty(globalThis, '__vivarium_keeper', { value: keeper, configurable: true });
  port.on('message', (message: FromMonitor) => {
    if (message.op === 'probe') tell({ ev: 'alive', id: message.id });
    else if (message.op === 'forget') forget(message.id);
    else if (message.op === 'abandon') abandon(message.id);
    else evaluate(message);
  });
  port.unref();
  tell({ ev: 'begun' });
  monitor.once('message', () => Reflect.deleteProperty(globalThis, '__vivarium_keeper'));
  if (listen !== undefined) {
    // The program must end as it would without us.
    monitor.unref();
    monitor.on('error', (error) => process.emitWarning(`vivarium/here has ended: ${error.message}`));
    return;
  }
  // Without the monitor the image could not be reached.
  monitor.once('exit', () => process.exit(0));
  monitor.once('error', (error) => {
    process.exitCode = 70;
    throw error;
  });
}

/** Only in a process that we started. */
function takeOver(): void {
  containTimers(session, output, () => tell({ ev: 'stray', what: 'interrupted', where: 'a timer' }));
  const stray = (what: string) => (error: unknown) => tell({ ev: 'stray', what, fault: keeper.fault(error) });
  process.on('uncaughtException', stray('uncaught'));
  watches = true;
  process.on('unhandledRejection', (error, promise) => {
    const failed = weakGet(unhandled, promise);
    if (failed === undefined) stray('unhandled')(error);
    else settle(failed, true, error);
  });
  // Wait until the monitor has sent the last output: it ends with the process.
  process.on('exit', () => {
    output.end();
    const flushed = new Int32Array(new SharedArrayBuffer(4));
    tell({ ev: 'flush', flushed });
    Atomics.wait(flushed, 0, 0, flushMs);
  });
  process.setSourceMapsEnabled(true);
}

function evaluate({ id, code, functions, awaits, fresh, pauses }: Evaluate): void {
  let names = '';
  for (let at = 0; at < fresh.length; at++) names += `${at === 0 ? '' : ', '}${fresh[at]}`;
  if (names !== '') ask('Runtime.evaluate', { expression: `let ${names}`, silent: true });
  output.begin(id);
  const own: Cell = { id, pauses, done: false };
  cell = own;
  store(inside, 0, 1);
  // Functions stand before anything runs. That they do is no value.
  if (functions !== '') runScript(own, functions, true, false);
  if (!own.done) runScript(own, code, !pauses, !awaits);
  store(inside, 0, 0);
}

/**
 * Behind the inspector, where an interrupt ends it alone. The value itself stays on this side: the inspector would write all of a
 * text or of a message down, twice, which takes minutes and gigabytes for one of 100 MB.
 */
function runScript(own: Cell, code: string, silent: boolean, gives: boolean): void {
  let ended: { readonly thrown: boolean; readonly value: unknown } | undefined;
  const run = (): void => {
    try {
      ended = { thrown: false, value: runInThisContext(code) };
    } catch (error) {
      ended = { thrown: true, value: error };
    }
  };
  enter(own, run, silent);
  if (own.done || ended === undefined || (!gives && !ended.thrown)) return;
  const { thrown, value } = ended;
  enter(own, () => settle(own, thrown, value), true);
}

/** It is gone before it runs: whoever calls this from a cell finds nothing to do. */
function take(): void {
  const next = work;
  work = undefined;
  next?.();
}

function enter(own: Cell, next: () => void, silent: boolean): void {
  const outer = work;
  work = next;
  ask('Runtime.evaluate', { expression: `${entry}()\n//# sourceURL=${import.meta.url}`, silent }, (error) => {
    // What was begun goes on, but nobody waits for it.
    if (error !== null) finish(own, { interrupted: true });
  });
  work = outer;
}

/**
 * A cell that awaits. The inspector could do that (replMode), but it tells of promises that are collected in the midst of
 * collecting them, which ends Node 24.
 */
function runAwaiting(work: () => Promise<unknown>): void {
  const own = cell;
  const done = (value: unknown): void => settle(own, false, value);
  // The debugger stops at errors nobody handles, and a handler of ours would count as one.
  if (own?.pauses === true && watches) weakSet(unhandled, whenSettled(work(), done), own);
  else void whenSettled(work(), done, (error: unknown) => settle(own, true, error));
}

function settle(own: Cell | undefined, thrown: boolean, value: unknown): void {
  // Nobody waits for it: the last value is that of another cell by now.
  if (own?.done === true) return;
  let more: object;
  try {
    more = thrown ? { fault: keeper.fault(value) } : { value: keeper.keep(value) };
  } catch {
    more = { unshown: true };
  }
  finish(own, more);
}

/** It goes on, and what it prints is still its own. */
function abandon(id: number): void {
  if (cell?.id === id) cell.done = true;
}

/** The monitor has reported its end. */
function forget(id: number): void {
  if (cell?.id !== id) return;
  cell.done = true;
  output.end();
  cell = undefined;
}

/** Once for each cell; what belongs to none was begun by the user's own call. */
function finish(own: Cell | undefined, more: object): void {
  if (own === undefined || own.done) return;
  own.done = true;
  if (cell === own) {
    output.end();
    cell = undefined;
  }
  tell({ ev: 'evaluated', id: own.id, ...more });
}
