// What goes wrong in Smalltalk on Amber, and what is said about it.
import { beforeAll, describe, expect, it } from 'vitest';
import { smalltalk } from 'vivarium/live';
import { eventually, fenced, isAlive, type Lab, openLab } from '../../../../fixture.ts';

const open = (): Promise<Lab> => openLab({ engines: [smalltalk()], limits: { graceMs: 3_000 } });
/** A method with JavaScript in it, for what Smalltalk has no words for. */
const javascript = (code: string): string => `LiveWorkspace compile: 'run <inlineJS: ''${code.replaceAll("'", "''''")}''>'. self run`;

describe('in one session', () => {
  let lab: Lab;
  beforeAll(async () => {
    lab = await open();
  });

  it('takes what is printed past the Transcript as output, and nothing of it reaches the protocol', async () => {
    const { text } = await lab.evaluate(
      javascript(
        'process.getBuiltinModule("fs").writeSync(1, "raw\\n"); console.log("logged"); process.stdout.write("written\\n"); return 1',
      ),
    );
    expect(fenced(text).join('\n').split('\n').sort()).toEqual(['logged', 'raw', 'written']);
  });

  it.each(['null', 'undefined', '5', '"text"', 'Object.freeze({})', 'new Proxy({}, { get() { throw 1 } })', 'Symbol("s")'])(
    'tells of %s that was thrown in JavaScript',
    async (thrown) => {
      const { text, isError } = await lab.evaluate(javascript(`throw ${thrown}`));
      expect(isError).toBe(true);
      expect(text).toMatch(/^\[ERROR\]/);
      expect(await lab.value('1 + 1')).toBe('2');
    },
  );

  it.each([
    ['a collection that contains itself', 'a := OrderedCollection new. a add: a; yourself', /^=> /],
    [
      'a printString that fails',
      "Object subclass: #Mute slots: {} package: 'C'. Mute compile: 'printOn: s nil zork'. Mute new",
      /^=> a Mute/,
    ],
    ['a block', '[ :x | x ]', /^=> a BlockClosure/],
    ['a class', 'Object', /^=> Object/],
    ['a metaclass', 'Object class', /^=> Object class/],
    ['a foreign object', 'JSON parse: \'{"a":1}\'', /^=> /],
    ['a million elements', '(1 to: 1000000) asArray', /^=> an Array \(1 2 3 [\d ]+\) … 999900 more/],
    ['a sparse array', javascript('const a = []; a[99999999] = 1; return a'), /^=> an Array/],
    ['a revoked proxy', javascript('const r = Proxy.revocable({}, {}); r.revoke(); return r.proxy'), /^(?:=>|\[ERROR\])/],
    ['half a character', 'String fromCharCode: 55357', /^(?:=>|\[ERROR\])/],
  ])('prints %s in bounds', async (_, code, head) => {
    const { text } = await lab.evaluate(code);
    expect(text).toMatch(head);
    expect(text.length).toBeLessThan(15_000);
  });

  it('looks into a collection of a million elements a page at a time', async () => {
    await lab.value('million := (1 to: 1000000) asArray. 1');
    const { text, structured } = await lab.call('inspect', { target: 'million', offset: 999_990 });
    expect(text).toContain('  1000000: 1000000');
    expect(structured.truncated).toBeUndefined();
    expect((await lab.call('inspect', { target: 'million' })).text).toContain('… 999950 more: offset 50');
  });

  it('runs nothing of the user in order to inspect', async () => {
    await lab.value(
      "Object subclass: #Sly slots: {#n} package: 'C'. Sly compile: 'printOn: s n := 99. s nextPutAll: ''changed'''. sly := Sly new. 1",
    );
    expect((await lab.call('inspect', { target: 'sly' })).text).toMatch(/^#\d+ Sly: a Sly\(n: nil\)\n {2}n: nil$/);
    expect((await lab.call('inspect', { target: 'sly printString' })).isError).toBe(true);
    expect((await lab.call('inspect', { target: 'sly', path: ['n'] })).text).toContain('nil');
  });

  it('leaves the middle of a flood of output out, and says how much', async () => {
    const { text, structured } = await lab.evaluate("1 to: 100000 do: [ :each | Transcript show: 'line '; show: each; cr ]");
    expect(structured.truncated).toBe(true);
    expect(text).toMatch(/\[… \d+ characters left out …\]/);
    expect(text).toContain('line 100000');
    expect(text.length).toBeLessThan(25_000);
  });

  it('tells of what fails after the answer with the next one', async () => {
    // On a busy machine it may fail while the answer is still being written.
    let said = (await lab.evaluate('[ nil zork ] valueWithTimeout: 1. 1')).text;
    await eventually(async () => {
      said += (await lab.evaluate('1')).text;
      return said.includes('uncaught error');
    }).toBe(true);
    expect(said).toContain('MessageNotUnderstood');
    expect(await lab.value('1 + 1')).toBe('2');
  });

  it.each([
    ['nothing', '', 'nil'],
    ['blanks', ' \n\t ', 'nil'],
    ['only a comment', '"nothing"', 'nil'],
    ['line ends of others', '1 + 1.\r\n2 + 2', '4'],
    ['a long text', `'${'x'.repeat(1_000_000)}' size`, '1000000'],
  ])('takes %s', async (_, code, value) => {
    expect(await lab.value(code)).toBe(value);
  });

  it.each(['[[[[', '3 + + 4', ')', "'open", '"open', '#(1 2', '| a', '!', '^', 'a b: c d: ', '\u0000'])(
    'refuses %j in words',
    async (code) => {
      const { isError, text } = await lab.evaluate(code);
      expect(isError).toBe(true);
      expect(text).toMatch(/^\[ERROR\] \w+/);
    },
  );

  it('refuses code that is nested beyond measure, and lives on', async () => {
    const { isError } = await lab.evaluate(`${'('.repeat(20_000)}1${')'.repeat(20_000)}`);
    expect(isError).toBe(true);
    expect(await lab.value('1 + 1')).toBe('2');
  });

  it.each(["X compile: 'a'", "Foo'. process exit: 3. '", 'Object>>#zork', '!', "a'b"])('takes the name %j as data', async (name) => {
    const { text } = await lab.call('lookup', { name });
    expect(text).toMatch(/There is no|implementor/);
    expect(await lab.value('1 + 1')).toBe('2');
  });

  it('runs fifty evaluations in the order in which they came', async () => {
    await lab.value('seen := OrderedCollection new. 1');
    await Promise.all(Array.from({ length: 50 }, (_, at) => lab.evaluate(`seen add: ${at}`)));
    expect(await lab.value('seen = (0 to: 49) asArray')).toBe('true');
  });

  it('does not show secrets of the host', async () => {
    process.env['SMALLTALK_TEST_SECRET'] = 'very-secret-value';
    expect(await lab.value(javascript('return String(process.env.SMALLTALK_TEST_SECRET)'))).toBe("'undefined'");
  });
});

describe('between sessions', () => {
  it('keeps what one defines from the other', async () => {
    await using lab = await open();
    const other = await lab.open();
    await lab.value("Object subclass: #Private slots: {} package: 'P'. Object compile: 'mine ^ 1'. x := 1");
    expect((await lab.evaluate('Private new', { session: other })).head).toContain('(there is no Private)');
    expect((await lab.evaluate('3 mine', { session: other })).head).toContain('MessageNotUnderstood');
    expect((await lab.evaluate('x', { session: other })).head).toContain('x is not defined');
  });

  it('cancels what runs, and the next evaluation works', async () => {
    await using lab = await open();
    await lab.value('x := 5');
    const stop = new AbortController();
    const running = lab.evaluate('[ true ] whileTrue', {}, stop.signal);
    await eventually(async () => (await lab.call('sessions', { action: 'list' })).text.includes('busy')).toBe(true);
    stop.abort();
    await expect(running).rejects.toThrow();
    expect(await lab.value('x')).toBe('5');
  });

  it('leaves no process behind', async () => {
    const lab = await open();
    const pid = Number(await lab.value('process pid'));
    const child = Number(await lab.value(javascript('return process.getBuiltinModule("child_process").spawn("sleep", ["1000"]).pid')));
    expect(isAlive(child)).toBe(true);
    await lab.close();
    await eventually(() => isAlive(pid) || isAlive(child)).toBe(false);
  });

  it('replays what was saved, also what a cell that failed had done before', async () => {
    await using own = await openLab({ engines: [smalltalk()] });
    await own.value(
      "Object subclass: #Purse instanceVariableNames: 'coins' package: 'Bank'. Purse compile: 'add: n ^ coins := coins + n'. 1",
    );
    expect((await own.evaluate('purse := Purse new. purse add: 10')).isError).toBe(true);
    await own.value("Purse compile: 'add: n ^ coins := (coins ifNil: [ 0 ]) + n'. purse add: 3");
    await own.call('sessions', { action: 'save', name: 'purse' });
    const { text, structured } = await own.call('sessions', { action: 'restore', name: 'purse' });
    expect(text).toMatch(/^Replayed 3 of 3 cells .* 1 of them failed, as before\.$/);
    expect(await own.value('purse add: 0', { session: structured.session })).toBe('3');
  });

  it('replays what was saved', async () => {
    await using lab = await open();
    await lab.value("Object subclass: #Kept slots: {} package: 'K'. Kept compile: 'n ^ 42'. x := Kept new");
    await lab.call('sessions', { action: 'save', name: 'kept' });
    const { structured } = await lab.call('sessions', { action: 'restore', name: 'kept' });
    expect(await lab.value('x n', { session: structured.session })).toBe('42');
  });
});
