// Sessions beside each other, one after the other, and what is kept of them.
import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { smalltalk } from 'vivarium/live';
import { eventually, isAlive, type Lab, onEachNode, openLab } from '../../fixture.ts';

onEachNode((node) => {
  let lab: Lab;
  beforeAll(async () => {
    lab = await openLab({ node });
  });
  afterAll(() => lab.close());

  const close = async (...sessions: readonly string[]): Promise<void> => {
    for (const session of sessions) await lab.call('sessions', { action: 'close', session });
  };

  it('E15 nothing one session does is seen in another', async () => {
    const [one, two] = [await lab.open(), await lab.open()];
    await lab.value(
      `Array.prototype.x = 1; process.env.X = '1'; process.chdir('/'); globalThis.shared = 1; let lexical = 1;
       require('node:path').sep = 'changed'; Object.freeze(Math); process.title = 'mine'; 1`,
      { session: one },
    );
    const seen =
      "JSON.stringify([[].x, process.env.X, process.cwd(), typeof shared, typeof lexical, require('node:path').sep, Object.isFrozen(Math)])";
    expect(await lab.value(seen, { session: two })).toBe(
      `'${JSON.stringify([null, null, lab.folder, 'undefined', 'undefined', '/', false])}'`,
    );
    await close(one, two);
  });

  it('one that is opened again under the name of one that was closed says so', async () => {
    await using own = await openLab({ node });
    await own.value('let held = 1; held');
    await own.call('sessions', { action: 'close', session: 'main' });
    const { text, structured } = await own.evaluate('typeof held');
    expect(text).toBe("=> 'undefined'\n[NOTE] generation 2: the main before this one was closed");
    expect(structured).toMatchObject({ generation: 2 });
    expect((await own.evaluate('1')).text).toBe('=> 1');
  });

  describe('E22 many at once', () => {
    it('50 cells of one session run in order', async () => {
      const session = await lab.open();
      await lab.value('const order = []; 1', { session });
      const answers = await Promise.all(
        Array.from({ length: 50 }, (_, at) =>
          lab.evaluate(at % 2 === 0 ? `order.push(${at})` : `await null; order.push(${at})`, { session }),
        ),
      );
      expect(answers.map(({ head }) => head)).toEqual(answers.map((_, at) => `=> ${at + 1}`));
      expect(await lab.value('JSON.stringify(order)', { session })).toBe(`'${JSON.stringify(answers.map((_, at) => at))}'`);
      await close(session);
    });

    it('ten sessions run beside each other: each waits for all the others', async () => {
      const sessions = await Promise.all(Array.from({ length: 10 }, () => lab.open()));
      const here = `require('node:fs').writeFileSync('here-' + process.pid, '')`;
      const all = `require('node:fs').readdirSync('.').filter((name) => name.startsWith('here-')).length`;
      const code = `${here}; let count; do { count = ${all}; await new Promise((next) => setTimeout(next, 5)); } while (count < 10); count`;
      const answers = await Promise.all(sessions.map((session) => lab.evaluate(code, { session })));
      expect(answers.map(({ head }) => head)).toEqual(sessions.map(() => '=> 10'));
      await close(...sessions);
    });
  });

  describe('E23 a call that is cancelled', () => {
    it('before it starts never runs, and what runs before it is not touched', async () => {
      const session = await lab.open();
      const [mark, waiting] = [lab.mark(), new AbortController()];
      await lab.value('let ran = []; let go; 1', { session });
      const first = lab.evaluate(`${mark.code}; await new Promise((resolve) => setTimeout(resolve, 300)); ran.push('first')`, { session });
      const second = lab.evaluate("ran.push('second')", { session }, waiting.signal);
      await mark.seen();
      waiting.abort();
      await expect(second).rejects.toThrow();
      expect((await first).head).toBe('=> 1');
      expect(await lab.value('ran', { session })).toBe("[ 'first' ]");
      await close(session);
    });

    it('while it runs is stopped; a second time changes nothing; the next one works', async () => {
      const session = await lab.open();
      const [mark, given] = [lab.mark(), new AbortController()];
      await lab.value('let kept = 1; 1', { session });
      const call = lab.evaluate(`${mark.code}; for (;;);`, { session }, given.signal);
      await mark.seen();
      given.abort();
      given.abort();
      await expect(call).rejects.toThrow();
      const next = await lab.evaluate('kept + 1', { session });
      expect(next.head).toBe('=> 2');
      expect(next.structured.generation).toBe(1);
      await close(session);
    });

    it('after its answer changes nothing', async () => {
      const session = await lab.open();
      const given = new AbortController();
      expect((await lab.evaluate('let kept = 1; kept', { session }, given.signal)).head).toBe('=> 1');
      given.abort();
      expect(await lab.value('kept', { session })).toBe('1');
      await close(session);
    });

    it('before its image has started leaves a session that works', async () => {
      const session = await lab.open();
      const given = new AbortController();
      const call = lab.evaluate('globalThis.ran = true', { session }, given.signal);
      given.abort();
      await expect(call).rejects.toThrow();
      expect(await lab.value('typeof ran', { session })).toBe("'undefined'");
      await close(session);
    });
  });

  describe('E25 limits', () => {
    it('on the number of sessions are said, and closing one makes room', async () => {
      await using small = await openLab({ node, limits: { sessions: 2 } });
      const first = await small.open();
      await small.open();
      const third = await small.call('sessions', { action: 'open' });
      expect(third.isError).toBe(true);
      expect(third.text).toMatch(/There are 2 sessions already.*close one/);
      expect((await small.evaluate('1')).isError).toBe(true);
      await small.call('sessions', { action: 'close', session: first });
      expect((await small.call('sessions', { action: 'open' })).isError).toBe(false);
    });

    it('closing twice is no fault, and a closed session says what became of it', async () => {
      const session = await lab.open();
      expect((await lab.call('sessions', { action: 'close', session })).isError).toBe(false);
      expect((await lab.call('sessions', { action: 'close', session })).text).toMatch(/gone|closed/);
      const late = await lab.evaluate('1', { session });
      expect(late.isError).toBe(true);
      expect(late.text).toContain(`The session ${session} is gone: it was closed`);
    });

    it('a session nobody knows is said, with the way to those there are', async () => {
      for (const action of ['close', 'reset', 'interrupt', 'save']) {
        const { isError, text } = await lab.call('sessions', { action, session: 's-unknown' });
        expect(isError).toBe(true);
        expect(text).toContain('There is no session s-unknown; sessions(action: list) shows those there are');
      }
    });

    it('a language nobody speaks is said', async () => {
      const { isError, text } = await lab.call('sessions', { action: 'open', language: 'cobol' });
      expect(isError).toBe(true);
      expect(text).toContain('There is no language "cobol", only javascript');
    });

    it('a language that cannot be had here is said with the way to get it', async () => {
      await using other = await openLab({ node, absent: [{ ...smalltalk(), problem: () => 'Amber is not installed' }] });
      const { isError, text } = await other.call('evaluate', { code: '3 + 4', language: 'smalltalk' });
      expect([isError, text.includes('Smalltalk (Amber) cannot be had here: Amber is not installed')]).toEqual([true, true]);
    });

    it('an idle session expires and says so; a busy one does not', async () => {
      await using brief = await openLab({ node, limits: { idleMs: 1_000 } });
      const busy = await brief.open();
      const call = brief.evaluate("await new Promise((resolve) => setTimeout(resolve, 4_000)); 'done'", { session: busy });
      const idle = await brief.open();
      const image = Number(await brief.value('process.pid', { session: idle }));
      await eventually(() => isAlive(image)).toBe(false);
      expect((await brief.evaluate('1', { session: idle })).text).toContain(`The session ${idle} is gone: nobody used it for`);
      expect((await call).head).toBe("=> 'done'");
    });

    it('more cells than may wait are refused', async () => {
      const session = await lab.open();
      const mark = lab.mark();
      const first = lab.evaluate(`${mark.code}; for (;;);`, { session });
      await mark.seen();
      const waiting = Array.from({ length: 101 }, () => lab.evaluate('1', { session, wait_ms: 60_000 }));
      const refused = await Promise.race(waiting);
      expect(refused.isError).toBe(true);
      expect(refused.text).toContain('100 evaluations wait');
      await close(session);
      expect((await first).isError).toBe(true);
      for (const one of await Promise.all(waiting)) expect(one.isError).toBe(true);
    });
  });

  it('reset forgets everything and counts a generation', async () => {
    const session = await lab.open();
    await lab.value('let kept = 1; 1', { session });
    expect((await lab.call('sessions', { action: 'reset', session })).structured).toMatchObject({ session, generation: 2 });
    expect(await lab.value('typeof kept', { session })).toBe("'undefined'");
    await close(session);
  });

  describe('T03 what is saved', () => {
    it('is readable by its owner only, and done again in a new session', async () => {
      const session = await lab.open();
      await lab.value('let n = 20; 1', { session });
      await lab.evaluate('n += 1; missing()', { session });
      await lab.value('function twice() { return n * 2 } twice()', { session });
      expect((await lab.call('sessions', { action: 'save', session, name: 'work' })).text).toContain(
        'Saved as "work": the 2 cells that succeeded and 1 that failed after doing a part, to be run again',
      );
      const folder = join(lab.folder, 'state');
      expect(statSync(folder).mode & 0o777).toBe(0o700);
      for (const file of readdirSync(folder, { recursive: true, encoding: 'utf8' })) {
        const { mode } = statSync(join(folder, file));
        expect(mode & 0o777).toBe(statSync(join(folder, file)).isDirectory() ? 0o700 : 0o600);
      }
      const restored = await lab.call('sessions', { action: 'restore', name: 'work' });
      expect(restored.text).toMatch(/Replayed 3 of 3 cells .* 1 of them failed, as before\.$/);
      // As in the session that was saved: what the cell did before it failed was done.
      for (const one of [session, restored.structured.session]) expect(await lab.value('twice()', { session: one })).toBe('42');
      await close(session, restored.structured.session);
    });

    it('says how many cells are not in it', async () => {
      const session = await lab.open();
      await lab.value('1', { session });
      await lab.evaluate('for (;;);', { session, timeout_ms: 200 });
      await lab.evaluate('const = 3', { session });
      const { text } = await lab.call('sessions', { action: 'save', session, name: 'less' });
      expect(text).toContain('the one cell that succeeded, to be run again');
      expect(text).toContain('2 that were stopped, too long or unreadable are not in it.');
      await close(session);
    });

    it.each(['../outside', 'a/b', '..', '', '.hidden/../../x', 'x'.repeat(200)])(
      'a name that leads elsewhere is refused: %s',
      async (name) => {
        const session = await lab.open();
        await lab.value('1', { session });
        expect((await lab.call('sessions', { action: 'save', session, name })).isError).toBe(true);
        expect((await lab.call('sessions', { action: 'restore', name })).isError).toBe(true);
        await close(session);
      },
    );
  });
});
