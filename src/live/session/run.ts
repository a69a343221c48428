// One evaluation, from request to outcome. Callers may stop waiting and come back for it.

import { type Caller, currentCaller } from '../access/caller.ts';
import type { Outcome, Pause, Picture, StopReason } from '../image/engine.ts';
import { OutputBuffer } from './output-buffer.ts';

const maxPictures = 8;

export class Run {
  readonly cell: number;
  readonly code: string;
  readonly language: string | undefined;
  readonly package: string | undefined;
  readonly within: string | undefined;
  readonly onError: 'report' | 'pause';
  readonly timeoutMs: number;
  readonly printed: OutputBuffer;
  /** stderr, where it is kept separate; otherwise it is in `printed`, in order. */
  readonly complaints: OutputBuffer | undefined;
  readonly pictures: Picture[] = [];
  readonly asked: number = performance.now();
  began: number | undefined;
  /** It was sent to the image. */
  sent = false;
  outcome: Outcome | undefined;
  ms = 0;
  pause: Pause | undefined;
  /** Why it is being stopped. */
  stopping: StopReason | undefined;
  /** Whoever waited for it does so no more. */
  cancelled = false;
  /** Its outcome was reported. */
  shown = false;
  readonly #waiting: Set<() => void> = new Set();
  #ended: () => void = () => undefined;
  /** Called once. */
  onEnd: (outcome: Outcome) => void = () => undefined;
  readonly caller: Caller | undefined = currentCaller();

  constructor(
    cell: number,
    code: string,
    options: {
      language?: string | undefined;
      package?: string | undefined;
      within?: string | undefined;
      onError: 'report' | 'pause';
      timeoutMs: number;
      maxOutput: number;
      apart?: boolean | undefined;
    },
  ) {
    this.cell = cell;
    this.code = code;
    this.language = options.language;
    this.package = options.package;
    this.within = options.within;
    this.onError = options.onError;
    this.timeoutMs = options.timeoutMs;
    this.printed = new OutputBuffer(options.maxOutput);
    this.complaints = options.apart === true ? new OutputBuffer(options.maxOutput) : undefined;
  }

  print(stream: 'out' | 'err', text: string, skipped: number): void {
    const printed = stream === 'err' ? (this.complaints ?? this.printed) : this.printed;
    printed.add(text, skipped);
  }

  get over(): boolean {
    return this.outcome !== undefined;
  }

  end(outcome: Outcome): void {
    if (this.outcome !== undefined) return;
    this.outcome = outcome;
    this.pause = undefined;
    this.ms = performance.now() - (this.began ?? this.asked);
    this.onEnd(outcome);
    this.#wake();
  }

  paused(pause: Pause): void {
    this.pause = pause;
    this.#wake();
  }

  /** Undefined for data that is no picture. */
  display(picture: Picture | undefined): void {
    if (picture === undefined) this.printed.add('[something was displayed that is no picture]\n');
    else if (this.pictures.length < maxPictures) this.pictures.push(picture);
  }

  /** Resolves when it is over or paused, or on timeout. */
  settled(ms: number): Promise<void> {
    if (this.over || this.pause !== undefined) return Promise.resolve();
    return new Promise((resolve) => {
      const wake = (): void => {
        clearTimeout(timer);
        this.#waiting.delete(wake);
        resolve();
      };
      const timer = setTimeout(wake, ms);
      this.#waiting.add(wake);
    });
  }

  /** Resolves once it was ended from outside. */
  settledOutcome(): Promise<undefined> {
    if (this.over) return Promise.resolve(undefined);
    return new Promise((resolve) => {
      this.#ended = () => resolve(undefined);
    });
  }

  #wake(): void {
    if (this.over) this.#ended();
    for (const wake of [...this.#waiting]) wake();
  }
}
