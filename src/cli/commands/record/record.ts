// vivarium record: what goes between a client and a server, written down.
import { type Command, CommandError, exitCodes } from '../../args/command.ts';
import { portNumber } from '../../args/flag-values.ts';
import type { ServerEntry } from '../../target/client-config.ts';
import { whileHiding } from '../../target/concealed.ts';
import { chooseTarget } from '../../target/target.ts';
import { targetFlags, withEnvironment } from '../../target/target-flags.ts';
import { printable } from '../../terminal/terminal.ts';
import { Recorder } from './recording.ts';

const { env, cwd, header, config, server, yes, token, 'token-env': tokenVariable } = targetFlags as Required<typeof targetFlags>;

export const record: Command = {
  name: 'record',
  summary: 'Write down what goes between a client and a server',
  usage: 'record [-o file] [options] -- program args…   (or: record <url> [options])',
  flags: {
    output: { type: 'string', short: 'o', value: 'file', help: 'The recording (default: recording-<time>.jsonl in this folder)' },
    port: { type: 'string', value: 'port', help: 'For a URL: where the client is to connect, on this machine (default: any that is free)' },
    overwrite: { type: 'boolean', help: 'Replace the file if it is there (default: keep it, and record to s-2.jsonl for s.jsonl)' },
    quiet: { type: 'boolean', short: 'q', help: 'Do not say where the recording is' },
    ...({ env, cwd, header, config, server, yes, token, 'token-env': tokenVariable } as Command['flags']),
  },
  takesProgram: true,
  examples: [
    ['vivarium record -o s.jsonl -- node server.js', "put this in a client's configuration in place of: node server.js"],
    ['vivarium record https://api.example/mcp --token-env TOKEN', 'let the client connect to the address it prints; Ctrl-C ends'],
    ['vivarium check --recording s.jsonl', 'judge what was recorded'],
    ['vivarium replay s.jsonl', 'serve it as a server for tests'],
  ],
  async run(given) {
    const args = withEnvironment(given);
    const { target, rest } = await chooseTarget(args);
    if (rest.length > 0) throw new CommandError(exitCodes.usage, 'record takes one server', { hint: 'vivarium record -- node server.js' });
    const quiet = args.values['quiet'] === true;
    const port = args.values['port'] === undefined ? 0 : portNumber('port', args.values['port'] as string);
    const token = tokenHeader(args.values);
    const file = (args.values['output'] as string | undefined) ?? `recording-${new Date().toISOString().replaceAll(/[:.]/g, '-')}.jsonl`;
    const { entry } = target;
    const transport = 'command' in entry ? 'stdio' : 'http';
    const recorder = new Recorder(file, { target: target.label, transport }, { overwrite: args.values['overwrite'] === true });
    const say = (text: string): void => void (quiet ? undefined : process.stderr.write(`${printable(text)}\n`));
    const ended = await whileHiding(target.hide, () => recorded(entry, recorder, { headers: token, port })).finally(() => recorder.close());
    say(`Recorded in ${recorder.file}${recorder.file === file ? '' : `, for ${file} was there already`}`);
    return ended;
  },
};

/** Ends with the exit code of the program, or when it is told to. */
async function recorded(
  entry: ServerEntry,
  recorder: Recorder,
  { headers, port }: { readonly headers: Readonly<Record<string, string>>; readonly port: number },
): Promise<number> {
  if ('command' in entry) return (await import('./stdio.ts')).recordProgram(entry, recorder);
  const { recordUrl } = await import('./http.ts');
  const door = await recordUrl(new URL(entry.url), { ...entry.headers, ...headers }, port, recorder);
  process.stderr.write(`Recording. Press Ctrl-C to stop. Connect the client to\n${door.url}\n`);
  await new Promise<void>((resolve) => {
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, () => resolve());
  });
  await door.close();
  return exitCodes.ok;
}

function tokenHeader(values: Readonly<Record<string, string | boolean | undefined>>): Record<string, string> {
  const variable = values['token-env'] as string | undefined;
  const token = variable === undefined ? values['token'] : process.env[variable];
  if (variable !== undefined && token === undefined)
    throw new CommandError(exitCodes.usage, `--token-env ${variable}: there is no such variable here`);
  return typeof token === 'string' ? { authorization: `Bearer ${token}` } : {};
}
