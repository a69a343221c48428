// The monitor: a worker that answers the host, watches memory, interrupts, and inspects the main thread even while it is busy.
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

/** What a language adds to the monitor. */
export interface LanguageMonitor {
  /** Default: Node's. */
  readonly version?: string;
  /** Called before any user code has run. */
  begin(): Promise<void>;
  /** Called before an evaluation; `pauses`: pause on error. */
  noted(request: WireFrame, pauses: boolean): Promise<void> | undefined;
  /** True to hold the result of an evaluation back, until `conclude` is called. */
  holds?(id: number, told: WireFrame): boolean;
  /** Ends a held evaluation; false where there is none. */
  abort?(): boolean;
  /** Undefined for an unknown operation. */
  answer(request: WireFrame): Promise<object> | undefined;
}

/** What the monitor offers to a language. */
export interface MonitorServices {
  readonly inspector: Inspector;
  readonly debugging: Debugger;
  readonly positions: Positions;
  readonly folder: string;
  /** Sends to the main thread. */
  post(message: object): void;
  /** Sends to the host. */
  tell(event: object): void;
  /** Reports the result of an evaluation. */
  conclude(id: number, told: object): void;
  /** With a timeout: inspection can run user code after all, which is then terminated unless an evaluation runs. */
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
/** The host; an attached program may have none, or another one later. */
let wire: Wire | undefined;
const positions = new Positions(inspector);
const debugging = new Debugger(inspector, positions, (event) => wire?.send(event));
const memory = new MemoryWatch(inspector, debugging, (event) => wire?.send(event));
let language: LanguageMonitor;
/** Resolves when the main thread is set up, before any user code has run. */
let isBegun: () => void;
const begun = new Promise<void>((resolve) => {
  isBegun = resolve;
});
let connected: Promise<void>;
/** Probes that the main thread has not answered. */
const probes = new Map<number, () => void>();
let busy: number | undefined;
/** An evaluation that is not sent to the main thread yet; undefined once it is to be stopped. */
let preparing: number | undefined;
const lookMs = 20_000;
/** How long a stopped cell has to report its own end. */
const tellMs = 100;
/** Ids of our own probes, which the host does not use. */
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

/** Maps the frames of a fault to the places in the source. */
function placed(message: WireFrame): WireFrame {
  const fault = message['fault'] as Fault | undefined;
  if (fault === undefined) return message;
  return { ...message, fault: { ...fault, message: asNamed(fault.message), frames: fault.frames.map((one) => positions.inCell(one)) } };
}

/** The engine tells a name that lives elsewhere by its place. */
function asNamed(message: string): string {
  return message
    .replace(/\(0 ?, ?(__vivarium_added\.[^)]*)\)/g, '$1')
    .replace(/__vivarium_added\.f\d+_[a-z]+_([\w$]+)(?:\.default\b|\.\1\b)?/g, '$1');
}

// A cell stopped after an await never reports its end: report it once the main thread is free again.
memory.onCaught = () => {
  const id = busy;
  if (id === undefined) return;
  const probe = --aside;
  probes.set(probe, () => {
    if (busy !== id) return;
    port.postMessage({ op: 'forget', id });
    conclude(id, memory.caught(id));
  });
  // Short of memory, the main thread may drop the message: repeat it.
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
  // One host at a time.
  // The 'close' of the host before may still be pending.
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
      // An image ends with its host; an attached program goes on.
      if (listen === undefined) endAll();
      over(busy);
    },
  });
}

/** Kills the process group, whatever the main thread is doing. */
function endAll(): never {
  try {
    process.kill(-process.pid, 'SIGKILL');
  } catch {
    // In a sandbox the group is not ours, and ends with the sandbox.
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

/** Undefined where the answer is sent later. */
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
        // `busy` must be set before the next request is read, so await only where necessary.
        const pauses = request['onError'] === 'pause';
        preparing = id;
        try {
          if (pauses) await free();
          const noted = language.noted(request, pauses);
          if (noted !== undefined) await noted;
          if (preparing !== id) {
            void debugging.rest();
            return { interrupted: true };
          }
        } finally {
          if (preparing === id) preparing = undefined;
        }
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
      if (preparing !== undefined) return withdraw();
      if (listen !== undefined && !debugging.paused && Atomics.load(inside, 0) === 0)
        throw new Error('it goes on in the program, which is not ours to stop');
      return stop(busy);
    case 'abandon':
      if (preparing !== undefined) return withdraw();
      port.postMessage({ op: 'abandon', id: busy });
      return over(busy);
  }
  const answered = language.answer(request);
  if (answered !== undefined) return answered;
  throw new Error(`This image does not know ${String(request['op'])}`);
}

function withdraw(): object {
  preparing = undefined;
  return {};
}

/**
 * Resolves when the main thread is idle. While it reports the end of a cell, V8 saves the pause-on-exceptions state and restores
 * it afterwards, so a change made meanwhile would be undone.
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

/** `cell`: by the time it has stopped, the next cell may be running. */
async function stop(cell: number | undefined): Promise<object> {
  if (language.abort?.() === true) return {};
  if (debugging.paused) await debugging.abort();
  else await inspector.post('Runtime.terminateExecution');
  return over(cell);
}

/** Marks the cell as over; a no-op where the next one runs already. */
function over(cell: number | undefined): object {
  if (busy !== cell) return {};
  busy = undefined;
  memory.rest();
  void debugging.rest();
  return {};
}
