// The two other things that check judges: a client, and a recording.
import { type CheckOptions, judgeRecording, type Report, runClientCheck, type Transport } from '../../../check/cli.ts';
import { loadValidator } from '../../../schema/json-schema.ts';
import { type Arguments, CommandError, exitCodes } from '../../args/command.ts';
import { readRecording } from '../record/recording.ts';

const transports: readonly Transport[] = ['stdio', 'http', 'sse'];

export async function checkClient({ program, positionals, values, lists }: Arguments, options: CheckOptions): Promise<Report> {
  const [command, ...args] = program ?? [];
  if (command === undefined || positionals.length > 0) {
    throw new CommandError(exitCodes.usage, '--client takes the command line of a client behind --', {
      hint: 'vivarium check --client -- node client.js {url}',
    });
  }
  const { transport, cwd } = values as Record<string, string | undefined>;
  const chosen = transports.find((one) => one === transport);
  if (transport !== undefined && chosen === undefined)
    throw new CommandError(exitCodes.usage, `--transport takes stdio, http or sse, not ${transport}`);
  const env = Object.fromEntries((lists['env'] ?? []).map(variable));
  const client = { command, args, env, ...(cwd !== undefined && { cwd }) };
  const revision = values['spec-version'] === undefined ? 'all' : options.revision;
  return runClientCheck(client, {
    ...options,
    ...(revision !== undefined && { revision }),
    ...(chosen !== undefined && { transports: [chosen] }),
  });
}

export async function checkRecording({ values, positionals, program }: Arguments, options: CheckOptions): Promise<readonly Report[]> {
  const file = String(values['recording']);
  if (positionals.length > 0 || program !== undefined)
    throw new CommandError(exitCodes.usage, '--recording judges a file, and no server beside it');
  const { head, entries } = readRecording(file);
  // Load the validators first: rules compile schemas synchronously.
  await Promise.all([loadValidator('2020-12'), loadValidator('draft-07')]);
  return judgeRecording({ label: file, transport: head.transport, entries }, options);
}

function variable(given: string): [string, string] {
  const at = given.indexOf('=');
  return at < 0 ? [given, process.env[given] ?? ''] : [given.slice(0, at), given.slice(at + 1)];
}
