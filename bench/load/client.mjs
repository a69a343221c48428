// Run by the `client` suite as `node client.mjs <client> <http|stdio> <ms>`: calls the bare server and prints what it measured.
import path from 'node:path';
import { bench } from '../targets.mjs';
import { clients } from './client-targets.mjs';
import { echoArguments, endpoint, mustEcho } from './messages.mjs';
import { startHttp } from './start.mjs';

const warmUpMs = 800;
const [name, kind, ms] = process.argv.slice(2);
const bareCommand = [process.execPath, path.join(bench, 'servers', 'bare.mjs'), kind];
const bare = { name: 'bare', kind, command: bareCommand };
const httpServer = kind === 'http' ? await startHttp(bare) : undefined;
const url = httpServer && new URL(`http://127.0.0.1:${httpServer.port}${endpoint}`);

const start = performance.now();
const { call, close } = await clients[kind][name]({ url, bare });
mustEcho({ result: await call(echoArguments) }, name);
const connectMs = performance.now() - start;

await timed(warmUpMs, 8);
const sequential = await timed(Number(ms), 1);
const concurrent = await timed(Number(ms), 32);
mustEcho({ result: await call(echoArguments) }, name);
const measured = { cpu_us: concurrent.cpuUs, calls_32: concurrent.rate, calls_1: sequential.rate, connect_ms: connectMs };
await Promise.race([close(), new Promise((resolve) => setTimeout(resolve, 300))]);
process.stdout.write(JSON.stringify(measured), () => process.exit(0));

async function timed(duration, width) {
  let count = 0;
  const cpuBefore = process.cpuUsage();
  const begin = performance.now();
  const chain = async () => {
    while (performance.now() - begin < duration) {
      await call(echoArguments);
      count++;
    }
  };
  await Promise.all(Array.from({ length: width }, chain));
  const { user, system } = process.cpuUsage(cpuBefore);
  return { rate: (count / (performance.now() - begin)) * 1000, cpuUs: (user + system) / count };
}
