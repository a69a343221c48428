// The launch line and the adapter of Pharo against a program that only speaks its bridge's wire; no Pharo is run here.
import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { ownImage, pharo, smalltalk } from 'vivarium/live';
import { eventually, fenced, type Lab, openLab } from '../../fixture.ts';

const vm = fileURLToPath(new URL('./fake-vm.mjs', import.meta.url));

function imageFile(): string {
  const file = join(mkdtempSync(join(tmpdir(), 'live-pharo-')), 'Pharo.image');
  writeFileSync(file, '[]');
  return file;
}

const withFake = (env: Readonly<Record<string, string>> = {}, bootMs = 20_000): Promise<Lab> =>
  openLab({ engines: [pharo({ image: imageFile(), vm })], env, limits: { bootMs, graceMs: 3_000 } });

describe('an image that is started', () => {
  it('connects back and evaluates, with the variables a cell assigns declared for it', async () => {
    await using lab = await withFake();
    expect(await lab.value('3 + 4')).toBe('7');
    await lab.value('x := 5');
    expect(await lab.value('x + 1')).toBe('6');
    expect((await lab.call('lookup', { name: 'Counter' })).text).toBe('Object subclass: #Counter');
    expect((await lab.call('inspect', { target: 'x' })).text).toContain('5');
    expect(fenced((await lab.evaluate('show')).text)).toEqual(['shown']);
  });

  it('tells of errors with their receiver, and goes on from one by a restart with a value', async () => {
    await using lab = await withFake();
    expect((await lab.evaluate('fail')).text).toMatch(
      /^\[ERROR\] ZeroDivide: by zero\n {2}receiver: 1\n\[Backtrace\]\n {2}0: SmallInteger>>\//,
    );
    expect((await lab.evaluate('fail', { on_error: 'pause' })).text).toMatch(/\[Restarts\]\n {2}0: retry {2}again\n {2}1: return/);
    expect((await lab.call('debug', { action: 'restart', restart: 1, value: '42' })).head).toMatch(/^=> 42/);
  });

  it('is interrupted by its own means, and keeps its state', async () => {
    await using lab = await withFake();
    await lab.value('x := 5');
    expect((await lab.evaluate('forever', { timeout_ms: 100 })).head).toMatch(/^\[INTERRUPTED\]/);
    expect(await lab.value('x + 0')).toBe('5');
  });

  it('is begun again after its end, which is told with its reason', async () => {
    await using lab = await withFake();
    await lab.value('x := 5');
    expect((await lab.evaluate('die')).head).toMatch(/^\[STATE LOST\] generation 2: it exited with code 3\. 1 cell of work/);
    expect(await lab.value('1 + 1')).toBe('2');
  });

  it('is not believed any more once somebody else has written to its channel', async () => {
    await using lab = await withFake();
    expect((await lab.evaluate('forge')).head).toMatch(/^\[STATE LOST\] generation 2: code in it wrote to the private channel/);
  });

  it('saves a snapshot, and begins with it again', async () => {
    await using lab = await withFake();
    await lab.value('x := 41');
    expect((await lab.call('sessions', { action: 'save', name: 'kept' })).text).toContain('the whole image with its values');
    const restored = await lab.call('sessions', { action: 'restore', name: 'kept' });
    expect(await lab.value('x + 1', { session: restored.structured.session })).toBe('42');
  });

  it('runs tests in the image', async () => {
    await using lab = await withFake();
    expect((await lab.call('run_tests', {})).structured).toMatchObject({ status: 'passed', passed: 2 });
  });

  it('is refused what it cannot do, in words', async () => {
    await using lab = await withFake();
    const { text, isError } = await lab.call('reload');
    expect(isError).toBe(true);
    expect(text).toContain('This image does not know reload');
  });

  it('is not let in with another token', async () => {
    await using lab = await withFake({ FAKE_TOKEN: 'another' }, 1_000);
    const { text } = await lab.evaluate('1 + 1');
    expect(text).toMatch(/^\[ERROR\] Error: The image did not start/);
  });
});

describe('what has to be there', () => {
  it('says that there is no image', async () => {
    expect(pharo({ image: '/nowhere/Pharo.image', vm }).problem?.()).toBe('There is no image /nowhere/Pharo.image');
  });

  it('says that there is no virtual machine', async () => {
    expect(pharo({ image: imageFile(), vm: '/nowhere/pharo' }).problem?.()).toMatch(/^\/nowhere\/pharo cannot be run/);
  });
});

describe("an image of the user's own", () => {
  it('finds port and token in a file that only its owner can read, and is left alone at the end', async () => {
    const lab = await openLab({ engines: [ownImage()] });
    const file = join(lab.folder, '.vivarium', 'image.json');
    const first = lab.evaluate('3 + 4');
    await eventually(() => existsSync(file)).toBe(true);
    expect(statSync(file).mode & 0o777).toBe(0o600);
    const child = spawn(process.execPath, [vm], { env: { ...process.env, FAKE_OWN_IMAGE: file }, stdio: 'ignore' });
    expect((await first).head).toMatch(/^=> 7/);
    expect((await lab.call('sessions', { action: 'reset' })).text).toContain('it cannot be emptied from here');
    const ended = new Promise((resolve) => child.once('exit', (code, signal) => resolve({ code, signal })));
    await lab.close();
    // It hung up because we did, and nobody ended it.
    expect(await ended).toEqual({ code: 0, signal: null });
    expect(existsSync(file)).toBe(false);
  });

  it.each([
    ['wrote something that is not its own', 'forge', {}],
    ['could not be interrupted', 'stuck', { timeoutMs: 100, graceMs: 100 }],
  ])('connects again after one that %s was cut off', async (_, code, limits) => {
    await using lab = await openLab({ engines: [ownImage()], limits });
    const file = join(lab.folder, '.vivarium', 'image.json');
    const begin = async (): Promise<void> => {
      await eventually(() => existsSync(file)).toBe(true);
      spawn(process.execPath, [vm], { env: { ...process.env, FAKE_OWN_IMAGE: file }, stdio: 'ignore' });
    };
    const [first] = await Promise.all([lab.evaluate(code), begin()]);
    expect(first.head).toMatch(/^\[STATE LOST\] generation 2: .*\. If the program still runs, it has what it had/);
    const [second] = await Promise.all([lab.evaluate('3 + 4'), begin()]);
    expect(second.text).toMatch(/^=> 7/);
  });

  it('is waited for by each session apart: the end of one takes nothing from the other', async () => {
    await using lab = await openLab({ engines: [ownImage()] });
    const file = join(lab.folder, '.vivarium', 'image.json');
    const written = (): string => (existsSync(file) ? readFileSync(file, 'utf8') : '');
    const begin = (): unknown => spawn(process.execPath, [vm], { env: { ...process.env, FAKE_OWN_IMAGE: file }, stdio: 'ignore' });
    const first = lab.evaluate('3 + 4');
    await eventually(written).toContain('token');
    const before = written();
    begin();
    expect((await first).head).toMatch(/^=> 7/);
    const session = await lab.open();
    const second = lab.evaluate('4 + 4', { session });
    await eventually(() => ![before, ''].includes(written())).toBe(true);
    await lab.call('sessions', { action: 'close', session: 'main' });
    begin();
    expect((await second).head).toMatch(/^=> 8/);
  });

  it('is told what to do where it has not connected', async () => {
    await using lab = await openLab({ engines: [ownImage()], limits: { bootMs: 300 } });
    const { text } = await lab.evaluate('3 + 4');
    expect(text).toContain('VivariumBridge connectIn:');
    expect(text).toContain('bridge.st');
  });
});

describe('the bridge that is shipped', () => {
  const folder = fileURLToPath(new URL('../../../../src/live/languages/smalltalk/pharo/', import.meta.url));

  it.each(['bridge.st', 'debugger.st', 'tools.st'])('%s is short, and says that it has not been run on Pharo where it begins', (name) => {
    const text = readFileSync(join(folder, name), 'utf8');
    expect(text.split('\n').length).toBeLessThanOrEqual(150);
    if (name === 'bridge.st') expect(text.slice(0, 400)).toContain('has not been run');
  });

  it('is Smalltalk: every method of it can be read by a compiler', async () => {
    await using lab = await openLab({ engines: [smalltalk()] });
    for (const name of ['bridge.st', 'debugger.st', 'tools.st']) {
      const methods = methodsIn(readFileSync(join(folder, name), 'utf8'));
      expect(methods.length).toBeGreaterThan(5);
      // Amber has no literal for bytes.
      for (const source of methods.map((one) => one.replace('#[127 0 0 1]', '#(127 0 0 1)')))
        expect(await lab.value(`Compiler new parse: '${source.replaceAll("'", "''")}'. true`)).toBe('true');
    }
  });
});

it('the bridge names only classes that the sources of Pharo 10, 11, 12 and 13 all have', () => {
  const folder = fileURLToPath(new URL('../../../../src/live/languages/smalltalk/pharo/', import.meta.url));
  const text = ['bridge.st', 'debugger.st', 'tools.st'].map((name) => readFileSync(join(folder, name), 'utf8')).join('\n');
  const code = text.replace(/"[^"]*"|'(?:[^']|'')*'|#\w+/g, ' ');
  const named = new Set([...code.matchAll(/\b[A-Z]\w*/g)].map(([name]) => name).filter((name) => !name.startsWith('Vivarium')));
  // Looked up in those sources; Workspace is a variable of the bridge.
  expect([...named].sort()).toEqual([
    'Dictionary',
    'Error',
    'Halt',
    'Mutex',
    'Object',
    'OrderedCollection',
    'Processor',
    'STONJSON',
    'Semaphore',
    'Smalltalk',
    'SocketStream',
    'String',
    'SystemNavigation',
    'SystemVersion',
    'TestCase',
    'TestFailure',
    'TestSkipped',
    'UnhandledError',
    'Workspace',
  ]);
});

/** The chunks between `!Class methodsFor: 'x'!` and `! !`. */
function methodsIn(text: string): string[] {
  return [...text.matchAll(/^!\w+(?: class)? methodsFor: '[^']*'!\n([\s\S]*?)! !$/gm)].flatMap(([, body = '']) =>
    body.split(/!\n/).map((one) => one.trim()),
  );
}
