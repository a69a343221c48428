// vivarium eval: a person in the same sessions as the agent.
import { realpathSync, statSync } from 'node:fs';
import { resolve } from 'node:path';
import { type Client, connect } from '../../../client/index.ts';
import { type Door, discard, findDoors, isOpen } from '../../../live/access/local-socket.ts';
import { createLive } from '../../../live/index.ts';
import { languageNamed } from '../../../live/languages/languages.ts';
import type { CallToolResult } from '../../../protocol/types.ts';
import { serveMemory } from '../../../serve/memory.ts';
import { type Command, CommandError, exitCodes, resultFlags } from '../../args/command.ts';
import { milliseconds } from '../../args/flag-values.ts';
import { standardInput } from '../../args/standard-input.ts';
import { printable, printableJson } from '../../terminal/terminal.ts';
import { enginesOf } from '../live/engines.ts';
import { localSocket } from '../live/local-pipe.ts';
import { Evaluator, linesOf } from './evaluator.ts';

type Values = Readonly<Record<string, string | boolean | undefined>>;

export const evaluate: Command = {
  name: 'eval',
  summary: "Evaluate code in the agent's sessions, or in an image of its own",
  usage: "eval ['<code>' | -] [options]",
  flags: {
    language: { type: 'string', value: 'name', help: "What it is written in: javascript, lisp … (default: the server's first)" },
    session: { type: 'string', value: 'handle', help: "Where, of those that --sessions lists (default: main, which is the agent's own)" },
    sessions: { type: 'boolean', help: 'List the sessions instead' },
    cwd: { type: 'string', value: 'folder', help: 'The project (default: this folder, and those above it)' },
    server: { type: 'string', value: 'pid', help: 'Which server, where several run for the project (default: the newest)' },
    timeout: { type: 'string', value: 'time', help: 'After this it is interrupted (default: as the server says)' },
    ...resultFlags,
  },
  examples: [
    ["vivarium eval '1 + 1'", 'the value, as the agent would see it'],
    ["vivarium eval --language lisp '(+ 1 2)'", 'in Common Lisp'],
    ["vivarium eval --session s-4f1c 'cart.total()'", 'in another session'],
    ['vivarium eval - < script.js', 'what stands in a file'],
    ['vivarium eval', 'a prompt, on a terminal'],
  ],
  async run({ positionals, values }) {
    if (positionals.length > 1) {
      throw new CommandError(exitCodes.usage, 'eval takes one piece of code', { hint: "Quote it: vivarium eval '1 + 1'" });
    }
    const [given] = positionals;
    const lists = values['sessions'] === true;
    const asks = given === undefined && process.stdin.isTTY === true && !lists;
    const code = asks || lists ? '' : await codeOf(given);
    const show = values['format'] === 'json' ? showJson : showLines;
    const evaluator = await enter(values, lists);
    try {
      if (asks) {
        const { prompt, historyFile } = await import('./prompt.ts');
        await prompt(evaluator, { input: process.stdin, output: process.stdout, history: historyFile() });
        return exitCodes.ok;
      }
      if (lists) return show(await evaluator.call('sessions', { action: 'list' }));
      return await once(evaluator, code, show);
    } finally {
      await evaluator.leave();
    }
  },
};

/** Read before anything is started for it. */
async function codeOf(given: string | undefined): Promise<string> {
  const code = given === undefined || given === '-' ? await standardInput() : given;
  if (code.trim() === '') throw new CommandError(exitCodes.usage, 'There is no code to evaluate', { hint: "vivarium eval '1 + 1'" });
  return code;
}

type Show = (result: CallToolResult) => number;

async function once(evaluator: Evaluator, code: string, show: Show): Promise<number> {
  let asked = false;
  const stop = (): void => {
    // Whoever asks twice does not want to wait.
    if (asked) process.exit(exitCodes.interrupted);
    asked = true;
    evaluator.interrupt().catch(() => process.exit(exitCodes.interrupted));
  };
  process.on('SIGINT', stop);
  try {
    const exitCode = show(await evaluator.evaluate(code, show, (words) => process.stderr.write(`${words}\n`)));
    return asked ? exitCodes.interrupted : exitCode;
  } finally {
    process.off('SIGINT', stop);
  }
}

function showLines(result: CallToolResult): number {
  const failed = result.isError === true;
  (failed ? process.stderr : process.stdout).write(linesOf(result));
  return failed ? exitCodes.toolError : exitCodes.ok;
}

/** The whole of it, failed or not, as `call` does. */
function showJson(result: CallToolResult): number {
  process.stdout.write(`${printableJson(result, 2)}\n`);
  return result.isError === true ? exitCodes.toolError : exitCodes.ok;
}

async function enter(values: Values, lists: boolean): Promise<Evaluator> {
  const text = (name: string): string | undefined => values[name] as string | undefined;
  const cwd = resolve(text('cwd') ?? '.');
  if (!statSync(cwd, { throwIfNoEntry: false })?.isDirectory()) throw new CommandError(exitCodes.usage, `There is no folder ${cwd}`);
  const timeout = text('timeout');
  const timeoutMs = timeout === undefined ? undefined : milliseconds('timeout', timeout);
  const language = text('language');
  const options = { session: text('session'), language: language && (languageNamed(language)?.language ?? language), timeoutMs };
  const shared = await visit(cwd, text('server'));
  if (shared !== undefined) return new Evaluator(shared, { ...options, leave: () => Promise.resolve() });
  if (lists || (options.session !== undefined && options.session !== 'main')) {
    const none = lists ? 'there are no sessions' : `there is no session ${options.session}`;
    throw new CommandError(exitCodes.unreachable, `No server runs for ${cwd}, so ${none}`, { hint: 'Start one: vivarium live' });
  }
  process.stderr.write(`No server runs for ${printable(cwd)}: this is an image of its own, which ends with this command\n`);
  const { server, close } = createLive({ cwd, single: true, tools: [], ...enginesOf(text, { cwd }) });
  const client = await connect(serveMemory(server), { client: { name: 'vivarium-eval', version: '0.1.0' } });
  return new Evaluator(client, { ...options, leave: close });
}

/** The newest server that answers; those that do not have left their socket behind. */
async function visit(cwd: string, pid: string | undefined): Promise<Client | undefined> {
  const found = await findDoors(cwd).catch((cause: Error) => {
    throw new CommandError(exitCodes.unreachable, `Cannot look for live servers: ${cause.message}`, { cause });
  });
  const doors = found.filter((door) => pid === undefined || String(door.pid) === pid);
  for (const [at, door] of doors.entries()) {
    const client = await knock(door);
    if (client === undefined) continue;
    const open = await Promise.all(doors.slice(at + 1).map(async (one) => ((await isOpen(one.path)) ? [one.pid] : [])));
    const others = open.flat();
    if (door.folder !== realpathSync(cwd)) process.stderr.write(`In the server of ${printable(door.folder)}\n`);
    if (others.length > 0) process.stderr.write(`In the server with pid ${door.pid}; others run too: --server ${others.join(', ')}\n`);
    return client;
  }
  if (pid !== undefined) throw new CommandError(exitCodes.unreachable, `No server with pid ${pid} runs for ${cwd}`);
  return undefined;
}

async function knock({ path }: Door): Promise<Client | undefined> {
  try {
    // A revision with sessions: without --session it is always the same one, also where others have theirs.
    return await connect(localSocket(path), { client: { name: 'vivarium-eval', version: '0.1.0' }, revision: '2025-11-25' });
  } catch (error) {
    const { code } = ((error as Error).cause ?? {}) as NodeJS.ErrnoException;
    if (code !== 'ECONNREFUSED' && code !== 'ENOENT') {
      throw new CommandError(exitCodes.unreachable, (error as Error).message, { cause: error });
    }
    await discard(path);
    return undefined;
  }
}
