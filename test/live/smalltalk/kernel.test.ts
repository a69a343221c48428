// Methods that Amber itself is made of, written anew by a cell: its compiler may not survive it, the session does.
import { beforeAll, expect, it } from 'vitest';
import { smalltalk } from 'vivarium/live';
import { createTestClient } from 'vivarium/testing';
import { type Lab, onEachNode, openLab } from '../fixture.ts';
import { openSurface } from '../surface.ts';

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
    ['Object>>printString', "Object compile: 'printString ^ self foo'"],
    ['Object>>printString', "Object compile: 'printString ^ ''so: '', super printString'"],
    ['String>>,', "String compile: ', other [ true ] whileTrue'"],
    ['Compiler class>>new', "Compiler class compile: 'new ^ nil foo'"],
  ])('puts %s back where nothing could be evaluated after %s, and says so', async (name, code) => {
    const answer = await lab.evaluate(code);
    expect(answer.text).toBe(
      `[ERROR] KernelBroken: With this ${name} nothing can be evaluated any more: it was put back as it was before.`,
    );
    expect(answer.structured).toMatchObject({ status: 'error', generation: 1 });
    expect(await lab.value('kept + 1')).toBe('43');
  });

  it('leaves what a cell adds to the system or changes in it where everything works on', async () => {
    await lab.value("Number compile: 'double ^ self * 2'. Object compile: 'isString ^ false'");
    expect(await lab.value('3 double')).toBe('6');
    expect((await lab.evaluate("Number compile: '+ other ^ self foo: other'")).isError).toBe(true);
    expect(await lab.value('4 double')).toBe('8');
  });

  it('puts back what an interrupted cell has changed, before the next one, which is to be evaluated again', async () => {
    expect((await lab.evaluate("Array compile: 'do: aBlock [ true ] whileTrue'", { timeout_ms: 1_000 })).head).toContain('[INTERRUPTED]');
    expect((await lab.evaluate('kept')).text).toMatch(/KernelBroken: With this Array>>do: .* This cell was not run: evaluate it again\.$/);
    expect(await lab.value('kept')).toBe('42');
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
