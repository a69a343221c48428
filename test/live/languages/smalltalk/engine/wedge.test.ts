// What gets stuck or ends in ways that are Smalltalk's own; what every engine must survive is in the wedge table beside.
import { readFileSync } from 'node:fs';
import { beforeAll, describe, expect, it } from 'vitest';
import { smalltalk } from 'vivarium/live';
import { notRun } from '../../../../../scripts/prepare.mjs';
import { eventually, type Lab, openLab } from '../../../fixture.ts';
import { squeak } from '../squeak/prepared.ts';

interface Wedge {
  readonly what: string;
  readonly code: string;
  /** What the evaluation itself is told. */
  readonly head: RegExp;
  readonly kept: boolean;
  /** It ends by itself. */
  readonly alone?: boolean;
}

/** A method with JavaScript in it is how Amber reaches what Smalltalk has no words for. */
const javascript = (code: string): string => `LiveWorkspace compile: 'wedge <inlineJS: ''${code.replaceAll("'", "''''")}''>'. self wedge`;

const onAmber: readonly Wedge[] = [
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
];

const onSqueak: readonly Wedge[] = [{ what: 'a wait that nobody ends', code: 'Semaphore new wait', head: /^\[INTERRUPTED\]/, kept: true }];

async function survives(lab: Lab, { code, head, kept, alone = false }: Wedge): Promise<void> {
  const session = await lab.open();
  await lab.value('kept := 6');
  await lab.value('kept := 5', { session });
  const { text, isError } = await lab.evaluate(code, { session, ...(!alone && { timeout_ms: 300 }) });
  expect(text).toMatch(head);
  expect(isError).toBe(true);
  expect(await lab.value('3 + 4', { session })).toBe('7');
  expect(await lab.value('kept')).toBe('6');
  expect(/^=> 5/.test((await lab.evaluate('kept', { session })).text)).toBe(kept);
  await lab.call('sessions', { action: 'close', session });
}

describe('Amber', () => {
  let lab: Lab;
  beforeAll(async () => {
    lab = await openLab({ engines: [smalltalk()], limits: { graceMs: 3_000 } });
  });

  it.each(onAmber)('survives $what', (wedge) => survives(lab, wedge));

  it('says what is lost when it is killed, and begins again', async () => {
    const session = await lab.open();
    const pid = Number(await lab.value('kept := 5. process pid', { session }));
    const running = lab.evaluate('[ true ] whileTrue', { session });
    await eventually(() => readFileSync(`/proc/${pid}/stat`, 'latin1').includes(') R ')).toBe(true);
    process.kill(pid, 'SIGKILL');
    expect((await running).head).toMatch(
      /^\[STATE LOST\] generation 2: it was ended by SIGKILL\. 1 cell of work and every value are gone\./,
    );
    expect(await lab.value('3 + 4', { session })).toBe('7');
  });
});

describe.skipIf(notRun('squeak') || notRun('scratch'))('Squeak', () => {
  it.each(onSqueak)('survives $what', async (wedge) => {
    await using lab = await openLab({ engines: [squeak()], limits: { heapMb: 64, graceMs: 3_000 } });
    await survives(lab, wedge);
  });
});
