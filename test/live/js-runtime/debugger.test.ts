// Debugging: a program that stops where it fails, or where it is asked to, with everything it holds in sight.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type Answer, fenced, type Lab, onEachNode, openLab } from '../fixture.ts';

const failing = `
function outer(list) {
  const sum = list.reduce((a, b) => a + b);
  return inner(sum, { name: 'Ada' });
}
function inner(total, user) {
  const half = total / 2;
  throw new RangeError('too much: ' + half + user.name);
}
console.log('so far');
`;

onEachNode((node) => {
  let lab: Lab;
  let session: string;
  beforeAll(async () => {
    lab = await openLab({ node });
  });
  beforeEach(async () => {
    session = await lab.open();
    await lab.value('let kept = 42; 1', { session });
    return async () => {
      await lab.call('sessions', { action: 'close', session });
    };
  });
  afterAll(() => lab.close());

  const pausing = (code: string, args: object = {}): Promise<Answer> => lab.evaluate(code, { session, on_error: 'pause', ...args });
  const debug = (action: string, args: object = {}): Promise<Answer> => lab.call('debug', { action, session, ...args });
  /** Everything is as it was, and errors do not pause any more. */
  const kept = async (): Promise<void> => {
    expect((await lab.evaluate('kept', { session })).structured).toMatchObject({ status: 'ok', session, generation: 1 });
    expect((await lab.evaluate('missing()', { session })).structured).toMatchObject({ status: 'error', generation: 1 });
  };

  describe('a pause on an error', () => {
    it.each([
      ['at once', `${failing}outer([1, 2, 3])`],
      ['after an await', `${failing}await null; outer([1, 2, 3])`],
      ['in an async function', `${failing}async function later(list) { await null; return outer(list) }\nawait later([1, 2, 3])`],
    ])('%s shows frames with locals, and looks around in them', async (_, code) => {
      const answer = await pausing(code);
      expect(answer.head).toBe('[PAUSED] RangeError: too much: 3Ada');
      expect(answer.isError).toBe(false);
      expect(answer.structured).toMatchObject({ status: 'paused', session, generation: 1 });
      expect(fenced(answer.text)).toEqual(['so far']);
      expect(answer.text).toMatch(/0: inner \(cell-\d+:8:\d+\)/);
      expect(answer.text).toMatch(/1: outer \(cell-\d+:4:\d+\)/);
      expect(answer.text).toContain('total = 6');
      expect(answer.text).toContain("user = { name: 'Ada' }");
      expect(answer.text).toContain('list = [ 1, 2, 3 ]');
      expect((await debug('eval', { frame: 0, code: 'half + total' })).head).toBe('=> 9');
      expect((await debug('eval', { frame: 1, code: '[sum, list.length]' })).head).toMatch(/^=> \[ 6, 3 \]/);
      expect((await debug('eval', { frame: 0, code: 'kept' })).head).toBe('=> 42');
      expect((await debug('frames')).text).toMatch(/0: inner/);
      expect((await debug('resume')).head).toBe('[ERROR] RangeError: too much: 3Ada');
      await kept();
    });

    it('in a file of the project says its line', async () => {
      writeFileSync(
        join(lab.folder, 'broken.mjs'),
        'export function broken(input) {\n  const parsed = input.trim();\n  return parsed.missing.x;\n}\n',
      );
      const { text } = await pausing("import { broken } from './broken.mjs'; broken(' a ')");
      expect(text).toMatch(/^\[PAUSED\] TypeError: /);
      expect(text).toMatch(/0: broken \(broken\.mjs:3:\d+\)/);
      expect(text).toContain("parsed = 'a'");
      await debug('abort');
      await kept();
    });

    it('does not happen for one the program catches itself', async () => {
      const answer = await pausing("let how; try { missing() } catch { how = 'caught' } how");
      expect(answer.head).toBe("=> 'caught'");
      await kept();
    });

    it('does not happen for a rejection the program catches itself', async () => {
      await lab.value('let how; 1', { session });
      const later = await pausing("try { await (async () => { await null; throw new Error('x') })() } catch { how = 'later' } how");
      expect(later.head).toBe("=> 'later'");
      await kept();
    });

    it('is no part of a cell that did not ask for it', async () => {
      expect((await lab.evaluate('missing()', { session })).structured.status).toBe('error');
      expect((await debug('frames')).isError).toBe(true);
    });

    it('is aborted: what follows it never runs', async () => {
      await pausing(`globalThis.ran = 0; try { null.x } finally { ran++ } ran++`);
      const answer = await debug('abort');
      expect(answer.head).toMatch(/^\[INTERRUPTED\]/);
      expect(await lab.value('ran', { session })).toBe('0');
      await kept();
    });

    it('is aborted by an interrupt, by its limit, and by closing', async () => {
      await pausing('null.x');
      expect((await lab.call('sessions', { action: 'interrupt', session })).isError).toBe(false);
      await kept();
      await pausing('null.x', { timeout_ms: 500 });
      expect((await lab.wait(session)).text).toBeDefined();
      await pausing('null.x');
      expect((await lab.call('sessions', { action: 'close', session })).isError).toBe(false);
    });

    it('lets others work; its own cells are refused until it goes on', async () => {
      const other = await lab.open();
      await pausing('null.x');
      expect((await lab.call('sessions', { action: 'list' })).text).toMatch(new RegExp(`${session} .* paused`));
      expect(await lab.value('6 * 7', { session: other })).toBe('42');
      expect((await lab.evaluate('kept + 1', { session })).text).toContain('is paused at TypeError');
      expect((await lab.call('inspect', { target: 'kept', session })).text).toBe('number: 42');
      expect((await lab.call('lookup', { name: 'kept', session })).text).toBe('kept = 42');
      await debug('abort');
      expect(await lab.value('kept + 1', { session })).toBe('43');
      await lab.call('sessions', { action: 'close', session: other });
    });
  });

  it('what is evaluated in a frame may fail, loop or change the program', async () => {
    await pausing('(function f(n) { missing(); return n })(1)');
    expect((await debug('eval', { code: 'nothing.here' })).text).toMatch(/\[ERROR\] ReferenceError/);
    expect((await debug('eval', { code: 'for (;;);' })).isError).toBe(true);
    expect((await debug('eval', { code: 'n = 5; n' })).head).toBe('=> 5');
    expect((await debug('eval', { frame: 99, code: '1' })).text).toMatch(/There is no frame 99/);
    expect((await debug('eval')).text).toContain('eval needs code');
    await debug('abort');
    await kept();
  });

  it('steps over, into and out of functions, from a debugger statement or a pause', async () => {
    const code =
      'function double(n) {\n  return n * 2;\n}\nfunction run() {\n  null_();\n  const a = double(4);\n  return a + 1;\n}\nfunction null_() {\n  debugger;\n}\nrun()';
    const first = await pausing(code);
    expect(first.structured.status).toBe('paused');
    const at = ({ text }: Answer): string | undefined => /0: (\S+ \(cell-\d+:\d+)/.exec(text)?.[1]?.replace(/cell-\d+:/, '');
    expect(at(first)).toBe('null_ (10');
    const seen = [at(await debug('step', { step: 'out' }))];
    for (const step of ['into', 'out', 'over']) seen.push(at(await debug('step', { step })));
    expect(seen[0]).toMatch(/^run \((5|6)$/);
    expect(seen).toContain('double (2');
    expect(seen.at(-1)).toMatch(/^run \(\d$/);
    expect((await debug('resume')).head).toBe('=> 9');
    await kept();
  });

  it('a pause on request stops what runs, and it goes on where it was', async () => {
    const mark = lab.mark();
    const call = lab.evaluate(
      `let turns = 0; let stop = false; function spin() { ${mark.code}; while (!stop) turns++; return 'ended' } spin()`,
      { session },
    );
    await mark.seen();
    const paused = await debug('pause');
    expect(paused.structured.status).toBe('paused');
    expect(paused.text).toMatch(/0: spin \(cell-/);
    expect((await debug('eval', { code: 'turns > 0' })).head).toBe('=> true');
    await debug('eval', { code: 'stop = true' });
    expect((await debug('resume')).head).toBe("=> 'ended'");
    expect((await call).structured.status).toMatch(/paused|ok/);
    await kept();
  });

  it('without anything to debug says what to do', async () => {
    expect((await debug('frames')).text).toContain('on_error: "pause"');
    const mark = lab.mark();
    const call = lab.evaluate(`${mark.code}; for (;;);`, { session });
    await mark.seen();
    expect((await debug('frames')).text).toContain('not paused');
    await lab.call('sessions', { action: 'interrupt', session });
    await call;
    await kept();
  });
});
