// What does a command add to the server it starts? `vivarium list` beside a client that does the least one can do.
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { interleave } from '../measure/rounds.mjs';
import { bench, isBuilt, isChosen, ours } from '../targets.mjs';

const server = [process.execPath, path.join(bench, 'server.mjs'), 'stdio'];
const everything = [process.execPath, path.join(bench, '../node_modules/@modelcontextprotocol/server-everything/dist/index.js')];
const commands = [
  { name: ours, line: [path.join(bench, '../dist/cli/main.js'), 'list', 'tools', '--'] },
  { name: 'bare', line: [path.join(bench, 'load/bare-list.mjs')] },
];
const cases = [
  { case: 'list, our server', started: server },
  { case: 'list, server-everything', started: everything },
];

export async function command({ rounds, peers, ...run }) {
  if (!isBuilt('cli/main.js')) return run.skip({ name: ours, kind: 'command' }, 'not built') ?? [];
  const chosen = cases.flatMap((one) => commands.filter(({ name }) => isChosen(name, peers)).map((each) => ({ ...one, ...each })));
  const samples = await interleave(chosen, rounds, measure, run);
  return chosen.map(({ name, case: where }, index) => ({ target: name, case: where, samples: samples[index] }));
}

/** CPU of the command and of the server it started, which it has waited for. */
function measure({ line, started }) {
  const [before, began] = [childrenMs(), performance.now()];
  const { status, stderr } = spawnSync(process.execPath, [...line, ...started], { stdio: ['ignore', 'pipe', 'pipe'], encoding: 'utf8' });
  if (status !== 0) throw new Error(stderr);
  return { cpu_ms: childrenMs() - before, ms: performance.now() - began };
}

/** In ticks of 10 ms. */
function childrenMs() {
  const text = readFileSync('/proc/self/stat', 'utf8');
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
  return (Number(fields[13]) + Number(fields[14])) * 10;
}
