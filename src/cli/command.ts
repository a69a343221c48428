// What a command is, how it fails, and how its help is written.
import { type ParseArgsConfig, parseArgs } from 'node:util';

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
}

export interface Command {
  readonly name: string;
  readonly summary: string;
  readonly usage: string;
  readonly flags: Readonly<Record<string, Flag>>;
  readonly examples: readonly (readonly [line: string, what: string])[];
  run(args: Arguments): Promise<number | undefined>;
}

export interface Arguments {
  readonly positionals: readonly string[];
  readonly values: Readonly<Record<string, string | boolean | undefined>>;
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

const sharedFlags: Readonly<Record<string, Flag>> = {
  format: { type: 'string', value: 'text|json', help: 'How a failure is reported on stderr (default: text)' },
  help: { type: 'boolean', short: 'h', help: 'Show this help' },
};

export function parse(command: Command, argv: readonly string[]): Arguments {
  const options: NonNullable<ParseArgsConfig['options']> = {};
  for (const [name, { type, short }] of Object.entries({ ...command.flags, ...sharedFlags })) {
    options[name] = short === undefined ? { type } : { type, short };
  }
  try {
    const parsed = parseArgs({ args: [...argv], options, allowPositionals: true }) as Arguments;
    const { format = 'text' } = parsed.values;
    if (format !== 'text' && format !== 'json') throw new TypeError(`--format takes text or json, not ${String(format)}`);
    return parsed;
  } catch (error) {
    throw new CommandError(exitCodes.usage, (error as Error).message, { hint: `vivarium ${command.name} --help`, cause: error });
  }
}

export function helpOf(command: Command): string {
  const flags = Object.entries({ ...command.flags, ...sharedFlags }).map(([name, flag]): [string, string] => {
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
