// Images of Lisp that were saved and cannot be used any more, and cores that several servers build at once.
import { spawn } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { notRun } from '../../../../../scripts/prepare.mjs';
import { eventually, type Lab, openLisp } from '../fixture.ts';

const main = fileURLToPath(new URL('../../../../../dist/cli/main.js', import.meta.url));

/** An SBCL knows its own images by the name of the machine it was made on, and the time, which stand where they begin. */
function otherBuild(file: string): void {
  const bytes = readFileSync(file);
  const at = /[\w.-]+-\d{4}(?:-\d\d){5}/.exec(bytes.toString('latin1', 0, 4_096))?.index;
  if (at === undefined) throw new Error('The image does not say who wrote it');
  bytes.write('other', at, 'latin1');
  writeFileSync(file, bytes);
}

describe.skipIf(notRun('sbcl'))('a saved image', () => {
  let lab: Lab;
  let image: string;
  let whole: Buffer;
  beforeAll(async () => {
    lab = await openLisp();
    await lab.value('(defvar *x* 40)');
    await lab.value('(incf *x* 2)');
    expect((await lab.call('sessions', { action: 'save', name: 'kept' })).text).toContain('the whole image with its values');
    const folder = join(lab.folder, 'state');
    const files = readdirSync(folder, { recursive: true }).map(String);
    image = join(folder, files.find((one) => one.endsWith('kept.image')) ?? '');
    whole = readFileSync(image);
  });
  afterAll(() => lab.close());

  it.each([
    ['is cut off', (file: string) => truncateSync(file, statSync(file).size / 2)],
    ['is empty', (file: string) => truncateSync(file, 0)],
    ['is no image', (file: string) => writeFileSync(file, 'no image\n'.repeat(1_000))],
    [
      'is damaged where it begins',
      (file: string) => writeFileSync(file, Buffer.concat([Buffer.alloc(4_096), readFileSync(file).subarray(4_096)])),
    ],
    ['another SBCL has written', otherBuild],
    ['is gone', (file: string) => rmSync(file)],
  ])('that %s is said to be of no use, and what was evaluated is evaluated again', async (_, harm) => {
    writeFileSync(image, whole);
    harm(image);
    const restored = await lab.call('sessions', { action: 'restore', name: 'kept' });
    expect(restored.isError).toBe(false);
    expect(restored.text).toMatch(/^The saved image (?:cannot be used: .*|is gone)\. Replayed \d+ of \d+ cells/s);
    const { session } = restored.structured;
    expect(await lab.value('*x*', { session })).toBe('42');
    expect(await lab.value('*x*')).toBe('42');
    await lab.call('sessions', { action: 'close', session });
  });

  it('with an open file in it begins without it: the stream is there, and reading it is an error', async () => {
    const session = await lab.open();
    writeFileSync(join(lab.folder, 'open.txt'), 'first\nsecond\n'.repeat(10_000));
    await lab.value('(defvar *open* (open "open.txt")) (read-line *open*)', { session });
    expect((await lab.call('sessions', { action: 'save', name: 'open', session })).text).toContain('the whole image');
    const restored = await lab.call('sessions', { action: 'restore', name: 'open' });
    const other = restored.structured.session;
    const answer = await lab.evaluate('(loop for line = (read-line *open* nil) while line)', { session: other });
    expect(answer.structured.status).toMatch(/^(?:error|ok)$/);
    expect((await lab.evaluate('(close *open*) (+ 40 2)', { session: other })).structured).toMatchObject({ generation: 1 });
    expect(await lab.value('(+ 40 2)', { session: other })).toBe('42');
    expect(await lab.value('(read-line *open*)', { session })).toBe('"second"');
  });
});

describe.skipIf(notRun('sbcl'))('a core for an instant start', () => {
  it('that several servers build at once is whole, is there once, and leaves nothing half written', async () => {
    const home = mkdtempSync(join(tmpdir(), 'live-cores-'));
    onTestFinished(() => rmSync(home, { recursive: true, force: true }));
    const evaluate = (): Promise<{ readonly code: unknown; readonly said: string }> =>
      new Promise((resolve) => {
        const child = spawn(process.execPath, [main, 'eval', '(+ 40 2)', '--language', 'lisp'], {
          cwd: home,
          env: { ...process.env, XDG_CACHE_HOME: home, XDG_STATE_HOME: home, XDG_RUNTIME_DIR: home },
          stdio: ['ignore', 'pipe', 'inherit'],
        });
        let said = '';
        child.stdout.setEncoding('utf8').on('data', (text: string) => {
          said += text;
        });
        child.once('close', (code) => resolve({ code, said }));
      });
    for (const { code, said } of await Promise.all([evaluate(), evaluate(), evaluate()])) {
      expect(said).toContain('=> 42');
      expect(code).toBe(0);
    }
    const cache = join(home, 'vivarium');
    await expect
      .poll(() => readdirSync(cache).filter((name) => name.startsWith('sbcl-')), { timeout: 60_000, interval: 100 })
      .toEqual([expect.stringMatching(/^sbcl-[\w.-]+\.core$/)]);
    await eventually(async () => (await evaluate()).said).toMatch(/^=> 42\s*$/);
  }, 120_000);
});
