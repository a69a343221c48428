// Advice and changes in the report of a run, and in the command.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { prettyReport, runCheck } from 'vivarium/check';
import { Server } from 'vivarium/server';
import { lockText, readLock } from '../../../../src/check/advice/lock.ts';
import type { Lock, Surface } from '../../../../src/check/model/surface.ts';
import { fixture, vivarium } from '../../../cli/vivarium.ts';
import { pipeTarget } from '../../pipe-target.ts';

const folder = mkdtempSync(join(tmpdir(), 'vivarium-lock-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function create(): Server {
  const server = new Server({ name: 'files', version: '1.0.0' });
  server.tool('delete_file', { description: 'Deletes a file' }, () => 'done');
  return server;
}

describe('a report', () => {
  it('has advice that is no part of the verdict', async () => {
    const report = await runCheck(pipeTarget(create), { revision: '2025-11-25', only: ['tools/list', 'quality'] });
    expect(report.quality?.advice).toMatchObject([{ id: 'quality/hints/destructive', about: 'tool delete_file' }]);
    expect(report.quality?.bill).toMatchObject({ tools: [{ name: 'delete_file' }] });
    expect(report.runs[0]?.outcomes.some(({ id }) => id.startsWith('quality/'))).toBe(false);
    const text = prettyReport(report);
    expect(text).toContain('ADVICE  1  (no part of the verdict)');
    expect(text).toContain('tool delete_file seems to destroy something, and has no destructiveHint');
  });

  it('leaves out the advice that was not wanted', async () => {
    const { quality } = await runCheck(pipeTarget(create), {
      revision: '2025-11-25',
      only: ['tools/list', 'quality'],
      skip: ['quality/hints'],
    });
    expect(quality?.advice).toEqual([]);
  });

  it('says what has changed since the lock', async () => {
    let surface: Surface | undefined;
    const options = { revision: '2025-11-25', only: ['quality'] } as const;
    await runCheck(pipeTarget(create), {
      ...options,
      onSurface: (one) => {
        surface = one;
      },
    });
    const lock = readLock(lockText(surface as Surface)) as Lock;
    expect((await runCheck(pipeTarget(create), { ...options, lock })).quality?.changes).toEqual([]);
    const without = { ...lock, surface: { ...lock.surface, tools: [{ name: 'read_file' }] } };
    const report = await runCheck(pipeTarget(create), { ...options, lock: without });
    expect(report.quality?.changes).toMatchObject([
      { kind: 'added', about: 'tool delete_file', breaking: false },
      { kind: 'removed', about: 'tool read_file', breaking: true },
    ]);
    expect(prettyReport(report)).toContain('SURFACE CHANGED  2, 1 of them breaking');
  });
});

describe('check --lock', () => {
  const file = join(folder, 'surface.json');
  const run = (...flags: readonly string[]) => vivarium(['check', '--only', 'quality', '--quiet', ...flags, '--', ...fixture]);

  it('writes the file, agrees with it, and fails when a tool of it is gone', async () => {
    const first = await run('--lock', file, '--update-lock');
    expect(first).toMatchObject({ code: 0, stderr: `What it offers is written to ${file}\n` });
    expect(await run('--lock', file)).toMatchObject({ code: 0, stdout: expect.stringContaining('SURFACE  as it was locked') });
    const lock = JSON.parse(readFileSync(file, 'utf8'));
    lock.surface.tools.push({ name: 'gone', inputSchema: { type: 'object' } });
    writeFileSync(file, JSON.stringify(lock));
    expect(await run('--lock', file)).toMatchObject({ code: 1, stdout: expect.stringContaining('removed  tool gone  is gone') });
  });

  it.each([
    ['a file that is not there', ['--lock', join(folder, 'none.json')], 'There is no'],
    ['a file to write that has no name', ['--update-lock'], '--update-lock needs --lock <file>'],
    ['a file that is no lock', ['--lock', join(folder, 'bad.json')], 'is not JSON'],
  ])('refuses %s', async (_, flags, reason) => {
    writeFileSync(join(folder, 'bad.json'), 'no');
    expect(await run(...flags)).toMatchObject({ code: 2, stderr: expect.stringContaining(reason) });
  });
});
