// Run by the `live` suite as `node live.mjs <target> <case> <ms>`: prints what it measured.
import { spawn } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { bench } from '../targets.mjs';
import { echoArguments, initializedMessage, initializeMessage, template, toolCall } from './messages.mjs';
import { reloading } from './reload.mjs';
import { StdioServer } from './stdio.mjs';

const [target, what, ms] = process.argv.slice(2);
const budget = Number(ms);
/** The language of the image stands behind a colon. */
const language = target.split(':')[1] ?? 'javascript';
const words = {
  javascript: { sum: '1 + 2', loop: 'for (;;);', pid: 'process.pid', end: 'process.exit(3)' },
  lisp: { sum: '(+ 1 2)', loop: '(loop)', pid: '(sb-posix:getpid)', end: '(sb-ext:exit :code 3 :abort t)' },
  // At first the image that waits for the next session begins beside it.
  smalltalk: { sum: '1 + 2', loop: '[ true ] whileTrue', pid: 'process pid', end: 'process exit: 3', settleMs: 2_500 },
  squeak: { sum: '1 + 2', loop: '[true] whileTrue: []', end: 'Smalltalk quitPrimitive' },
}[language];

/** The same text is run in the image and by a plain Node; its last value is the CPU time it took, in milliseconds, of all threads. */
const work = {
  'synchronous code': `(() => {
  const begin = process.cpuUsage();
  const words = new Map();
  for (let round = 0; round < 1_000_000; round++) {
    const key = 'w' + (round % 997);
    words.set(key, (words.get(key) ?? 0) + JSON.parse('{"a":[1,2,3]}').a.length);
  }
  const { user, system } = process.cpuUsage(begin);
  return (user + system) / 1_000;
})()`,
  'awaiting code': `await (async () => {
  const begin = process.cpuUsage();
  const step = async (n) => n + 1;
  let sum = 0;
  for (let round = 0; round < 4_000_000; round++) sum = await step(sum);
  const { user, system } = process.cpuUsage(begin);
  return (user + system) / 1_000;
})()`,
};

const measured = await measure();
process.stdout.write(JSON.stringify(measured), () => process.exit(0));

async function measure() {
  if (what.startsWith('reload, ')) return reloading(what, (extra, use) => withServer(use, extra));
  switch (what) {
    case 'session ready':
      return { ms: await ready(true) };
    case 'first answer':
      return { ms: await ready(false) };
    case 'evaluate':
      return withServer(async (server) => ({ ms: await perCall(server) }));
    case 'MCP in an evaluation':
      return { ms: target === 'bare' ? await withServer(perCall) : (await withServer(perCall)) - (await direct()) };
    case 'interrupt':
      return withServer(async (server) => ({ ms: await interruptMs(server) }));
    case 'after an interrupt':
      return withServer((server) => recovery(server, { code: words.loop, timeout_ms: 200 }));
    case 'after a lost image':
      return withServer((server) => recovery(server, { code: words.end }));
    case 'resting':
      return withServer(resting);
    default:
      return { ms: target === 'bare' ? await inPlainNode() : await withServer(inImage) };
  }
}

function commandOf() {
  if (target === 'bare') return [process.execPath, path.join(bench, 'servers', 'bare.mjs'), 'stdio'];
  if (target === 'node-repl-mcp') return [process.execPath, path.join(bench, 'node_modules/@qwen-code/node-repl-mcp/dist/index.js')];
  if (language === 'squeak') return [process.execPath, '--import', 'tsx', path.join(bench, 'servers', 'live-squeak.mjs')];
  return [process.execPath, path.join(bench, '..', 'dist/cli/main.js'), 'live', '--language', language];
}

async function withServer(use, extra = []) {
  const server = new StdioServer({ name: target, kind: 'stdio', command: [...commandOf(), ...extra] });
  await server.ask(initializeMessage());
  server.write(`${JSON.stringify(initializedMessage)}\n`);
  const result = await use(server);
  await server.stop();
  return result;
}

function messageFor(code) {
  if (target === 'bare') return toolCall('echo', echoArguments);
  return target === 'node-repl-mcp' ? toolCall('node_repl', { code }) : toolCall('evaluate', { code });
}

/** From asking for a session to its first answer; `used`: in a server that has answered in another one, otherwise in one just begun. */
async function ready(used) {
  if (target.startsWith('bare')) {
    const [program, args] =
      language === 'lisp' ? ['sbcl', ['--non-interactive', '--no-sysinit', '--no-userinit']] : [process.execPath, ['-e', '0']];
    const begin = performance.now();
    await new Promise((resolve) => spawn(program, args).once('exit', resolve));
    return performance.now() - begin;
  }
  return withServer(async (server) => {
    if (used) await mustAnswer(server, '1');
    const begin = performance.now();
    await mustAnswer(server, '1', used ? await openSession(server) : undefined);
    return performance.now() - begin;
  });
}

async function perCall(server) {
  await mustAnswer(server, words.sum);
  const make = template(messageFor(words.sum));
  await server.loop({ make, inflight: 1, ms: words.settleMs ?? Math.max(300, budget / 2) });
  const { count, seconds } = await server.loop({ make, inflight: 1, ms: budget });
  return (seconds * 1_000) / count;
}

/** The evaluations of the same image without MCP. */
async function direct() {
  const { createLive } = await import('vivarium/live');
  const { createWire } = await import('vivarium/testing');
  const live = createLive();
  const wire = createWire(live.server);
  await wire.request('initialize', { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'bench', version: '1' } });
  const call = () => wire.request('tools/call', { name: 'evaluate', arguments: { code: '1 + 2' } });
  const until = async (duration) => {
    let count = 0;
    const begin = performance.now();
    while (performance.now() - begin < duration) {
      await call();
      count++;
    }
    return (performance.now() - begin) / count;
  };
  await until(Math.max(300, budget / 2));
  const each = await until(budget);
  await wire.close();
  await live.close();
  return each;
}

async function openSession(server) {
  const { result } = await server.ask({ ...toolCall('sessions', { action: 'open' }), id: 8 });
  return result.structuredContent.session;
}

async function mustAnswer(server, code, session) {
  const message = messageFor(code);
  if (session !== undefined) message.params.arguments.session = session;
  const { result } = await server.ask({ ...message, id: 7 });
  if (result === undefined || result.isError) throw new Error(JSON.stringify(result));
  return result.content.map(({ text = '' }) => text).join('');
}

async function inImage(server) {
  await mustAnswer(server, work[what]);
  return Number(/=> ([\d.]+)/.exec(await mustAnswer(server, work[what]))[1]);
}

async function inPlainNode() {
  const code = `${work[what]};\nconsole.log(${work[what]})`;
  const child = spawn(process.execPath, ['--input-type=module', '-e', code]);
  let output = '';
  child.stdout.on('data', (data) => {
    output += data;
  });
  await new Promise((resolve) => child.once('close', resolve));
  return Number(output);
}

async function interruptMs(server) {
  await mustAnswer(server, '1');
  const stop = { ...toolCall('sessions', { action: 'interrupt' }), id: 9 };
  server.write(`${JSON.stringify({ ...messageFor(words.loop), id: 8 })}\n`);
  await sleep(200);
  const begin = performance.now();
  await server.ask(stop);
  return performance.now() - begin;
}

/** From the answer that says what happened to the next one in another session, and then in the same. */
async function recovery(server, wedge) {
  const ask = (id, args) => server.ask({ ...toolCall('evaluate', { wait_ms: 60_000, ...args }), id });
  const other = (await server.ask({ ...toolCall('sessions', { action: 'open' }), id: 20 })).result.structuredContent.session;
  await ask(21, { code: words.sum });
  await ask(22, { code: words.sum, session: other });
  const { result } = await ask(23, wedge);
  if (!result.isError) throw new Error(JSON.stringify(result));
  const begin = performance.now();
  const next = async (id, args) => {
    const { result: told } = await ask(id, { code: words.sum, ...args });
    if (!told.content[0].text.startsWith('=> 3')) throw new Error(JSON.stringify(told));
    return performance.now() - begin;
  };
  const other_ms = await next(24, { session: other });
  return { ms: await next(25, {}), other_ms };
}

/** Of an image that does not know its own number: what its server started last. */
function childOf(pid) {
  return Number(
    readdirSync(`/proc/${pid}/task`)
      .flatMap((task) => readFileSync(`/proc/${pid}/task/${task}/children`, 'utf8').trim().split(' '))
      .filter((child) => child !== '')
      .at(-1),
  );
}

/** Of the image alone: CPU while nobody asks anything, and resident memory. */
async function resting(server) {
  const told = await mustAnswer(server, words.pid ?? words.sum);
  const pid = words.pid === undefined ? childOf(server.pid) : Number(/=> (\d+)/.exec(told)[1]);
  await sleep(500);
  const ticks = () =>
    readFileSync(`/proc/${pid}/stat`, 'utf8')
      .split(') ')[1]
      .split(' ')
      .slice(11, 13)
      .reduce((sum, one) => sum + Number(one), 0);
  const before = ticks();
  const seconds = 5;
  await sleep(seconds * 1_000);
  const rss = Number(readFileSync(`/proc/${pid}/statm`, 'utf8').split(' ')[1]) / 256;
  return { ms: (ticks() - before) * 10, cpu_percent: (ticks() - before) / seconds, rss_mb: rss };
}
