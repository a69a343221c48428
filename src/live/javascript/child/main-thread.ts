// The main thread of an image: cells run here. A worker beside it holds the wire, so that it answers whatever happens here.
import { Session } from 'node:inspector';
import { MessageChannel, Worker } from 'node:worker_threads';
import { provideDisplay } from './display.ts';
import { provideImports } from './imports.ts';
import { Keeper } from './keeper.ts';
import { captureOutput, type Output } from './output.ts';
import { reach } from './reach.ts';
import { containTimers } from './timers.ts';

interface Evaluate {
  readonly op: 'evaluate';
  readonly id: number;
  readonly code: string;
  readonly awaits: boolean;
  readonly fresh: readonly string[];
  /** At an error, for the debugger. */
  readonly pauses: boolean;
}

interface Cell {
  readonly id: number;
  done: boolean;
}

type FromMonitor = Evaluate | { readonly op: 'probe'; readonly id: number } | { readonly op: 'forget'; readonly id: number };

interface Evaluated {
  readonly result: { readonly objectId?: string; readonly value?: unknown; readonly unserializableValue?: string };
  readonly exceptionDetails?: { readonly exception?: Evaluated['result']; readonly text: string };
}

export interface ImageOptions {
  /** A program that is there without us: reached at this socket, and left as it is wherever that is possible. */
  readonly listen?: string;
}

const { port1: port, port2: other } = new MessageChannel();
const session = new Session();
const keeper = new Keeper();
/** Not 0 while a cell runs that has not awaited anything: then an interrupt ends the cell and nothing else. */
const inside = new Int32Array(new SharedArrayBuffer(4));
// The user's code may replace it.
const { then } = Promise.prototype;
let output: Output;
let settleId = '';
let cell: Cell | undefined;

export function startImage({ listen }: ImageOptions = {}): void {
  const folder = process.cwd();
  output = captureOutput(port, listen !== undefined);
  session.connect();
  settleId = reach(session, (thrown: boolean, value: unknown) => settle(cell, thrown, value));
  provideImports(folder, runAwaiting);
  provideDisplay(port);
  if (listen === undefined) own();
  // The monitor finds the keeper once, before any code of the user has run.
  Object.defineProperty(globalThis, '__vivarium_keeper', { value: keeper, configurable: true });
  port.on('message', (message: FromMonitor) => {
    if (message.op === 'probe') port.postMessage({ ev: 'alive', id: message.id });
    else if (message.op === 'forget') forget(message.id);
    else evaluate(message);
  });
  port.unref();
  const monitor = new Worker(new URL('./monitor.js', import.meta.url), {
    workerData: { port: other, folder, listen, inside },
    transferList: [other],
    stdout: false,
    stderr: false,
    env: process.env,
    execArgv: [],
  });
  monitor.once('message', () => Reflect.deleteProperty(globalThis, '__vivarium_keeper'));
  if (listen !== undefined) {
    // The program lives and ends as it would without us.
    monitor.unref();
    monitor.on('error', (error) => process.emitWarning(`vivarium/here has ended: ${error.message}`));
    return;
  }
  // Without it there is no way to be reached.
  monitor.once('exit', () => process.exit(0));
  monitor.once('error', (error) => {
    process.exitCode = 70;
    throw error;
  });
}

/** What is done only to a program that was started for this. */
function own(): void {
  containTimers(session, output, () => port.postMessage({ ev: 'stray', what: 'interrupted', where: 'a timer' }));
  const stray = (what: string) => (error: unknown) => port.postMessage({ ev: 'stray', what, fault: keeper.fault(error) });
  process.on('uncaughtException', stray('uncaught'));
  process.on('unhandledRejection', stray('unhandled'));
  process.setSourceMapsEnabled(true);
}

function evaluate({ id, code, awaits, fresh, pauses }: Evaluate): void {
  if (fresh.length > 0) session.post('Runtime.evaluate', { expression: `let ${fresh.join(', ')}`, silent: true });
  output.begin(id);
  cell = { id, done: false };
  const own = cell;
  Atomics.store(inside, 0, 1);
  session.post('Runtime.evaluate', { expression: code, silent: !pauses, objectGroup: 'cell' }, (error, evaluated) => {
    // What was begun goes on, but nobody waits for it.
    if (error !== null) return finish(own, { interrupted: true });
    const { result, exceptionDetails } = evaluated as unknown as Evaluated;
    if (awaits && exceptionDetails === undefined) return;
    const given =
      exceptionDetails === undefined
        ? [{ value: false }, argumentOf(result)]
        : [{ value: true }, argumentOf(exceptionDetails.exception ?? result)];
    const functionDeclaration = 'function (thrown, value) { this(thrown, value); }';
    session.post('Runtime.callFunctionOn', { objectId: settleId, functionDeclaration, arguments: given, silent: true }, (failed) => {
      if (failed !== null) finish(own, { interrupted: true });
    });
    session.post('Runtime.releaseObjectGroup', { objectGroup: 'cell' });
  });
  Atomics.store(inside, 0, 0);
}

/**
 * A cell that awaits. The inspector could do that (replMode), but it tells of promises that are collected in the midst of
 * collecting them, which ends Node 24.
 */
function runAwaiting(work: (set: object) => Promise<unknown>, set: object): void {
  const own = cell;
  then.call(
    work(set),
    (value) => settle(own, false, value),
    (error: unknown) => settle(own, true, error),
  );
}

function settle(own: Cell | undefined, thrown: boolean, value: unknown): void {
  let more: object;
  try {
    more = thrown ? { fault: keeper.fault(value) } : { value: keeper.keep(value) };
  } catch {
    more = { unshown: true };
  }
  finish(own, more);
}

/** The monitor has told of its end. */
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
  port.postMessage({ ev: 'evaluated', id: own.id, ...more });
}

function argumentOf({ objectId, unserializableValue, value }: Evaluated['result']): object {
  if (objectId !== undefined) return { objectId };
  return unserializableValue !== undefined ? { unserializableValue } : { value };
}
