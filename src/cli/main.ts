#!/usr/bin/env node
// The command line: finds the command, runs it, turns its end into an exit code.
import { readFileSync } from 'node:fs';
import { cut } from '../jsonrpc/error.ts';
import { type Command, CommandError, columns, exitCodes, helpOf, parse } from './args/command.ts';
import { commands, findCommand, loadCommands } from './commands/table.ts';
import { printableJson, printableLines } from './terminal/terminal.ts';

async function run(argv: readonly string[]): Promise<number | undefined> {
  const [name, ...rest] = argv;
  if (name === undefined || name === '--help' || name === '-h' || name === 'help') return help(rest[0]);
  if (name === '--version' || name === '-v') {
    process.stdout.write(`${version()}\n`);
    return exitCodes.ok;
  }
  if (name === '--completion') {
    const { completionScript } = await import('./args/completion.ts');
    process.stdout.write(completionScript(rest[0], await loadCommands()));
    return exitCodes.ok;
  }
  const command = await find(name);
  const args = parse(command, rest);
  if (args.values['help'] === true) return help(name);
  return command.run(args);
}

async function find(name: string): Promise<Command> {
  const row = findCommand(name);
  if (row !== undefined) return row.load();
  const { near } = await import('./args/did-you-mean.ts');
  const meant = near(name, Object.keys(commands));
  const hint = meant === undefined ? 'vivarium --help lists the commands' : `Did you mean vivarium ${meant}?`;
  throw new CommandError(exitCodes.usage, `There is no command "${name}"`, { hint });
}

async function help(name: string | undefined): Promise<number> {
  if (name !== undefined) {
    process.stdout.write(helpOf(await find(name)));
    return exitCodes.ok;
  }
  const rows = await loadCommands();
  const lines = [
    'Vivarium: the Model Context Protocol in every revision.',
    '',
    'Usage: vivarium <command> [options]',
    '',
    'Commands:',
    ...columns(rows.map(({ name: command, summary }) => [command, summary])),
    '',
    'Options:',
    ...columns([
      ['-h, --help', 'Show this help; vivarium <command> --help says more'],
      ['-v, --version', 'Show the version'],
      ['--completion <shell>', 'Print what lets bash, zsh or fish complete: source <(vivarium --completion bash)'],
    ]),
    '',
  ];
  process.stdout.write(lines.join('\n'));
  return exitCodes.ok;
}

function version(): string {
  return JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')).version;
}

const maxMessage = 20_000;

/** One line of JSON with `--format json`, words otherwise. Whatever is quoted in it is shown, not obeyed. */
function report(error: unknown, argv: readonly string[]): number {
  const known = error instanceof CommandError;
  const exitCode = known ? error.exitCode : exitCodes.failed;
  // A server may have written it.
  const message = cut(error instanceof Error ? error.message : String(error), maxMessage);
  const hint = known ? error.hint : undefined;
  const end = argv.includes('--') ? argv.indexOf('--') : argv.length;
  const json = argv.slice(0, end).some((word, at) => word === '--format=json' || (word === '--format' && argv[at + 1] === 'json'));
  if (json) process.stderr.write(`${printableJson({ error: message, ...(hint !== undefined && { hint }), exitCode })}\n`);
  else {
    process.stderr.write(`vivarium: ${printableLines(message)}\n`);
    if (hint !== undefined) process.stderr.write(`  ${printableLines(hint).replaceAll('\n', '\n  ')}\n`);
    if (!known && error instanceof Error && error.stack !== undefined)
      process.stderr.write(`${printableLines(cut(error.stack, maxMessage))}\n`);
  }
  return exitCode;
}

const argv = process.argv.slice(2);
// A reader such as `head` closes the pipe once it has enough: that is no failure.
if (findCommand(argv[0] ?? '')?.servesStdout !== true)
  process.stdout.on('error', ({ code }: NodeJS.ErrnoException) => process.exit(code === 'EPIPE' ? exitCodes.ok : exitCodes.failed));
// Undefined: something was started that will end the process in its own time.
const code = await run(argv).catch((error: unknown) => {
  const failed = report(error, argv);
  // A module that was half loaded may have left timers: the failure ends the process all the same, once it is told.
  process.stderr.write('', () => process.exit(failed));
  return failed;
});
if (code !== undefined) process.exitCode = code;
