// The worker beside the main thread, and the way to it.
import { setFlagsFromString } from 'node:v8';
import { MessageChannel, type MessagePort, Worker } from 'node:worker_threads';

export interface MonitorWorker {
  readonly worker: Worker;
  /** To the worker. */
  readonly port: MessagePort;
  /** Not 0 while a cell runs that has not awaited anything: then an interrupt ends the cell and nothing else. */
  readonly inside: Int32Array;
}

/** It waits for a first message on the port before it looks at this thread. */
export function startMonitorWorker(listen?: string): MonitorWorker {
  const { port1: port, port2: other } = new MessageChannel();
  const inside = new Int32Array(new SharedArrayBuffer(4));
  // A program that was there before may begin threads of its own meanwhile.
  const giveBack = listen === undefined ? withoutHeapFlag() : () => undefined;
  const worker = new Worker(new URL('./monitor.cjs', import.meta.url), {
    workerData: { port: other, folder: process.cwd(), listen, inside },
    transferList: [other],
    stdout: false,
    stderr: false,
    env: process.env,
    execArgv: [],
  });
  worker.once('message', giveBack);
  return { worker, port, inside };
}

/**
 * A flag that is not at its default makes Node 20 compile everything of its own anew in each further thread, which takes half as
 * long again. The heap of this thread has its limit already; those of the program's own workers get it from the flag once more.
 */
function withoutHeapFlag(): () => void {
  // Of several the last one counts: the project may have flags of its own.
  const flag = process.execArgv.filter((one) => /^--max[-_]old[-_]space[-_]size=/.test(one)).at(-1);
  if (flag === undefined) return () => undefined;
  setFlagsFromString('--max-old-space-size=0');
  return () => setFlagsFromString(flag);
}
