// What do lists of 1,000 and arguments of growing depth and width cost over stdio?
import { isModern, request, template, toolCall } from '../load/messages.mjs';
import { prepareAll, startStdio } from '../load/start.mjs';
import { cpuMs } from '../measure/process.mjs';
import { interleave } from '../measure/rounds.mjs';

const shapesAsked = [
  { name: 'tools/list 1000', method: 'tools/list' },
  { name: 'resources/list 1000', method: 'resources/list' },
  { name: 'depth 10', payload: nested(10) },
  { name: 'depth 100', payload: nested(100) },
  { name: 'depth 1000', payload: nested(1000) },
  { name: 'wide 1000', payload: wide(1000) },
  { name: 'wide 10000', payload: wide(10_000) },
];

export async function shapes({ targets, rounds, ms, ...run }) {
  const chosen = targets.filter((target) => target.kind === 'stdio');
  const servers = await prepareAll(chosen, (target) => startStdio(target, ['--tools', '1000', '--resources', '1000']), run.skip);
  const cells = [];
  for (const shape of shapesAsked) {
    const samples = await interleave(servers, rounds, (server) => measure(server, shape, ms / 2), run);
    for (const [index, server] of servers.entries()) cells.push({ target: server.target.name, case: shape.name, samples: samples[index] });
  }
  for (const server of servers) await server.stop();
  return cells;
}

async function measure(server, { name, method, payload }, ms) {
  const modern = isModern(server.target);
  const message = method ? request(method, {}, modern) : toolCall('any', { payload }, modern);
  const { error, result } = await server.ask({ ...message, id: 5 });
  if (error || result.isError) throw new Error(`${name}: ${JSON.stringify(error ?? result).slice(0, 120)}`);
  const before = cpuMs(server.pid);
  const measured = await server.loop({ make: template(message), inflight: 1, ms });
  return { cpu_us: ((cpuMs(server.pid) - before) * 1000) / measured.count, us: 1e6 / measured.rps };
}

function nested(depth) {
  let value = 1;
  for (let level = 0; level < depth; level++) value = { a: value, b: [level] };
  return value;
}

function wide(count) {
  return Object.fromEntries(Array.from({ length: count }, (_, index) => [`key_${index}`, { n: index, s: `value ${index}` }]));
}
