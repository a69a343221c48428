// What is kept, what is let go of, and what is said about it, when sessions begin, end and overlap.
import { spawn } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it, onTestFinished } from 'vitest';
import { eventually, isAlive, openLab } from '../../fixture.ts';

const cli = fileURLToPath(new URL('../../../../dist/cli/main.js', import.meta.url));
const pidOf = async (value: Promise<string>): Promise<number> => Number(await value);

it('An evaluation that nobody saw the end of is told before the next one', async () => {
  await using lab = await openLab();
  await lab.evaluate('1');
  await lab.evaluate("await new Promise((r) => setTimeout(r, 200)); console.log('important'); 'first'", { wait_ms: 0 });
  await lab.evaluate("'second'", { wait_ms: 0 });
  const seen: string[] = [];
  await eventually(async () => {
    const { text, isError } = await lab.call('evaluate', { wait_ms: 1_000 });
    if (!isError) seen.push(text);
    return seen.join('\n');
  }).toMatch(/'first'[\s\S]*important[\s\S]*'second'/);
});

it('A session of a connection that expired is said to be lost, not silently begun anew', async () => {
  await using lab = await openLab({ limits: { idleMs: 200 } });
  await lab.evaluate('const x = 1');
  await eventually(async () => (await lab.call('sessions', { action: 'list' })).text).toContain('No session is open');
  const { text, structured } = await lab.evaluate('typeof x');
  expect([text, structured.generation]).toEqual([expect.stringContaining('[STATE LOST] generation 2'), 2]);
});

describe('a session that is closed', () => {
  it('while it boots leaves no process behind', async () => {
    await using lab = await openLab();
    const file = join(lab.folder, 'pid.mjs');
    writeFileSync(
      file,
      "import { writeFileSync } from 'node:fs';\nwriteFileSync('pid', String(process.pid));\nawait new Promise((r) => setTimeout(r, 60_000));\n",
    );
    await using loading = await openLab({ cwd: lab.folder, load: ['pid.mjs'], limits: { bootMs: 30_000 } });
    await loading.evaluate('1', { wait_ms: 0 });
    const { readFileSync } = await import('node:fs');
    let pid = 0;
    await eventually(() => {
      try {
        pid = Number(readFileSync(join(lab.folder, 'pid'), 'utf8'));
      } catch {
        pid = 0;
      }
      return pid;
    }).toBeGreaterThan(0);
    await loading.call('sessions', { action: 'close' });
    await eventually(() => isAlive(pid)).toBe(false);
  });

  it('answers though something it started holds its output open', async () => {
    await using lab = await openLab();
    const started = await pidOf(
      // It has left altogether: nothing tells any more whose it is.
      lab.value(
        "Number(require('node:child_process').execFileSync('sh', ['-c', 'setsid sleep 60 >&2 & echo $!'], { stdio: ['ignore', 'pipe', 'inherit'] }))",
      ),
    );
    onTestFinished(() => {
      if (isAlive(started)) process.kill(started, 'SIGKILL');
    });
    expect((await lab.call('sessions', { action: 'reset' })).text).toContain('is empty');
    expect(isAlive(started)).toBe(true);
  });

  it('does not say of what waited in it that anything was kept', async () => {
    await using lab = await openLab();
    const session = await lab.open();
    const running = lab.evaluate('await new Promise(() => {})', { session });
    const waiting = lab.evaluate('2', { session });
    await eventually(async () => (await lab.call('sessions', { action: 'list' })).text).toContain('1 waiting');
    const { structured } = await lab.call('sessions', { action: 'list' });
    expect(structured).toMatchObject({ sessions: [{ session, language: 'javascript', state: 'busy', queued: 1 }] });
    await lab.call('sessions', { action: 'close', session });
    for (const { text } of [await running, await waiting]) expect(text).not.toContain('kept');
  });
});

describe('a file that every image begins with', () => {
  it('and that never comes to its end does not hold up what follows', async () => {
    await using lab = await openLab();
    writeFileSync(join(lab.folder, 'stuck.mjs'), 'setInterval(() => {}, 1_000);\nawait new Promise(() => {});\n');
    await using stuck = await openLab({ cwd: lab.folder, load: ['stuck.mjs'], limits: { bootMs: 3_000 } });
    const { text } = await stuck.evaluate('1 + 1');
    expect(text).toMatch(/^=> 2[\s\S]*stuck\.mjs has not come to its end/);
  });

  it('may be called as a word of the language', async () => {
    await using lab = await openLab();
    writeFileSync(join(lab.folder, 'class.mjs'), 'export const one = 1;\n');
    await using loaded = await openLab({ cwd: lab.folder, load: ['class.mjs'] });
    expect(await loaded.value('class_.one')).toBe('1');
  });
});

it('Values that were shown do not fill the memory', async () => {
  await using lab = await openLab({ limits: { heapMb: 96 } });
  for (let time = 0; time < 30; time++) expect(await lab.value('new Array(1e6).fill(0).length && new Array(1e6).fill(0)')).toContain('[');
  expect((await lab.evaluate('1')).structured.generation).toBe(1);
});

it('A name of a hundred thousand blanks costs the server nothing', async () => {
  await using lab = await openLab();
  await lab.evaluate("globalThis.o = { [' '.repeat(1e6)]: 1 }; 0");
  await lab.call('inspect', { target: 'o' });
  await lab.evaluate("const e = new Error('x'); e.name = ' '.repeat(1e6); throw e");
  expect(await lab.value('1')).toBe('1');
});

it('Code that is nested too deeply is refused, and types are taken out of other code as before', async () => {
  await using lab = await openLab();
  expect((await lab.evaluate(`${'('.repeat(20_000)}1${')'.repeat(20_000)}`)).head).toContain('nested too deeply');
  expect(await lab.value('const z: number = 5; z')).toBe('5');
});

it('A command that hangs is ended, and the session is kept', async () => {
  await using lab = await openLab({ limits: { graceMs: 3_000 } });
  await lab.evaluate('const keep = 42');
  const { head } = await lab.evaluate("require('node:child_process').execSync('sleep 60')", { timeout_ms: 500 });
  expect(head).toMatch(/^\[(?:INTERRUPTED|ERROR)\]/);
  expect(await lab.value('keep')).toBe('42');
});

it('Looking at something runs no getter, however deep it lies', async () => {
  await using lab = await openLab();
  await lab.evaluate("globalThis.ran = 0; globalThis.q = { inner: { get [Symbol.toStringTag]() { ran++; return 'x'; } } }; 0");
  await lab.call('inspect', { target: 'q' });
  expect(await lab.value('ran')).toBe('0');
});

it('A value that was computed once is not said to be new', async () => {
  await using lab = await openLab();
  mkdirSync(join(lab.folder, 'src'));
  const file = join(lab.folder, 'src/a.mjs');
  writeFileSync(file, 'export const doubled = [1, 2].map((x) => x * 2);\nexport const once = (() => 1)();\n');
  await lab.evaluate("import { doubled, once } from './src/a.mjs'");
  writeFileSync(file, 'export const doubled = [1, 2].map((x) => x * 3);\nexport const once = (() => 1)();\n');
  expect((await lab.call('reload')).text).toMatch(/keeps its value|imported anew/);
  writeFileSync(file, 'export const doubled = [1, 2].map((x) => x * 3);\nexport const once = (() => 2)();\n');
  await lab.call('reload');
  expect(await lab.value('once')).toBe('2');
});

it('Images end with a server that was killed, whatever they are doing', async () => {
  await using lab = await openLab();
  const server = spawn(process.execPath, [cli, 'live', '--cwd', lab.folder, '--state', join(lab.folder, 'state')], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  onTestFinished(() => void server.kill('SIGKILL'));
  const ask = (id: number, method: string, params: object): void =>
    void server.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', id, method, params })}\n`);
  let said = '';
  server.stdout.on('data', (data) => {
    said += String(data);
  });
  ask(1, 'initialize', { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 't', version: '1' } });
  ask(2, 'tools/call', { name: 'evaluate', arguments: { code: 'process.pid' } });
  await eventually(() => said).toMatch(/=> \d+/);
  const image = Number(/=> (\d+)/.exec(said)?.[1]);
  ask(3, 'tools/call', { name: 'evaluate', arguments: { code: 'while (true) {}', wait_ms: 0 } });
  await eventually(() => said).toContain('RUNNING');
  server.kill('SIGKILL');
  await eventually(() => isAlive(image)).toBe(false);
});

it('What was saved is restored in the language it was written in, cell by cell', async () => {
  await using lab = await openLab();
  // As JavaScript this compares with a name that does not exist.
  await lab.value('const same = (n: number) => n; same<number>(42)', { language: 'typescript' });
  await lab.value('const more = 1');
  await lab.call('sessions', { action: 'save', name: 'typed' });
  const { text, structured } = await lab.call('sessions', { action: 'restore', name: 'typed' });
  expect(text).toContain('Replayed 2 of 2 cells');
  expect(await lab.value('same(more)', { session: structured.session })).toBe('1');
});
