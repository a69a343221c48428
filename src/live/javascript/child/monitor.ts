// The worker beside the main thread: it answers the host, watches the memory, interrupts, and looks at what the main thread holds.
import { chmodSync } from 'node:fs';
import { createServer, Socket } from 'node:net';
import { type MessagePort, parentPort, workerData } from 'node:worker_threads';
import { Debugging } from './debugging.ts';
import type { Fault } from './fault.ts';
import { Inspector } from './inspector.ts';
import type { Members } from './keeper.ts';
import { Lookup } from './lookup.ts';
import { Measuring, newestRef } from './measuring.ts';
import { MemoryWatch } from './memory-watch.ts';
import { Positions } from './positions.ts';
import { ProjectScripts } from './project-scripts.ts';
import { Reloading } from './reload.ts';
import { type Frame, Wire } from './wire.ts';

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
const debugging = new Debugging(inspector, positions, (event) => wire?.send(event));
const memory = new MemoryWatch(inspector, debugging, (event) => wire?.send(event));
const scripts = new ProjectScripts(inspector, debugging, folder);
const reloading = new Reloading(inspector, debugging, positions, folder);
const lookup = new Lookup(inspector, scripts);
const measuring = new Measuring(inspector, folder);
/** What the main thread has to answer. */
const probes = new Map<number, () => void>();
let busy: number | undefined;
const lookMs = 20_000;
/** So long a cell has to tell of its own end. */
const tellMs = 100;
/** Questions of our own, with numbers the host does not use. */
let aside = -1_000_000_000;

port.on('message', (message: Frame) => {
  const { ev, id, ...rest } = message as { ev: string; id: number } & Frame;
  if (ev === 'flush') wire?.flush(message['flushed'] as Int32Array);
  else if (ev === 'alive') {
    probes.get(id)?.();
    probes.delete(id);
  } else if (ev === 'evaluated') {
    over(id);
    wire?.send({ id, ev: 'done', ...placed(rest), ...memory.caught(id) });
  } else wire?.send(placed(message));
});

/** What was thrown, with the places where the user wrote it. */
function placed(message: Frame): Frame {
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
    over(id);
    wire?.send({ id, ev: 'done', ...memory.caught(id) });
  });
  // Short of memory, the main thread may fail to take it.
  const ask = (): void => {
    if (busy !== id || !probes.has(probe)) return;
    port.postMessage({ op: 'probe', id: probe });
    setTimeout(ask, 2 * tellMs);
  };
  setTimeout(ask, tellMs);
};

const connected = inspector
  .connect()
  .then(() => lookup.begin())
  .then(() => parentPort?.postMessage('ready'));
if (listen === undefined) take(new Socket({ fd: 3, readable: true, writable: true }));
else {
  // One host at a time: two would undo each other's work.
  // The end of the one before may still be on its way.
  const server = createServer((socket) => {
    if (wire === undefined) take(socket);
    else setTimeout(() => (wire === undefined ? take(socket) : socket.destroy()), 200);
  });
  server.listen(listen, () => chmodSync(listen, 0o600));
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

async function begin(terms: Frame): Promise<void> {
  await connected;
  if (listen === undefined) memory.begin(Number(terms['heapMb']));
  wire?.send({ ev: 'ready', version: process.version, pid: process.pid });
}

async function answer(request: Frame): Promise<void> {
  const { id } = request;
  try {
    const result = await carryOut(request);
    if (result !== undefined) wire?.send({ id, ev: 'done', ...result });
  } catch (error) {
    wire?.send({ id, ev: 'done', refused: error instanceof Error ? error.message : String(error) });
  }
}

/** Undefined where the answer comes later. */
async function carryOut(request: Frame): Promise<object | undefined> {
  const id = request['id'] as number;
  switch (request['op']) {
    case 'ping':
      return {};
    case 'probe':
      probes.set(id, () => wire?.send({ id, ev: 'done' }));
      port.postMessage({ op: 'probe', id });
      return undefined;
    case 'evaluate':
      if (request['onError'] === 'pause') await debugging.pauseOnErrors();
      scripts.remember(asWritten(request), request['text'] as string | undefined);
      reloading.remember(request['imports']);
      positions.remember(String(request['code']), request['columns']);
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
    case 'inspect':
      return lookup.alone(() => inTime(inspect(request)));
    case 'lookup':
      return inTime(lookup.find(String(request['name']), String(request['want'])));
    case 'complete':
      return { names: await lookup.complete(String(request['prefix']), request['kind'] as string | undefined) };
    case 'modules':
      return { files: await scripts.files() };
    case 'refs':
      return { newest: await lookup.alone(() => newestRef(inspector)) };
    case 'profile':
      return measuring.profile(request['action'] === 'start');
    case 'reload':
      return reloading.reload(request['files'] as readonly string[] | undefined);
    case 'debug':
      return debugging.act(request);
    case 'heap': {
      const classes = await lookup.complete('', 'class');
      return lookup.alone(() => measuring.heap(classes));
    }
  }
  throw new Error(`This image does not know ${String(request['op'])}`);
}

/** To look at something may run code of the user's after all. Where that is all that runs, it is stopped. */
async function inTime<T>(work: Promise<T>): Promise<T> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => {
      if (busy === undefined) void inspector.post('Runtime.terminateExecution');
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

/** A cell with its functions where they were written, under the name of the script. */
function asWritten(request: Frame): string {
  const code = String(request['code']);
  if (request['functions'] === undefined || request['functions'] === '') return code;
  return `${String(request['text'])}${code.slice(code.lastIndexOf('\n//# sourceURL='))}`;
}

async function inspect(request: Frame): Promise<object> {
  const { target, path = [], offset = 0 } = request as { target: number | string; path?: string[]; offset?: number };
  try {
    const from = typeof target === 'number' ? await inspector.find('get', target) : await inspector.look(target);
    const found = path.length === 0 ? from : await inspector.find('walk', from, path);
    return { view: await inspector.ask<Members>('members', found, offset) };
  } finally {
    await inspector.post('Runtime.releaseObjectGroup', { objectGroup: 'look' });
  }
}
