// Which tool works on Common Lisp, tried and printed; what is not supported says why.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { notRun } from '../../../../../scripts/prepare.mjs';
import { type AnyTool, allTools, tableHead } from '../../../all-tools.ts';
import { type Lab, openLisp } from '../fixture.ts';
import { writeShop } from '../shop.ts';

const table: string[] = tableHead();

/** Each does what only a working one does. */
const trials: Readonly<Record<AnyTool, (lab: Lab, folder: string) => Promise<string>>> = {
  evaluate: async (lab) => (await lab.evaluate('(defvar *n* 6) (* *n* 7)')).head,
  inspect: async (lab) => (await lab.call('inspect', { target: '*n*' })).text,
  lookup: async (lab) => {
    await lab.value('(defun find-me (a b) (+ a b))');
    return (await lab.call('lookup', { name: 'find-me', want: 'source' })).text;
  },
  reload: async (lab, folder) => {
    const file = join(folder, 'edited.lisp');
    writeFileSync(file, '(defvar *count* 0)\n(defun one-step () (incf *count*))\n');
    await lab.call('load_file', { file: 'edited.lisp' });
    await lab.value('(one-step)');
    writeFileSync(file, '(defvar *count* 0)\n(defun one-step () (incf *count* 100))\n');
    await lab.call('reload', { files: ['edited.lisp'] });
    return lab.value('(one-step)');
  },
  debug: async (lab) => {
    await lab.evaluate('(1+ unheard-of)', { on_error: 'pause' });
    return (await lab.call('debug', { action: 'restart', restart: 1, value: '41' })).head;
  },
  sessions: async (lab) => (await lab.call('sessions', { action: 'list' })).text,
  define: async (lab) => {
    await lab.call('define', { source: '(defun defined () 42)' });
    return lab.value('(defined)');
  },
  complete: async (lab) => (await lab.call('complete', { prefix: 'multiple-value-pr' })).text,
  check_syntax: async (lab) => (await lab.call('check_syntax', { code: '(+ 1' })).text,
  load_file: async (lab, folder) => {
    writeFileSync(join(folder, 'loaded.lisp'), '(defvar *loaded* 42)\n');
    await lab.call('load_file', { file: 'loaded.lisp' });
    return lab.value('*loaded*');
  },
  profile: async (lab) => (await lab.call('profile', { code: '(loop repeat 3000000 sum (random 10))' })).text,
  heap: async (lab) => (await lab.call('heap', {})).text,
  run_tests: async (lab) => (await lab.call('run_tests', {})).text,
};

describe.skipIf(notRun('sbcl') || notRun('fiveam'))('every tool', () => {
  it('works on Common Lisp, or says why not', async () => {
    await using before = await openLisp();
    const { folder } = before;
    // Whether a project has tests is seen at the start.
    writeShop(folder);
    await using lab = await openLisp({ tools: 'all', cwd: folder });
    const row = {} as Record<AnyTool, string>;
    for (const tool of allTools) row[tool] = await trials[tool](lab, folder);
    const on = (await lab.call('define', { on: 'cart', source: '(defun f () 1)' })).text;
    table.push(
      `| Common Lisp, ${await lab.value('(lisp-implementation-version)')} | ${allTools.map((tool) => (tool === 'define' ? `yes; with on: ${on}` : 'yes')).join(' | ')} |`,
    );
    expect(row).toMatchObject({
      evaluate: '=> 42',
      inspect: expect.stringMatching(/6/),
      lookup: expect.stringContaining('(defun find-me (a b) (+ a b))'),
      reload: '101',
      debug: '=> 42',
      sessions: expect.stringMatching(/^main {2}lisp {2}idle .*debug with restarts, reload, lookup/),
      define: '42',
      complete: expect.stringMatching(/multiple-value-prog1/i),
      check_syntax: expect.stringMatching(/END-OF-FILE/),
      load_file: '42',
      profile: expect.stringMatching(/Own time, of .*\n.*RANDOM/),
      heap: expect.stringMatching(/\d.*M/),
      run_tests: expect.stringMatching(/^\[FAILED\] 1 passed, 1 failed, 1 skipped/),
    });
    expect(on).toMatch(/Methods are not/);
    // The same as users are told.
    const told = readFileSync(new URL('../../../../../docs/live-lisp.md', import.meta.url), 'utf8');
    const named = [...told.matchAll(/^\| ([\w, ]+) \| yes[^|]*\|$/gm)].flatMap(([, names = '']) => names.split(', '));
    expect(named.sort()).toEqual([...allTools].sort());
  }, 120_000);
});

afterAll(() => console.log(table.join('\n')));
