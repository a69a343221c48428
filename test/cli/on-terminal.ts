// The built command on a terminal of its own.
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { quote } from '../../src/cli/terminal/terminal.ts';
import { root } from './vivarium.ts';

/** Gives a program a terminal; part of every Debian. */
const terminal = '/usr/bin/script';

/** Presses the keys once it has asked. */
export function onTerminal(
  args: readonly string[],
  asked: RegExp,
  keys: string,
  { cwd = root, env = {} }: { readonly cwd?: string; readonly env?: Readonly<Record<string, string>> } = {},
): Promise<{ code: number | null; text: string }> {
  const line = [process.execPath, join(root, 'dist/cli/main.js'), ...args].map(quote).join(' ');
  const child = spawn(terminal, ['-qec', line, '/dev/null'], { cwd, env: { ...process.env, ...env } });
  onTestFinished(() => void child.kill('SIGKILL'));
  let text = '';
  let pressed = false;
  child.stdout.setEncoding('utf8').on('data', (more: string) => {
    text += more;
    if (pressed || !asked.test(text)) return;
    pressed = true;
    child.stdin.write(keys);
  });
  return new Promise((resolve) => child.once('close', (code) => resolve({ code, text })));
}
