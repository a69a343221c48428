// Starts a target and waits until it answers; targets that cannot take part are named instead of ending the run.
import { createServer } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { spawnTracked } from './children.mjs';
import { HttpConnection } from './http.mjs';
import { initializedMessage, initializeMessage } from './messages.mjs';
import { StdioServer } from './stdio.mjs';

export async function startStdio(target, extra, env) {
  const server = new StdioServer(target, extra, env);
  if (target.era !== '2026') {
    await server.ask(initializeMessage());
    server.write(`${JSON.stringify(initializedMessage)}\n`);
  }
  server.startMs = performance.now() - server.startedAt;
  return server;
}

export async function startHttp(target, extra, env) {
  const port = await freePort();
  const start = performance.now();
  const { child, exited } = spawnTracked(target, extra, { ...env, PORT: String(port) });
  let ended;
  void exited.then((error) => {
    ended = error;
  });
  while (!(await accepts(port))) {
    if (ended) throw ended;
    if (performance.now() - start > 60_000) throw new Error(`${target.name} ${target.kind} did not start within a minute`);
    await sleep(10);
  }
  const stop = async () => {
    child.kill('SIGKILL');
    await exited;
  };
  return { target, port, pid: child.pid, startMs: performance.now() - start, stop };
}

export const start = (target, extra, env) => (target.kind === 'stdio' ? startStdio : startHttp)(target, extra, env);

/** Prepares every target with `prepare`; those that cannot take part are named, with the reason, instead of ending the run. */
export async function prepareAll(targets, prepare, skip) {
  const ready = [];
  for (const target of targets) {
    try {
      ready.push(await prepare(target));
    } catch (error) {
      skip(target, error.message);
    }
  }
  return ready;
}

function freePort() {
  return new Promise((resolve) => {
    const probe = createServer().listen(0, '127.0.0.1', () => {
      const { port } = probe.address();
      probe.close(() => resolve(port));
    });
  });
}

async function accepts(port) {
  const connection = new HttpConnection(port);
  const open = await connection.ready().then(
    () => true,
    () => false,
  );
  connection.close();
  return open;
}
