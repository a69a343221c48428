// Methods that Amber itself is made of, written anew by a cell: its compiler may not survive it, the session does.
import { beforeAll, expect, it } from 'vitest';
import { smalltalk } from 'vivarium/live';
import { createTestClient } from 'vivarium/testing';
import { type Lab, onEachNode, openLab } from '../../../fixture.ts';
import { openSurface } from '../../../surface.ts';

onEachNode((node) => {
  let lab: Lab;
  beforeAll(async () => {
    lab = await openLab({ engines: [smalltalk({ node })] });
    await lab.value('kept := 42');
  });

  it.each([
    ['Number>>+', "Number compile: '+ other ^ self foo: other'"],
    ['Number>>+', "Number compile: '+ other ^ self foo: other'. nil bar"],
    ['Number>>+', 'Number removeCompiledMethod: (Number >> #+)'],
    ['Number>>+', "!Number methodsFor: 'x'!\n+ other\n\t^ self foo: other! !"],
    ['String>>,', "String compile: ', other [ true ] whileTrue'"],
    ['Compiler class>>new', "Compiler class compile: 'new ^ nil foo'"],
    ['BlockClosure>>value:', "BlockClosure compile: 'value: x ^ x'"],
    [
      'TBehaviorProvider>>methodOrganizationEnter:andLeave:',
      "TBehaviorProvider compile: 'methodOrganizationEnter: one andLeave: other ^ self foo'",
    ],
  ])('puts %s back where nothing could be evaluated after %s, and says so', async (name, code) => {
    const answer = await lab.evaluate(code);
    expect(answer.text).toBe(
      `[ERROR] KernelBroken: With this ${name} nothing can be evaluated any more: it was put back as it was before.`,
    );
    expect(answer.structured).toMatchObject({ status: 'error', generation: 1 });
    expect(await lab.value('kept + 1')).toBe('43');
  });

  it.each([
    ['Object>>printString', 'values cannot be shown', "Object compile: 'printString ^ self foo'"],
    ['Number>>printString', 'values cannot be shown', "Number compile: 'printString ^ self foo'"],
    ['Behavior>>printString', 'values cannot be shown', "Behavior compile: 'printString [ true ] whileTrue'"],
    ['Object>>printString', 'no cell with a number in it can be evaluated', "Object compile: 'printString ^ ''so: '', super printString'"],
  ])('puts %s back where %s after %s, and says that it is no more than that', async (name, what, code) => {
    expect((await lab.evaluate(code)).text).toBe(
      `[ERROR] KernelBroken: With this ${name} ${what} any more: it was put back as it was before.`,
    );
    expect(await lab.value('kept + 1')).toBe('43');
  });

  it('leaves the protocols of a class as they were where a method of it is put back', async () => {
    const protocols = '(BlockClosure protocols includes: #evaluating) printString, (BlockClosure protocols includes: #mine) printString';
    const before = await lab.value(protocols);
    expect((await lab.evaluate("BlockClosure compile: 'value: x ^ x' protocol: 'mine'")).text).toContain('KernelBroken');
    expect(await lab.value(protocols)).toBe(before);
  });

  it('leaves what a cell adds to the system or changes in it where everything works on', async () => {
    await lab.value("Number compile: 'double ^ self * 2'. Object compile: 'isString ^ false'");
    expect(await lab.value('3 double')).toBe('6');
    expect((await lab.evaluate("Number compile: '+ other ^ self foo: other'")).isError).toBe(true);
    expect(await lab.value('4 double')).toBe('8');
  });

  it.each([
    ['Array>>do:', "Array compile: 'do: aBlock [ true ] whileTrue'"],
    ['BlockClosure>>value:', "BlockClosure compile: 'value: x [ true ] whileTrue'"],
  ])('puts %s back, which an interrupted cell has changed, before the next one, which is to be evaluated again', async (name, code) => {
    expect((await lab.evaluate(code, { timeout_ms: 1_000 })).head).toContain('[INTERRUPTED]');
    const next = await lab.evaluate('kept');
    expect(next.text).toContain(`KernelBroken: With this ${name} nothing can be evaluated any more`);
    expect(next.text).toMatch(/ This cell was not run: evaluate it again\.$/);
    expect(await lab.value('kept')).toBe('42');
  });

  it('asks only once whether it works without a class that is gone', async () => {
    const session = await lab.open();
    await lab.value("Object subclass: #Tally. Tally class instanceVariableNames: 'n'", { session });
    await lab.value("Tally class compile: 'n ^ n ifNil: [ 0 ]'. Tally class compile: 'more n := self n + 1'", { session });
    await lab.value("Compiler class compile: 'new Tally more. ^ super new'", { session });
    const compiledByTwo = async (): Promise<number> =>
      -Number(await lab.value('Tally n', { session })) + Number(await lab.value('Tally n', { session }));
    const before = await compiledByTwo();
    await lab.value('Smalltalk removeClass: Random', { session });
    expect(await compiledByTwo()).toBe(before);
  });

  it('begins anew where a class it cannot do without is gone, and says which', async () => {
    const session = await lab.open();
    const answer = await lab.evaluate('Smalltalk removeClass: Compiler', { session });
    expect(answer.head).toMatch(/^\[STATE LOST\] generation 2/);
    expect(answer.text).toContain('there is no Compiler any more');
    expect(await lab.value('3 + 4', { session })).toBe('7');
  });
});

it('has no need of a tool that empties a session: the surface pharo goes on as well', async () => {
  const client = await createTestClient(openSurface({ surface: 'pharo', engines: [smalltalk()] }).server);
  const evaluate = async (expression: string): Promise<unknown> => (await client.callTool('evaluate', { expression })).content[0];
  await evaluate('kept := 42');
  expect(await evaluate("Number compile: '+ other ^ self foo: other'")).toMatchObject({
    text: 'Error: With this Number>>+ nothing can be evaluated any more: it was put back as it was before.',
  });
  expect(await evaluate('kept + 1')).toMatchObject({ text: '43' });
  await client.close();
});
