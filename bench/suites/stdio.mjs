// What does a tools/call over stdio cost: 64 in flight (CPU per request, throughput) and one in flight (latency)?
import { echoArguments, isModern, mustEcho, template, toolCall } from '../load/messages.mjs';
import { prepareAll, startStdio } from '../load/start.mjs';
import { cpuMs, rssMb } from '../measure/process.mjs';
import { interleave } from '../measure/rounds.mjs';

const inflight = 64;
const warmUpMs = 1200;
// One in flight, the latency is mostly the scheduler's choice of cores (35 or 120 µs here): many short rounds instead of few long ones.
const slices = 4;

export async function stdio({ targets, rounds, ms, ...run }) {
  const chosen = targets.filter((target) => target.kind === 'stdio');
  const servers = await prepareAll(chosen, prepare, run.skip);
  const crowded = await interleave(servers, rounds, (server) => measureMany(server, ms), run);
  const alone = await interleave(servers, rounds * slices, (server) => measureOne(server, ms / slices), run);
  const cells = [];
  for (const [index, server] of servers.entries()) {
    const memory = rssMb(server.pid);
    await check(server).catch((error) => run.complain(server, error.message));
    const samples = { ...crowded[index], ...alone[index] };
    cells.push({ target: server.target.name, case: 'stdio', samples, once: { rss_mb: memory } });
    await server.stop();
  }
  return cells;
}

async function prepare(target) {
  const server = await startStdio(target);
  server.make = template(toolCall('echo', echoArguments, isModern(target)));
  server.answerBytes = await check(server);
  await server.loop({ make: server.make, inflight, ms: warmUpMs });
  return server;
}

async function measureMany(server, ms) {
  const { make, pid, answerBytes } = server;
  const before = cpuMs(pid);
  const { count, rps, bytes } = await server.loop({ make, inflight, ms });
  const cpu = cpuMs(pid) - before;
  // Answers are only counted under load; their mean size tells whether they were still the right ones.
  if (Math.abs(bytes / count - answerBytes) > 8) throw new Error(`answers of ${bytes / count} bytes, not ${answerBytes}`);
  return { cpu_us: (cpu * 1000) / count, rps_64: rps };
}

async function measureOne(server, ms) {
  const { make, pid } = server;
  const before = cpuMs(pid);
  const { count, p50, p99 } = await server.loop({ make, inflight: 1, ms });
  return { one_cpu_us: ((cpuMs(pid) - before) * 1000) / count, one_p50_us: p50 * 1000, one_p99_us: p99 * 1000 };
}

/** Asks once more under an id as long as those of the loop; returns the size of the answer's line. */
async function check(server) {
  const answer = await server.ask({ ...toolCall('echo', echoArguments, isModern(server.target)), id: 1_000_000 });
  mustEcho(answer, server.target.name);
  return Buffer.byteLength(JSON.stringify(answer)) + 1;
}
