// Programs the user attached to by their inspector or their number: worked in as they are, and never harmed.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createLive } from 'vivarium/live';
import { inspectorOf } from '../../../../../src/live/languages/javascript/attached/process.ts';
import { targetOf } from '../../../../../src/live/languages/javascript/attached/target.ts';
import { eventually, fenced, type Lab, onEachNode, openLab } from '../../../fixture.ts';

/** Its own work goes on all the while. */
const program = `
globalThis.shop = { visits: 0, stock: new Map([['fern', 3], ['moss', 7]]), get worth() { throw new Error('ran') } };
globalThis.Cart = class Cart { constructor() { this.items = ['fern'] } total() { return 42 } };
globalThis.cart = new Cart();
globalThis.trap = new Proxy({}, { get() { shop.trapped = 1 }, ownKeys() { shop.trapped = 1; return [] }, getPrototypeOf() { shop.trapped = 1; return null } });
setInterval(() => shop.visits++, 5);
console.log('up');
`;

interface Started {
  readonly child: ChildProcess;
  readonly pid: number;
  readonly said: () => string;
}

async function start(node: string, args: readonly string[], code: string = program): Promise<Started> {
  const child = spawn(node, [...args, '-e', code], { stdio: ['ignore', 'pipe', 'pipe'] });
  onTestFinished(() => void child.kill('SIGKILL'));
  let said = '';
  for (const stream of [child.stdout, child.stderr]) stream.setEncoding('utf8').on('data', (text: string) => (said += text));
  await eventually(() => said).toContain('up\n');
  return { child, pid: child.pid as number, said: () => said };
}

/** With its inspector open, on a port of its own. */
async function inspected(node: string, code?: string): Promise<Started & { readonly url: string; readonly host: string }> {
  const started = await start(node, ['--inspect=127.0.0.1:0'], code);
  await eventually(started.said).toMatch(/ws:\/\/\S+/);
  const [url = ''] = /ws:\/\/\S+/.exec(started.said()) ?? [];
  return { ...started, url, host: new URL(url).host };
}

const sessionOf = (host: string): string => `inspector-${host.split(':').at(-1)}`;

async function isWorking({ child }: Started, lab: Lab, session: string): Promise<void> {
  const before = Number(await lab.value('shop.visits', { session }));
  await eventually(async () => Number(await lab.value('shop.visits', { session }))).toBeGreaterThan(before);
  expect([child.exitCode, child.signalCode]).toEqual([null, null]);
}

onEachNode((node) => {
  it('A program is attached to by the address or the URL of its inspector, and its own state is looked at and changed', async () => {
    const { url, host, pid } = await inspected(node);
    for (const attach of [host, url, host.replace('127.0.0.1', 'localhost')]) {
      await using lab = await openLab({ attach: [attach] });
      const session = sessionOf(host);
      expect((await lab.call('sessions', { action: 'list' })).text).toContain(`${session}  an attached program, to be worked in`);
      expect(await lab.value('process.pid', { session })).toBe(String(pid));
      await lab.evaluate('shop.name = "plants"; const twice = (n: number) => 2 * n; let later = 1', { session, language: 'typescript' });
      expect(await lab.value('let later = twice(21); later', { session })).toBe('42');
      expect((await lab.call('inspect', { target: 'shop', session })).text).toMatch(/name: 'plants'/);
      expect((await lab.call('sessions', { action: 'list' })).text).toMatch(/an attached program {2}idle.*ended by timeout_ms only/);
    }
  });

  it('The variables of its modules are read where it has them, and what is to be assigned is refused', async () => {
    await using lab = await openLab({ node });
    const file = join(lab.folder, 'shop.cjs');
    writeFileSync(
      file,
      "let visits = 3; const stock = new Map([['fern', 3]]);\nsetInterval(() => visits + stock.size, 1000);\nconst later = async () => visits;\nsetInterval(() => later(), 1000);\nconsole.log('up');\n",
    );
    const { host } = await inspected(node, `require(${JSON.stringify(file)})`);
    await using own = await openLab({ attach: [host] });
    const session = sessionOf(host);
    expect(await own.value('[visits, await later(), stock.size]', { in: file, session })).toBe('[ 3, 3, 1 ]');
    expect(await own.value("stock.set('moss', 1).size", { in: file, session })).toBe('2');
    expect((await own.evaluate('visits = 4', { in: file, session })).text).toContain('can be read, not assigned');
    expect((await own.evaluate('1', { in: 'none.cjs', session })).text).toContain('There is no file none.cjs');
    expect(await own.value('Object.keys(globalThis).filter((name) => name.includes("vivarium"))', { session })).toBe('[]');
  });

  it('What runs too long in it without a pause is stopped by its limit, and the program goes on', async () => {
    const started = await inspected(node);
    await using lab = await openLab({ attach: [started.host] });
    const session = sessionOf(started.host);
    for (const loop of ['for (;;);', "/^(a+)+$/.test('a'.repeat(50) + 'b')", 'try { for (;;); } finally { shop.after = 1 }']) {
      const { head, text } = await lab.evaluate(loop, { session, timeout_ms: 400 });
      expect(head).toBe('[INTERRUPTED] after 0.4 s (timeout_ms)');
      expect(text).toContain('The session and its values were kept.');
    }
    await isWorking(started, lab, session);
  });

  it('What awaits something that never comes is left there, also when it is collected', async () => {
    const started = await inspected(node);
    await using lab = await openLab({ attach: [started.host] });
    const session = sessionOf(started.host);
    const answer = await lab.evaluate('await new Promise(() => {})', { session, timeout_ms: 300 });
    expect(answer.head).toBe('[INTERRUPTED] after 0.3 s (timeout_ms)');
    expect(await lab.value("require('v8').setFlagsFromString('--expose-gc'); require('vm').runInNewContext('gc')(); 1", { session })).toBe(
      '1',
    );
    expect(await lab.value('await new Promise((done) => setTimeout(() => done(6 * 7), 20))', { session })).toBe('42');
    await isWorking(started, lab, session);
  });

  it('An interrupt is refused, and what it would have stopped ends by its limit', async () => {
    const started = await inspected(node);
    await using lab = await openLab({ attach: [started.host] });
    const session = sessionOf(started.host);
    await lab.evaluate('1', { session });
    const mark = lab.mark();
    const looping = lab.evaluate(`${mark.code}; for (;;);`, { session, timeout_ms: 8_000 });
    await mark.seen();
    await lab.call('sessions', { action: 'interrupt', session });
    expect((await looping).text).toContain('An attached program cannot be interrupted');
    await isWorking(started, lab, session);
  });

  it('Looking at it changes nothing, and runs no getter', async () => {
    const { host } = await inspected(node);
    await using lab = await openLab({ attach: [host] });
    const session = sessionOf(host);
    for (const target of ['shop.visits = 0', 'shop.stock.clear()', 'delete shop.stock', "require('fs')", 'cart.items.push(1)']) {
      expect((await lab.call('inspect', { target, session })).isError).toBe(true);
    }
    const { text } = await lab.call('inspect', { target: 'shop', session });
    expect(text).toContain('worth: [getter]');
    expect((await lab.call('inspect', { target: 'shop', path: ['worth'], session })).text).toContain('reading it would run code');
    expect((await lab.call('inspect', { target: 'shop.stock', session })).text).toMatch(/0: .*fern.*\n.*1: .*moss/);
    expect((await lab.call('inspect', { target: 'cart', path: ['items'], session })).text).toContain("0: 'fern'");
    const [ref] = (await lab.evaluate('cart', { session })).structured.refs ?? [];
    expect((await lab.call('inspect', { target: `#${ref}`, session })).text).toContain("items: [ 'fern' ]");
    expect((await lab.call('lookup', { name: 'Cart', want: 'source', session })).text).toContain('total() { return 42 }');
    const loop = await lab.call('inspect', { target: '(() => { for (;;); })()', session });
    expect(loop.isError).toBe(true);
    expect((await lab.call('inspect', { target: 'trap', session })).text).toContain('Proxy');
    expect(await lab.value('shop.trapped', { session })).toBe('undefined');
  });

  it('Errors have their frames, and what is printed meanwhile is told as output', async () => {
    const { host } = await inspected(node);
    await using lab = await openLab({ attach: [host] });
    const session = sessionOf(host);
    const failed = await lab.evaluate("console.log('before', { a: 1 }); function f() { null.x }\nf()", { session });
    expect(failed.head).toMatch(/^\[ERROR\] TypeError: Cannot read properties of null/);
    expect(failed.text).toContain('0: f (cell-1:1:');
    expect(fenced(failed.text)).toEqual(['before { a: 1 }']);
    expect((await lab.evaluate('throw { code: 7 }', { session })).head).toBe('[ERROR] thrown: { code: 7 }');
    expect((await lab.evaluate('1 +', { session })).head).toMatch(/^\[ERROR\] SyntaxError/);
    expect((await lab.evaluate("import fs from 'node:fs'", { session })).head).toContain('use require');
    expect((await lab.evaluate("await import('node:fs')", { session })).text).toContain('use require');
    expect(await lab.value("require('node:path').sep", { session })).toBe("'/'");
    expect(await lab.value('{ a: 1 }', { session })).toBe('{ a: 1 }');
  });

  it('It is neither emptied nor ended from here, and what cannot be done there is said', async () => {
    const started = await inspected(node);
    await using lab = await openLab({ attach: [started.host] });
    const session = sessionOf(started.host);
    expect((await lab.call('sessions', { action: 'reset', session })).text).toContain('cannot be emptied from here');
    expect((await lab.call('reload', { session })).text).toContain('reload is not to be had in an attached program');
    expect((await lab.evaluate('null.x', { session, on_error: 'pause' })).text).toContain('is not paused');
    expect((await lab.call('sessions', { action: 'close', session })).text).toBe(`${session} is left, and goes on.`);
    await isWorking(started, lab, session);
  });

  it('Its end is said', async () => {
    const { host, child } = await inspected(node);
    await using lab = await openLab({ attach: [host] });
    const session = sessionOf(host);
    await lab.evaluate('1', { session });
    child.kill('SIGKILL');
    await once(child, 'exit');
    await eventually(async () => (await lab.evaluate('1', { session })).text).toMatch(/STATE LOST|cannot be reached/);
  });

  describe.skipIf(process.platform !== 'linux')('T06', () => {
    it('attaches to a process by its number where its inspector is open, and where it can be opened, and closes it again', async () => {
      const port = await freePort();
      const started = await start(node, [`--inspect-port=${port}`], `process.on('SIGTERM', () => process.exit(0)); ${program}`);
      const session = `pid-${started.pid}`;
      await using lab = await openLab({ attach: [`pid:${started.pid}`] });
      expect(started.said()).not.toContain('Debugger listening');
      expect(await lab.value('process.pid', { session })).toBe(String(started.pid));
      await isWorking(started, lab, session);
      expect(await inspectorOf(started.pid)).toEqual({ host: `127.0.0.1:${port}`, opened: false });
      await lab.call('sessions', { action: 'close', session });
      await eventually(() =>
        fetch(`http://127.0.0.1:${port}/json/version`).then(
          () => 'open',
          () => 'closed',
        ),
      ).toBe('closed');
      expect(await lab.value('shop.visits > 0', { session })).toBe('true');
    });

    it('refuses a process with a handler of its own for SIGUSR1, and does not call it', async () => {
      const code = `for (const s of ['SIGHUP', 'SIGUSR1', 'SIGTERM', 'SIGUSR2']) process.on(s, () => console.log('called')); ${program}`;
      const { pid, said, child } = await start(node, [], code);
      await using lab = await openLab({ attach: [`pid:${pid}`] });
      expect((await lab.evaluate('1', { session: `pid-${pid}` })).text).toContain('has a handler of its own for SIGUSR1');
      expect([said(), child.exitCode]).toEqual(['up\n', null]);
    });

    it('refuses a process that lets SIGUSR1 end it', async () => {
      const code = `process.on('SIGUSR1', () => {}); process.removeAllListeners('SIGUSR1'); ${program}`;
      const { pid, child } = await start(node, [], code);
      await using lab = await openLab({ attach: [`pid:${pid}`] });
      expect((await lab.evaluate('1', { session: `pid-${pid}` })).text).toContain('does not take the signal that opens an inspector');
      expect([child.exitCode, child.signalCode]).toEqual([null, null]);
    });

    it('refuses where another process has the port, and the process does not notice', async () => {
      const other = createServer().listen(0, '127.0.0.1');
      onTestFinished(() => void other.close());
      await once(other, 'listening');
      const { port } = other.address() as AddressInfo;
      const { pid, said } = await start(node, [`--inspect-port=${port}`]);
      await using lab = await openLab({ attach: [`pid:${pid}`] });
      expect((await lab.evaluate('1', { session: `pid-${pid}` })).text).toContain(`Port ${port}`);
      expect(said()).toBe('up\n');
    });
  });
});

describe.skipIf(process.platform !== 'linux')('T06 a process is refused with the reason, and unharmed', () => {
  const refusal = (pid: number): string => {
    try {
      createLive({ attach: [`pid:${pid}`] });
      return '';
    } catch (error) {
      return (error as Error).message;
    }
  };

  it('that is not Node', async () => {
    const child = spawn('sleep', ['60'], { stdio: 'ignore' });
    onTestFinished(() => void child.kill('SIGKILL'));
    await eventually(() => refusal(child.pid as number)).toContain('is not Node but sleep');
    expect([child.exitCode, child.signalCode]).toEqual([null, null]);
  });

  it('that belongs to another user', async () => {
    if (process.getuid?.() !== 0) return expect(refusal(1)).toMatch(/another user|one that started it/);
    const child = spawn(process.execPath, ['-e', program], { stdio: ['ignore', 'pipe', 'ignore'], uid: 65_534, gid: 65_534, cwd: '/' });
    onTestFinished(() => void child.kill('SIGKILL'));
    await once(child.stdout, 'data');
    expect(refusal(child.pid as number)).toContain('belongs to another user');
    expect([child.exitCode, child.signalCode]).toEqual([null, null]);
  });

  it('that is this one, or an ancestor', () => {
    for (const pid of [process.pid, process.ppid]) expect(refusal(pid)).toContain('one that started it');
  });

  it('that is stopped, or is not there', async () => {
    const { pid, child } = await start(process.execPath, []);
    child.kill('SIGSTOP');
    await eventually(() => refusal(pid)).toContain('is stopped');
    child.kill('SIGKILL');
    await once(child, 'exit');
    expect(refusal(pid)).toContain('There is no process');
  });
});

describe('an address', () => {
  it.each([
    ['example.com:9229', 'is not this machine'],
    ['ws://10.0.0.1:9229/x', 'is not this machine'],
    ['ws://127.0.0.1.example.com:9229/x', 'is not this machine'],
    ['ws://user:word@127.0.0.1:9229/x', 'has a name or a password'],
    ['wss://127.0.0.1:9229/x', 'is nothing to attach to'],
    ['http://127.0.0.1:9229', 'is nothing to attach to'],
    ['ws://127.0.0.1/x', 'has no port'],
    ['pid:-1', 'names no process'],
    ['pid:1e3', 'names no process'],
    ['', 'is nothing to attach to'],
  ])('is refused before anything is sent: %s', (text, why) => {
    expect(() => targetOf(text)).toThrow(why);
    expect(() => createLive({ attach: [text] })).toThrow(why);
  });

  it('is taken where it is of this machine', () => {
    expect(targetOf('[::1]:9229')).toEqual({ kind: 'inspector', host: '[::1]:9229' });
    expect(targetOf('127.0.0.1:1')).toEqual({ kind: 'inspector', host: '127.0.0.1:1' });
    expect(targetOf('ws://localhost:9229/abc')).toEqual({ kind: 'inspector', host: 'localhost:9229', path: '/abc' });
  });

  it.each([
    ['answers something else', '"hello"'],
    ['is a browser', '{"Browser":"Chrome/140"}'],
    ['is no JSON', '<html>'],
    ['never ends', ' '.repeat(2 ** 21)],
  ])('behind which something else listens is refused: it %s', async (_, body) => {
    const server = createServer((_request, response) => response.end(body)).listen(0, '127.0.0.1');
    onTestFinished(() => void server.close());
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    await using lab = await openLab({ attach: [`127.0.0.1:${port}`] });
    const { isError, text } = await lab.evaluate('1', { session: `inspector-${port}` });
    expect([isError, text]).toEqual([true, expect.stringMatching(/is no inspector of Node|cannot be reached/)]);
  });
});

it('Where a program may be attached to, no tool is said to be read-only', async () => {
  const hints = async (lab: Lab): Promise<string[]> =>
    (await lab.client.listTools()).filter(({ annotations }) => annotations?.readOnlyHint === true).map(({ name }) => name);
  await using without = await openLab();
  expect(await hints(without)).toEqual(expect.arrayContaining(['inspect', 'lookup']));
  await using named = await openLab({ attach: ['127.0.0.1:9'], tools: 'all' });
  expect(await hints(named)).toEqual([]);
  await using here = await openLab({ attach: true });
  expect(await hints(here)).toEqual([]);
});

it('A model cannot name what to attach to', async () => {
  const { pid } = await start(process.execPath, []);
  await using lab = await openLab({ attach: ['127.0.0.1:9'] });
  for (const session of [`pid-${pid}`, `pid:${pid}`, 'inspector-9229', '127.0.0.1:9229'])
    expect((await lab.evaluate('1', { session })).text).toContain('There is no session');
});

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  await new Promise((closed) => server.close(closed));
  return port;
}
