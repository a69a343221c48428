// Run by the `inproc` suite as `node in-process.mjs <case> <target> <ms>`: tools/call inside this process; prints what it measured.
const [kind, target, ms] = process.argv.splice(2);
// The servers' own files are imported below, and with the mode `none` they only define themselves.
process.argv[2] = 'none';

const { answerIn, echoArguments, mustEcho } = await import('./messages.mjs');
const { dispatchers, clients } = await import('./in-process-targets.mjs');
const send = await (kind === 'dispatch' ? dispatchers : clients)[target]();

const warmUpMs = 1000;
let id = 1;
// A fresh message each time: a library may keep or change what it is given.
const callOnce = () =>
  send({ jsonrpc: '2.0', id: id++, method: 'tools/call', params: { name: 'echo', arguments: { text: echoArguments.text } } });

await check();
await timed(warmUpMs, 1);
const sequential = await timed(Number(ms), 1);
const concurrent = await timed(Number(ms), 64);
await check();
const measured = { cpu_us: sequential.cpuUs, ops_1: sequential.rate, ops_64: concurrent.rate, us_1: 1e6 / sequential.rate };
process.stdout.write(JSON.stringify(measured), () => process.exit(0));

async function check() {
  const answer = await callOnce();
  mustEcho(typeof answer === 'string' ? answerIn(answer) : answer, target);
}

/** Calls for `duration` ms in `width` chains. The clock is read every 16 calls only: reading it costs as much as a fast answer. */
async function timed(duration, width) {
  let count = 0;
  const cpuBefore = process.cpuUsage();
  const start = performance.now();
  const chain = async () => {
    while (performance.now() - start < duration) {
      for (let i = 0; i < 16; i++) await callOnce();
      count += 16;
    }
  };
  await Promise.all(Array.from({ length: width }, chain));
  const { user, system } = process.cpuUsage(cpuBefore);
  return { rate: (count / (performance.now() - start)) * 1000, cpuUs: (user + system) / count };
}
