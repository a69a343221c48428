// The worker beside the main thread: it answers the host, watches the memory, interrupts, and looks at what the main thread holds.
import { type MessagePort, parentPort, workerData } from 'node:worker_threads';
import { Debugging } from './debugging.ts';
import { Inspector } from './inspector.ts';
import type { Members } from './keeper.ts';
import { lookUp } from './lookup.ts';
import { MemoryWatch } from './memory-watch.ts';
import { reload } from './reload.ts';
import { type Frame, Wire } from './wire.ts';

const { port, folder } = workerData as { readonly port: MessagePort; readonly folder: string };
const inspector = new Inspector();
const wire = new Wire(
  (terms) => void begin(terms),
  (request) => void answer(request),
);
const debugging = new Debugging(inspector, (event) => wire.send(event));
const memory = new MemoryWatch(inspector, debugging, (event) => wire.send(event));
/** What the main thread has to answer. */
const probes = new Map<number, () => void>();
let busy: number | undefined;

port.on('message', (message: Frame) => {
  const { ev, id, ...rest } = message as { ev: string; id: number } & Frame;
  if (ev === 'alive') {
    probes.get(id)?.();
    probes.delete(id);
  } else if (ev === 'evaluated') {
    if (busy === id) busy = undefined;
    memory.rest();
    void debugging.rest();
    wire.send({ id, ev: 'done', ...rest, ...memory.caught(id) });
  } else wire.send(message);
});

async function begin(terms: Frame): Promise<void> {
  await inspector.connect();
  parentPort?.postMessage('ready');
  memory.begin(Number(terms['heapMb']));
  wire.send({ ev: 'ready', version: process.version, pid: process.pid });
}

async function answer(request: Frame): Promise<void> {
  const { id } = request;
  try {
    const result = await carryOut(request);
    if (result !== undefined) wire.send({ id, ev: 'done', ...result });
  } catch (error) {
    wire.send({ id, ev: 'done', refused: error instanceof Error ? error.message : String(error) });
  }
}

/** Undefined where the answer comes later. */
async function carryOut(request: Frame): Promise<object | undefined> {
  const id = request['id'] as number;
  switch (request['op']) {
    case 'ping':
      return {};
    case 'probe':
      probes.set(id, () => wire.send({ id, ev: 'done' }));
      port.postMessage({ op: 'probe', id });
      return undefined;
    case 'evaluate':
      if (request['onError'] === 'pause') await debugging.pauseOnErrors();
      busy = id;
      memory.work();
      port.postMessage({
        op: 'evaluate',
        id,
        code: request['code'],
        awaits: request['awaits'] === true,
        fresh: request['fresh'] ?? [],
        pauses: request['onError'] === 'pause',
      });
      return undefined;
    case 'interrupt':
      if (debugging.paused) await debugging.abort();
      else await inspector.post('Runtime.terminateExecution');
      return {};
    case 'inspect':
      return inspect(request);
    case 'lookup':
      return lookUp(inspector, String(request['name']), String(request['want']), folder);
    case 'reload':
      return reload(inspector, request['files'] as never, folder);
    case 'debug':
      return debugging.act(request);
    case 'heap':
      return inspector.post('Runtime.getHeapUsage');
  }
  throw new Error(`This image does not know ${String(request['op'])}`);
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
