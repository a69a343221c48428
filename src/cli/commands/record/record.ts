// vivarium record: what goes between a client and a server, written down.
import { type Command, CommandError, exitCodes } from '../../args/command.ts';
import { portNumber } from '../../args/flag-values.ts';
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
    const recorder = new Recorder(file, { target: target.label, transport: 'command' in entry ? 'stdio' : 'http' });
    const say = (text: string): void => void (quiet ? undefined : process.stderr.write(`${printable(text)}\n`));
    try {
      if ('command' in entry) {
        const { recordProgram } = await import('./stdio.ts');
        return await recordProgram(entry, recorder);
      }
      const { recordUrl } = await import('./http.ts');
      const door = await recordUrl(new URL(entry.url), { ...entry.headers, ...token }, port, recorder);
      process.stderr.write(`Recording. Press Ctrl-C to stop. Connect the client to\n${door.url}\n`);
      await new Promise<void>((resolve) => {
        for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, () => resolve());
      });
      await door.close();
      return exitCodes.ok;
    } finally {
      await recorder.close();
      say(`Recorded in ${file}`);
    }
  },
};

function tokenHeader(values: Readonly<Record<string, string | boolean | undefined>>): Record<string, string> {
  const variable = values['token-env'] as string | undefined;
  const token = variable === undefined ? values['token'] : process.env[variable];
  if (variable !== undefined && token === undefined)
    throw new CommandError(exitCodes.usage, `--token-env ${variable}: there is no such variable here`);
  return typeof token === 'string' ? { authorization: `Bearer ${token}` } : {};
}
