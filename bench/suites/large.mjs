// What do large answers and large arguments cost, one in flight: a 1 MB and a 10 MB result, and a 1 MB echo?
import { httpLoop, openConnections } from '../load/http-loop.mjs';
import { isModern, template, toolCall } from '../load/messages.mjs';
import { prepareAll, start } from '../load/start.mjs';
import { cpuMs, peakRssMb } from '../measure/process.mjs';
import { interleave } from '../measure/rounds.mjs';
import { isVariant } from '../targets.mjs';

const oneMegabyte = 1_000_000;
const cases = [
  { name: 'result 1 MB', tool: 'blob', input: { size: oneMegabyte }, count: 20 },
  { name: 'result 10 MB', tool: 'blob', input: { size: 10 * oneMegabyte }, count: 3 },
  { name: 'echo 1 MB', tool: 'echo', input: { text: 'lorem ipsum\n'.repeat(83_334).slice(0, oneMegabyte) }, count: 15 },
];

export async function large({ targets, rounds, ...run }) {
  // Sessions change nothing here; they stand in where a library has no stateless kind.
  const isNeeded = ({ name, kind }) => kind !== 'http-stateful' || !targets.some((other) => other.name === name && other.kind === 'http');
  const chosen = targets.filter((target) => !isVariant(target) && isNeeded(target));
  const cells = [];
  for (const asked of cases) {
    const servers = await prepareAll(chosen, (target) => prepare(target, asked), run.skip);
    const samples = await interleave(servers, rounds, (server) => measure(server, asked.count), run);
    for (const [index, { target, pid, stop }] of servers.entries()) {
      const kind = target.kind === 'http-stateful' ? 'http' : target.kind;
      cells.push({ target: target.name, case: `${asked.name}, ${kind}`, samples: samples[index], once: { peak_rss_mb: peakRssMb(pid) } });
      await stop();
    }
  }
  return cells;
}

async function prepare(target, { tool, input }) {
  const server = await start(target);
  const message = toolCall(tool, input, isModern(target));
  const loop = await looper(server, message);
  await loop(3);
  return { target, pid: server.pid, loop, stop: () => server.stop() };
}

async function looper(server, message) {
  const { kind } = server.target;
  if (kind === 'stdio') {
    const make = template(message);
    return (maxRequests) => server.loop({ make, inflight: 1, maxRequests });
  }
  const open = await openConnections(server.port, kind, 1, message);
  return async (maxRequests) => {
    await open.refresh();
    const measured = await httpLoop({ ...open, maxRequests });
    if (measured.errors > 0) throw new Error(measured.firstError.replaceAll('\r\n', ' '));
    return measured;
  };
}

async function measure({ pid, loop }, count) {
  const before = cpuMs(pid);
  const measured = await loop(count);
  const cpu = cpuMs(pid) - before;
  // An error answer is small: the size tells.
  if (measured.bytes < measured.count * oneMegabyte) throw new Error(`answers of ${measured.bytes / measured.count} bytes`);
  return { cpu_ms: cpu / count, ms: (measured.seconds * 1000) / count, mb_per_s: measured.bytes / measured.seconds / 1e6 };
}
