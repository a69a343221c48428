// Evaluations whose end nobody was told of yet: `evaluate` without code reports them, the oldest first.
import type { OutputBuffer } from './output-buffer.ts';
import type { Run } from './run.ts';

const maxUnseen = 20;

export class Unseen {
  #runs: Run[] = [];

  /** The one to be told of next. */
  get next(): Run | undefined {
    return this.#runs.find((run) => !run.shown);
  }

  find(cell: number): Run | undefined {
    return this.#runs.find((run) => run.cell === cell);
  }

  add(run: Run): void {
    this.#runs = [...this.#runs.filter((one) => !one.shown), run].slice(-maxUnseen);
  }

  /** Another evaluation begins: the end of a cancelled one must not be taken for its result. What it printed is kept. */
  dropCancelled(background: OutputBuffer): void {
    for (const run of this.#runs) {
      if (!run.cancelled || run.shown) continue;
      run.shown = true;
      for (const printed of [run.printed, run.complaints]) if (printed !== undefined) background.add(printed.take().text);
    }
  }
}
