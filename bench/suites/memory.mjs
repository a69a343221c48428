// What does an idle session keep in memory, and an open event stream, after all garbage was collected?
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { HttpConnection } from '../load/http.mjs';
import { openSession } from '../load/http-loop.mjs';
import { endpoint } from '../load/messages.mjs';
import { prepareAll, startHttp } from '../load/start.mjs';
import { interleave } from '../measure/rounds.mjs';
import { bench, isVariant, ours } from '../targets.mjs';

const hook = { NODE_OPTIONS: `--import=${path.join(bench, 'measure', 'collect.mjs')}` };
const width = 50;
const streams = 250;
// Enough to see the slope; few where a library needs a second per session or tens of kilobytes each.
const sessionsOf = (name) => ({ [ours]: 10_000, lean: 10_000, fastmcp: 200 })[name] ?? 1000;
const peerRounds = 2;

export async function memory({ targets, rounds, ...run }) {
  const chosen = targets.filter((target) => target.kind === 'http-stateful' && !isVariant(target));
  const tryStart = async (target) => {
    const server = await startHttp(target);
    await server.stop();
    return target;
  };
  const able = await prepareAll(chosen, tryStart, run.skip);
  // The promise is about our own sessions, so only they need every round.
  const measureOrRest = (target, round) => (target.name === ours || round < peerRounds ? measure(target) : {});
  const samples = await interleave(able, rounds, measureOrRest, run);
  return able.map(({ name }, index) => ({ target: name, case: 'sessions', samples: samples[index], once: { sessions: sessionsOf(name) } }));
}

async function measure(target) {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'vivarium-bench-'));
  const heapFile = path.join(folder, 'heap.json');
  const server = await startHttp(target, [], { ...hook, BENCH_HEAP_FILE: heapFile });
  try {
    const count = sessionsOf(target.name);
    await openSessions(server.port, 200);
    const before = await collected(server.pid, heapFile);
    const start = performance.now();
    await openSessions(server.port, count);
    const seconds = (performance.now() - start) / 1000;
    const after = await collected(server.pid, heapFile);
    const perStream = await streamCost(server, heapFile).catch(() => Number.NaN);
    return {
      heap_kb_per_session: (after.heapUsed - before.heapUsed) / count / 1024,
      rss_kb_per_session: (after.rss - before.rss) / count / 1024,
      heap_kb_per_stream: perStream,
      sessions_per_s: count / seconds,
      rss_start_mb: before.rss / 1_048_576,
    };
  } finally {
    await server.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}

async function openSessions(port, count) {
  const ids = [];
  const some = async () => {
    const connection = new HttpConnection(port, { keepBody: true });
    await connection.ready();
    for (let i = 0; i < count / width; i++) ids.push(await openSession(connection));
    connection.close();
  };
  await Promise.all(Array.from({ length: width }, some));
  return ids;
}

async function streamCost({ port, pid }, heapFile) {
  const ids = await openSessions(port, streams);
  const before = await collected(pid, heapFile);
  const connections = [];
  for (const id of ids) connections.push(await openStream(port, id));
  const after = await collected(pid, heapFile);
  for (const connection of connections) connection.close();
  return (after.heapUsed - before.heapUsed) / streams / 1024;
}

async function openStream(port, sessionId) {
  const connection = new HttpConnection(port);
  await connection.ready();
  const head = `GET ${endpoint} HTTP/1.1\r\nhost: 127.0.0.1\r\naccept: text/event-stream\r\nmcp-protocol-version: 2025-06-18\r\n`;
  const status = await new Promise((resolve) => {
    connection.socket.once('data', (data) => resolve(data.toString('latin1', 9, 12)));
    connection.socket.write(`${head}mcp-session-id: ${sessionId}\r\n\r\n`);
    setTimeout(resolve, 1000, 'no answer');
  });
  if (status !== '200') throw new Error(`GET: ${status}`);
  return connection;
}

/** Memory in use after a full collection inside the server. */
async function collected(pid, heapFile) {
  await sleep(200);
  rmSync(heapFile, { force: true });
  process.kill(pid, 'SIGUSR2');
  for (let waited = 0; waited < 30_000; waited += 20) {
    if (existsSync(heapFile)) return JSON.parse(readFileSync(heapFile, 'utf8'));
    await sleep(20);
  }
  throw new Error('the server did not report its memory');
}
