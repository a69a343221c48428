// One child process with a program in it: asked over its wire, interrupted, watched, and ended with everything it started.
import { type ChildProcess, spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import type { Duplex, Readable } from 'node:stream';
import type { Launch } from './engine.ts';
import { type Frame, Wire } from './wire.ts';

export interface ImageEvents {
  /** What is printed; `cell` where the image knows whose it is. */
  output(stream: 'out' | 'err', text: string, cell: number | undefined): void;
  /** Anything else the image says by itself. */
  event(frame: Frame): void;
  /** Told once. */
  ended(reason: string): void;
}

export interface ImageLimits {
  readonly bootMs: number;
  /** Resident memory, in MiB, above which the image is ended. */
  readonly rssMb: number;
}

/** The image ended before it answered. */
export class ImageEnded extends Error {}

const watchMs = 250;

export class Image {
  readonly #child: ChildProcess;
  readonly #wire: Wire;
  readonly #events: ImageEvents;
  readonly #limits: ImageLimits;
  readonly #waiting: Map<number, { resolve(frame: Frame): void; reject(error: Error): void }> = new Map();
  #next = 1;
  #reason: string | undefined;
  #over = false;
  #watch: ReturnType<typeof setInterval> | undefined;
  readonly ready: Promise<Frame>;
  #isReady: (frame: Frame) => void = () => undefined;
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
    // A group of its own: what the user's code starts is ended with it.
    this.#child = spawn(launch.command, launch.args, {
      cwd: launch.cwd,
      env: launch.env,
      stdio: ['ignore', 'pipe', 'pipe', 'pipe'],
      detached: true,
    });
    this.closed = new Promise((resolve) => this.#child.once('close', () => resolve()));
    const { stdout, stderr, stdio } = this.#child;
    // Native code and children of the user's code write there; what the image itself prints comes over the wire.
    for (const [stream, name] of [
      [stdout, 'out'],
      [stderr, 'err'],
    ] as const) {
      (stream as Readable).setEncoding('utf8').on('data', (text: string) => this.#printed(name, text));
    }
    this.#wire = new Wire(
      stdio[3] as Duplex,
      launch.terms,
      (frame) => this.#received(frame),
      () => this.kill('code in it wrote to the private channel'),
    );
    const late = setTimeout(() => this.kill(`it was not ready within ${limits.bootMs} ms`), limits.bootMs);
    this.ready.then(
      () => clearTimeout(late),
      () => clearTimeout(late),
    );
    this.#child.once('error', (error) => this.#ended(`it could not be started: ${error.message}`));
    this.#child.once('exit', (code, signal) => this.#exited(code, signal));
  }

  get pid(): number | undefined {
    return this.#child.pid;
  }

  get over(): boolean {
    return this.#over;
  }

  /** Rejects with ImageEnded. The id is the cell's, where it is one. */
  request(op: string, fields: object = {}, id: number = this.number()): Promise<Frame> {
    if (this.#over) return Promise.reject(new ImageEnded(this.#reason ?? 'it has ended'));
    return new Promise((resolve, reject) => {
      this.#waiting.set(id, { resolve, reject });
      this.#wire.send({ id, op, ...fields });
    });
  }

  number(): number {
    return this.#next++;
  }

  /** Nobody waits for the answer any more. */
  forget(id: number): void {
    this.#waiting.delete(id);
  }

  /** False when it did not answer in time. */
  async answers(op: 'ping' | 'probe', ms: number): Promise<boolean> {
    const id = this.number();
    let timer: ReturnType<typeof setTimeout> | undefined;
    const late = new Promise<false>((resolve) => {
      timer = setTimeout(() => resolve(false), ms);
    });
    try {
      return await Promise.race([this.request(op, {}, id).then(() => true as const), late]);
    } catch {
      return false;
    } finally {
      clearTimeout(timer);
      this.forget(id);
    }
  }

  /** At once, with everything it started that did not leave its group. */
  kill(reason: string): void {
    this.#reason ??= reason;
    this.#signal('SIGKILL');
  }

  async close(): Promise<void> {
    this.kill('it was closed');
    await this.closed;
  }

  #received(frame: Frame): void {
    const { ev, id } = frame as { ev: string; id: number };
    if (ev === 'done') {
      this.#waiting.get(id)?.resolve(frame);
      this.#waiting.delete(id);
    } else if (ev === 'out' || ev === 'err') this.#events.output(ev, String(frame['text']), frame['cell'] as number | undefined);
    else if (ev === 'ready') {
      this.#watchMemory();
      this.#isReady(frame);
    } else this.#events.event(frame);
  }

  #printed(name: 'out' | 'err', text: string): void {
    // Node says so at its end, because of the inspector, which is ours.
    const own = text.replace('Waiting for the debugger to disconnect...\n', '');
    if (own !== '') this.#events.output(name, own, undefined);
  }

  #exited(code: number | null, signal: string | null): void {
    const how = signal === null ? `it exited with code ${code}` : `it was ended by ${signal}`;
    // What it left behind in its group.
    this.#signal('SIGKILL');
    this.#ended(this.#reason ?? how);
  }

  #ended(reason: string): void {
    if (this.#over) return;
    this.#over = true;
    this.#reason ??= reason;
    clearInterval(this.#watch);
    this.#wire.close();
    const error = new ImageEnded(reason);
    this.#isNot(error);
    for (const { reject } of this.#waiting.values()) reject(error);
    this.#waiting.clear();
    this.#events.ended(reason);
  }

  /** The language's own limit does not count buffers, WebAssembly and native code. */
  #watchMemory(): void {
    const { pid } = this.#child;
    if (process.platform !== 'linux' || pid === undefined) return;
    const { rssMb } = this.#limits;
    this.#watch = setInterval(() => {
      const used = residentMb(pid);
      if (used > rssMb) this.kill(`it used ${Math.round(used)} MiB of memory, more than ${rssMb}`);
    }, watchMs);
    this.#watch.unref();
  }

  #signal(signal: NodeJS.Signals): void {
    const { pid } = this.#child;
    if (pid === undefined) return;
    try {
      process.kill(-pid, signal);
    } catch {
      this.#child.kill(signal);
    }
  }
}

function residentMb(pid: number): number {
  try {
    // In pages of 4 KiB; the second number.
    return Number(readFileSync(`/proc/${pid}/statm`, 'latin1').split(' ', 2)[1]) / 256;
  } catch {
    return 0;
  }
}
