// The main thread of an image: the user's code runs here. A worker beside it holds the wire, so that it answers whatever happens here.
import { Session } from 'node:inspector';
import { MessageChannel, Worker } from 'node:worker_threads';
import { provideDisplay } from './display.ts';
import { provideImports } from './imports.ts';
import { Keeper } from './keeper.ts';
import { captureOutput } from './output.ts';
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

type FromMonitor = Evaluate | { readonly op: 'probe'; readonly id: number };

interface Evaluated {
  readonly result: { readonly objectId?: string; readonly value?: unknown; readonly unserializableValue?: string };
  readonly exceptionDetails?: { readonly exception?: Evaluated['result']; readonly text: string };
}

const { port1: port, port2: other } = new MessageChannel();
const folder = process.cwd();
const output = captureOutput(port);
const session = new Session();
session.connect();
const keeper = new Keeper();
// The user's code may replace it.
const { then } = Promise.prototype;
let cell: Cell | undefined;
const settleId = reach(session, (thrown: boolean, value: unknown) => settle(cell, thrown, value));
provideImports(folder, runAwaiting);
provideDisplay(port);
containTimers(session, () => port.postMessage({ ev: 'stray', what: 'interrupted', where: 'a timer' }));

const stray = (what: string) => (error: unknown) => port.postMessage({ ev: 'stray', what, fault: keeper.fault(error) });
process.on('uncaughtException', stray('uncaught'));
process.on('unhandledRejection', stray('unhandled'));
process.setSourceMapsEnabled(true);
// The monitor finds the keeper once, before any code of the user has run.
Object.defineProperty(globalThis, '__vivarium_keeper', { value: keeper, configurable: true });

port.on('message', (message: FromMonitor) => {
  if (message.op === 'probe') port.postMessage({ ev: 'alive', id: message.id });
  else evaluate(message);
});
port.unref();

const monitor = new Worker(new URL('./monitor.js', import.meta.url), {
  workerData: { port: other, folder },
  transferList: [other],
  stdout: false,
  stderr: false,
  env: process.env,
});
// Without it there is no way to be reached.
monitor.once('exit', () => process.exit(0));
monitor.once('error', (error) => {
  process.exitCode = 70;
  throw error;
});
monitor.once('message', () => Reflect.deleteProperty(globalThis, '__vivarium_keeper'));

function evaluate({ id, code, awaits, fresh, pauses }: Evaluate): void {
  if (fresh.length > 0) session.post('Runtime.evaluate', { expression: `let ${fresh.join(', ')}`, silent: true });
  output.begin(id);
  cell = { id, done: false };
  const own = cell;
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
