// The built command, run to its end.
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const root: string = fileURLToPath(new URL('../../', import.meta.url));
const main: string = join(root, 'dist/cli/main.js');
/** A server with every kind of tool, resource and prompt, on stdio. */
export const fixture: readonly string[] = [process.execPath, join(root, 'test/fixtures/stdio.mjs')];

export interface Ended {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface RunOptions {
  readonly cwd?: string;
  readonly env?: Readonly<Record<string, string>>;
  readonly input?: string;
}

export function vivarium(args: readonly string[], { cwd = root, env = {}, input = '' }: RunOptions = {}): Promise<Ended> {
  const child = spawn(process.execPath, [main, ...args], { cwd, env: { ...process.env, ...env } });
  let [stdout, stderr] = ['', ''];
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    stdout += text;
  });
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    stderr += text;
  });
  child.stdin.on('error', () => undefined).end(input);
  return new Promise((resolve) => child.once('close', (code) => resolve({ code, stdout, stderr })));
}
