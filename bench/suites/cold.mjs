// How long, and how much CPU, from spawning a stdio server to its first answer, and to the answer of its first tools/call?
import { echoArguments, initializedMessage, initializeMessage, mustEcho, toolCall } from '../load/messages.mjs';
import { prepareAll } from '../load/start.mjs';
import { StdioServer } from '../load/stdio.mjs';
import { cpuMsFrozen, rssMb } from '../measure/process.mjs';
import { interleave } from '../measure/rounds.mjs';
import { isVariant } from '../targets.mjs';

/** Starts vary more than calls and are short: twice the rounds. */
export async function cold({ targets, rounds, ...run }) {
  const chosen = targets.filter((target) => target.kind === 'stdio' && !isVariant(target));
  // The first start fills the page cache and shows whether the target starts at all; it is not counted.
  const able = await prepareAll(chosen, async (target) => (await startAndCall(target)) && target, run.skip);
  const samples = await interleave(able, rounds * 2, startAndCall, run);
  return able.map(({ name }, index) => ({ target: name, case: 'cold', samples: samples[index] }));
}

async function startAndCall(target) {
  const server = new StdioServer(target);
  await server.ask(initializeMessage());
  const ms = performance.now() - server.startedAt;
  const cpu = cpuMsFrozen(server.pid);
  const memory = rssMb(server.pid);
  // What is loaded lazily after the first answer shows here.
  server.write(`${JSON.stringify(initializedMessage)}\n`);
  mustEcho(await server.ask({ ...toolCall('echo', echoArguments), id: 2 }), target.name);
  const callMs = performance.now() - server.startedAt;
  const callCpu = cpuMsFrozen(server.pid);
  await server.stop();
  return { cpu_ms: cpu, initialize_ms: ms, call_cpu_ms: callCpu, call_ms: callMs, rss_mb: memory };
}
