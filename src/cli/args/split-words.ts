// A command line in one word, taken apart as a shell would, but for everything a shell would do with it.
import { CommandError, exitCodes } from './command.ts';

/** Quotes and backslashes; no variables, no patterns, no operators. */
export function words(line: string): string[] {
  const found: string[] = [];
  const part = /\s+|"((?:[^"\\]|\\.)*)"|'([^']*)'|\\(.)|([^\s"'\\]+)|(["'\\])/gsy;
  let word: string | undefined;
  for (const [whole, double, single, escaped, plain, stray] of line.matchAll(part)) {
    if (stray !== undefined) throw new CommandError(exitCodes.usage, `A quote is not closed in: ${line}`);
    const text = double?.replace(/\\(["\\$`])/g, '$1') ?? single ?? escaped ?? plain;
    if (text === undefined) {
      if (word !== undefined && /^\s/.test(whole)) found.push(word);
      word = undefined;
    } else word = (word ?? '') + text;
  }
  if (word !== undefined) found.push(word);
  if (found.length === 0) throw new CommandError(exitCodes.usage, 'The command is empty');
  return found;
}
