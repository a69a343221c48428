// The built command as a child: what it says, and how it ends.
import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { onTestFinished } from 'vitest';

export const main: string = join(fileURLToPath(new URL('../../', import.meta.url)), 'dist/cli/main.js');

export class Started {
  readonly process: ChildProcessWithoutNullStreams;
  readonly ended: Promise<number | null>;
  stdout = '';
  stderr = '';
  #wake: () => void = () => undefined;

  constructor(args: readonly string[], options: { readonly cwd: string; readonly env?: Readonly<Record<string, string>> }) {
    this.process = spawn(process.execPath, [main, ...args], { cwd: options.cwd, env: { ...process.env, ...options.env } });
    onTestFinished(() => void this.process.kill('SIGKILL'));
    for (const name of ['stdout', 'stderr'] as const) {
      this.process[name].setEncoding('utf8').on('data', (text: string) => {
        this[name] += text;
        this.#wake();
      });
    }
    this.ended = new Promise((resolve) => {
      this.process.once('close', (code) => {
        resolve(code);
        this.#wake();
      });
    });
  }

  /** Once it has said so; fails when it ends without. */
  async until(name: 'stdout' | 'stderr', pattern: RegExp): Promise<RegExpExecArray> {
    for (;;) {
      const found = pattern.exec(this[name]);
      if (found !== null) return found;
      const { exitCode, signalCode } = this.process;
      if (exitCode !== null || signalCode !== null) throw new Error(`It ended with ${exitCode ?? signalCode}: ${this.stderr}`);
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
  }
}
