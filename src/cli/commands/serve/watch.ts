// vivarium serve --watch: the module in a process of its own, started anew when a file of the project changes.

import { type ChildProcess, spawn } from 'node:child_process';
import { dirname, resolve, sep } from 'node:path';
import { createInterface } from 'node:readline';
import { settledWithin } from '../../../text/timeouts.ts';
import { CommandError, exitCodes } from '../../args/command.ts';
import { usesHttp } from '../../args/http-flags.ts';
import { printable, quote } from '../../terminal/terminal.ts';
import { addressOf, announce, watchedUrl } from './http.ts';
import { watchFolder } from './watch-folder.ts';
import { WatchFront } from './watch-front.ts';
import { type Generation, WatchRelay } from './watch-relay.ts';

type Values = Readonly<Record<string, string | boolean | undefined>>;

const settleMs = 100;
const bootMs = 20_000;
/** How long a server that was replaced may take to answer what it has read. */
const retireMs = 5_000;
const ignored = /(?:^|[\\/])(?:node_modules|\.[^\\/]+)(?:[\\/]|$)/;
const watched = /\.(?:[cm]?[jt]sx?|json|wasm|node|ya?ml|toml|md|txt|html|sql)$/;

export async function serveWatched(module: string, values: Values): Promise<number | undefined> {
  const args = process.argv.slice(1).filter((word) => word !== '--watch');
  const folders = new Set([process.cwd(), dirname(resolve(module))]);
  // One below the other is watched with it.
  const tops = [...folders].filter((folder) => ![...folders].some((other) => other !== folder && folder.startsWith(other + sep)));
  const restart = usesHttp(values) ? await restartedOverHttp(args, values) : restartedOnStdio(args, () => greet(module, values));
  for (const folder of tops) watchSources(folder, restart);
  restart();
  return undefined;
}

function watchSources(folder: string, restart: () => void): void {
  let timer: ReturnType<typeof setTimeout> | undefined;
  watchFolder(folder, {
    skips: (name) => ignored.test(name),
    changed: (name) => {
      if (ignored.test(name) || !watched.test(name)) return;
      clearTimeout(timer);
      timer = setTimeout(() => {
        say(`${name} changed: starting anew`);
        restart();
      }, settleMs);
    },
    failed: (error) => say(`Changes can no longer be seen: ${error.message}`),
  });
}

/** On a terminal nothing else is seen of a server on stdio: it waits for messages. */
function greet(module: string, values: Values): void {
  if (values['quiet'] === true) return;
  say(`${module} is served on stdio, and restarted when a file changes`);
  if (process.stdin.isTTY === true)
    say(`To try it, run in another terminal: vivarium list ${quote(module)}. Or serve it at a URL: --http 3000`);
}

function restartedOnStdio(args: readonly string[], greetOnce: () => void): () => void {
  let isGreeted = false;
  const relay = new WatchRelay((line) => void process.stdout.write(`${line}\n`));
  const living = new Set<Child>();
  let ending = false;
  let starts = Promise.resolve();
  const end = (): void => {
    if (ending) return;
    ending = true;
    for (const child of living) child.retire();
    if (living.size === 0) process.exit(exitCodes.ok);
  };
  process.stdout.on('error', () => process.exit(exitCodes.ok));
  createInterface({ input: process.stdin, crlfDelay: Number.POSITIVE_INFINITY })
    .on('line', (line) => relay.fromClient(line))
    .on('close', end);
  for (const signal of ['SIGTERM', 'SIGHUP', 'SIGINT'] as const) process.on(signal, end);
  const start = async (): Promise<void> => {
    if (ending) return;
    const child = new Child(args, (line) => relay.fromServer(line, child));
    living.add(child);
    void child.ended.then((code) => {
      living.delete(child);
      relay.gone(child);
      if (ending && living.size === 0) process.exit(exitCodes.ok);
      if (!ending && living.size === 0) say(`The server ended (${code}); it is started again when a file changes`);
    });
    const taken = await relay.take(child, (answer) => settledWithin(bootMs, Promise.race([answer, child.ended.then(() => undefined)])));
    if (taken) {
      if (!isGreeted) greetOnce();
      isGreeted = true;
      return;
    }
    child.kill();
    living.delete(child);
    say(living.size > 0 ? 'The new version did not start; the one before goes on' : 'It did not start');
  };
  // One after the other: the second must know what became of the first.
  return () => {
    starts = starts.then(start);
  };
}

/** The port is ours, and each server behind it has one of its own. */
async function restartedOverHttp(args: readonly string[], values: Values): Promise<() => void> {
  const [host, port] = addressOf(values, values['auth-token-env'] !== undefined || values['auth-issuer'] !== undefined);
  const path = typeof values['path'] === 'string' ? values['path'] : '/mcp';
  const front = new WatchFront(path);
  const open = await front.listen(port, host).catch((error: Error) => {
    throw new CommandError(exitCodes.usage, `Cannot listen on ${host}: ${error.message}`);
  });
  const url = `http://${host.includes(':') ? `[${host}]` : host}:${open}${path}`;
  const living = new Set<ChildProcess>();
  let ending = false;
  let isSaid = false;
  let count = 0;
  let turn = Promise.resolve();
  for (const signal of ['SIGTERM', 'SIGHUP', 'SIGINT'] as const) {
    process.on(signal, () => {
      if (ending) process.exit(exitCodes.interrupted);
      ending = true;
      front.close();
      void Promise.all([...living].map(stopped)).then(() => process.exit(exitCodes.ok));
    });
  }
  const start = async (): Promise<void> => {
    if (ending) return;
    const child = spawn(process.execPath, [...process.execArgv, ...args], {
      stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
      env: { ...process.env, [watchedUrl]: url },
    });
    living.add(child);
    const ended = new Promise<undefined>((resolve) => {
      child.once('close', () => resolve(undefined));
      child.once('error', () => resolve(undefined));
    });
    const told = new Promise<unknown>((resolve) => child.once('message', resolve));
    const said = (await settledWithin(bootMs, Promise.race([told, ended]))) as { served: { name: string; port: number } } | undefined;
    if (said === undefined) {
      child.kill('SIGKILL');
      living.delete(child);
      return say(living.size > 0 ? 'The new version did not start; the one before goes on' : 'It did not start');
    }
    const generation = { number: ++count, port: said.served.port, retire: () => void stopped(child) };
    void ended.then(() => {
      living.delete(child);
      front.gone(generation);
      if (!ending && living.size === 0) say('The server ended; it is started again when a file changes');
    });
    await front.take(generation);
    if (isSaid) return say('The new version serves');
    isSaid = true;
    announce(said.served.name, url, values);
  };
  return () => {
    turn = turn.then(start);
  };
}

async function stopped(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const gone = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  child.kill('SIGTERM');
  await settledWithin(retireMs, gone);
  child.kill('SIGKILL');
  await gone;
}

class Child implements Generation {
  readonly ended: Promise<number | string | null>;
  readonly #process: ChildProcess;

  constructor(args: readonly string[], told: (line: string) => void) {
    this.#process = spawn(process.execPath, [...process.execArgv, ...args, '--quiet'], { stdio: ['pipe', 'pipe', 'inherit'] });
    this.#process.stdin?.on('error', () => undefined);
    createInterface({ input: this.#process.stdout as NodeJS.ReadableStream, crlfDelay: Number.POSITIVE_INFINITY }).on('line', told);
    this.ended = new Promise((resolve) => {
      this.#process.once('close', (code, signal) => resolve(code ?? signal));
      this.#process.once('error', (error) => resolve(error.message));
    });
  }

  send(line: string): void {
    this.#process.stdin?.write(`${line}\n`);
  }

  retire(): void {
    this.#process.stdin?.end();
    const timer = setTimeout(() => this.kill(), retireMs);
    timer.unref();
  }

  kill(): void {
    this.#process.kill('SIGKILL');
  }
}

function say(text: string): void {
  process.stderr.write(`vivarium: ${printable(text)}\n`);
}
