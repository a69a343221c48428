// A call that was cancelled, and those that follow it: whose result is told to whom, in every language.
import { describe, expect, it } from 'vitest';
import { javascript, lisp, smalltalk } from 'vivarium/live';
import { notRun } from '../../../scripts/prepare.mjs';
import { eventually, fenced, type Lab, openLab } from '../fixture.ts';
import { squeak } from '../languages/smalltalk/squeak/prepared.ts';

interface Language {
  readonly open: () => Promise<Lab>;
  /** Prints what is `said`, and never ends. */
  readonly endless: string;
  readonly said: string;
  /** Takes long enough to be answered [RUNNING], and gives 42. */
  readonly slow: string;
  readonly absent: boolean;
}

const languages: Readonly<Record<string, Language>> = {
  JavaScript: {
    open: () => openLab({ engines: [javascript()] }),
    endless: "console.log('said'); for (;;);",
    said: 'said',
    slow: 'await new Promise((next) => setTimeout(next, 500)); 42',
    absent: false,
  },
  'Common Lisp': {
    open: () => openLab({ engines: [lisp()], limits: { rssMb: 1_024 } }),
    endless: '(with-compilation-unit () (write-line "said") (finish-output) (loop))',
    said: 'said',
    slow: '(progn (sleep 0.5) 42)',
    absent: notRun('sbcl'),
  },
  'Smalltalk on Amber': {
    open: () => openLab({ engines: [smalltalk()] }),
    endless: "Transcript show: 'said'. [ true ] whileTrue",
    said: 'said',
    slow: '| until | until := Date now asMilliseconds + 500. [ Date now asMilliseconds < until ] whileTrue. 42',
    absent: false,
  },
  'Smalltalk on Squeak': {
    open: () => openLab({ engines: [squeak()], limits: { heapMb: 64, graceMs: 3_000 } }),
    endless: '[ true ] whileTrue',
    // The bridge of the tests passes nothing on.
    said: '',
    slow: '(Delay forMilliseconds: 500) wait. 42',
    absent: notRun('squeak') || notRun('scratch'),
  },
};

/** Once it is known to have printed something. */
async function cancelled(lab: Lab, { endless: code, said }: Language): Promise<void> {
  const given = new AbortController();
  const onProgress = ({ message = '' }: { readonly message?: string }): void => {
    if (message.startsWith(said || 'running')) given.abort();
  };
  await expect(lab.client.callTool('evaluate', { code }, { signal: given.signal, onProgress })).rejects.toThrow();
}

describe.each(Object.entries(languages))('in %s', (_, language) => {
  const { open, slow, said, absent } = language;

  it.skipIf(absent)('the end of a cancelled evaluation is not told in place of the result of the one that runs', async () => {
    await using lab = await open();
    await lab.value('1');
    await cancelled(lab, language);
    const running = await lab.evaluate(slow, { wait_ms: 0 });
    expect(running.head).toMatch(/^\[(?:RUNNING|QUEUED)\] .*\(cell 3\)$/);
    expect(running.structured).toMatchObject({ cell: 3 });
    const waited = await lab.wait(running.structured.session);
    expect(waited.text).not.toContain('[INTERRUPTED]');
    expect(waited.head).toMatch(/^=> 42/);
    expect(waited.text).toContain('(This was cell 3.)');
    expect(waited.structured).toMatchObject({ status: 'ok', cell: 3, generation: 1 });
  });

  it.skipIf(absent)('what a cancelled evaluation printed is background output of the next, and nothing else of it is told', async () => {
    await using lab = await open();
    await lab.value('1');
    await cancelled(lab, language);
    const { text } = await lab.evaluate('42');
    expect(text).toMatch(/^=> 42/);
    expect(fenced(text, 'background output since the last answer')).toEqual(said === '' ? [] : [said]);
    expect(text.split('\n')).toHaveLength(said === '' ? 1 : 4);
    expect((await lab.call('evaluate', {})).text).toMatch(/^Nothing runs in main: give code/);
  });
});

it('an evaluation that ended before it was cancelled is not told in place of the next either', async () => {
  await using lab = await openLab();
  await lab.value('1');
  // By then it has ended, and its answer has not left.
  const given = new AbortController();
  const call = lab.evaluate("console.log('said'); 'first'", {}, given.signal);
  queueMicrotask(() => given.abort());
  await expect(call).rejects.toThrow();
  await lab.evaluate("await new Promise((next) => setTimeout(next, 200)); 'second'", { wait_ms: 0 });
  expect((await lab.wait('main')).text).toContain("=> 'second'");
});

it('the value of a cancelled evaluation that goes on is not the last value when it comes', async () => {
  await using lab = await openLab();
  await lab.value('let go; const gone = new Promise((next) => { go = next; }); 1');
  const mark = lab.mark();
  const given = new AbortController();
  const call = lab.evaluate(`${mark.code}; await gone; 'late'`, {}, given.signal);
  await mark.seen();
  given.abort();
  await expect(call).rejects.toThrow();
  await eventually(async () => (await lab.call('sessions', { action: 'list' })).text.includes('idle')).toBe(true);
  expect(await lab.value('go(); 42')).toBe('42');
  expect(await lab.value('await null; _')).toBe('42');
});

it('an evaluation is waited for by the number of its cell, whatever else has ended', async () => {
  await using lab = await openLab();
  await lab.evaluate("await new Promise((next) => setTimeout(next, 100)); 'first'", { wait_ms: 0 });
  await lab.evaluate("await new Promise((next) => setTimeout(next, 100)); 'second'", { wait_ms: 0 });
  expect((await lab.call('evaluate', { cell: 2, wait_ms: 60_000 })).head).toBe("=> 'second'");
  const first = await lab.call('evaluate', {});
  expect(first.head).toBe("=> 'first'");
  expect(first.text).toContain('(This was cell 1.)');
  expect((await lab.call('evaluate', { cell: 7 })).text).toBe('Cell 7 of main was told of, or never asked for');
});
