// Code that tries to speak for the image: nothing it says is believed, and nothing it was given as data is run.
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type Answer, type Lab, onEachNode, openLab } from '../../fixture.ts';

/** A frame as the image would send it, for every cell that may run. */
const frames = String.raw`Array.from({ length: 20 }, (_, at) => [at, -at].map((id) => JSON.stringify({ secret: SECRET, id, ev: 'done', value: { text: 'forged', type: 'string' } }) + '\n').join('')).join('')`;

onEachNode((node) => {
  let lab: Lab;
  let session: string;
  beforeAll(async () => {
    lab = await openLab({ node });
  });
  beforeEach(async () => {
    session = await lab.open();
    return async () => {
      await lab.call('sessions', { action: 'close', session });
    };
  });
  afterAll(() => lab.close());

  const evaluate = (code: string): Promise<Answer> => lab.evaluate(code, { session, timeout_ms: 10_000 });

  /** Not believed, and after it the session answers truly, whatever its generation. */
  const unharmed = async (answer: Answer): Promise<void> => {
    expect(answer.head).not.toContain('forged');
    let after = await evaluate("'tru' + 'ly'");
    if (after.structured.status === 'lost') after = await evaluate("'tru' + 'ly'");
    expect(after.head).toBe("=> 'truly'");
  };

  describe('T02 a frame that is forged ends the session, which is said', () => {
    it.each([
      ['by fs.writeSync', "require('node:fs').writeSync(3, FRAMES); for (;;);"],
      ['by a socket', "new (require('node:net').Socket)({ fd: 3 }).write(FRAMES); await new Promise(() => {})"],
      [
        'by a child that was given the channel',
        "require('node:child_process').spawnSync('sh', ['-c', 'echo \"$0\" >&4', FRAMES], { stdio: ['ignore', 'inherit', 'inherit', 'ignore', 3] }); for (;;);",
      ],
      ['that is no JSON', "require('node:fs').writeSync(3, 'noise\\n'); for (;;);"],
      ['that is empty', "require('node:fs').writeSync(3, '\\n'); for (;;);"],
    ])('%s', async (_, code) => {
      await lab.value('let kept = 1; 1', { session });
      const answer = await evaluate(code.replace('FRAMES', frames.replace('SECRET', "''")));
      expect(answer.head).toMatch(/^\[STATE LOST\] generation 2: code in it wrote to the private channel/);
      expect(answer.structured).toEqual({ status: 'lost', session, generation: 2, cell: 2 });
      await unharmed(answer);
    });

    it.each(['undefined', 'null', '0', '[]', '{}', "'a'.repeat(32)", 'process.env', 'process.pid'])(
      'with the secret %s',
      async (secret) => {
        const answer = await evaluate(`require('node:fs').writeSync(3, ${frames.replace('SECRET', secret)}); for (;;);`);
        expect(answer.head).toMatch(/^\[STATE LOST\] generation 2: code in it wrote to the private channel/);
        await unharmed(answer);
      },
    );
  });

  describe('T02 no result is forged by', () => {
    it.each([
      [
        'writing to every descriptor',
        `for (let fd = 3; fd < 100; fd++) try { require('node:fs').writeSync(fd, ${frames.replace('SECRET', '1')}) } catch {} 'own'`,
      ],
      [
        'reading from every descriptor',
        "for (let fd = 3; fd < 100; fd++) try { const { fstatSync, readSync } = require('node:fs'); if (fstatSync(fd).isSocket()) readSync(fd, Buffer.alloc(1000)) } catch {} 'own'",
      ],
      ['closing the channel', "require('node:fs').closeSync(3); 'own'"],
      ['closing every descriptor', "for (let fd = 3; fd < 100; fd++) try { require('node:fs').closeSync(fd) } catch {} 'own'"],
      [
        'closing what is printed to',
        "for (const fd of [0, 1, 2]) try { require('node:fs').closeSync(fd) } catch {} console.log('x'); 'own'",
      ],
      ['shutting the channel down', "new (require('node:net').Socket)({ fd: 3 }).end(); 'own'"],
      ['half a line', "require('node:fs').writeSync(3, '{\"id\":-1,'); 'own'"],
      ['printing what looks like a frame', `console.log(${frames.replace('SECRET', '1')}); 'own'`],
      [
        'messages between threads',
        "require('node:worker_threads').parentPort?.postMessage({ ev: 'evaluated', id: -1, value: { text: 'forged' } }); 'own'",
      ],
      ['calling what cells are run with', "__vivarium_cell(async () => 'forged', {}); 'own'"],
      [
        'replacing what cells are run with',
        "try { globalThis.__vivarium_cell = () => 'forged'; globalThis.__vivarium_import = () => 'forged'; globalThis.__vivarium_timer = () => 'forged' } catch {} 'own'",
      ],
    ])('%s', async (_, code) => {
      await lab.value('let kept = 1; 1', { session });
      await unharmed(await evaluate(code));
    });
  });

  describe('E27 is data and runs nothing:', () => {
    const hostile = [
      "Foo'); process.exit(9); ('",
      'Foo"]); process.exit(9); //',
      '`$\u007bprocess.exit(9)}`',
      'x\n;process.exit(9)',
      '__proto__',
      'constructor.constructor("process.exit(9)")()',
    ];

    it.each(hostile)('the name %j in lookup', async (name) => {
      await lab.value('class Foo {}; let kept = 42; 1', { session });
      for (const want of ['summary', 'source', 'members', 'callers', 'search']) await lab.call('lookup', { session, name, want });
      expect((await evaluate('kept')).structured).toMatchObject({ status: 'ok', generation: 1 });
    });

    it.each(hostile)('the path %j in inspect', async (key) => {
      await lab.value('let kept = { a: 1 }; 1', { session });
      await lab.call('inspect', { session, target: 'kept', path: [key] });
      expect((await evaluate('kept.a')).structured).toMatchObject({ status: 'ok', generation: 1 });
    });

    it.each(hostile)('the expression %j in inspect, which may not change anything', async (target) => {
      await lab.value('class Foo {}; let kept = 42; 1', { session });
      await lab.call('inspect', { session, target });
      expect((await evaluate('kept')).structured).toMatchObject({ status: 'ok', generation: 1 });
    });

    it.each(hostile)('the handle, the language and the file %j', async (name) => {
      await lab.value('let kept = 42; 1', { session });
      expect((await lab.evaluate('1', { session: name })).isError).toBe(true);
      expect((await lab.call('sessions', { action: 'open', language: name })).isError).toBe(true);
      await lab.call('reload', { session, files: [name] });
      expect((await evaluate('kept')).structured).toMatchObject({ status: 'ok', generation: 1 });
    });
  });
});
