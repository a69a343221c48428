#!/usr/bin/env node
// The command line: finds the command, runs it, turns its end into an exit code.
import { readFileSync } from 'node:fs';
import { type Command, CommandError, columns, exitCodes, helpOf, parse } from './args/command.ts';
import { commands, findCommand, loadCommands } from './commands/table.ts';
import { reportFailure } from './terminal/failure-report.ts';

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
  const { near } = await import('../text/did-you-mean.ts');
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

const argv = process.argv.slice(2);
// A reader such as `head` closes the pipe once it has enough: that is no failure.
if (findCommand(argv[0] ?? '')?.servesStdout !== true)
  process.stdout.on('error', ({ code }: NodeJS.ErrnoException) => process.exit(code === 'EPIPE' ? exitCodes.ok : exitCodes.failed));
// Undefined: something was started that will end the process in its own time.
const code = await run(argv).catch((error: unknown) => {
  const failed = reportFailure(error, argv);
  // A module that was half loaded may have left timers: the failure ends the process all the same, once it is told.
  process.stderr.write('', () => process.exit(failed));
  return failed;
});
if (code !== undefined) process.exitCode = code;
