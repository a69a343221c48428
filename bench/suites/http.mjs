// What does a tools/call over Streamable HTTP cost: 48 keep-alive connections (CPU per request, throughput, tail) and one connection?
import { httpLoop, openConnections } from '../load/http-loop.mjs';
import { answerIn, echoArguments, isModern, mustEcho, toolCall } from '../load/messages.mjs';
import { prepareAll, startHttp } from '../load/start.mjs';
import { cpuMs, rssMb } from '../measure/process.mjs';
import { interleave } from '../measure/rounds.mjs';

const connections = 48;
const warmUpMs = 1200;

export async function http({ targets, rounds, ms, ...run }) {
  const chosen = targets.filter((target) => target.kind.startsWith('http'));
  const servers = await prepareAll(chosen, prepare, run.skip);
  const samples = await interleave(servers, rounds, (server) => measure(server, ms), run);
  const cells = [];
  for (const [index, server] of servers.entries()) {
    const { target, contentType, pid } = server;
    const once = { answer: contentType, rss_mb: rssMb(pid) };
    cells.push({ target: target.name, case: target.kind, samples: samples[index], once });
    server.many.close();
    server.single.close();
    await server.stop();
  }
  return cells;
}

async function prepare(target) {
  const server = await startHttp(target);
  const message = toolCall('echo', echoArguments, isModern(target));
  const contentType = await check(server, message);
  const many = await openConnections(server.port, target.kind, connections, message);
  const single = await openConnections(server.port, target.kind, 1, message);
  await httpLoop({ ...many, ms: warmUpMs });
  return { ...server, contentType, many, single };
}

async function check({ target, port }, message) {
  const probe = await openConnections(port, target.kind, 1, message, { keepBody: true });
  const { head, body } = await probe.connections[0].request(probe.make(0, 1_000_001));
  probe.close();
  mustEcho(answerIn(body), `${target.name} ${target.kind}`);
  return /content-type: *([^;\r\n]+)/i.exec(head)?.[1];
}

async function measure({ pid, many, single }, ms) {
  await many.refresh();
  await single.refresh();
  const before = cpuMs(pid);
  const crowd = await httpLoop({ ...many, ms });
  const cpu = cpuMs(pid) - before;
  const alone = await httpLoop({ ...single, ms: Math.min(ms, 600) });
  const errors = crowd.errors + alone.errors;
  if (errors > 0) throw new Error(`${errors} errors, the first: ${crowd.firstError || alone.firstError}`);
  return {
    cpu_us: (cpu * 1000) / crowd.count,
    rps_48: crowd.rps,
    p50_ms: crowd.p50,
    p99_ms: crowd.p99,
    one_p50_us: alone.p50 * 1000,
    one_p99_us: alone.p99 * 1000,
  };
}
