// A session: an image and what was done in it. The image may be lost; the session then says so, counts a generation, and goes on.
import { CellFault, type Engine, type Fault, type Notebook, type Outcome, type Pause, type StopReason, type View } from './engine.ts';
import { Image, ImageEnded, type ImageLimits } from './image.ts';
import { Printed } from './printed.ts';
import { type Picture, Run } from './run.ts';
import { type SandboxOptions, sandboxed } from './sandbox.ts';
import type { Frame } from './wire.ts';

export interface SessionTerms extends ImageLimits {
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  readonly heapMb: number;
  /** Files brought into every fresh image. */
  readonly load: readonly string[];
  readonly mostOutput: number;
  readonly mostQueued: number;
  /** Of what goes to a model. */
  mask(text: string): string;
  /** Behind bubblewrap. */
  readonly sandbox?: SandboxOptions | undefined;
  /** How long an interrupt may take before the image is ended. */
  readonly graceMs: number;
}

export interface Asked {
  readonly language?: string | undefined;
  readonly onError?: 'report' | 'pause' | undefined;
  readonly timeoutMs: number;
  /** Where the language has them. */
  readonly package?: string | undefined;
}

export interface Entry {
  readonly cell: number;
  readonly code: string;
  readonly ok: boolean;
  readonly text: string;
}

export type SessionState = 'cold' | 'starting' | 'idle' | 'busy' | 'paused' | 'closed';

const mostEntries = 500;
const probeMs = 60;
const againMs = 400;

export class Session {
  readonly handle: string;
  readonly owner: string;
  readonly engine: Engine;
  readonly terms: SessionTerms;
  generation = 1;
  lastUsed: number = Date.now();
  /** Of images that were lost: told with the next answer. */
  readonly tombstones: string[] = [];
  readonly background: Printed;
  readonly entries: Entry[] = [];
  readonly definitions: Map<string, number> = new Map();
  version = '';
  onChange: (names: readonly string[]) => void = () => undefined;
  #image: Image | undefined;
  #notebook: Notebook | undefined;
  #booting: Promise<Image> | undefined;
  #queue: Run[] = [];
  #current: Run | undefined;
  #last: Run | undefined;
  #cells = 0;
  #closed = false;

  constructor(handle: string, owner: string, engine: Engine, terms: SessionTerms) {
    this.handle = handle;
    this.owner = owner;
    this.engine = engine;
    this.terms = terms;
    this.background = new Printed(terms.mostOutput);
  }

  get state(): SessionState {
    if (this.#closed) return 'closed';
    if (this.#current?.pause !== undefined) return 'paused';
    if (this.#current !== undefined) return 'busy';
    return this.#image !== undefined ? 'idle' : this.#booting !== undefined ? 'starting' : 'cold';
  }

  get pid(): number | undefined {
    return this.#image?.pid;
  }

  /** What runs now, or the last one that nobody has seen the end of. */
  get current(): Run | undefined {
    return this.#current ?? (this.#last?.shown === false ? this.#last : undefined);
  }

  get queued(): number {
    return this.#queue.length;
  }

  evaluate(code: string, { language, onError = 'report', timeoutMs }: Asked): Run {
    if (this.#closed) throw new Error(`The session ${this.handle} is closed`);
    if (this.#queue.length >= this.terms.mostQueued) throw new Error(`${this.#queue.length} evaluations wait in ${this.handle} already`);
    const run = new Run(++this.#cells, code, { language, onError, timeoutMs, mostOutput: this.terms.mostOutput });
    this.#queue.push(run);
    this.lastUsed = Date.now();
    this.#pump();
    return run;
  }

  /** Asks the image something else than to run code; boots it where there is none. */
  async ask(op: string, fields: object): Promise<Frame> {
    this.lastUsed = Date.now();
    const image = await this.#boot();
    const answer = await image.request(op, fields);
    if (answer['refused'] !== undefined) throw new Error(String(answer['refused']));
    return answer;
  }

  /** False when there was nothing to stop. */
  async stop(run: Run | undefined = this.#current, why: StopReason = 'interrupted'): Promise<boolean> {
    if (run === undefined || run.over) return false;
    if (run !== this.#current) {
      this.#queue = this.#queue.filter((one) => one !== run);
      run.end({ status: 'stopped', why, goesOn: false });
      return true;
    }
    const image = this.#image;
    // It is being booted: then that is what is ended.
    if (image === undefined) {
      run.end({ status: 'stopped', why, goesOn: false });
      return true;
    }
    await this.#interrupt(image, run, why);
    return true;
  }

  /** Everything in it is forgotten; the next evaluation begins anew. */
  async reset(): Promise<void> {
    const image = this.#image;
    this.#drop();
    for (const run of this.#queue.splice(0)) run.end({ status: 'stopped', why: 'cancelled', goesOn: false });
    this.entries.length = 0;
    this.generation++;
    await image?.close();
  }

  async close(): Promise<void> {
    this.#closed = true;
    for (const run of this.#queue.splice(0)) run.end({ status: 'stopped', why: 'cancelled', goesOn: false });
    await this.#image?.close();
    this.#drop();
  }

  #pump(): void {
    if (this.#current !== undefined) return;
    const run = this.#queue.shift();
    if (run === undefined) return;
    this.#current = run;
    void this.#execute(run).then((outcome) => {
      run.end(outcome);
      this.#note(run, run.outcome as Outcome);
      this.#current = undefined;
      this.#last = run;
      this.lastUsed = Date.now();
      this.#pump();
    });
  }

  async #execute(run: Run): Promise<Outcome> {
    let image: Image;
    try {
      image = await this.#boot();
    } catch (error) {
      return { status: 'lost', reason: messageOf(error) };
    }
    if (run.outcome !== undefined) return run.outcome;
    run.began = performance.now();
    try {
      const prepared = await (this.#notebook as Notebook).prepare(run.code, run.cell, {
        language: run.language,
        pauses: run.onError === 'pause',
      });
      const timer = setTimeout(() => void this.stop(run, 'timeout'), Math.min(run.timeoutMs, 2 ** 31 - 1));
      try {
        // Stopped from outside: then its own answer is not waited for.
        const stopped = run.settledOutcome();
        const frame = await Promise.race([
          image.request('evaluate', { ...prepared.fields, text: run.code, cell: run.cell, onError: run.onError }, -run.cell),
          stopped,
        ]);
        if (frame === undefined) return run.outcome as unknown as Outcome;
        const outcome = outcomeOf(frame);
        if (outcome.status === 'stopped') return { ...outcome, why: run.stopping ?? outcome.why };
        if (outcome.status === 'ok') this.#define(prepared.declares, run.cell);
        return outcome;
      } finally {
        clearTimeout(timer);
        image.forget(-run.cell);
      }
    } catch (error) {
      if (error instanceof CellFault) return { status: 'error', fault: error.fault };
      if (error instanceof ImageEnded) return { status: 'lost', reason: error.message };
      return { status: 'error', fault: { type: 'Error', message: messageOf(error), kind: 'error', frames: [] } };
    }
  }

  /** First the language's own way; then a look whether it is alive; then its end. */
  async #interrupt(image: Image, run: Run, why: StopReason): Promise<void> {
    const { graceMs } = this.terms;
    run.stopping = why;
    // It waits for something: nothing runs that could be stopped, so it is left alone.
    if (run.pause === undefined && (await image.answers('probe', probeMs))) {
      if (run.over) return;
      image.request('abandon').catch(() => undefined);
      return run.end({ status: 'stopped', why, goesOn: true });
    }
    if (run.over) return;
    const until = performance.now() + graceMs;
    // Once is not always enough: what is ended may have begun something else, which begins when it ends.
    while (!run.over) {
      const asked = image.request('interrupt').catch(() => undefined);
      const answered = await Promise.race([asked, run.settled(graceMs)]);
      if (answered?.['refused'] !== undefined) return run.end({ status: 'stopped', why, goesOn: true });
      // The cell tells of its own end, unless it had awaited something: then only the image answers again.
      if (!run.over) await run.settled(20);
      if (run.over || (await image.answers('probe', againMs))) break;
      if (performance.now() < until) continue;
      image.kill('it could not be interrupted');
      // Its end is told by what ends it.
      if (image.ours) await image.closed;
      break;
    }
    run.end({ status: 'stopped', why, goesOn: false });
  }

  async #boot(): Promise<Image> {
    if (this.#image !== undefined) return this.#image;
    this.#booting ??= this.#start().finally(() => {
      this.#booting = undefined;
    });
    return this.#booting;
  }

  async #start(): Promise<Image> {
    const options = { cwd: this.terms.cwd, env: this.terms.env, heapMb: this.terms.heapMb };
    const plain = await this.engine.launch(options);
    const { sandbox } = this.terms;
    const launch = sandbox === undefined || plain.socket !== undefined ? plain : sandboxed(plain, sandbox);
    const said = new Printed(2_000);
    let ready = false;
    const image: Image = new Image(launch, this.terms, {
      output: (stream, text, cell, skipped) => (ready ? this.#printed(text, cell, skipped) : stream === 'err' ? said.add(text) : undefined),
      event: (frame) => this.#event(frame),
      ended: (reason) => this.#ended(image, reason),
    });
    let booted: Frame;
    try {
      booted = await image.ready;
    } catch (error) {
      const { text } = said.take();
      throw new Error(`The image did not start: ${messageOf(error)}${text === '' ? '' : `. It said: ${text.trim()}`}`);
    }
    ready = true;
    this.version = String(booted['version'] ?? '');
    this.#notebook = this.engine.open(options);
    this.definitions.clear();
    for (const file of image.ours ? this.terms.load : []) await this.#load(image, file);
    this.#image = image;
    return image;
  }

  async #load(image: Image, file: string): Promise<void> {
    const prepared = await (this.#notebook as Notebook).prepare(this.engine.loadCode(file), 0);
    const outcome = outcomeOf(await image.request('evaluate', { ...prepared.fields, cell: 0 }));
    if (outcome.status === 'error') this.background.add(`${file} could not be loaded: ${outcome.fault.type}: ${outcome.fault.message}\n`);
    else this.#define(prepared.declares, 0);
  }

  #printed(text: string, cell: number | undefined, skipped: number): void {
    const run = this.#current;
    if (run !== undefined && (cell === undefined || cell === -run.cell || cell === run.cell) && !run.over) run.printed.add(text, skipped);
    else this.background.add(text, skipped);
  }

  #event(frame: Frame): void {
    const { ev } = frame;
    if (ev === 'paused') this.#current?.paused(frame as unknown as Pause);
    else if (ev === 'display') this.#current?.display(frame as unknown as Picture);
    else if (ev === 'stray') this.background.add(`${strayText(frame)}\n`);
  }

  #ended(image: Image, reason: string): void {
    if (this.#image !== image) return;
    this.#drop();
    if (this.#closed) return;
    this.generation++;
    const lost = this.entries.length;
    this.tombstones.push(
      `generation ${this.generation}: ${reason}. ${lost} cell${lost === 1 ? '' : 's'} of work and every value are gone.`,
    );
    this.#current?.end({ status: 'lost', reason });
  }

  #drop(): void {
    this.#image = undefined;
    this.#notebook = undefined;
    this.definitions.clear();
  }

  #define(names: readonly string[], cell: number): void {
    for (const name of names) this.definitions.set(name, cell);
    if (names.length > 0) this.onChange(names);
  }

  #note({ cell, code }: Run, outcome: Outcome): void {
    const ok = outcome.status === 'ok';
    const text =
      outcome.status === 'ok'
        ? outcome.value.text
        : outcome.status === 'error'
          ? `${outcome.fault.type}: ${outcome.fault.message}`
          : outcome.status;
    this.entries.push({ cell, code, ok, text: text.slice(0, 500) });
    if (this.entries.length > mostEntries) this.entries.shift();
  }
}

function outcomeOf(frame: Frame): Outcome {
  if (frame['memory'] !== undefined) return { status: 'memory', where: String(frame['memory']) };
  if (frame['fault'] !== undefined) return { status: 'error', fault: frame['fault'] as Fault };
  if (frame['interrupted'] === true) return { status: 'stopped', why: 'interrupted', goesOn: false };
  if (frame['refused'] !== undefined)
    return { status: 'error', fault: { type: 'Error', message: String(frame['refused']), kind: 'error', frames: [] } };
  if (frame['unshown'] === true) return { status: 'ok', value: { text: '(a value that cannot be shown)', type: 'unknown' } };
  return { status: 'ok', value: frame['value'] as View };
}

function strayText(frame: Frame): string {
  const { what, where, fault } = frame as { what: string; where?: string; fault?: Fault };
  if (what === 'memory') return `[memory ran out in ${where}; it was stopped]`;
  if (what === 'interrupted') return `[interrupted: ${where}]`;
  const kind = what === 'unhandled' ? 'unhandled rejection' : 'uncaught error';
  const [top] = fault?.frames ?? [];
  const at = top === undefined ? '' : ` at ${top.name || '(top level)'} (${top.file}:${top.line})`;
  return `[${kind}] ${fault?.type}: ${fault?.message}${at}`;
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
