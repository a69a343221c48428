// The worker beside the main thread: it answers the host, watches the memory, interrupts, and looks at what the main thread holds.
import { chmodSync } from 'node:fs';
import { createServer, Socket } from 'node:net';
import { type MessagePort, parentPort, workerData } from 'node:worker_threads';
import type { Fault } from '../image/engine.ts';
import type { RefusalReason } from '../image/refusal.ts';
import { Debugger } from './debugger.ts';
import { Inspector } from './inspector.ts';
import { MemoryWatch } from './memory-watch.ts';
import { Positions } from './positions.ts';
import { Wire, type WireFrame } from './wire.ts';

/** What the language of the cells answers beside what every image does. */
export interface LanguageMonitor {
  /** Of the language, where it is not Node's. */
  readonly version?: string;
  /** Before any code of the user has run. */
  begin(): Promise<void>;
  /** An evaluation is about to run; `pauses` where it is to stop at an error. */
  noted(request: WireFrame, pauses: boolean): Promise<void> | undefined;
  /** True where an evaluation that ended is not over yet: it is told of with `conclude`. */
  holds?(id: number, told: WireFrame): boolean;
  /** What it holds is to end; true where there was something. */
  abort?(): boolean;
  /** Undefined where it knows no such op. */
  answer(request: WireFrame): Promise<object> | undefined;
}

/** What it has to work with. */
export interface MonitorServices {
  readonly inspector: Inspector;
  readonly debugging: Debugger;
  readonly positions: Positions;
  readonly folder: string;
  /** To the main thread. */
  post(message: object): void;
  /** To the host. */
  tell(event: object): void;
  /** An evaluation is over. */
  conclude(id: number, told: object): void;
  /** To look at something may run code of the user's after all. Where that is all that runs, it is stopped. */
  inTime<T>(work: Promise<T>): Promise<T>;
}

interface Given {
  readonly port: MessagePort;
  readonly folder: string;
  readonly listen: string | undefined;
  readonly inside: Int32Array;
}

const { port, folder, listen, inside } = workerData as Given;
const inspector = new Inspector();
/** An attached program may have none, and another one later. */
let wire: Wire | undefined;
const positions = new Positions(inspector);
const debugging = new Debugger(inspector, positions, (event) => wire?.send(event));
const memory = new MemoryWatch(inspector, debugging, (event) => wire?.send(event));
let language: LanguageMonitor;
/** The main thread can be looked at: everything is there, and no code of the user has run. */
let isBegun: () => void;
const begun = new Promise<void>((resolve) => {
  isBegun = resolve;
});
let connected: Promise<void>;
/** What the main thread has to answer. */
const probes = new Map<number, () => void>();
let busy: number | undefined;
const lookMs = 20_000;
/** So long a cell has to tell of its own end. */
const tellMs = 100;
/** Questions of our own, with numbers the host does not use. */
let aside = -1_000_000_000;

port.on('message', (message: WireFrame) => {
  const { ev, id, ...rest } = message as { ev: string; id: number } & WireFrame;
  if (ev === 'begun') isBegun();
  else if (ev === 'flush') wire?.flush(message['flushed'] as Int32Array);
  else if (ev === 'alive') {
    probes.get(id)?.();
    probes.delete(id);
  } else if (ev === 'evaluated') {
    const told = { ...placed(rest), ...memory.caught(id) };
    if (language.holds?.(id, told) !== true) conclude(id, told);
  } else wire?.send(placed(message));
});

/** What was thrown, with the places where the user wrote it. */
function placed(message: WireFrame): WireFrame {
  const fault = message['fault'] as Fault | undefined;
  if (fault === undefined) return message;
  return { ...message, fault: { ...fault, frames: fault.frames.map((one) => positions.inCell(one)) } };
}

// Stopped after it had awaited something, a cell never tells of its end: once the main thread is free again, we do.
memory.onCaught = () => {
  const id = busy;
  if (id === undefined) return;
  const probe = --aside;
  probes.set(probe, () => {
    if (busy !== id) return;
    port.postMessage({ op: 'forget', id });
    conclude(id, memory.caught(id));
  });
  // Short of memory, the main thread may fail to take it.
  const ask = (): void => {
    if (busy !== id || !probes.has(probe)) return;
    port.postMessage({ op: 'probe', id: probe });
    setTimeout(ask, 2 * tellMs);
  };
  setTimeout(ask, tellMs);
};

export function startMonitor(languageMonitor: (bench: MonitorServices) => LanguageMonitor): void {
  const post = (message: object): void => port.postMessage(message);
  language = languageMonitor({ inspector, debugging, positions, folder, post, tell: (event) => wire?.send(event), conclude, inTime });
  connected = begun
    .then(() => inspector.connect())
    .then(() => language.begin())
    .then(() => parentPort?.postMessage('ready'));
  if (listen === undefined) return take(new Socket({ fd: 3, readable: true, writable: true }));
  // One host at a time: two would undo each other's work.
  // The end of the one before may still be on its way.
  const server = createServer((socket) => {
    if (wire === undefined) take(socket);
    else setTimeout(() => (wire === undefined ? take(socket) : socket.destroy()), 200);
  });
  server.listen(listen, () => chmodSync(listen, 0o600));
}

function conclude(id: number, told: object): void {
  over(id);
  wire?.send({ id, ev: 'done', ...told });
}

function take(socket: Socket): void {
  wire = new Wire(socket, {
    begun: (terms) => void begin(terms),
    asked: (request) => void answer(request),
    ended() {
      wire = undefined;
      // Without a host there is nobody to live for, unless the program was there before.
      if (listen === undefined) endAll();
      over(busy);
    },
  });
}

/** With everything that was started here, whatever the main thread is doing: it could not be asked any more. */
function endAll(): never {
  try {
    process.kill(-process.pid, 'SIGKILL');
  } catch {
    // In a sandbox the group is not ours, and ends with it.
  }
  process.kill(process.pid, 'SIGKILL');
  process.exit(0);
}

async function begin(terms: WireFrame): Promise<void> {
  await connected;
  if (listen === undefined) memory.begin(Number(terms['heapMb']));
  wire?.send({ ev: 'ready', version: language.version ?? process.version, pid: process.pid });
}

async function answer(request: WireFrame): Promise<void> {
  const { id } = request;
  try {
    const result = await carryOut(request);
    if (result !== undefined) wire?.send({ id, ev: 'done', ...result });
  } catch (error) {
    const refused = error instanceof Error ? error.message : String(error);
    wire?.send({ id, ev: 'done', refused, ...(await reasonFor(request)) });
  }
}

/** Why it was refused, where the host decides by it. */
async function reasonFor({ op, target }: WireFrame): Promise<{ readonly reason?: RefusalReason }> {
  if (op !== 'inspect' || typeof target !== 'number') return {};
  const isMissing = await inspector.ask<boolean>('isMissing', target).catch(() => false);
  return isMissing ? { reason: 'missing-ref' } : {};
}

/** Undefined where the answer comes later. */
async function carryOut(request: WireFrame): Promise<object | undefined> {
  const id = request['id'] as number;
  switch (request['op']) {
    case 'ping':
      return {};
    case 'probe':
      probes.set(id, () => wire?.send({ id, ev: 'done' }));
      port.postMessage({ op: 'probe', id });
      return undefined;
    case 'evaluate':
      {
        // What comes in the same breath must find it running.
        const pauses = request['onError'] === 'pause';
        if (pauses) await free();
        const noted = language.noted(request, pauses);
        if (noted !== undefined) await noted;
      }
      busy = id;
      memory.work();
      port.postMessage({
        op: 'evaluate',
        id,
        code: request['code'],
        functions: String(request['functions'] ?? ''),
        awaits: request['awaits'] === true,
        fresh: request['fresh'] ?? [],
        pauses: request['onError'] === 'pause',
      });
      return undefined;
    case 'interrupt':
      if (listen !== undefined && !debugging.paused && Atomics.load(inside, 0) === 0)
        throw new Error('it goes on in the program, which is not ours to stop');
      return stop(busy);
    case 'abandon':
      return over(busy);
  }
  const answered = language.answer(request);
  if (answered !== undefined) return answered;
  throw new Error(`This image does not know ${String(request['op'])}`);
}

/**
 * The main thread is done with everything before. While it tells of the end of a cell, the engine has put aside whether errors
 * pause, to put it back afterwards: what is said meanwhile is undone by that.
 */
function free(): Promise<void> {
  const probe = --aside;
  return new Promise((resolve) => {
    probes.set(probe, resolve);
    port.postMessage({ op: 'probe', id: probe });
  });
}

async function inTime<T>(work: Promise<T>): Promise<T> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => {
      if (busy !== undefined) return reject(new Error('What runs leaves no gap to look: wait for it, or interrupt it'));
      void inspector.post('Runtime.terminateExecution');
      reject(new Error('It took too long to look at'));
    }, lookMs);
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}

/** By the time it has stopped, the next cell may run already. */
async function stop(cell: number | undefined): Promise<object> {
  if (language.abort?.() === true) return {};
  if (debugging.paused) await debugging.abort();
  else await inspector.post('Runtime.terminateExecution');
  return over(cell);
}

/** Nobody waits for the cell any more, whether it tells of its end or not. What comes late takes nothing from the next one. */
function over(cell: number | undefined): object {
  if (busy !== cell) return {};
  busy = undefined;
  memory.rest();
  void debugging.rest();
  return {};
}
