// Whatever happens to one evaluation, the next one answers, in the same session and in others, and what was lost is said.
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { smalltalk } from 'vivarium/live';
import { notRun } from '../../../scripts/prepare.mjs';
import { eventually, type Lab, openLab } from '../fixture.ts';
import { squeak } from './squeak/engine.ts';

interface Wedge {
  readonly what: string;
  readonly code: string;
  /** What the evaluation itself is told. */
  readonly head: RegExp;
  readonly kept: boolean | undefined;
  /** It ends by itself. */
  readonly alone?: boolean;
  /** After which it is interrupted. */
  readonly ms?: number;
}

/** A method with JavaScript in it is how Amber reaches what Smalltalk has no words for. */
const javascript = (code: string): string => `LiveWorkspace compile: 'wedge <inlineJS: ''${code.replaceAll("'", "''''")}''>'. self wedge`;

const onAmber: readonly Wedge[] = [
  { what: 'an endless loop', code: '[ true ] whileTrue', head: /^\[INTERRUPTED\]/, kept: true },
  {
    what: 'a loop that catches every error',
    code: '[ true ] whileTrue: [ [ nil zork ] on: Error do: [ :ex | ex ] ]',
    head: /^\[INTERRUPTED\]/,
    kept: true,
  },
  { what: 'a loop within a sort', code: '#(3 1 2) copy sort: [ :a :b | [ true ] whileTrue. a < b ]', head: /^\[INTERRUPTED\]/, kept: true },
  { what: 'a promise that is never kept', code: 'Promise new: [ :model | model ]', head: /^\[INTERRUPTED\]/, kept: true },
  {
    what: 'a wait that blocks the thread',
    code: javascript('Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0)'),
    head: /^\[INTERRUPTED\]/,
    kept: true,
  },
  {
    what: 'a printString that never ends',
    code: "Object subclass: #Endless slots: {} package: 'W'. Endless compile: 'printOn: aStream [ true ] whileTrue'. Endless new",
    head: /^\[INTERRUPTED\]/,
    kept: true,
  },
  {
    what: 'an exhausted heap',
    code: '| all | all := OrderedCollection new. [ true ] whileTrue: [ all add: (Array new: 10000) ]',
    head: /^\[OUT OF MEMORY\]/,
    kept: true,
    alone: true,
  },
  {
    what: 'an exhausted stack',
    code: "Object compile: 'deep ^ self deep + 1'. Object new deep",
    head: /^\[ERROR\] RangeError: Maximum call stack/,
    kept: true,
    alone: true,
  },
  {
    what: 'an image that ends itself',
    code: 'process exit: 3',
    head: /^\[STATE LOST\] generation 2: it exited with code 3/,
    kept: false,
    alone: true,
  },
  {
    what: 'a channel that is written to by others',
    code: javascript('require("fs").writeSync(3, "{}\\n")').replace('require', 'process.getBuiltinModule'),
    head: /^\[STATE LOST\] generation 2: code in it wrote to the private channel/,
    kept: false,
    alone: true,
  },
  {
    what: 'a channel that is closed',
    code: javascript('process.getBuiltinModule("fs").closeSync(3)'),
    head: /^\[STATE LOST\] generation 2/,
    kept: false,
    alone: true,
  },
];

const onSqueak: readonly Wedge[] = [
  {
    what: 'an exhausted heap',
    code: '| all | all := OrderedCollection new. [true] whileTrue: [all add: (Array new: 100000)]',
    head: /^\[(?:INTERRUPTED|STATE LOST)\]/,
    // The virtual machine may go on with what is left, or end.
    kept: undefined,
    ms: 2_000,
  },
  {
    what: 'an exhausted stack',
    code: "Object compile: 'deep ^ self deep + 1'. Object new deep",
    head: /^\[STATE LOST\] generation 2: it exited with code 255/,
    kept: false,
    alone: true,
  },
  { what: 'an endless loop', code: '[true] whileTrue: []', head: /^\[INTERRUPTED\]/, kept: true },
  { what: 'a wait that nobody ends', code: 'Semaphore new wait', head: /^\[INTERRUPTED\]/, kept: true },
  {
    what: 'a loop above every priority',
    code: 'Processor activeProcess priority: 8. [true] whileTrue: []',
    head: /^\[STATE LOST\] generation 2: it could not be interrupted/,
    kept: false,
  },
  {
    what: 'an image that ends itself',
    code: 'Smalltalk quitPrimitive',
    head: /^\[STATE LOST\] generation 2: it exited/,
    kept: false,
    alone: true,
  },
  {
    what: 'a channel that is closed',
    code: 'Socket allInstances do: [:each | each destroy]',
    head: /^\[STATE LOST\] generation 2/,
    kept: false,
    alone: true,
  },
];

async function survives(lab: Lab, { code, head, kept, alone = false, ms = 300 }: Wedge): Promise<void> {
  const other = await lab.open();
  await lab.value('kept := 5');
  await lab.value('kept := 6', { session: other });
  const { text, isError } = await lab.evaluate(code, alone ? {} : { timeout_ms: ms });
  expect(text).toMatch(head);
  expect(isError).toBe(true);
  expect(await lab.value('3 + 4')).toBe('7');
  expect(await lab.value('kept', { session: other })).toBe('6');
  if (kept === true) expect(await lab.value('kept')).toBe('5');
  if (kept === false) expect((await lab.evaluate('kept')).text).not.toMatch(/^=> 5/);
}

describe('Amber', () => {
  it.each(onAmber)('survives $what', async (wedge) => {
    await using lab = await openLab({ engines: [smalltalk()], limits: { graceMs: 1_000 } });
    await survives(lab, wedge);
  });

  it('says what is lost when it is killed, and begins again', async () => {
    await using lab = await openLab({ engines: [smalltalk()] });
    const pid = Number(await lab.value('kept := 5. process pid'));
    const running = lab.evaluate('[ true ] whileTrue');
    await eventually(() => readFileSync(`/proc/${pid}/stat`, 'latin1').includes(') R ')).toBe(true);
    process.kill(pid, 'SIGKILL');
    expect((await running).head).toMatch(
      /^\[STATE LOST\] generation 2: it was ended by SIGKILL\. 1 cell of work and every value are gone\./,
    );
    expect(await lab.value('3 + 4')).toBe('7');
  });
});

describe.skipIf(notRun('squeak') || notRun('scratch'))('Squeak', () => {
  it.each(onSqueak)('survives $what', async (wedge) => {
    await using lab = await openLab({ engines: [squeak()], limits: { heapMb: 64, graceMs: 500 } });
    await survives(lab, wedge);
  });
});
