// A program that is recorded cannot drive the terminal through its stderr.
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { Escaped } from '../../../src/cli/commands/record/stdio.ts';
import { root } from '../../cli/vivarium.ts';

async function shown(chunks: readonly Uint8Array[]): Promise<string> {
  const stream = new Escaped();
  const heard: Buffer[] = [];
  stream.on('data', (chunk: Buffer) => heard.push(chunk));
  for (const chunk of chunks) stream.write(chunk);
  await new Promise<void>((resolve) => stream.end(resolve));
  return Buffer.concat(heard).toString();
}

it('record shows a terminal the escapes of the recorded program, and passes none', async () => {
  const text = 'a\tb\n\u001b]52;c;cm0=\u0007\u001b[2J\u009b31m\u202e\u00e9\n';
  const bytes = Buffer.from(text);
  for (let at = 0; at <= bytes.length; at++) {
    expect(await shown([bytes.subarray(0, at), bytes.subarray(at)])).toBe('a\tb\n\\x1b]52;c;cm0=\\x07\\x1b[2J\\x9b31m\\u{202e}\u00e9\n');
  }
});

it.each([
  [true, '\\x1b[2Jbye\n'],
  [false, '\u001b[2Jbye\n'],
])('record leaves the bytes to a client that reads them, and not to a terminal (terminal: %s)', (isTerminal, told) => {
  const program = "process.stderr.write('\\u001b[2Jbye\\n')";
  const preload = `data:text/javascript,process.stderr.isTTY=${isTerminal}`;
  const args = [
    '--import',
    preload,
    join(root, 'dist/cli/main.js'),
    'record',
    '-q',
    '-o',
    '/dev/null',
    '--',
    process.execPath,
    '-e',
    program,
  ];
  expect(spawnSync(process.execPath, args, { encoding: 'utf8', input: '' }).stderr).toBe(told);
});
