// One image: requests over its wire, its memory and process limits, and its end together with every process it started.

import { settledWithin } from '../../text/timeouts.ts';
import type { EndReason, Launch } from './engine.ts';
import { asCount, asText } from './frames.ts';
import { connectBackProcess, type ImageProcess, spawnProcess, visitProcess } from './image-process.ts';
import type { FieldsOf, OperationName } from './operations.ts';
import { endDescendants, usage } from './process-tree.ts';
import { Wire, type WireFrame } from './wire.ts';

export interface ImageEvents {
  /** Output; `cell` where the image knows which evaluation printed it. */
  output(stream: 'out' | 'err', text: string, cell: number | undefined, skipped: number): void;
  /** Any other event, such as `paused` or `display`. */
  event(frame: WireFrame): void;
  /** Called once. */
  ended(reason: string): void;
}

export interface ImageLimits {
  readonly bootMs: number;
  /** Resident memory, in MiB, above which the image is ended. */
  readonly rssMb: number;
  /** The image and the processes it started. */
  readonly processes: number;
}

/** The image ended before it answered. */
export class ImageEnded extends Error {
  readonly reason: EndReason;

  constructor(message: string, reason: EndReason) {
    super(message);
    this.reason = reason;
  }
}

const watchMs = 250;

export class Image {
  readonly #body: ImageProcess;
  readonly #wire: Wire;
  readonly #events: ImageEvents;
  readonly #limits: ImageLimits;
  readonly #waiting: Map<number, { resolve(frame: WireFrame): void; reject(error: Error): void }> = new Map();
  #next = 1;
  /** Set once it ended, or is being killed. */
  #end: ImageEnded | undefined;
  #over = false;
  #watch: ReturnType<typeof setInterval> | undefined;
  readonly ready: Promise<WireFrame>;
  #isReady: (frame: WireFrame) => void = () => undefined;
  #isNot: (error: Error) => void = () => undefined;
  readonly closed: Promise<void>;

  constructor(launch: Launch, limits: ImageLimits, events: ImageEvents) {
    this.#events = events;
    this.#limits = limits;
    this.ready = new Promise((resolve, reject) => {
      this.#isReady = resolve;
      this.#isNot = reject;
    });
    this.ready.catch(() => undefined);
    const told = {
      printed: (name: 'out' | 'err', text: string) => this.#printed(name, text),
      ended: (text: string, reason: EndReason) => this.#ended(text, reason),
    };
    const way = launch.wire ?? launch.socket;
    this.#body =
      launch.callsBack !== undefined
        ? connectBackProcess(launch, told)
        : way === undefined
          ? spawnProcess(launch, told)
          : visitProcess(way, told);
    this.closed = this.#body.closed;
    this.#wire = new Wire(
      this.#body.wire,
      launch.terms,
      (frame) => this.#received(frame),
      () => this.kill('code in it wrote to the private channel'),
    );
    const hint = launch.callsBack?.hint;
    const late = setTimeout(
      () => this.kill(`it was not ready within ${limits.bootMs} ms${hint === undefined ? '' : `. ${hint}`}`),
      limits.bootMs,
    );
    this.ready.then(
      () => clearTimeout(late),
      () => clearTimeout(late),
    );
  }

  get pid(): number | undefined {
    return this.#body.pid;
  }

  /** False for a program that we only attached to: it is never killed. */
  get ours(): boolean {
    return this.#body.ours;
  }

  get over(): boolean {
    return this.#over;
  }

  /** Rejects with ImageEnded. The id of an evaluation is its cell number, negated. */
  request<Name extends OperationName>(op: Name, fields: FieldsOf<Name>, id: number = this.number()): Promise<WireFrame> {
    if (this.#over) return Promise.reject(this.#end);
    return new Promise((resolve, reject) => {
      this.#waiting.set(id, { resolve, reject });
      this.#wire.send({ id, op, ...fields });
    });
  }

  number(): number {
    return this.#next++;
  }

  /** Also rejects on timeout. */
  async requestWithin<Name extends OperationName>(ms: number, op: Name, fields: FieldsOf<Name>): Promise<WireFrame> {
    const id = this.number();
    try {
      const frame = await settledWithin(ms, this.request(op, fields, id));
      if (frame === undefined) throw new Error('The image does not answer: what runs in it leaves no gap');
      return frame;
    } finally {
      this.forget(id);
    }
  }

  /** Drops the answer of this request. */
  forget(id: number): void {
    this.#waiting.delete(id);
  }

  /** False on timeout. */
  async answers(op: 'ping' | 'probe', ms: number): Promise<boolean> {
    const id = this.number();
    try {
      return (await settledWithin(ms, this.request(op, {}, id))) !== undefined;
    } catch {
      return false;
    } finally {
      this.forget(id);
    }
  }

  /** Kills it at once, with its descendants and its process group. */
  kill(reason: string): void {
    this.#end ??= new ImageEnded(reason, 'ended-by-host');
    // Descendants with a process group of their own first: once their parent is gone, they cannot be found.
    this.endChildren();
    this.#body.kill();
  }

  /** Kills the processes it started; false where there are none, or it is not ours. */
  endChildren(): boolean {
    const { pid, ours } = this.#body;
    return pid !== undefined && ours && endDescendants(pid);
  }

  async close(reason = 'it was closed'): Promise<void> {
    this.kill(reason);
    await this.closed;
  }

  #received(frame: WireFrame): void {
    const { ev, id } = frame as { ev: string; id: number };
    if (ev === 'done') {
      this.#waiting.get(id)?.resolve(frame);
      this.#waiting.delete(id);
    } else if (ev === 'out' || ev === 'err')
      this.#events.output(
        ev,
        asText(frame['text'], Number.POSITIVE_INFINITY),
        frame['cell'] as number | undefined,
        asCount(frame['skipped']),
      );
    else if (ev === 'ready') {
      this.#watchMemory();
      this.#isReady(frame);
    } else this.#events.event(frame);
  }

  #printed(name: 'out' | 'err', text: string): void {
    // Node prints this at exit because of our inspector session.
    const own = text.replace('Waiting for the debugger to disconnect...\n', '');
    if (own !== '') this.#events.output(name, own, undefined, 0);
  }

  #ended(text: string, reason: EndReason): void {
    if (this.#over) return;
    this.#over = true;
    this.#end ??= new ImageEnded(text, reason);
    clearInterval(this.#watch);
    this.#wire.close();
    this.#isNot(this.#end);
    for (const { reject } of this.#waiting.values()) reject(this.#end);
    this.#waiting.clear();
    this.#events.ended(this.#end.message);
  }

  /** The heap limit of the language does not cover buffers, WebAssembly and native code. */
  #watchMemory(): void {
    const { pid, ours } = this.#body;
    if (process.platform !== 'linux' || pid === undefined || !ours) return;
    const { rssMb, processes } = this.#limits;
    this.#watch = setInterval(() => {
      const { mb, processes: count } = usage(pid);
      if (mb > rssMb) this.kill(`it used ${Math.round(mb)} MiB of memory, more than ${rssMb}`);
      else if (count > processes) this.kill(`it started ${count} processes, more than ${processes}`);
    }, watchMs);
    this.#watch.unref();
  }
}
