// A reload while the program does something else: it is paused, it runs, or another session has the same file.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { writeProject } from '../../../../../fixtures/live/projects.ts';
import { type Answer, type Lab, onEachNode, openLab } from '../../../../fixture.ts';

interface Texts {
  readonly once?: string;
  readonly deep?: string;
  readonly more?: string;
}

const text = ({ once = '1', deep = '0', more = '' }: Texts = {}): string => `${more}let steps = 0;
export function once() { return ${once}; }
export function deep(n) { if (n === 0) throw new Error('here'); return deep(n - 1) + ${deep}; }
export function spin(until) { while (!until()) steps += once(); return [steps > 0, once()]; }
export async function wait(gate) { const before = once(); await gate; return [before, once()]; }
`;

onEachNode((node) => {
  const open = async (): Promise<Lab> => {
    const lab = await openLab({ node });
    writeProject(lab.folder, { 'package.json': '{ "type": "module" }', 'a.js': text() });
    await lab.value(load);
    return lab;
  };
  const save = (lab: Lab, edit: Texts): void => writeFileSync(join(lab.folder, 'a.js'), text(edit));
  const load = "import * as all from './a.js'; import { once, deep, spin, wait } from './a.js'; once()";
  const unchanged = async (lab: Lab): Promise<void> => expect((await lab.call('reload')).text).toBe('Nothing changed on disk.');

  describe('a reload while the program is paused', () => {
    const pause = async (lab: Lab): Promise<void> =>
      expect((await lab.evaluate('deep(2)', { on_error: 'pause' })).structured.status).toBe('paused');

    it('takes what stands in no frame at once', async () => {
      await using lab = await open();
      await pause(lab);
      save(lab, { once: '10' });
      expect((await lab.call('reload')).text).toMatch(/^swapped a\.js: once\b/);
      expect((await lab.call('debug', { action: 'eval', code: 'once()' })).text).toContain('10');
      await lab.call('debug', { action: 'abort' });
      expect(await lab.value('once()')).toBe('10');
      await unchanged(lab);
    });

    it('says that a function in a frame waits, and takes it when it has ended', async () => {
      await using lab = await open();
      await pause(lab);
      save(lab, { once: '10', deep: '"new"' });
      expect((await lab.call('reload')).text).toMatch(/^not swapped a\.js: .*\bdeep\b.* reload again when it has ended/);
      expect((await lab.call('debug', { action: 'eval', code: 'once()' })).text).toContain('1');
      await lab.call('debug', { action: 'abort' });
      expect((await lab.call('reload')).text).toMatch(/^swapped a\.js: once, deep\b/);
      expect(await lab.value(`[once(), String(deep).includes('"new"')]`)).toBe('[ 10, true ]');
      await unchanged(lab);
    });

    it('refuses what needs the program to go on, and has changed nothing by then', async () => {
      await using lab = await open();
      await pause(lab);
      save(lab, { once: '10', more: 'export let added = 5;\n' });
      const { text: said, isError } = await lab.call('reload');
      expect([said, isError]).toEqual([expect.stringMatching(/^not swapped a\.js: .*paused/), true]);
      expect((await lab.call('debug', { action: 'eval', code: 'once()' })).text).not.toContain('10');
      await lab.call('debug', { action: 'abort' });
      expect((await lab.call('reload')).isError).toBe(false);
      expect(await lab.value("[once(), (await import('./a.js')).added]")).toBe('[ 10, 5 ]');
    });
  });

  describe('a reload while a loop runs', () => {
    /** What reload says meanwhile, and what the loop ends with. */
    const during = async (lab: Lab, edit: Texts): Promise<{ readonly said: Answer; readonly ended: string }> => {
      const flag = join(lab.folder, 'flag');
      const mark = lab.mark();
      const code = `${mark.code}; spin(() => require('node:fs').existsSync(${JSON.stringify(flag)}))`;
      const { structured } = await lab.evaluate(code, { wait_ms: 0 });
      await mark.seen();
      save(lab, edit);
      const said = await lab.call('reload');
      writeFileSync(flag, '');
      return { said, ended: (await lab.wait(structured.session)).text };
    };

    it('changes what the loop calls, or says that it did not', async () => {
      await using lab = await open();
      const { said, ended } = await during(lab, { once: '10' });
      // The loop may be in the function just then.
      const taken = said.text.startsWith('swapped a.js: once');
      if (!taken) expect(said.text).toMatch(/^not swapped a\.js: once runs or waits just now/);
      expect(ended).toContain(taken ? '[ true, 10 ]' : '[ true, 1 ]');
      await lab.call('reload');
      expect(await lab.value('once()')).toBe('10');
      await unchanged(lab);
    });

    it('refuses what needs the program to rest, and has changed nothing by then', async () => {
      await using lab = await open();
      const { said, ended } = await during(lab, { once: '10', more: 'export let added = 5;\n' });
      expect([said.text, said.isError]).toEqual([expect.stringMatching(/^not swapped a\.js: The program is busy/), true]);
      expect(ended).toContain('[ true, 1 ]');
      await lab.call('reload');
      expect(await lab.value("[once(), (await import('./a.js')).added]")).toBe('[ 10, 5 ]');
      await unchanged(lab);
    });
  });

  it('a call that waits goes on with what the answer said it would', async () => {
    await using lab = await open();
    await lab.value('let pass; const kept = wait(new Promise((resolve) => { pass = resolve; })); 0');
    save(lab, { once: '10' });
    expect((await lab.call('reload')).text).toMatch(/^swapped a\.js: once\b/);
    expect(await lab.value('pass(); await kept')).toBe('[ 1, 10 ]');
    await unchanged(lab);
  });

  it('in one session it changes nothing in another that has the same file, and that has a reload of its own', async () => {
    await using lab = await open();
    const other = await lab.open();
    await lab.value(load, { session: other });
    save(lab, { once: '10' });
    expect((await lab.call('reload')).text).toMatch(/^swapped a\.js: once\b/);
    expect([await lab.value('once()'), await lab.value('once()', { session: other })]).toEqual(['10', '1']);
    expect((await lab.call('reload', { session: other })).text).toMatch(/^swapped a\.js: once\b/);
    expect(await lab.value('once()', { session: other })).toBe('10');
    await unchanged(lab);
  });
});
