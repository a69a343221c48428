// A session: an image and its evaluations. When the image is lost, the session reports it, increments its generation and goes on.
import { type Ending, outcomeEnding } from '../access/audit.ts';
import { calledBy } from '../access/caller.ts';
import { CellFault, type Engine, type Notebook, type Outcome, type Pause, type StopReason, startsOf } from '../image/engine.ts';
import { asPause, asPicture, asText, asTexts } from '../image/frames.ts';
import { type Image, ImageEnded } from '../image/image.ts';
import { type FieldsOf, type OperationName, operations, type ResultOf } from '../image/operations.ts';
import { inBrief, messageOf, outcomeOf, strayText } from '../image/outcome.ts';
import { asRefusalReason, Refused } from '../image/refusal.ts';
import type { WireFrame } from '../image/wire.ts';
import { sandboxed } from '../sandbox/sandbox.ts';
import { interrupt } from './interrupt.ts';
import { Notices } from './notices.ts';
import { OutputBuffer } from './output-buffer.ts';
import { Run } from './run.ts';
import type { SessionTerms } from './session-terms.ts';
import { rehearse, runStart, type Started, startedEnding } from './startup.ts';
import { Unseen } from './unseen.ts';

export interface EvaluateOptions {
  readonly language?: string | undefined;
  readonly onError?: 'report' | 'pause' | undefined;
  readonly timeoutMs: number;
  /** Where the language has them. */
  readonly package?: string | undefined;
  /** The file in whose scope it runs. */
  readonly within?: string | undefined;
  /** Keeps stderr separate. */
  readonly apart?: boolean;
}

export interface Entry {
  readonly cell: number;
  readonly code: string;
  readonly language?: string | undefined;
  readonly package?: string | undefined;
  readonly within?: string | undefined;
  readonly ok: boolean;
  /** It failed, but what it did before stays in effect. */
  readonly failed: boolean;
  readonly text: string;
}

export type SessionState = 'cold' | 'starting' | 'idle' | 'busy' | 'paused' | 'closed';

const maxEntries = 5_000;
const askMs = 30_000;
/** Longer code is not kept for replay. */
const maxCode = 100_000;

export class Session {
  readonly handle: string;
  readonly owner: string;
  readonly engine: Engine;
  readonly terms: SessionTerms;
  generation = 1;
  lastUsed: number = performance.now();
  /** Lost images, and other notices: every listener gets them with its next answer. */
  readonly losses: Notices = new Notices();
  readonly remarks: Notices = new Notices();
  readonly background: OutputBuffer;
  readonly entries: Entry[] = [];
  readonly definitions: Map<string, number> = new Map();
  version = '';
  onChange: (names: readonly string[]) => void = () => undefined;
  /** Saved image that the next image starts from; used once. */
  #from: string | undefined;
  #image: Image | undefined;
  #notebook: Notebook | undefined;
  #booting: Promise<Image> | undefined;
  #queue: Run[] = [];
  #current: Run | undefined;
  readonly #unseen: Unseen = new Unseen();
  /** The image, while it boots. */
  #starting: Image | undefined;
  /** Cells run in this generation; `dropped`: cells no longer among the entries. */
  #ran = 0;
  dropped = 0;
  #cells = 0;
  #closed = false;
  #remarked: string | undefined;

  constructor(handle: string, owner: string, engine: Engine, terms: SessionTerms, image?: string) {
    this.#from = image;
    this.handle = handle;
    this.owner = owner;
    this.engine = engine;
    this.terms = terms;
    this.background = new OutputBuffer(terms.maxOutput);
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

  /** The first whose end was not reported yet, otherwise the running one; one that is being cancelled only where no other follows. */
  get current(): Run | undefined {
    return this.#unseen.next ?? (this.#current?.cancelled === true ? (this.#queue[0] ?? this.#current) : this.#current);
  }

  evaluation(cell: number): Run | undefined {
    return [this.#current, ...this.#queue].find((run) => run?.cell === cell) ?? this.#unseen.find(cell);
  }

  get running(): Run | undefined {
    return this.#current;
  }

  get queued(): number {
    return this.#queue.length;
  }

  evaluate(code: string, { language, onError = 'report', timeoutMs, package: pack, within, apart }: EvaluateOptions): Run {
    const text = within === undefined ? code : JSON.stringify({ code, in: within });
    const end = this.terms.audit.begin(this, 'evaluate', text, language);
    const refused = this.#refusal();
    if (refused !== undefined) {
      end({ outcome: 'refused', line: refused });
      throw new Error(refused);
    }
    const limits = { timeoutMs: Math.min(timeoutMs, this.engine.maxMs ?? timeoutMs), maxOutput: this.terms.maxOutput };
    const run = new Run(++this.#cells, code, { language, onError, package: pack, within, apart, ...limits });
    run.onEnd = (outcome) => end(outcomeEnding(outcome));
    this.#queue.push(run);
    this.lastUsed = performance.now();
    this.#pump();
    return run;
  }

  #refusal(): string | undefined {
    if (this.#closed) return `The session ${this.handle} is closed`;
    const { length } = this.#queue;
    return length < this.terms.maxQueued ? undefined : `${length} evaluations wait in ${this.handle} already`;
  }

  /** Any operation but `evaluate`; boots the image where there is none. */
  async ask<Name extends OperationName>(op: Name, fields: FieldsOf<Name>, ms: number = askMs): Promise<ResultOf<Name>> {
    if (this.#closed) throw new Error(`The session ${this.handle} is closed`);
    this.lastUsed = performance.now();
    return this.terms.audit.asking(this, op, fields, async () => {
      const answer = await (await this.#boot()).requestWithin(ms, op, fields);
      if (answer['refused'] !== undefined) throw new Refused(asText(answer['refused']), asRefusalReason(answer['reason']));
      return operations[op].decode(answer);
    });
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
    // The image is still booting: kill it.
    if (image === undefined) {
      this.#starting?.kill('it was stopped while it started');
      run.end({ status: 'stopped', why, goesOn: false });
      return true;
    }
    // It has not been sent to the image, so there is nothing to interrupt.
    if (!run.sent) run.end({ status: 'stopped', why, goesOn: false });
    else await interrupt(image, run, why, this.terms.graceMs);
    return true;
  }

  /** Drops the image; the next evaluation boots a new one. */
  async reset(): Promise<void> {
    if (this.engine.foreign === true) throw new Error(`${this.handle} is a program of its own: it cannot be emptied from here`);
    const image = this.#image ?? this.#starting;
    this.#drop();
    this.#endQueued('the session was reset before it ran');
    this.entries.length = 0;
    this.dropped = 0;
    this.generation++;
    // Other users of the session did not ask for it.
    if (image !== undefined) this.losses.add(`generation ${this.generation}: it was reset. ${this.#takeRan()} and every value are gone.`);
    await image?.close('it was reset');
  }

  async close(): Promise<void> {
    this.#closed = true;
    const image = this.#image ?? this.#starting;
    this.#endQueued('the session was closed before it ran');
    await image?.close();
    this.#drop();
  }

  #endQueued(reason: string): void {
    for (const run of this.#queue.splice(0)) run.end({ status: 'lost', reason });
  }

  #pump(): void {
    if (this.#current !== undefined) return;
    const run = this.#queue.shift();
    if (run === undefined) return;
    this.#current = run;
    this.#unseen.dropCancelled(this.background);
    // The run before it may belong to another caller.
    void calledBy(run.caller, () => this.#execute(run)).then((outcome) => {
      run.end(outcome);
      this.#note(run, run.outcome as Outcome);
      this.#current = undefined;
      this.#unseen.add(run);
      this.lastUsed = performance.now();
      this.#pump();
    });
  }

  async #execute(run: Run): Promise<Outcome> {
    try {
      return await this.#evaluate(run, await this.#boot());
    } catch (error) {
      // No image was booted, so nothing is lost.
      return run.outcome ?? { status: 'error', fault: { type: 'Error', message: messageOf(error), kind: 'error', frames: [] } };
    }
  }

  async #evaluate(run: Run, image: Image): Promise<Outcome> {
    if (run.outcome !== undefined) return run.outcome;
    run.began = performance.now();
    const timer = setTimeout(() => void this.stop(run, 'timeout'), Math.min(run.timeoutMs, 2 ** 31 - 1));
    try {
      const prepared = await (this.#notebook as Notebook).prepare(run.code, run.cell, {
        language: run.language,
        package: run.package,
        within: run.within,
        pauses: run.onError === 'pause',
      });
      // Stopped meanwhile: do not send it.
      if (run.over) return run.outcome as unknown as Outcome;
      try {
        // Once stopped, do not wait for the image's answer.
        const stopped = run.settledOutcome();
        run.sent = true;
        const frame = await Promise.race([
          image.request(
            'evaluate',
            { ...prepared.fields, text: run.code, cell: run.cell, onError: run.onError, timeoutMs: run.timeoutMs },
            -run.cell,
          ),
          stopped,
        ]);
        if (frame === undefined) return run.outcome as unknown as Outcome;
        const outcome = outcomeOf(frame);
        if (outcome.status === 'stopped') return { ...outcome, why: run.stopping ?? outcome.why };
        // Names that only the image knows, also of a cell that failed half-way.
        this.#define(asTexts(frame['declares']), run.cell);
        if (outcome.status === 'ok') this.#define(prepared.declares, run.cell);
        return outcome;
      } finally {
        image.forget(-run.cell);
      }
    } catch (error) {
      if (error instanceof CellFault) return { status: 'error', fault: error.fault };
      if (error instanceof ImageEnded) return { status: 'lost', reason: error.message };
      return { status: 'error', fault: { type: 'Error', message: messageOf(error), kind: 'error', frames: [] } };
    } finally {
      clearTimeout(timer);
    }
  }

  async #boot(): Promise<Image> {
    if (this.#image !== undefined) return this.#image;
    const [how, what] = this.engine.foreign === true ? ['attach', this.engine.title] : ['boot', this.#from ?? this.engine.title];
    const ending = (): Ending => ({ outcome: 'ok', line: this.version });
    this.#booting ??= this.terms.audit
      .watch(this, how, what, () => this.#start(), ending)
      .finally(() => {
        this.#booting = undefined;
      });
    return this.#booting;
  }

  async #start(): Promise<Image> {
    const from = this.#from;
    this.#from = undefined;
    const options = { cwd: this.terms.cwd, env: this.terms.env, heapMb: this.terms.heapMb, ...(from !== undefined && { image: from }) };
    const plain = await this.engine.launch(options);
    const { sandbox, audit } = this.terms;
    const launch = sandbox === undefined || this.engine.foreign === true ? plain : audit.outOfReach(sandboxed(plain, sandbox));
    const said = new OutputBuffer(2_000);
    let ready = false;
    if (this.#closed) {
      plain.wire?.destroy();
      throw new ImageEnded('The session is closed', 'ended-by-host');
    }
    const image: Image = this.terms.warmPool.begin(this.engine, options, launch, this.terms, {
      output: (stream, text, cell, skipped) =>
        ready ? this.#printed(stream, text, cell, skipped) : stream === 'err' ? said.add(text) : undefined,
      event: (frame) => this.#event(frame),
      ended: (reason) => this.#ended(image, reason),
    });
    this.#starting = image;
    // Load the parser while the image boots, not after it.
    void rehearse(this.engine, options);
    try {
      const booted = await image.ready.catch((error: unknown) => {
        const [why, { text }] = [messageOf(error), said.take()];
        const cure = error instanceof ImageEnded ? (plain.unfit?.(error.reason) ?? '') : '';
        throw new Error(`The image did not start: ${why}${text === '' ? '' : `. It said: ${text.trim()}`}${cure}`);
      });
      ready = true;
      this.version = asText(booted['version']);
      this.#remark(launch.note);
      this.#notebook = this.engine.open(options);
      this.definitions.clear();
      for (const start of image.ours && from === undefined ? startsOf(this.engine, this.terms.load) : []) {
        const begin = (): Promise<Started> => runStart(image, this.#notebook as Notebook, start, this.terms.bootMs);
        const { declares, problem } = await audit.watch(this, 'load', start.code, begin, startedEnding);
        this.#define(declares, 0);
        if (problem !== undefined) this.remarks.add(problem);
      }
      // Closed or reset meanwhile: nothing else would kill this image.
      if (this.#starting !== image || this.#closed) throw new ImageEnded('it was closed while it started', 'ended-by-host');
      this.#image = image;
      return image;
    } catch (error) {
      await image.close();
      throw error;
    } finally {
      if (this.#starting === image) this.#starting = undefined;
    }
  }

  /** Not again with every image. */
  #remark(text: string | undefined): void {
    if (text !== undefined && text !== this.#remarked) this.remarks.add(text);
    this.#remarked = text;
  }

  #printed(stream: 'out' | 'err', text: string, cell: number | undefined, skipped: number): void {
    const run = this.#current;
    if (run !== undefined && (cell === undefined || cell === -run.cell || cell === run.cell) && !run.over) run.print(stream, text, skipped);
    else this.background.add(text, skipped);
  }

  #event(frame: WireFrame): void {
    if (frame['ev'] === 'paused') this.#paused(asPause(frame));
    else if (frame['ev'] === 'display') this.#current?.display(asPicture(frame));
    else if (frame['ev'] === 'stray') this.background.add(`${strayText(frame)}\n`);
  }

  /** Resumes a program that paused after its evaluation had ended. */
  #paused(pause: Pause): void {
    if (this.#current !== undefined && !this.#current.over) return this.#current.paused(pause);
    this.#image?.request('debug', { action: 'resume' }).catch(() => undefined);
  }

  #ended(image: Image, reason: string): void {
    if (this.#image !== image) return;
    this.#drop();
    if (this.#closed) return;
    this.generation++;
    const gone = `${this.#takeRan()} and every value are gone.`;
    // An attached program may still run.
    const what = this.engine.foreign === true ? 'If the program still runs, it has what it had; the next evaluation looks for it.' : gone;
    this.losses.add(`generation ${this.generation}: ${reason}. ${what}`);
    this.#current?.end({ status: 'lost', reason });
  }

  #takeRan(): string {
    const ran = this.#ran;
    this.#ran = 0;
    return `${ran} cell${ran === 1 ? '' : 's'} of work`;
  }

  #drop(): void {
    this.#image = undefined;
    this.#starting = undefined;
    this.#notebook = undefined;
    this.definitions.clear();
  }

  #define(names: readonly string[], cell: number): void {
    for (const name of names) this.definitions.set(name, cell);
    if (names.length > 0) this.onChange(names);
  }

  #note({ cell, code, language, package: pack, within }: Run, outcome: Outcome): void {
    const whole = code.length <= maxCode;
    const failed = whole && outcome.status === 'error' && outcome.fault.kind !== 'syntax';
    const became = { ok: whole && outcome.status === 'ok', failed, text: inBrief(outcome).slice(0, 500) };
    this.entries.push({ cell, code: whole ? code : `${code.slice(0, maxCode)}…`, language, package: pack, within, ...became });
    this.#ran++;
    if (this.entries.length <= maxEntries) return;
    this.entries.shift();
    this.dropped++;
  }
}
