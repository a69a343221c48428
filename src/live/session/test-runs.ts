// Runs of the project's tests: who asked for them may stop them, and they end with the server.

interface TestRun {
  readonly owner: string;
  readonly stop: () => void;
}

export class TestRuns {
  readonly #runs: Set<TestRun> = new Set();

  /** Until what it returns is called. */
  add(run: TestRun): () => void {
    this.#runs.add(run);
    return () => void this.#runs.delete(run);
  }

  /** All of one owner, or all there are; how many. */
  stop(owner?: string): number {
    const those = [...this.#runs].filter((one) => owner === undefined || one.owner === owner);
    for (const { stop } of those) stop();
    return those.length;
  }
}
