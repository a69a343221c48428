// Text from anywhere, made safe for a terminal: shown, never obeyed.
import { shown, unsafe } from '../jsonrpc/error.ts';

export { printable } from '../jsonrpc/error.ts';

/** Several lines: their breaks and tabs stay. */
export function printableLines(text: string): string {
  return text.replace(unsafe, (character) => (character === '\n' || character === '\t' ? character : shown(character)));
}

/** A word of a command line, for whoever pastes it into a shell. */
export function quote(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
}
