// The connect-back adapter and its wire on a real virtual machine with a real image: Debian's Squeak.
import { describe, expect, it } from 'vitest';
import { notRun } from '../../../../../scripts/prepare.mjs';
import { eventually, isAlive, type Lab, openLab } from '../../../fixture.ts';
import { squeak } from '../squeak/prepared.ts';

describe.skipIf(notRun('squeak') || notRun('scratch'))('Squeak', () => {
  const withSqueak = (): Promise<Lab> => openLab({ engines: [squeak()], limits: { heapMb: 64, graceMs: 3_000 } });

  it('starts, evaluates, and keeps what it was told', async () => {
    await using lab = await withSqueak();
    expect(await lab.value('3 + 4')).toBe('7');
    await lab.value('x := 5');
    expect(await lab.value('(x * 100 factorial) // 99 factorial')).toBe('500');
    await lab.value("Object subclass: #Pt instanceVariableNames: 'a' classVariableNames: '' poolDictionaries: '' category: 'X'");
    await lab.value("Pt compile: 'double: n ^ n * 2'");
    expect(await lab.value('Pt new double: 21')).toBe('42');
    expect((await lab.call('lookup', { name: 'Pt', want: 'members' })).text).toBe('(#double:)');
    expect((await lab.call('inspect', { target: 'x' })).text).toMatch(/SmallInteger: 5/);
  });

  it('tells of an error with its frames and its receiver, and goes on', async () => {
    await using lab = await withSqueak();
    const { text, isError } = await lab.evaluate('nil foo');
    expect(isError).toBe(true);
    expect(text).toMatch(/^\[ERROR\] MessageNotUnderstood: Message not understood: foo\n {2}receiver: nil\n\[Backtrace\]\n/);
    expect(text).toMatch(/UndefinedObject>>DoIt/);
    expect((await lab.evaluate('3 +')).text).toMatch(/^\[ERROR\] Error: Argument expected -> at 4/);
    expect(await lab.value('1 + 1')).toBe('2');
  });

  it('pauses with the stack standing, and goes on by a restart', async () => {
    await using lab = await withSqueak();
    const paused = await lab.evaluate('nil foo', { on_error: 'pause' });
    expect(paused.text).toMatch(/^\[PAUSED\] Message not understood: foo[\s\S]*\[Restarts\]\n {2}0: retry/);
    expect((await lab.call('debug', { action: 'restart', restart: 1, value: '40 + 2' })).head).toMatch(/^=> 42/);
  });

  it('is interrupted in an endless loop, and keeps its state', async () => {
    await using lab = await withSqueak();
    await lab.value('x := 5');
    expect((await lab.evaluate('[true] whileTrue: []', { timeout_ms: 200 })).head).toMatch(/^\[INTERRUPTED\] after 0.2 s/);
    expect(await lab.value('x')).toBe('5');
  });

  it('is ended and begun again where it cannot be interrupted, and says so', async () => {
    await using lab = await withSqueak();
    await lab.value('x := 5');
    // Above the bridge's own priority nothing else runs.
    const { text } = await lab.evaluate('Processor activeProcess priority: 8. [true] whileTrue: []', { timeout_ms: 200 });
    expect(text).toMatch(/^\[STATE LOST\] generation 2: it could not be interrupted\. 1 cell of work/);
    expect(await lab.value('3 + 4')).toBe('7');
  });

  it('begins again after it was killed, and says what is lost', async () => {
    await using lab = await withSqueak();
    await lab.value('x := 5');
    const running = lab.evaluate('[true] whileTrue: []');
    const pid = await eventuallyPid(lab);
    process.kill(pid, 'SIGKILL');
    expect((await running).head).toMatch(
      /^\[STATE LOST\] generation 2: it was ended by SIGKILL\. 1 cell of work and every value are gone\./,
    );
    await eventually(() => isAlive(pid)).toBe(false);
    expect(await lab.value('3 + 4')).toBe('7');
  });

  it('does not let one session disturb another', async () => {
    await using lab = await withSqueak();
    const other = await lab.open();
    await lab.value('x := 5');
    await lab.value('x := 6', { session: other });
    const looping = lab.evaluate('[true] whileTrue: []', { timeout_ms: 1_000 });
    expect(await lab.value('x', { session: other })).toBe('6');
    await looping;
    expect(await lab.value('x')).toBe('5');
  });
});

/** Of the only virtual machine that is ours. */
async function eventuallyPid(lab: Lab): Promise<number> {
  void lab;
  const { readdirSync, readFileSync } = await import('node:fs');
  let found = 0;
  await eventually(() => {
    const all = readdirSync(`/proc/${process.pid}/task`).flatMap((task) =>
      readFileSync(`/proc/${process.pid}/task/${task}/children`, 'latin1').split(' ').filter(Boolean).map(Number),
    );
    found = all.find((pid) => readFileSync(`/proc/${pid}/cmdline`, 'latin1').includes('squeakvm')) ?? 0;
    return found > 0;
  }).toBe(true);
  return found;
}
