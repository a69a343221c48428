// The hang matrix: whatever runs away is stopped, and everything it worked with is still there.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { fenced, type Lab, onEachNode, openLab } from '../fixture.ts';
import { stops } from '../stops.ts';

/** `begun()` prints and leaves a sign; then it never ends. */
const loops: Readonly<Record<string, string>> = {
  'a synchronous loop': 'begun(); for (;;);',
  'a loop after an await': 'await null; begun(); for (;;);',
  'a loop in a timer': 'setTimeout(() => { begun(); for (;;); }, 1); await new Promise(() => {});',
  "a loop in an HTTP server's handler": `
    const http = require('node:http');
    const server = http.createServer(() => { begun(); for (;;); }).listen(0, '127.0.0.1');
    await new Promise((listening) => server.once('listening', listening));
    http.get({ port: server.address().port, host: '127.0.0.1' }).on('error', () => {});
    await new Promise(() => {});`,
  'a catastrophic regular expression': "begun(); /^(a+)+$/.test('a'.repeat(50) + 'b');",
  'Atomics.wait': 'begun(); Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);',
  'E02 an endless chain of microtasks': 'begun(); for (;;) await null;',
  'E02 a chain of callbacks by queueMicrotask': 'begun(); const again = () => queueMicrotask(again); again(); await new Promise(() => {});',
  'a loop in an interval': 'setInterval(() => { begun(); for (;;); }, 1); await new Promise(() => {});',
  'a loop in setImmediate': 'setImmediate(() => { begun(); for (;;); }); await new Promise(() => {});',
  'a chain of process.nextTick': 'begun(); const again = () => process.nextTick(again); again(); await new Promise(() => {});',
  'a loop after a timer that is awaited': "await require('node:timers/promises').setTimeout(1); begun(); for (;;);",
  'a loop that defends itself': 'begun(); for (;;) { try { for (;;); } catch { for (;;); } finally { for (;;); } }',
  'a loop in an event of a stream': `
    const { Readable } = require('node:stream');
    Readable.from(['a']).on('data', () => { begun(); for (;;); });
    await new Promise(() => {});`,
  'a loop that prints': "begun(); for (;;) console.log('again');",
};

onEachNode((node) => {
  let lab: Lab;
  beforeAll(async () => {
    lab = await openLab({ node });
  });
  afterAll(() => lab.close());

  describe.each(Object.entries(stops))('E01 stopped by %s', (how, stop) => {
    it.each(Object.entries(loops))('%s leaves the session as it was', async (_, loop) => {
      const session = await lab.open();
      const mark = lab.mark();
      await lab.value(`let kept = { answer: 42 }; const begun = () => { console.log('so far'); ${mark.code}; };`, { session });
      const answer = await stop(lab, session, loop, mark.seen);
      expect(answer.head).toBe(
        {
          'its own limit': '[INTERRUPTED] after 1.0 s (timeout_ms)',
          'an interrupt': '[INTERRUPTED] on request',
          'a cancelled call': '[INTERRUPTED] by cancellation',
        }[how],
      );
      expect(answer.structured).toMatchObject({ status: 'interrupted', session, generation: 1 });
      expect(answer.text).toContain('The session and its values were kept.');
      expect(fenced(answer.text)[0]).toMatch(/^so far/);
      const after = await lab.evaluate('kept.answer', { session, timeout_ms: 10_000 });
      expect(after.structured).toMatchObject({ status: 'ok', session, generation: 1 });
      expect(after.head).toBe('=> 42');
      await lab.call('sessions', { action: 'close', session });
    });
  });

  it('E01 other sessions and lists are answered while one loops', async () => {
    const [busy, other] = [await lab.open(), await lab.open()];
    const mark = lab.mark();
    const looping = lab.evaluate(`${mark.code}; for (;;);`, { session: busy });
    await mark.seen();
    expect(await lab.value('6 * 7', { session: other })).toBe('42');
    expect((await lab.call('sessions', { action: 'list' })).text).toMatch(new RegExp(`^${busy} .* busy`, 'm'));
    await lab.call('sessions', { action: 'interrupt', session: busy });
    expect((await looping).structured).toMatchObject({ status: 'interrupted', generation: 1 });
    for (const session of [busy, other]) await lab.call('sessions', { action: 'close', session });
  });

  it('E01 a loop that the cell left behind in a timer is stopped when the next cell cannot run', async () => {
    const session = await lab.open();
    const mark = lab.mark();
    await lab.evaluate(`let kept = 42; setTimeout(() => { ${mark.code}; for (;;); }, 1); 'left'`, { session });
    await mark.seen();
    expect((await lab.evaluate('kept', { session, timeout_ms: 1_000 })).structured).toMatchObject({ generation: 1 });
    expect(await lab.value('kept', { session })).toBe('42');
    await lab.call('sessions', { action: 'close', session });
  });

  it('E21 what waits for something that never comes is left, and said to go on', async () => {
    const session = await lab.open();
    const answer = await lab.evaluate("let kept = 42; console.log('so far'); await new Promise(() => {});", { session, timeout_ms: 300 });
    expect(answer.head).toBe('[INTERRUPTED] after 0.3 s (timeout_ms)');
    expect(answer.text).toContain('It was waiting for something, which goes on in the background; the session and its values were kept.');
    expect(fenced(answer.text)).toEqual(['so far']);
    expect(await lab.value('kept', { session })).toBe('42');
    await lab.call('sessions', { action: 'close', session });
  });

  it('a loop after an await in an AsyncLocalStorage keeps the session, or its loss is said', async () => {
    const session = await lab.open();
    const mark = lab.mark();
    await lab.value("let kept = 42; const { AsyncLocalStorage } = require('node:async_hooks'); const store = new AsyncLocalStorage(); 1", {
      session,
    });
    const code = `await store.run({ id: 1 }, async () => { await null; console.log('so far'); ${mark.code}; for (;;); });`;
    const answer = await lab.evaluate(code, { session, timeout_ms: 1_000 });
    await mark.seen();
    expect(fenced(answer.text)[0]).toMatch(/^so far/);
    const after = await lab.evaluate('typeof kept', { session });
    if (/^v2[0-3]\./.test(await lab.value('process.version', { session }).then((text) => text.slice(1, -1)))) {
      // Node itself ends then.
      expect(answer.head).toMatch(/^\[STATE LOST\] generation 2: .*1 cell of work and every value are gone/);
      expect(answer.structured).toMatchObject({ status: 'lost', generation: 2 });
      expect(after.head).toBe("=> 'undefined'");
    } else {
      expect(answer.structured).toMatchObject({ status: 'interrupted', generation: 1 });
      expect(after.head).toBe("=> 'number'");
    }
    await lab.call('sessions', { action: 'close', session });
  });
});
