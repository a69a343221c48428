// vivarium doctor: the first step that fails on the way to a server, and what to do about it.
import { type Client, connect, type Failure } from '../../../client/index.ts';
import { RpcError, VivariumError } from '../../../jsonrpc/error.ts';
import { type Arguments, type Command, CommandError, exitCodes, resultFlags } from '../../args/command.ts';
import { milliseconds } from '../../args/flag-values.ts';
import { whileHiding } from '../../target/concealed.ts';
import { authOf, moduleReport, revisionOf } from '../../target/connect-target.ts';
import { chooseTarget, connectorOf, type ServerTarget } from '../../target/target.ts';
import { targetFlags, withEnvironment } from '../../target/target-flags.ts';
import { whileStarting } from '../../terminal/starting-line.ts';
import { printable, printableJson } from '../../terminal/terminal.ts';
import { Examination, type Step } from './step.ts';

const marks = { ok: '✓', warning: '!', failed: '✗' } as const;
/** Once a server has answered, shorter than a client waits: somebody sits in front of it. */
const patience = { probeMs: 5_000, connectMs: 30_000, idleMs: 15_000 };

export const doctor: Command = {
  name: 'doctor',
  summary: 'Find out why a server cannot be used',
  usage: 'doctor <server> [options]   (or: doctor -- program args…)',
  flags: { ...targetFlags, ...resultFlags },
  takesProgram: true,
  examples: [
    ['vivarium doctor -- npx -y some-server', 'program, start, first answer, revision, lists'],
    ['vivarium doctor https://api.example/mcp', 'name, port, certificate, authorization, and the rest'],
    ['vivarium doctor notes --format json', 'a server of .mcp.json, for a script'],
  ],
  async run(given) {
    const args = withEnvironment(given);
    const { target, rest } = await chooseTarget(args);
    if (rest.length > 0) throw new CommandError(exitCodes.usage, 'doctor takes one server');
    const json = args.values['format'] === 'json';
    if (!json) process.stdout.write(`${printable(target.label)}\n`);
    const examination = new Examination((step) => (json ? undefined : tell(step)), target.hide);
    const exitCode = await whileHiding(target.hide, () => examine(target, args, examination));
    const { steps } = examination;
    if (json) process.stdout.write(`${printableJson({ target: target.label, healthy: exitCode === exitCodes.ok, steps }, 2)}\n`);
    else process.stdout.write(`${verdict(steps)}\n`);
    return exitCode;
  },
};

function tell({ name, status, detail, hint }: Step): void {
  process.stdout.write(`  ${marks[status]} ${name.padEnd(15)} ${printable(detail)}\n`);
  if (hint !== undefined) process.stdout.write(`${' '.repeat(20)}${printable(hint)}\n`);
}

function verdict(steps: readonly Step[]): string {
  const failed = steps.find(({ status }) => status === 'failed');
  const warnings = steps.filter(({ status }) => status === 'warning').length;
  if (failed !== undefined) return `The first step that fails: ${failed.name}.`;
  return warnings === 0 ? 'Healthy.' : `It works, with ${warnings} thing${warnings === 1 ? '' : 's'} to look at.`;
}

async function examine(target: ServerTarget, args: Arguments, examination: Examination): Promise<number> {
  const { entry } = target;
  if ('url' in entry) {
    const { examineNetwork } = await import('./network.ts');
    await examineNetwork(new URL(entry.url), examination);
    if (examination.failed) return exitCodes.unreachable;
  }
  const connectTimeout = args.values['connect-timeout'] as string | undefined;
  const connectMs = connectTimeout === undefined ? patience.connectMs : milliseconds('connect-timeout', connectTimeout);
  const junk: string[] = [];
  let client: Client | undefined;
  try {
    const connector = await connectorOf(target, {
      auth: await authOf(args),
      onStderr: args.values['verbose'] === true ? (line) => process.stderr.write(`${printable(line)}\n`) : undefined,
    });
    const connecting = connect(connector, {
      client: { name: 'vivarium-doctor', version: '0.1.0' },
      revision: revisionOf(args.values['spec-version'] as string | undefined),
      timeouts: { ...patience, connectMs, probeMs: Math.min(patience.probeMs, connectMs) },
    });
    client = await whileStarting('command' in entry && args.values['verbose'] !== true, connecting);
    client.on('warning', ({ code, message }) => {
      if (code === 'junk' || code === 'bad-message') junk.push(message);
    });
    if ('command' in entry) examination.ok('start', 'the program runs');
    if (hasToken(args)) examination.ok('authorization', 'the token is accepted');
    const { server, revision } = client;
    examination.ok('version', `${server?.name ?? 'a server without a name'} ${server?.version ?? ''} speaks ${revision}`);
    await firstRequests(client, examination);
    if (junk.length > 0) examination.warn('stdout', junk[0] as string, 'whatever is no message belongs on stderr');
    return examination.failed ? exitCodes.unreachable : exitCodes.ok;
  } catch (error) {
    return await explain(error, target, examination);
  } finally {
    await client?.close();
  }
}

function hasToken({ values }: Arguments): boolean {
  return ['token', 'token-env', 'login'].some((name) => values[name] !== undefined);
}

/** What every client asks first. The specification lets a server refuse a list; one that refuses all of them is of no use. */
async function firstRequests(client: Client, examination: Examination): Promise<void> {
  const { tools, resources, prompts } = client.capabilities;
  const asks: readonly (readonly [string, unknown, string, () => Promise<readonly unknown[]>])[] = [
    ['tools', tools, 'tools/list', () => client.listTools()],
    ['resources', resources, 'resources/list', () => client.listResources()],
    ['templates', resources, 'resources/templates/list', () => client.listResourceTemplates()],
    ['prompts', prompts, 'prompts/list', () => client.listPrompts()],
  ];
  const declared = asks.filter(([, capability]) => capability !== undefined);
  let refused = 0;
  for (const [name, , method, ask] of declared) {
    try {
      const began = performance.now();
      const all = await ask();
      examination.ok(method, `${all.length} ${all.length === 1 ? name.slice(0, -1) : name} in ${Math.round(performance.now() - began)} ms`);
    } catch (error) {
      if (!(error instanceof RpcError)) return examination.fail(method, (error as Error).message, 'every client asks for this list');
      refused += 1;
      const what = `error ${error.code}: ${error.message}`;
      if (refused === declared.length) examination.fail(method, what, 'the server answers none of the lists it declares');
      else examination.warn(method, what, `the server declares ${method.split('/')[0]}, so clients ask for this list`);
    }
  }
}

async function explain(error: unknown, target: ServerTarget, examination: Examination): Promise<number> {
  if (!(error instanceof VivariumError)) throw error;
  const { entry } = target;
  const report = moduleReport(error, target);
  if (report !== undefined) {
    examination.ok('program', 'found and started');
    examination.fail('module', report.message.split('\n')[0] as string, report.hint);
    return exitCodes.unreachable;
  }
  const { phase, cause = error.message, hint, stderr = [] } = (error.failure ?? {}) as Partial<Failure>;
  if (error.code === 'ERR_CONFIG') throw new CommandError(exitCodes.usage, error.message, { cause: error });
  if (error.code === 'ERR_AUTH_REQUIRED' || error.code === 'ERR_AUTH_FAILED' || error.code === 'ERR_FORBIDDEN') {
    // Who is refused by name is not told where tokens come from.
    if ('url' in entry && error.code !== 'ERR_FORBIDDEN')
      await (await import('./authorization.ts')).examineAuthorization(new URL(entry.url), examination, new AbortController().signal);
    const what =
      error.code === 'ERR_FORBIDDEN'
        ? 'the token, or the client, is not allowed this'
        : '--token-env names a variable with a token; --login gets one with the browser, where the server says who gives them';
    examination.fail('authorization', cause, what);
    return exitCodes.authorization;
  }
  if ('command' in entry && phase !== 'open') examination.ok('program', 'found and started');
  examination.fail(stepOf(error.code, phase, 'command' in entry), cause, hint ?? adviceFor(stderr));
  return exitCodes.unreachable;
}

function stepOf(code: string, phase: Failure['phase'] | undefined, program: boolean): string {
  if (code === 'ERR_ERA') return 'version';
  if (phase === 'open') return program ? 'program' : 'tcp';
  return 'first answer';
}

/** What servers say when they end, and what is usually meant. */
function adviceFor(stderr: readonly string[]): string | undefined {
  const text = stderr.join('\n');
  const variable = /\b([A-Z][A-Z0-9]*_[A-Z0-9_]+)\b/.exec(text)?.[1];
  if (variable !== undefined && /missing|required|not set|undefined|must/i.test(text)) return `give it the variable: --env ${variable}=…`;
  if (/EADDRINUSE/.test(text)) return 'another process has the port: is it running already?';
  const [, absent, name = ''] = /Cannot find (module|package) '([^']+)'/.exec(text) ?? [];
  if (absent !== undefined)
    return /^(?:\.|\/|[A-Z]:\\)/.test(name)
      ? `there is no file ${name}: check the path, or build it first`
      : `it needs ${name}: npm install ${name}`;
  return stderr.length > 0 ? '--verbose shows all of its stderr' : undefined;
}
