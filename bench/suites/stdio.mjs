// What does a tools/call over stdio cost: 64 in flight (CPU per request, throughput) and one in flight (latency)?
import { echoArguments, isModern, mustEcho, template, toolCall } from '../load/messages.mjs';
import { prepareAll, startStdio } from '../load/start.mjs';
import { cpuMs, rssMb } from '../measure/process.mjs';
import { interleave } from '../measure/rounds.mjs';

const inflight = 64;
const warmUpMs = 1200;

export async function stdio({ targets, rounds, ms, ...run }) {
  const chosen = targets.filter((target) => target.kind === 'stdio');
  const servers = await prepareAll(chosen, prepare, run.skip);
  const samples = await interleave(servers, rounds, (server) => measure(server, ms), run);
  const cells = [];
  for (const [index, server] of servers.entries()) {
    const memory = rssMb(server.pid);
    await check(server).catch((error) => run.complain(server, error.message));
    cells.push({ target: server.target.name, case: 'stdio', samples: samples[index], once: { rss_mb: memory } });
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

async function measure(server, ms) {
  const { make, pid } = server;
  const before = cpuMs(pid);
  const many = await server.loop({ make, inflight, ms });
  const cpu = cpuMs(pid) - before;
  // Answers are only counted under load; their mean size tells whether they were still the right ones.
  const bytesEach = many.bytes / many.count;
  if (Math.abs(bytesEach - server.answerBytes) > 8) throw new Error(`answers of ${bytesEach} bytes, not ${server.answerBytes}`);
  const one = await server.loop({ make, inflight: 1, ms: Math.min(ms, 600) });
  return {
    cpu_us: (cpu * 1000) / many.count,
    rps_64: many.rps,
    one_p50_us: one.p50 * 1000,
    one_p99_us: one.p99 * 1000,
  };
}

/** Asks once more under an id as long as those of the loop; returns the size of the answer's line. */
async function check(server) {
  const answer = await server.ask({ ...toolCall('echo', echoArguments, isModern(server.target)), id: 1_000_000 });
  mustEcho(answer, server.target.name);
  return Buffer.byteLength(JSON.stringify(answer)) + 1;
}
