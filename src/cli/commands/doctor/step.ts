// The steps from a command line to a first answer, each with what was found and what to do about it.

export interface Step {
  readonly name: string;
  readonly status: 'ok' | 'warning' | 'failed';
  readonly detail: string;
  readonly hint?: string;
}

/** Tells each step as it is taken; the first that fails is the last. */
export class Examination {
  readonly steps: Step[] = [];
  readonly #tell: (step: Step) => void;
  readonly #hide: (text: string) => string;

  /** `hide` takes out what nobody is to read. */
  constructor(tell: (step: Step) => void, hide: (text: string) => string = (text) => text) {
    this.#tell = tell;
    this.#hide = hide;
  }

  get failed(): boolean {
    return this.steps.some(({ status }) => status === 'failed');
  }

  ok(name: string, detail: string): void {
    this.#take({ name, status: 'ok', detail });
  }

  warn(name: string, detail: string, hint?: string): void {
    this.#take({ name, status: 'warning', detail, ...(hint !== undefined && { hint }) });
  }

  fail(name: string, detail: string, hint?: string): void {
    this.#take({ name, status: 'failed', detail, ...(hint !== undefined && { hint }) });
  }

  #take({ detail, hint, ...rest }: Step): void {
    const step = { ...rest, detail: this.#hide(detail), ...(hint !== undefined && { hint: this.#hide(hint) }) };
    this.steps.push(step);
    this.#tell(step);
  }
}
