// What a command is, how it fails, and how its help is written.
import { type ParseArgsConfig, parseArgs } from 'node:util';
import { near } from '../../text/did-you-mean.ts';

/** The same for every command. */
export const exitCodes = {
  ok: 0,
  failed: 1,
  usage: 2,
  authorization: 3,
  unreachable: 4,
  toolError: 5,
  incomplete: 6,
  interrupted: 130,
} as const;

export interface Flag {
  readonly type: 'boolean' | 'string';
  readonly short?: string;
  /** What follows a string flag, for the help. */
  readonly value?: string;
  readonly help: string;
  /** It may be given several times; read from `lists`. */
  readonly multiple?: true;
}

export interface Command {
  readonly name: string;
  readonly summary: string;
  readonly usage: string;
  readonly flags: Readonly<Record<string, Flag>>;
  readonly examples: readonly (readonly [line: string, what: string])[];
  /** What follows `--` is a program to start and its arguments. Default: more positionals. */
  readonly takesProgram?: true;
  run(args: Arguments): Promise<number | undefined>;
}

export interface Arguments {
  readonly positionals: readonly string[];
  readonly values: Readonly<Record<string, string | boolean | undefined>>;
  /** Flags that may be given several times. */
  readonly lists: Readonly<Record<string, readonly string[]>>;
  /** What stands behind `--`, where the command takes a program. */
  readonly program?: readonly string[];
}

/** A failure with an exit code; everything else that is thrown is a defect. */
export class CommandError extends Error {
  readonly exitCode: number;
  readonly hint: string | undefined;

  constructor(exitCode: number, message: string, options: { readonly hint?: string; readonly cause?: unknown } = {}) {
    super(message, { cause: options.cause });
    this.name = 'CommandError';
    this.exitCode = exitCode;
    this.hint = options.hint;
  }
}

const format: Flag = { type: 'string', value: 'text|json', help: 'How a failure is reported on stderr (default: text)' };
const help: Flag = { type: 'boolean', short: 'h', help: 'Show this help' };

/** Of commands whose result is data. */
export const resultFlags: Readonly<Record<string, Flag>> = {
  format: { ...format, help: 'How the result is printed, and a failure on stderr (default: text)' },
};

/** Its own, and those of every command. */
export function flagsOf(command: Command): Readonly<Record<string, Flag>> {
  return { ...command.flags, format: command.flags['format'] ?? format, help };
}

export function parse(command: Command, argv: readonly string[]): Arguments {
  const flags = flagsOf(command);
  const options: NonNullable<ParseArgsConfig['options']> = {};
  for (const [name, { type, short, multiple }] of Object.entries(flags)) {
    options[name] = { type, ...(short !== undefined && { short }), ...(multiple === true && { multiple }) };
  }
  const end = command.takesProgram === true ? argv.indexOf('--') : -1;
  const own = end < 0 ? argv : argv.slice(0, end);
  try {
    const { positionals, values: given } = parseArgs({ args: [...own], options, allowPositionals: true });
    const lists: Record<string, readonly string[]> = {};
    const values: Record<string, string | boolean | undefined> = {};
    for (const [name, value] of Object.entries(given)) {
      if (Array.isArray(value)) lists[name] = value.map(String);
      else values[name] = value;
    }
    const { format = 'text' } = values;
    if (format !== 'text' && format !== 'json') throw new TypeError(`--format takes text or json, not ${String(format)}`);
    return { positionals, values, lists, ...(end >= 0 && { program: argv.slice(end + 1) }) };
  } catch (error) {
    throw new CommandError(exitCodes.usage, ...told(error as Error, command, Object.keys(flags)));
  }
}

/** What Node says of an option it does not know is about parameters of a shell, and longer than the help. */
function told(error: Error, { name }: Command, flags: readonly string[]): [string, { hint: string; cause: Error }] {
  const [, unknown] = /^Unknown option '(-[^']*)'/.exec(error.message) ?? [];
  if (unknown === undefined) return [error.message, { hint: `vivarium ${name} --help`, cause: error }];
  const meant = near(unknown.replace(/^-+/, ''), flags);
  const hint = meant === undefined ? `vivarium ${name} --help` : `Did you mean --${meant}?`;
  return [`${name} has no option ${unknown}`, { hint, cause: error }];
}

export function helpOf(command: Command): string {
  const flags = Object.entries(flagsOf(command)).map(([name, flag]): [string, string] => {
    const value = flag.value === undefined ? '' : ` <${flag.value}>`;
    return [`${flag.short === undefined ? '    ' : `-${flag.short}, `}--${name}${value}`, flag.help];
  });
  const examples = command.examples.map(([line, what]): [string, string] => [line, what]);
  return [
    command.summary,
    '',
    `Usage: vivarium ${command.usage}`,
    '',
    'Options:',
    ...columns(flags),
    '',
    'Examples:',
    ...columns(examples),
    '',
  ].join('\n');
}

export function columns(rows: readonly (readonly [string, string])[]): string[] {
  const width = Math.max(...rows.map(([left]) => left.length)) + 2;
  return rows.map(([left, right]) => `  ${left.padEnd(width)}${right}`);
}
