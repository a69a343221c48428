// How a command says on stderr that it failed, and how another command reads it.
import { cut } from '../../jsonrpc/error.ts';
import { CommandError, exitCodes } from '../args/command.ts';
import { printableJson, printableLines } from './terminal.ts';

const maxMessage = 20_000;
const prefix = 'vivarium: ';
const hintIndent = '  ';

/** One line of JSON with `--format json`, words otherwise. Whatever is quoted in it is shown, not obeyed. */
export function reportFailure(error: unknown, argv: readonly string[]): number {
  const known = error instanceof CommandError;
  const exitCode = known ? error.exitCode : exitCodes.failed;
  // A server may have written it.
  const message = cut(error instanceof Error ? error.message : String(error), maxMessage);
  const hint = known ? error.hint : undefined;
  const end = argv.includes('--') ? argv.indexOf('--') : argv.length;
  const json = argv.slice(0, end).some((word, at) => word === '--format=json' || (word === '--format' && argv[at + 1] === 'json'));
  if (json) process.stderr.write(`${printableJson({ error: message, ...(hint !== undefined && { hint }), exitCode })}\n`);
  else {
    process.stderr.write(`${prefix}${printableLines(message)}\n`);
    if (hint !== undefined) process.stderr.write(`${hintIndent}${printableLines(hint).replaceAll('\n', `\n${hintIndent}`)}\n`);
    if (!known && error instanceof Error && error.stack !== undefined)
      process.stderr.write(`${printableLines(cut(error.stack, maxMessage))}\n`);
  }
  return exitCode;
}

export interface ReadReport {
  /** With what belongs to it, such as a stack, in lines of their own. */
  readonly message: string;
  readonly hint?: string;
}

/** The last failure that a command of ours told, in lines of its stderr. */
export function readReport(stderr: readonly string[]): ReadReport | undefined {
  const at = stderr.findLastIndex((line) => line.startsWith(prefix));
  if (at < 0) return undefined;
  const below = stderr.slice(at + 1).filter((line) => line.startsWith(hintIndent));
  // What belongs to the message is indented further.
  const hints = below.filter((line) => /^ {2}\S/.test(line)).map((line) => line.trim());
  const message = [(stderr[at] ?? '').slice(prefix.length), ...below.filter((line) => !/^ {2}\S/.test(line))].join('\n');
  return { message, ...(hints.length > 0 && { hint: hints.join('\n') }) };
}
