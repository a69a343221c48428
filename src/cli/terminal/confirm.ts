// A question with yes or no, on the terminal. Where nobody can answer, the answer is no.
import { createInterface } from 'node:readline/promises';
import { CommandError, exitCodes } from '../args/command.ts';

/** More would push its beginning out of sight. */
const longest = 2_000;

/** `lines` must be safe for a terminal: see `visible`. */
export async function confirm(
  lines: readonly string[],
  question: string,
  agreed: boolean,
  declined = 'Nothing was started',
): Promise<void> {
  if (agreed) return;
  const shown = [...lines, question].join('\n');
  if (shown.length > longest) {
    throw new CommandError(exitCodes.usage, `${lines[0]} This takes ${shown.length} characters, too many for a question`, {
      hint: 'Read it in the file, then pass --yes',
    });
  }
  if (process.stdin.isTTY !== true) {
    throw new CommandError(exitCodes.usage, `${shown}\nCannot ask for confirmation without a terminal`, { hint: 'To agree, pass --yes' });
  }
  const terminal = createInterface({ input: process.stdin, output: process.stderr });
  try {
    // The end of the input, and Ctrl-C, say no.
    const ended = new Promise<string>((resolve) => terminal.once('close', () => resolve('')));
    const answer = await Promise.race([terminal.question(`${shown} [y/N] `), ended]);
    if (!/^\s*y(?:es)?\s*$/i.test(answer)) throw new CommandError(exitCodes.interrupted, declined);
  } finally {
    terminal.close();
  }
}

/** Text of a stranger on one line, in ASCII: no escape, line break, run of blanks or look-alike can pass for a part of the question. */
export function visible(text: string): string {
  return text.replace(/[^\x20-\x7e]| {2,}/gu, (run) => [...run].map((one) => `\\u{${one.codePointAt(0)?.toString(16)}}`).join(''));
}
