// Smalltalk on Amber, as someone at work in it sees it.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { smalltalk } from 'vivarium/live';
import { type Lab, onEachNode, openLab } from '../../../fixture.ts';

onEachNode((node) => {
  let lab: Lab;
  beforeAll(async () => {
    lab = await openLab({ engines: [smalltalk({ node })] });
  });

  describe('cells', () => {
    it.each([
      ['3 + 4', '7'],
      ["'it''s'", "'it''s'"],
      ['nil', 'nil'],
      ['', 'nil'],
      ['"only a comment"', 'nil'],
      ['1. 2. 3', '3'],
      ['^ 5', '5'],
      ['#(1 2 3) collect: [ :each | each * each ]', 'an Array (1 4 9)'],
      ['Promise new: [ :model | [ model value: 3 ] valueWithTimeout: 10 ]', '3'],
    ])('answers %s with %s', async (code, value) => {
      expect(await lab.value(code)).toBe(value);
    });

    it('keeps variables that are assigned, and those that are declared', async () => {
      await lab.value('x := 5');
      await lab.value('| y |\ny := x + 1');
      expect(await lab.value('x + y')).toBe('11');
    });

    it('keeps a variable apart from the parameter of a block with the same name', async () => {
      await lab.value('x := 5');
      expect(await lab.value('#(1 2) collect: [ :x | x ]')).toBe('an Array (1 2)');
      expect(await lab.value('x')).toBe('5');
    });

    it('says where code cannot be read', async () => {
      const { text, isError } = await lab.evaluate('x := 3.\n#(1 2');
      expect(isError).toBe(true);
      expect(text).toMatch(/^\[ERROR\] ParseError: Unexpected end of the code\n\[Backtrace\]\n {2}0: \(top level\) \(cell:2:/);
    });

    it.each([
      ["'abc", '1:5'],
      ['x := 3.\n[ :y | y', '2:9'],
      ['#(1 2', '1:6'],
    ])('places the end of %s, which is not closed, at %s', async (code, place) => {
      expect((await lab.evaluate(code)).text).toContain(`Unexpected end of the code\n[Backtrace]\n  0: (top level) (cell:${place})`);
    });

    it('names a variable that nobody has assigned', async () => {
      expect((await lab.evaluate('zork + 1')).head).toBe('[ERROR] UnknownVariableError: Unknown Variable error: zork is not defined');
    });

    it('names a class that is not there, where nil was sent a message in its place', async () => {
      expect((await lab.evaluate('Zork new')).head).toContain('(there is no Zork)');
    });

    it('gives what the Transcript shows as output', async () => {
      expect((await lab.evaluate("Transcript show: 'a'; show: 'b'; cr; show: 'c'. nil")).text).toMatch(
        /^=> nil\n--- output \w+\nab\nc\n--- end/,
      );
    });

    it('has the last value in it and the last error in err', async () => {
      await lab.value('6 * 7');
      expect(await lab.value('it + 1')).toBe('43');
      await lab.evaluate("Error signal: 'boom'");
      expect(await lab.value('err messageText')).toBe("'boom'");
    });
  });

  describe('errors', () => {
    it('tells of the receiver and its variables, and of the contexts', async () => {
      await lab.value("Object subclass: #Meter instanceVariableNames: 'count' classVariableNames: '' package: 'Demo'");
      await lab.value("Meter compile: 'increment ^ count := count + 1' classified: 'counting'");
      const { text } = await lab.evaluate('m := Meter new. #(1) do: [ :each | m increment ]');
      expect(text).toMatch(/^\[ERROR\] MessageNotUnderstood: nil does not understand #\+\n {2}receiver: a Meter \{ count: nil \}/);
      expect(text).toMatch(/0: Meter>>increment\n {2}1: \[\] in cell\n/);
    });

    it('holds a cell that fails, looks around in its frames, and runs it again once it is mended', async () => {
      await lab.value("m := Meter new. Meter compile: 'twice: n ^ count * n'. 1");
      const paused = await lab.evaluate('m twice: 21', { on_error: 'pause' });
      expect(paused.structured.status).toBe('paused');
      expect(paused.text).toMatch(/0: Meter>>twice:\n {6}self = a Meter\(count: nil\)\n {6}n = 21/);
      expect((await lab.call('debug', { action: 'eval', frame: 0, code: 'count isNil and: [ n = 21 ]' })).head).toBe('=> true');
      expect((await lab.call('debug', { action: 'eval', frame: 0, code: 'count := 2' })).head).toBe('=> 2');
      expect((await lab.call('debug', { action: 'frames' })).text).toMatch(/0: Meter>>twice:\n {6}self = a Meter\(count: 2\)\n {6}n = 21/);
      expect((await lab.evaluate('1')).text).toMatch(/is paused at .*: debug\(action: eval, restart or abort\) first$/);
      expect((await lab.call('debug', { action: 'restart', restart: 0 })).head).toBe('=> 42');
    });

    it('lets a cell answer a value instead', async () => {
      await lab.evaluate('nil zork', { on_error: 'pause' });
      expect((await lab.call('debug', { action: 'restart', restart: 1, value: '40 + 2' })).head).toBe('=> 42');
    });

    it('gives a cell up', async () => {
      await lab.evaluate('nil zork', { on_error: 'pause' });
      expect((await lab.call('debug', { action: 'restart', restart: 2 })).structured.status).toBe('interrupted');
      expect(await lab.value('1 + 1')).toBe('2');
    });
  });

  it('says that a block cannot return from a cell that has ended', async () => {
    await lab.value('back := [ :x | ^ x ]');
    expect((await lab.evaluate('back value: 3')).head).toBe(
      '[ERROR] BlockCannotReturn: The cell or method that the block returns from has ended',
    );
  });

  it('has traits, which are looked up like classes', async () => {
    await lab.value("Trait named: #TShiny package: 'Shop'. TShiny compile: 'shine ^ 42'");
    await lab.value(
      "Object subclass: #Lamp instanceVariableNames: '' package: 'Shop'. Lamp setTraitComposition: { TShiny } asTraitComposition. nil",
    );
    expect(await lab.value('Lamp new shine')).toBe('42');
    expect((await lab.call('lookup', { name: 'TShiny' })).text).toBe('trait TShiny in Shop\n1 method');
    expect((await lab.call('lookup', { name: 'TShiny', want: 'source' })).text).toContain('shine ^ 42');
  });

  describe('files', () => {
    const file = (body: string): string =>
      `Object subclass: #Filed slots: {#n} package: 'Filed'!\n!Filed methodsFor: 'a'!\nfirst\n\t^ ${body}\n!\nsecond\n\t^ 2\n! !\n`;

    it('swaps an edited file in, and its instances stay', async () => {
      const path = join(lab.folder, 'Filed.st');
      writeFileSync(path, file('1'));
      await lab.value("self fileIn: 'Filed.st'. f := Filed new. 1");
      expect(await lab.value('f first')).toBe('1');
      expect((await lab.call('reload')).text).toBe('Nothing has changed.');
      writeFileSync(path, file('10').replace('!\nsecond\n\t^ 2\n', '!\nthird\n\t^ 3\n'));
      expect((await lab.call('reload')).text).toBe('swapped Filed.st: Filed>>first, Filed>>third, Filed>>second (removed)');
      expect(await lab.value('f first + f third')).toBe('13');
      expect((await lab.evaluate('f second')).head).toContain('MessageNotUnderstood');
    });

    it('says which part of a file cannot be read', async () => {
      writeFileSync(join(lab.folder, 'Filed.st'), file('('));
      const { text, isError } = await lab.call('reload');
      expect(isError).toBe(true);
      expect(text).toContain('Filed.st could not be read to its end: Parse error');
    });
  });

  describe('tests', () => {
    it('runs SUnit in the image, and says what failed', async () => {
      await lab.value(
        "TestCase subclass: #MeterTest slots: {} package: 'Demo-Tests'. MeterTest compile: 'testOne self assert: 1 equals: 2'",
      );
      await lab.value("MeterTest compile: 'testTwo self assert: true'. MeterTest compile: 'testThree nil zork'");
      const { text, structured } = await lab.call('run_tests', {});
      expect(structured).toMatchObject({ status: 'failed', passed: 1, failed: 2, skipped: 0 });
      expect(text).toContain('✗ MeterTest>>testOne  (MeterTest>>testOne)\n    Expected: 2 but was: 1');
      expect(text).toContain('MessageNotUnderstood: nil does not understand #zork');
      expect((await lab.call('run_tests', { name: 'testTwo' })).structured).toMatchObject({ status: 'passed', passed: 1, failed: 0 });
    });
  });

  describe('resources', () => {
    it('gives a class, a method and a package at an address', async () => {
      await lab.value(
        "Object subclass: #Shown instanceVariableNames: 'a' package: 'Shown-Package'. Shown compile: 'answer ^ 42' protocol: 'answers'",
      );
      const read = async (uri: string): Promise<string> => ((await lab.client.readResource(uri)).contents[0] as { text: string }).text;
      expect(await read('live://class/main/Shown')).toMatch(/^class Shown in Shown-Package[\s\S]*answers: answer/);
      expect(await read('live://method/main/Shown%3E%3Eanswer')).toMatch(
        /^method Shown>>answer in the protocol answers[\s\S]*answer \^ 42$/,
      );
      expect(await read('live://package/main/Shown-Package')).toMatch(/^package Shown-Package: 1 class\n {2}Shown {2}1 method/);
      await expect(read('live://class/main/Zork')).rejects.toThrow();
      await expect(read('live://object/main/99999')).rejects.toMatchObject({ code: -32602 });
    });
  });
});
