// vivarium serve: offers the Server that a module exports.
import { spawn } from 'node:child_process';
import { constants } from 'node:os';
import { resolve } from 'node:path';
import { currentGuard, guardProcess } from '../../../serve/guard.ts';
import { serveStdio } from '../../../serve/stdio.ts';
import { coreOf, isServer } from '../../../server/core.ts';
import type { Server } from '../../../server/server.ts';
import { type Command, CommandError, exitCodes } from '../../args/command.ts';
import { httpFlags, usesHttp } from '../../args/http-flags.ts';
import { importModule } from '../../module/import-module.ts';
import { quote } from '../../terminal/terminal.ts';

export const serve: Command = {
  name: 'serve',
  summary: 'Serve the Server that a module exports, on stdio or at a URL',
  usage: 'serve <module>[:export] [options]',
  flags: {
    guard: { type: 'boolean', help: 'Keep even native code off stdout: runs the module in a child whose stdout is stderr' },
    watch: { type: 'boolean', help: 'Start it anew when a file of the project changes; clients keep their connections' },
    quiet: { type: 'boolean', short: 'q', help: 'Do not explain itself when started on a terminal' },
    ...httpFlags,
  },
  examples: [
    ['vivarium serve server.ts', 'the default export of server.ts'],
    ['vivarium serve dist/all.js:notes', 'the export named notes'],
    ['vivarium serve server.ts --http 3000', 'at http://127.0.0.1:3000/mcp, for every revision'],
    ['vivarium serve server.ts --watch', 'while you write it: the client hears that the lists have changed'],
    ['vivarium serve server.ts --http 0.0.0.0:3000 --allow-remote --auth-token-env TOKEN', 'for whoever has the token'],
    ['claude mcp add sums -- "$PWD/node_modules/.bin/vivarium" serve "$PWD/server.ts"', 'add it to Claude Code'],
  ],
  async run({ positionals, values }) {
    const [target, ...more] = positionals;
    if (target === undefined || more.length > 0) {
      throw new CommandError(exitCodes.usage, 'serve takes one module', { hint: 'vivarium serve server.ts' });
    }
    if (values['watch'] === true) {
      if (values['guard'] === true)
        throw new CommandError(exitCodes.usage, '--watch runs the module in a child already: leave out --guard');
      return (await import('./watch.ts')).serveWatched(split(target)[0], values);
    }
    if (usesHttp(values)) {
      if (values['guard'] === true) throw new CommandError(exitCodes.usage, '--guard is about stdio: leave it out with --http');
      const served = await load(target);
      if (served !== undefined) await (await import('./http.ts')).serveOverHttp(served, values);
      return undefined;
    }
    if (values['guard'] === true && process.env['VIVARIUM_STDOUT_FD'] === undefined) return behindGuard();
    // Before the module runs: what it prints while it loads must not reach the protocol.
    guardProcess(true);
    const server = await load(target);
    if (server === undefined) return undefined;
    if (process.stdin.isTTY && values['quiet'] !== true) greet(target, coreOf(server).info.name);
    await serveStdio(server);
    return undefined;
  },
};

/** Undefined when the module serves itself already. */
async function load(target: string): Promise<Server | undefined> {
  const [path, name] = split(target);
  const exports = await importModule(path);
  const found = exports[name];
  // It may export what it serves.
  if (currentGuard()?.serving === true) return undefined;
  if (isServer(found)) return found;
  const what = found === undefined ? `has no export "${name}"` : `exports "${name}", which is not a Server`;
  throw new CommandError(exitCodes.usage, `${path} ${what}`, { hint: adviceFor(path, exports, found) });
}

function adviceFor(path: string, exports: Readonly<Record<string, unknown>>, found: unknown): string {
  const others = Object.keys(exports).filter((key) => isServer(exports[key]));
  if (others.length > 0) return `It does export ${others.map((key) => `${path}:${key}`).join(', ')}`;
  if (found instanceof Promise) return 'It is a promise. Write: export default await …';
  if (typeof found === 'function') return 'It is a function or a class. Export what it makes, such as: export default createServer()';
  if (typeof (found as { connect?: unknown } | null | undefined)?.connect === 'function')
    return `It is a server of another library. Start it as a program: vivarium list -- node ${quote(path)}`;
  return "Write: export default server, with server = new Server({ name, version }) from 'vivarium/server'";
}

/** A colon after the last slash separates the export; one before it belongs to a Windows drive or a URL. */
function split(target: string): [path: string, name: string] {
  const colon = target.lastIndexOf(':');
  const slash = Math.max(target.lastIndexOf('/'), target.lastIndexOf('\\'));
  return colon > slash && colon > 1 ? [target.slice(0, colon), target.slice(colon + 1)] : [target, 'default'];
}

function greet(target: string, name: string): void {
  const [path, own] = split(target);
  const module = own === 'default' ? resolve(path) : `${resolve(path)}:${own}`;
  const command = [process.execPath, process.argv[1] ?? 'vivarium', 'serve', module];
  process.stderr.write(
    [
      'This is an MCP server on stdio: it waits for JSON-RPC messages, one a line, and is meant to be started by a client.',
      'To try it here, paste this line (Ctrl-D ends):',
      '{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}}}',
      `To add it to Claude Code: claude mcp add ${quote(name)} -- ${command.map(quote).join(' ')}`,
      '',
    ].join('\n'),
  );
}

/** fd 1 of the child is our stderr; the protocol leaves through fd 3, which is our stdout. */
function behindGuard(): Promise<number> {
  const child = spawn(process.execPath, [...process.execArgv, ...process.argv.slice(1)], {
    stdio: [0, 2, 2, 1],
    env: { ...process.env, VIVARIUM_STDOUT_FD: '3' },
  });
  for (const signal of ['SIGTERM', 'SIGHUP', 'SIGINT'] as const) process.on(signal, () => void child.kill(signal));
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('exit', (code, signal) => resolve(code ?? 128 + (signal === null ? 0 : constants.signals[signal])));
  });
}
