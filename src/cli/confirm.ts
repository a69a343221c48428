// A question with yes or no, on the terminal. Where nobody can answer, the answer is no.
import { createInterface } from 'node:readline/promises';
import { CommandError, exitCodes } from './command.ts';
import { printableLines } from './terminal.ts';

export async function confirm(question: string, agreed: boolean): Promise<void> {
  if (agreed) return;
  const shown = printableLines(question);
  if (process.stdin.isTTY !== true) {
    throw new CommandError(exitCodes.usage, `${shown} Nobody is there to say so`, { hint: 'Add --yes' });
  }
  const lines = createInterface({ input: process.stdin, output: process.stderr });
  try {
    // The end of the input, and Ctrl-C, say no.
    const ended = new Promise<string>((resolve) => lines.once('close', () => resolve('')));
    const answer = await Promise.race([lines.question(`${shown} [y/N] `), ended]);
    if (!/^\s*y(?:es)?\s*$/i.test(answer)) throw new CommandError(exitCodes.interrupted, 'Nothing was started');
  } finally {
    lines.close();
  }
}
