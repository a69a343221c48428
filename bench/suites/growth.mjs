// Does the cost of a call, or of the list, grow with the number of registered tools?
import { httpLoop, openConnections } from '../load/http-loop.mjs';
import { echoArguments, isModern, request, template, toolCall } from '../load/messages.mjs';
import { prepareAll, start } from '../load/start.mjs';
import { cpuMs, rssMb } from '../measure/process.mjs';
import { interleave } from '../measure/rounds.mjs';
import { isVariant } from '../targets.mjs';

const fillers = [0, 1000, 10_000];
const warmUpMs = 800;
const callsInFlight = { stdio: 16, http: 8 };

/**
 * All sizes of all targets of one kind are up at once, so that a size is compared with another within a round.
 * Calls are measured in all rounds before any list is asked for: the garbage of long lists would be charged to the calls.
 */
export async function growth({ targets, rounds, ms, ...run }) {
  const cells = [];
  for (const kind of new Set(targets.map((target) => target.kind))) {
    const chosen = targets.filter((target) => target.kind === kind && !isVariant(target));
    const sized = chosen.flatMap((target) => fillers.map((extra) => ({ ...target, extra })));
    const servers = await prepareAll(sized, prepare, run.skip);
    for (const { call } of servers) await call(warmUpMs);
    const calls = await interleave(servers, rounds, (server) => measureCalls(server, ms / 2), run);
    for (const { list } of servers) await list(warmUpMs / 2);
    const lists = await interleave(servers, rounds, (server) => measureLists(server, ms / 2), run);
    for (const [index, { target, startMs, memory, stop }] of servers.entries()) {
      const tools = `${kind}, ${target.extra + 4} tools`;
      const samples = { ...calls[index], ...lists[index] };
      cells.push({ target: target.name, case: tools, samples, once: { start_ms: startMs, rss_mb: memory } });
      await stop();
    }
  }
  return cells;
}

async function prepare(target) {
  const server = await start(target, ['--tools', String(target.extra)]);
  const memory = rssMb(server.pid);
  const call = await looper(server, toolCall('echo', echoArguments, isModern(target)), true);
  const list = await looper(server, request('tools/list', {}, isModern(target)), false);
  return { target, pid: server.pid, startMs: server.startMs, memory, call, list, stop: () => server.stop() };
}

async function measureCalls({ pid, call }, ms) {
  const before = cpuMs(pid);
  const { count, rps } = await call(ms);
  return { call_cpu_us: ((cpuMs(pid) - before) * 1000) / count, call_us: 1e6 / rps };
}

async function measureLists({ pid, list }, ms) {
  const before = cpuMs(pid);
  const { count, rps, bytes } = await list(ms);
  return { list_cpu_us: ((cpuMs(pid) - before) * 1000) / count, list_us: 1e6 / rps, list_kb: bytes / count / 1024 };
}

/** (ms) => what a closed loop of this message measured, over either transport. */
async function looper(server, message, many) {
  const { kind } = server.target;
  const inflight = many ? callsInFlight[kind === 'stdio' ? 'stdio' : 'http'] : 1;
  if (kind === 'stdio') {
    const make = template(message);
    return (ms) => server.loop({ make, inflight, ms });
  }
  const open = await openConnections(server.port, kind, inflight, message);
  return async (ms) => {
    await open.refresh();
    const measured = await httpLoop({ ...open, ms });
    if (measured.errors > 0) throw new Error(`${measured.errors} errors, the first: ${measured.firstError}`);
    return measured;
  };
}
