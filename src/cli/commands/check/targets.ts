// Whom a command line wants judged: URLs, names, modules, every server of a configuration file, and a program behind `--`.
import { resolve } from 'node:path';
import type { CheckTarget } from '../../../check/cli.ts';
import type { Arguments } from '../../args/command.ts';
import { readConfigurations } from '../../target/client-config.ts';
import { chooseTarget, type ServerTarget } from '../../target/target.ts';
import { tokenIn } from './options.ts';

export async function checkTargets(args: Arguments): Promise<readonly CheckTarget[]> {
  const { program, ...others } = args;
  const targets: ServerTarget[] = [];
  for (const one of args.positionals) targets.push((await chooseTarget({ ...others, positionals: [one] })).target);
  const { config, server } = args.values as Record<string, string | undefined>;
  if (args.positionals.length === 0 && program === undefined && config !== undefined && server === undefined) {
    for (const { servers } of await readConfigurations(config, resolve('.'))) {
      for (const name of servers.keys()) {
        targets.push((await chooseTarget({ ...others, values: { ...args.values, server: name } })).target);
      }
    }
  }
  if (program !== undefined || targets.length === 0) targets.push((await chooseTarget({ ...args, positionals: [] })).target);
  return targets.map((target) => withToken(targetOf(target), args));
}

function targetOf({ label: line, name, entry }: ServerTarget): CheckTarget {
  // Two entries of a file may differ in their environment only.
  const label = name === undefined ? line : `${name}: ${line}`;
  if ('url' in entry) return { kind: 'url', label, url: entry.url, headers: entry.headers, ...(entry.sse && { transport: 'sse' }) };
  const { command, args = [], env, cwd } = entry;
  return { kind: 'command', label, command, args, ...(env !== undefined && { env }), ...(cwd !== undefined && { cwd }) };
}

function withToken(target: CheckTarget, { values }: Arguments): CheckTarget {
  const { token } = values as Record<string, string | undefined>;
  const given = token ?? tokenIn('token-env', (name) => values[name] as string | undefined);
  if (given === undefined || target.kind !== 'url') return target;
  return { ...target, headers: { ...target.headers, authorization: `Bearer ${given}` } };
}
