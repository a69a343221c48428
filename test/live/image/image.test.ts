// Images are processes: they end, they are ended, they fill up; the server stays, and says what was lost.
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { javascript } from 'vivarium/live';
import { type Answer, eventually, fenced, isAlive, type Lab, onEachNode, openLab } from '../fixture.ts';

/** Tried below by reading what a process was started with. */
const secret = 'hunter2-of-the-host';

onEachNode((node) => {
  let lab: Lab;
  let session: string;
  beforeAll(async () => {
    process.env['VIVARIUM_TEST_SECRET'] = secret;
    lab = await openLab({ node, env: { ALLOWED: 'yes' }, limits: { heapMb: 128, rssMb: 640 } });
  });
  beforeEach(async () => {
    session = await lab.open();
    return async () => {
      await lab.call('sessions', { action: 'close', session });
    };
  });
  afterAll(async () => {
    delete process.env['VIVARIUM_TEST_SECRET'];
    await lab.close();
  });

  const evaluate = (code: string, args: object = {}): Promise<Answer> => lab.evaluate(code, { session, ...args });
  const value = (code: string): Promise<string> => lab.value(code, { session });
  const pid = async (): Promise<number> => Number(await value('process.pid'));

  const lost = (answer: Answer, reason: RegExp): void => {
    expect(answer.head).toMatch(/^\[STATE LOST\] generation 2: /);
    expect(answer.head).toMatch(reason);
    expect(answer.isError).toBe(true);
    expect(answer.structured).toMatchObject({ status: 'lost', session, generation: 2 });
  };

  it("E03 a worker of the program's own has the same limit for its heap", async () => {
    const limit = "require('node:v8').getHeapStatistics().heap_size_limit";
    const inWorker = `new (require('node:worker_threads').Worker)("require('node:worker_threads').parentPort.postMessage(${limit})", { eval: true })`;
    const [own, of] = JSON.parse(
      await value(`JSON.stringify([${limit}, await new Promise((done) => ${inWorker}.once('message', done))])`).then((text) =>
        text.slice(1, -1),
      ),
    );
    expect(own / 2 ** 20).toBeLessThan(500);
    expect(of).toBe(own);
  });

  it.each(['--max-old-space-size=700', '--max_old_space_size=700'])('E03 it is that of the main thread also with %s', async (flag) => {
    await using own = await openLab({ engines: [javascript({ node, nodeArgs: [flag] })] });
    const limit = "require('node:v8').getHeapStatistics().heap_size_limit";
    const inWorker = `new (require('node:worker_threads').Worker)("require('node:worker_threads').parentPort.postMessage(${limit})", { eval: true })`;
    expect(await own.value(`${limit} > 7e8 && ${limit} - (await new Promise((done) => ${inWorker}.once('message', done)))`)).toBe('0');
  });

  describe('E03 a heap that is full', () => {
    it.each([
      ['in a function', 'const all = []; function hoard() { for (;;) all.push({ x: all.length }); } hoard()', /hoard/],
      [
        'after an await',
        'async function hoardLater() { const all = []; await null; for (;;) all.push({ x: all.length }); } await hoardLater()',
        /hoardLater/,
      ],
      ['of strings', "function grow() { const all = []; for (let i = 0; ; i++) all.push('x'.repeat(1000) + i); } grow()", /grow/],
      [
        'in steps that await',
        'async function slowly() { const all = []; for (;;) { for (let i = 0; i < 1e4; i++) all.push({ i }); await null; } } await slowly()',
        /slowly/,
      ],
    ])('%s names the function and keeps the session', { timeout: 60_000 }, async (_, code, where) => {
      // The engine lends itself up to three times its limit until what fills it has stopped.
      await using roomy = await openLab({ node, limits: { heapMb: 128, rssMb: 1_200 } });
      await roomy.value('let kept = 42; 1');
      const answer = await roomy.evaluate(`console.log('so far'); ${code}`, { wait_ms: 50_000 });
      expect(answer.head).toMatch(/^\[OUT OF MEMORY\] stopped in /);
      expect(answer.head).toMatch(where);
      expect(answer.structured).toMatchObject({ status: 'memory', generation: 1 });
      expect(fenced(answer.text)).toEqual(['so far']);
      expect(await roomy.value('kept')).toBe('42');
    });

    // Node 24 leaves no gap for an interrupt between these calls, once they are compiled.
    it('of arrays is stopped, or said to be lost', async () => {
      const { head, structured } = await evaluate('function rows() { const all = []; for (;;) all.push(new Array(1000).fill(0)); } rows()');
      expect([head.split(']', 1)[0], structured.generation]).toEqual(
        structured.status === 'memory' ? ['[OUT OF MEMORY', 1] : ['[STATE LOST', 2],
      );
    });

    it('at once is an error of the engine, or said to be lost', async () => {
      const answer = await evaluate("'x'.repeat(2 ** 30)");
      expect(answer.isError).toBe(true);
      expect((await evaluate('6 * 7')).text).toContain('=> 42');
    });
  });

  describe('E04 resident memory beyond the heap', () => {
    it.each([
      ['buffers', 'const all = []; for (;;) all.push(Buffer.alloc(8e6, 1));'],
      [
        'WebAssembly',
        'const m = new WebAssembly.Memory({ initial: 1, maximum: 65536 }); for (;;) { m.grow(100); new Uint8Array(m.buffer).fill(1, m.buffer.byteLength - 6553600); }',
      ],
      ['a SharedArrayBuffer', 'const all = []; for (;;) all.push(new Uint8Array(new SharedArrayBuffer(8e6)).fill(1));'],
      ['buffers in the background', 'const all = []; setInterval(() => all.push(Buffer.alloc(8e6, 1)), 1); await new Promise(() => {});'],
    ])('%s ends the image, which is said; the server goes on', async (_, code) => {
      await value('let kept = 42; 1');
      const answer = await evaluate(`console.log('so far'); ${code}`);
      lost(answer, /it used \d+ MiB of memory, more than 640/);
      expect(fenced(answer.text)).toEqual(['so far']);
      expect(await value('typeof kept')).toBe("'undefined'");
    });
  });

  describe('E05 an image that ends itself', () => {
    it.each([
      ['process.exit(0)', 'process.exit(0)', /it exited with code 0/],
      ['process.exit(3)', 'process.exit(3)', /it exited with code 3/],
      ['process.exit in a timer', 'setTimeout(() => process.exit(4), 1); await new Promise(() => {})', /it exited with code 4/],
      ['process.reallyExit', 'process.reallyExit(5)', /it exited with code 5/],
      ['process.abort()', 'process.abort()', /it was ended by SIGABRT/],
      ['SIGKILL to itself', 'process.kill(process.pid, 9); for (;;);', /it was ended by SIGKILL/],
      ['SIGTERM to itself', "process.kill(process.pid, 'SIGTERM'); await new Promise(() => {})", /it was ended by SIGTERM/],
      ['SIGKILL to its group', 'process.kill(0, 9); for (;;);', /it was ended by SIGKILL/],
    ])('by %s is the only one that dies, and it is said', async (_, code, reason) => {
      const other = await lab.open();
      await lab.value('let mine = 1; 1', { session: other });
      await value('let kept = 42; 1');
      const answer = await evaluate(`console.log('so far'); ${code}`);
      lost(answer, reason);
      expect(answer.head).toContain('1 cell of work and every value are gone');
      // A signal leaves no time to hand over what was just printed.
      if (code.includes('exit(')) expect(fenced(answer.text)).toEqual(['so far']);
      expect((await evaluate('6 * 7')).structured).toMatchObject({ status: 'ok', session, generation: 2 });
      expect(await lab.value('mine', { session: other })).toBe('1');
      await lab.call('sessions', { action: 'close', session: other });
    });

    it('between two cells tells the next one', async () => {
      const image = await pid();
      await evaluate('setTimeout(() => process.exit(7), 1); 1');
      await eventually(() => isAlive(image)).toBe(false);
      expect((await evaluate('6 * 7')).text).toMatch(/^\[STATE LOST\] generation 2: it exited with code 7/m);
      expect((await evaluate('1')).text).toBe('=> 1');
    });

    it('while it starts is said, with what it printed, each time', async () => {
      await using bad = await openLab({ node: '/bin/false' });
      for (let round = 0; round < 2; round++) {
        const answer = await bad.evaluate('1');
        expect(answer.text).toMatch(/The image did not start: it exited with code 1/);
        expect(answer.isError).toBe(true);
      }
      await using missing = await openLab({ node: '/nowhere/node' });
      expect((await missing.evaluate('1')).text).toMatch(/The image did not start: it could not be started: .*ENOENT/);
    });
  });

  it('E07 code reaches the whole of its process, as documented: the process is the boundary', async () => {
    expect(await value("this.constructor.constructor('return process')() === process")).toBe('true');
  });

  describe('E08 reading stdin', () => {
    it.each([
      ['fs.readSync(0)', "require('node:fs').readSync(0, Buffer.alloc(10))", '0'],
      ['fs.readFileSync(0)', "require('node:fs').readFileSync(0, 'utf8')", "''"],
      ['process.stdin', 'const parts = []; for await (const part of process.stdin) parts.push(part); parts.length', '0'],
      ['a child', "require('node:child_process').execSync('cat', { stdio: ['inherit', 'pipe', 'inherit'] }).length", '0'],
    ])('by %s finds its end at once', async (_, code, expected) => {
      expect(await value(code)).toBe(expected);
    });
  });

  describe('E17 what was started ends with the session', () => {
    it('200 children, a server and 10,000 timers', async () => {
      const pids = JSON.parse(
        await value(`
          const { spawn } = require('node:child_process');
          const all = Array.from({ length: 200 }, () => spawn('sleep', ['600']));
          for (let i = 0; i < 1e4; i++) setInterval(() => {}, 1e6);
          const server = require('node:http').createServer().listen(0, '127.0.0.1');
          await new Promise((listening) => server.once('listening', listening));
          JSON.stringify([process.pid, ...all.map((one) => one.pid)])`).then((text) => text.slice(1, -1)),
      ) as number[];
      expect(pids).toHaveLength(201);
      await lab.call('sessions', { action: 'close', session });
      await eventually(() => pids.filter(isAlive)).toEqual([]);
    });

    it('children of an image that died', async () => {
      const child = Number(await value("require('node:child_process').spawn('sleep', ['600']).pid"));
      lost(await evaluate('process.kill(process.pid, 9); for (;;);'), /SIGKILL/);
      await eventually(() => isAlive(child)).toBe(false);
    });

    const detached = "require('node:child_process').spawn('sleep', ['600'], { detached: true, stdio: 'ignore' }).pid";

    it.skipIf(process.platform !== 'linux')('a child with a group of its own, when the session is closed or reset', async () => {
      for (const action of ['reset', 'close']) {
        const child = Number(await value(detached));
        expect(isAlive(child)).toBe(true);
        await lab.call('sessions', { action, session });
        await eventually(() => isAlive(child)).toBe(false);
      }
    });

    it('but not, as documented, a daemon, nor a child with a group of its own of an image that ended by itself', async () => {
      const daemon = Number(
        await value(
          "require('node:child_process').execSync('setsid sleep 600 >/dev/null 2>&1 & echo $!', { encoding: 'utf8' }).trim() * 1",
        ),
      );
      const child = Number(await value(detached));
      try {
        lost(await evaluate('process.exit(3)'), /it exited with code 3/);
        await lab.call('sessions', { action: 'close', session });
        expect([daemon, child].map(isAlive)).toEqual([true, true]);
      } finally {
        for (const pid of [daemon, child]) process.kill(pid, 'SIGKILL');
      }
    });

    it('all of it when the server ends', async () => {
      const own = await openLab({ node });
      const pids = JSON.parse(
        (await own.value("JSON.stringify([process.pid, require('node:child_process').spawn('sleep', ['600']).pid])")).slice(1, -1),
      ) as number[];
      await own.close();
      await eventually(() => pids.filter(isAlive)).toEqual([]);
    });
  });

  describe('E18 an image that is struck in the midst of a cell', () => {
    // What was printed leaves by another thread: on a loaded machine the signal may come before.
    it('by SIGKILL answers once, at once, and goes on empty', { retry: 5 }, async () => {
      const image = await pid();
      const mark = lab.mark();
      const call = evaluate(`console.log('so far'); ${mark.code}; for (;;);`);
      await mark.seen();
      process.kill(image, 'SIGKILL');
      const answer = await call;
      lost(answer, /it was ended by SIGKILL/);
      expect(fenced(answer.text)).toEqual(['so far']);
      expect(await value('6 * 7')).toBe('42');
    });

    it.each(['for (;;);', 'await new Promise(() => {});'])('by SIGSTOP is ended at its limit, and said: %s', async (code) => {
      const image = await pid();
      const mark = lab.mark();
      const call = evaluate(`${mark.code}; ${code}`, { timeout_ms: 5_000 });
      await mark.seen();
      process.kill(image, 'SIGSTOP');
      lost(await call, /it could not be interrupted/);
      expect(await value('6 * 7')).toBe('42');
      await eventually(() => isAlive(image)).toBe(false);
    });

    it('by SIGSTOP between cells is ended at the limit of the next one', async () => {
      process.kill(await pid(), 'SIGSTOP');
      lost(await evaluate('1', { timeout_ms: 500 }), /it could not be interrupted/);
    });
  });

  describe('E28 the environment', () => {
    it.each([
      ['process.env', 'process.env'],
      ['/proc/self/environ', "require('node:fs').readFileSync('/proc/self/environ', 'utf8')"],
      ['a child', "require('node:child_process').execSync('env').toString()"],
      [
        'a worker',
        "await new Promise((got) => new (require('node:worker_threads').Worker)(\"require('node:worker_threads').parentPort.postMessage({ ...process.env })\", { eval: true }).once('message', got))",
      ],
    ])('of the host is not in %s, but for what is allowed', async (_, code) => {
      const { text } = await evaluate(`require('node:util').inspect(${code}, { maxStringLength: null })`);
      expect(text).not.toContain(secret);
      expect(text).not.toContain('VIVARIUM_TEST_SECRET');
      expect(text).toContain('ALLOWED');
      expect(text).toContain('PATH');
    });
  });
});
