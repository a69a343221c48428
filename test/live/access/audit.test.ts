// The audit of evaluations: what a record has in it, and that nothing runs without one.
import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { type AuditEnd, type AuditRecord, type AuditStart, createLive, smalltalk } from 'vivarium/live';
import { createTestClient } from 'vivarium/testing';
import { eventually, type Lab, type LabOptions, openLab } from '../fixture.ts';

interface Kept {
  readonly lab: Lab;
  readonly records: AuditRecord[];
  starts(operation?: string): AuditStart[];
  endOf(start: AuditStart | undefined): AuditEnd | undefined;
}

async function openAudited(options: LabOptions = {}): Promise<Kept> {
  const records: AuditRecord[] = [];
  const lab = await openLab({ audit: (record) => void records.push(record), ...options });
  return {
    lab,
    records,
    starts: (operation) =>
      records.filter((one): one is AuditStart => one.event === 'start' && (operation === undefined || one.operation === operation)),
    endOf: (start) => records.find((one): one is AuditEnd => one.event === 'end' && one.id === start?.id),
  };
}

describe('a record', () => {
  it('says who asked for what, where and when, and how it ended', async () => {
    const { lab, starts, endOf } = await openAudited();
    await lab.evaluate('6 * 7');
    const [start] = starts('evaluate');
    expect(start).toMatchObject({
      transport: 'stdio',
      client: expect.stringMatching(/\S \S/),
      request: 'tools/call evaluate',
      session: 'main',
      generation: 1,
      language: 'javascript',
      text: '6 * 7',
      sha256: createHash('sha256').update('6 * 7').digest('hex'),
    });
    expect(new Date(start?.time ?? '').toISOString()).toBe(start?.time);
    expect(endOf(start)).toMatchObject({ outcome: 'ok', line: '42', ms: expect.any(Number) });
  });

  it.each([
    ['throw new Error("no\\nsecond line")', {}, 'error', 'Error: no'],
    ['let = ;', {}, 'error', /^SyntaxError: /],
    ['for (;;);', { timeout_ms: 300 }, 'interrupted', 'timeout'],
    ['process.exit(3)', {}, 'lost', /./],
  ])('of %j has its outcome', async (code, args, outcome, line) => {
    const { lab, starts, endOf } = await openAudited();
    await lab.evaluate(code, args);
    expect(endOf(starts('evaluate')[0])).toMatchObject({
      outcome,
      line: typeof line === 'string' ? line : expect.stringMatching(line),
    });
  });

  it('has a long text whole, in records of bounded size, and its hash', async () => {
    const { lab, starts, records } = await openAudited();
    const code = `/* ${'x'.repeat(1_000_000)} */ 1`;
    await lab.evaluate(code);
    const [start] = starts('evaluate');
    const rest = records.filter((record) => record.event === 'text');
    expect([start?.text, ...rest.map(({ text }) => text)].join('')).toBe(code);
    expect(rest.map(({ id, part }) => [id, part])).toEqual(Array.from({ length: start?.more ?? 0 }, (_, at) => [start?.id, at + 1]));
    expect(Math.max(...rest.map(({ text }) => text.length))).toBeLessThanOrEqual(65_536);
    expect(start?.sha256).toBe(createHash('sha256').update(code).digest('hex'));
  });

  it('is made of images that begin, of files they begin with, of replayed sessions, of debugging, reloads and tests', async () => {
    const { lab, starts, endOf } = await openAudited({ load: ['app.mjs'], tools: ['run_tests'], cwd: await projectWithTests() });
    await lab.evaluate('let n = 1');
    await lab.evaluate('n.fails()');
    expect(starts('boot')).toHaveLength(1);
    expect(starts('load')).toMatchObject([{ text: expect.stringContaining('app.mjs') }]);
    await lab.evaluate('throw new Error("x")', { on_error: 'pause' });
    await lab.call('debug', { action: 'eval', code: 'n + 1' });
    await lab.call('debug', { action: 'abort' });
    const [debug] = starts('debug');
    expect(JSON.parse(debug?.text ?? '')).toMatchObject({ action: 'eval', code: 'n + 1' });
    expect(endOf(debug)).toMatchObject({ outcome: 'ok', line: '2' });
    await lab.call('reload', { files: ['app.mjs'] });
    expect(endOf(starts('reload')[0])?.outcome).toBe('ok');
    await lab.call('run_tests');
    expect(endOf(starts('run_tests')[0])).toMatchObject({ outcome: 'ok', line: '1 passed, 0 failed' });
    await lab.call('sessions', { action: 'save', name: 'kept' });
    const before = starts('evaluate').length;
    await lab.call('sessions', { action: 'restore', name: 'kept' });
    const replayed = starts('evaluate').slice(before);
    expect(replayed.map(({ text, request }) => [text, request])).toEqual([
      ['let n = 1', 'tools/call sessions'],
      ['n.fails()', 'tools/call sessions'],
    ]);
  });

  it('names the caller of a queued evaluation, not of the one it waited for', async () => {
    const records: AuditRecord[] = [];
    await using live = createLive({ single: true, audit: (record) => void records.push(record) });
    const [one, two] = await Promise.all(['one', 'two'].map((name) => createTestClient(live.server, { client: { name, version: '1' } })));
    const [first, second] = [
      one?.callTool('evaluate', { code: 'await new Promise((done) => setTimeout(done, 300)); process.exit(1)' }),
      two?.callTool('evaluate', { code: '2' }),
    ];
    await Promise.allSettled([first, second]);
    const boots = records.filter((record): record is AuditStart => record.event === 'start' && record.operation === 'boot');
    expect(boots.map(({ client }) => client)).toEqual(['one 1', 'two 1']);
    await one?.close();
    await two?.close();
  });
});

describe('of programs and surfaces of others', () => {
  it('there is a record of joining a running program, before anything is done to it', async () => {
    const child = spawn(process.execPath, ['--inspect=127.0.0.1:0', '-e', 'setInterval(() => {}, 1000)'], {
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    onTestFinished(() => void child.kill('SIGKILL'));
    const [said] = (await once(child.stderr, 'data')) as [Buffer];
    const { host } = new URL(/ws:\/\/\S+/.exec(String(said))?.[0] ?? '');
    const { lab, starts, endOf } = await openAudited({ attach: [host] });
    await lab.evaluate('process.pid', { session: `inspector-${host.split(':').at(-1)}` });
    expect(starts().map(({ operation }) => operation)).toEqual(['evaluate', 'attach']);
    expect(endOf(starts('evaluate')[0])).toMatchObject({ outcome: 'ok', line: String(child.pid) });
  });

  it('there is a record of what a surface of another server evaluates', async () => {
    const { lab, starts } = await openAudited({ engines: [smalltalk()], surface: 'pharo' });
    await lab.call('evaluate', { expression: '3 + 4' });
    expect(starts('evaluate')).toMatchObject([{ text: '3 + 4', language: 'smalltalk', request: 'tools/call evaluate' }]);
  });
});

describe('without a record', () => {
  it('nothing is evaluated, and the caller is told why', async () => {
    let full = false;
    await using lab = await openLab({
      audit: () => {
        if (full) throw Object.assign(new Error('a path nobody should see'), { code: 'ENOSPC' });
      },
    });
    await lab.value('let kept = 1');
    full = true;
    const { code } = lab.mark();
    const refused = await lab.evaluate(code);
    expect(refused).toMatchObject({ isError: true });
    expect(refused.text).toContain('the audit log cannot be written (ENOSPC). Nothing was run.');
    expect(refused.text).not.toContain('nobody should see');
    expect((await lab.call('reload')).isError).toBe(true);
    expect((await lab.call('inspect', { target: 'kept' })).isError).toBe(true);
    full = false;
    expect(await lab.value('kept + 1')).toBe('2');
    expect(existsSync(join(lab.folder, 'mark-1'))).toBe(false);
  });

  it('of how an evaluation ended, the next answer says so', async () => {
    await using lab = await openLab({
      audit: ({ event }) => {
        if (event === 'end') throw Object.assign(new Error('full'), { code: 'ENOSPC' });
      },
    });
    await lab.evaluate('1');
    await eventually(async () => (await lab.evaluate('1')).text).toContain('no record of how the last evaluation ended (ENOSPC)');
  });
});

async function projectWithTests(): Promise<string> {
  const { folder } = await openLab();
  writeFileSync(join(folder, 'package.json'), '{"scripts":{"test":"node --test"}}');
  writeFileSync(join(folder, 'app.mjs'), 'export const answer = 42;\n');
  writeFileSync(join(folder, 'a.test.mjs'), "import test from 'node:test';\ntest('passes', () => {});\n");
  return folder;
}
