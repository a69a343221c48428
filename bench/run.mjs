// npm run bench -- --only stdio,cold: measures our server beside its peers and judges the promises of measure/floors.mjs.
import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import os from 'node:os';
import { parseArgs } from 'node:util';
import { judge } from './measure/floors.mjs';
import { cpuResolution } from './measure/process.mjs';
import { installPeers } from './peers.mjs';
import { renderFloors, renderHead, renderSuite } from './report.mjs';
import { suites } from './suites/index.mjs';
import { kinds, listTargets, peerNames } from './targets.mjs';

const usage = `node bench/run.mjs [--only ${Object.keys(suites).join(',')}] [--rounds 9] [--ms 700]
  [--peers ${peerNames.join(',')}]
  [--kinds ${kinds.join(',')}] [--json out.json] [--node /path/to/node] [--strict] [--verbose]
--strict ends with 1 unless every promise of the suites that ran is met; --verbose shows what the servers say on stderr.`;

const options = readOptions();
const say = (text) => process.stderr.write(text);
installPeers(say);

const run = {
  when: new Date().toISOString(),
  node: execFileSync(options.node, ['-v']).toString().trim(),
  clientNode: process.version,
  machine: { cpu: os.cpus()[0].model, cores: os.cpus().length, memoryGb: Math.round(os.totalmem() / 2 ** 30), kernel: os.release() },
  cpuResolution,
  options,
  suites: {},
};
console.log(renderHead(run));
for (const name of options.only) {
  run.suites[name] = await runSuite(name);
  console.log(`\n${renderSuite(name, run.suites[name])}`);
  save();
}
run.floors = judge(run);
console.log(`\n${renderFloors(run.floors)}`);
save();
process.exit(options.strict && !run.floors.every(({ isMet }) => isMet) ? 1 : 0);

async function runSuite(name) {
  const before = loadAverage();
  say(`== ${name}, load average ${before.join(' ')}\n`);
  const skipped = [];
  const failures = [];
  const note = (list) => (item, reason) => {
    const { name: target, kind } = item.target ?? item;
    if (list.some((known) => known.target === target && known.case === kind && known.reason === reason)) return;
    list.push({ target, case: kind, reason });
    say(`[${target} ${kind}: ${reason}]\n`);
  };
  const context = { ...options, targets: listTargets(options), say, skip: note(skipped), complain: note(failures) };
  const cells = await suites[name].run(context);
  return { load: { before, after: loadAverage() }, cells, skipped, failures };
}

function save() {
  if (options.json) writeFileSync(options.json, `${JSON.stringify(run, null, 1)}\n`);
}

function loadAverage() {
  return os.loadavg().map((value) => value.toFixed(2));
}

function readOptions() {
  try {
    const { values } = parseArgs({
      options: {
        only: { type: 'string', default: 'stdio,inproc,cold,growth' },
        rounds: { type: 'string', default: '9' },
        ms: { type: 'string', default: '700' },
        peers: { type: 'string' },
        kinds: { type: 'string', default: kinds.join(',') },
        json: { type: 'string' },
        node: { type: 'string', default: process.execPath },
        strict: { type: 'boolean', default: false },
        verbose: { type: 'boolean', default: false },
        help: { type: 'boolean', default: false },
      },
    });
    if (values.help) throw new Error('help');
    const only = values.only.split(',');
    const peers = values.peers?.split(',');
    const wanted = values.kinds.split(',');
    const unknown = [
      ...only.filter((name) => !suites[name]),
      ...(peers ?? []).filter((name) => !peerNames.includes(name)),
      ...wanted.filter((name) => !kinds.includes(name)),
    ];
    if (unknown.length > 0) throw new Error(`unknown: ${unknown.join(', ')}`);
    return { ...values, only, peers, kinds: wanted, rounds: count(values.rounds), ms: count(values.ms) };
  } catch (error) {
    console.error(error.message === 'help' ? usage : `${error.message}\n${usage}`);
    process.exit(error.message === 'help' ? 0 : 2);
  }
}

function count(text) {
  const value = Number(text);
  if (!Number.isInteger(value) || value < 1) throw new Error(`not a count: ${text}`);
  return value;
}
