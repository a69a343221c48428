// What `vivarium check` holds against a server, in a form that tests compare; and the ways to a server that is a program.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { expect } from 'vitest';
import { type CheckOptions, type CheckTarget, type Report, runCheck } from 'vivarium/check';

const options = {
  revision: 'all',
  allowSideEffects: true,
  startTimeout: 60_000,
  level: 'must',
  skip: ['quality'],
} as const;

/** Each broken MUST with its revision, in order. */
export async function redLines(target: CheckTarget, more: CheckOptions = {}): Promise<string[]> {
  return red(await judged(target, more));
}

/** The same, of a server that has every revision. */
export async function redLinesOfAll(target: CheckTarget, more: CheckOptions = {}): Promise<string[]> {
  // They answer, however busy the machine is.
  const report = await judged(target, { timeout: 10_000, ...more });
  const lines = red(report);
  expect(report.offered).toHaveLength(5);
  return lines;
}

function judged(target: CheckTarget, more: CheckOptions): Promise<Report> {
  // On stdio a server of old waits for what never comes; over HTTP it says so, but not always at once.
  return runCheck(target, { ...options, timeout: target.kind === 'url' ? 5_000 : 2_000, ...more });
}

function red({ problem, runs }: Report): string[] {
  expect(problem).toBeUndefined();
  return runs
    .flatMap(({ revision, outcomes }) => outcomes.filter(({ verdict }) => verdict === 'failed').map(({ id }) => `${id}@${revision}`))
    .sort();
}

export const program = (...args: string[]): CheckTarget => ({ kind: 'command', command: process.execPath, args });

export interface Running {
  /** What it said of itself first. */
  readonly line: string;
  stop(): Promise<void>;
}

/** A program that says in a line that fits where it is. */
export async function start(
  args: readonly string[],
  says: RegExp,
  env: Readonly<Record<string, string>> = {},
  node = process.execPath,
): Promise<Running> {
  const child: ChildProcess = spawn(node, args, { stdio: ['pipe', 'pipe', 'pipe'], env: { ...process.env, ...env } });
  const exit = once(child, 'exit');
  const line = await new Promise<string>((resolve, reject) => {
    const heard: string[] = [];
    for (const stream of [child.stdout, child.stderr]) {
      if (stream === null) continue;
      createInterface({ input: stream }).on('line', (one) => {
        heard.push(one);
        if (says.test(one)) resolve(one);
      });
    }
    void exit.then(([code]) => reject(new Error(`It ended with ${code}: ${heard.join('\n')}`)));
  });
  return {
    line,
    async stop() {
      child.kill();
      await exit;
    },
  };
}
