// Where does a server's time go? `node bench/profile.mjs [server file] [kind] [ms]`: self time by origin and the costliest functions.
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { httpLoop, openConnections } from './load/http-loop.mjs';
import { echoArguments, isModern, template, toolCall } from './load/messages.mjs';
import { start } from './load/start.mjs';
import { bench } from './targets.mjs';

const [file = path.join(bench, 'server.mjs'), kind = 'stdio', ms = '4000'] = process.argv.slice(2);
const folder = mkdtempSync(path.join(os.tmpdir(), 'vivarium-bench-'));
// The profile is written at a normal exit only.
const exitOnSignal = 'data:text/javascript,process.on("SIGTERM",()=>process.exit(0))';
const command = [process.execPath, '--cpu-prof', `--cpu-prof-dir=${folder}`, `--import=${exitOnSignal}`, file, kind];

const count = await loadServer({ name: path.basename(file), kind, command });
report(JSON.parse(readFileSync(path.join(folder, readdirSync(folder)[0]), 'utf8')));
rmSync(folder, { recursive: true, force: true });
process.exit(0);

async function loadServer(target) {
  const server = await start(target);
  const message = toolCall('echo', echoArguments, isModern(target));
  const measured = await (kind === 'stdio'
    ? server.loop({ make: template(message), inflight: 64, ms: Number(ms) })
    : httpLoop({ ...(await openConnections(server.port, kind, 48, message)), ms: Number(ms) }));
  process.kill(server.pid, 'SIGTERM');
  while (readdirSync(folder).length === 0) await sleep(50);
  await sleep(500);
  return measured.count;
}

function report({ nodes, samples, timeDeltas }) {
  const selfTime = new Map();
  for (const [index, id] of samples.entries()) selfTime.set(id, (selfTime.get(id) ?? 0) + timeDeltas[index]);
  const byOrigin = new Map();
  const byFunction = new Map();
  let total = 0;
  for (const { id, callFrame } of nodes) {
    const origin = originOf(callFrame);
    const time = selfTime.get(id) ?? 0;
    if (origin === 'idle') continue;
    const where = `${path.basename(callFrame.url)}:${callFrame.lineNumber + 1}`;
    add(byOrigin, origin, time);
    add(byFunction, `${callFrame.functionName || '(anonymous)'} @ ${origin} ${where}`, time);
    total += time;
  }
  console.log(`${file} ${kind}: ${count} requests, ${(total / count).toFixed(1)} µs busy per request (profiler on, start included)`);
  print(byOrigin, total, 16);
  console.log('-- functions');
  print(byFunction, total, 28);
}

function originOf({ functionName, url }) {
  if (functionName === '(idle)') return 'idle';
  if (functionName === '(garbage collector)') return 'garbage collection';
  if (functionName === '(program)') return 'native code and system calls';
  const dependency = /node_modules\/((?:@[^/]+\/)?[^/]+)\/(?!.*node_modules)/.exec(url);
  if (dependency) return dependency[1];
  if (url.includes('webstreams')) return 'node: web streams';
  if (url.includes('internal/deps/undici')) return 'node: undici';
  if (/_http_|internal\/http/.test(url)) return 'node: http';
  if (/abort_controller|event_target/.test(url)) return 'node: AbortController, EventTarget';
  if (/^node:.*(net|stream|pipe)/.test(url)) return 'node: net and streams';
  if (url.startsWith('node:')) return 'node: other';
  const ours = /\/dist\/(\w+)\//.exec(url);
  if (ours) return `vivarium/${ours[1]}`;
  return url === '' ? 'builtins (JSON, Map, promises)' : 'server file';
}

function add(times, key, time) {
  times.set(key, (times.get(key) ?? 0) + time);
}

function print(times, total, rows) {
  const sorted = [...times].sort((a, b) => b[1] - a[1]).slice(0, rows);
  for (const [key, time] of sorted) console.log(`${((time / total) * 100).toFixed(1).padStart(5)} %  ${key}`);
}
