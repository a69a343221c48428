// check --history and many targets: real servers, a file of runs, and what is said of the next.
import { appendFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import type { Report } from 'vivarium/check';
import { fixture, vivarium } from '../../vivarium.ts';

const folder = mkdtempSync(join(tmpdir(), 'vivarium-history-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** A server that writes to standard output what it should not, where the variable says so. */
const moody = join(folder, 'moody.mjs');
writeFileSync(
  moody,
  `if (process.env.MOOD === 'loud') console.log('hello');\nprocess.argv[1] = ${JSON.stringify(fixture[1])};\nawait import(${JSON.stringify(fixture[1])});\n`,
);
const few = ['--spec-version', '2025-11-25', '--section', 'stdio,ping', '--quiet'];

describe('--history', { timeout: 120_000 }, () => {
  const file = join(folder, 'runs.jsonl');
  const run = (mood: string, ...more: readonly string[]) =>
    vivarium(['check', ...few, '--history', file, ...more, '--', process.execPath, moody], { env: { MOOD: mood } });

  it('keeps each run as a line, and says what is worse, better or as it was since the last', async () => {
    expect(await run('calm')).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('TREND  2025-11-25 on stdio, the first run that is kept'),
    });
    const worse = await run('loud');
    expect(worse).toMatchObject({ code: 1, stdout: expect.stringMatching(/worse {2}1\n {6}stdio\/stdout-clean {2}fine → broken/) });
    expect(worse.stdout).toMatch(/score 100\.0 → \d+\.\d {2}█▁ {2}MUST broken 0 → 1/u);
    const better = await run('calm');
    expect(better).toMatchObject({ code: 0, stdout: expect.stringMatching(/better {2}1\n {6}stdio\/stdout-clean {2}broken → fine/) });
    expect((await run('calm')).stdout).toMatch(/TREND .* since \d{4}-[^ ]+Z: as it was\n/);
    const lines = readFileSync(file, 'utf8').trimEnd().split('\n');
    expect(lines).toHaveLength(4);
    expect(JSON.parse(lines[1] ?? '')).toMatchObject({
      version: 1,
      party: 'server',
      choice: 'level may; section ping,stdio',
      runs: [{ revision: '2025-11-25', failed: ['stdio/stdout-clean'] }],
    });
  });

  it('compares only what was judged by the same choice', async () => {
    const { stdout } = await run('loud', '--level', 'must', '--reporter', 'json');
    const [trend] = (JSON.parse(stdout) as Report).trends ?? [];
    expect(trend).toMatchObject({ better: [], worse: [], points: [{ failed: 1 }] });
    expect(trend).not.toHaveProperty('since');
  });

  it('refuses a file that is something else, before anything is started, and leaves it as it is', async () => {
    appendFileSync(file, '{"no":"run"}\n');
    const before = readFileSync(file, 'utf8');
    expect(await run('calm')).toMatchObject({
      code: 2,
      stdout: '',
      stderr: expect.stringContaining('has a line 6 that is no record of a run'),
    });
    expect(readFileSync(file, 'utf8')).toBe(before);
    const nowhere = ['--history', join(folder, 'none', 'runs.jsonl')];
    expect(await vivarium(['check', ...few, ...nowhere, '--', ...fixture])).toMatchObject({
      code: 2,
      stdout: '',
      stderr: expect.stringContaining('there is no folder'),
    });
  });
});

describe('many targets', { timeout: 120_000 }, () => {
  const config = join(folder, 'servers.json');
  const [command, ...args] = fixture;
  const server = (env: Record<string, string>) => ({ command, args: [moody], env });
  const mcpServers = { calm: server({ MOOD: 'calm' }), loud: server({ MOOD: 'loud' }), gone: { command: join(folder, 'none'), args } };
  writeFileSync(config, JSON.stringify({ mcpServers }));

  it('make a table with a line each, and the exit code of the worst of them', async () => {
    const history = join(folder, 'fleet.jsonl');
    const args = ['check', ...few, '--config', config, '--yes', '--history', history];
    const html = join(folder, 'fleet.html');
    const { code, stdout } = await vivarium([...args, '--reporter', 'pretty', '--reporter', `html=${html}`]);
    expect(code).toBe(4);
    const table = stdout.trimEnd().split('\n').slice(-4);
    expect(table[0]).toMatch(/^target +verdict/);
    expect(table.slice(1).map((line) => line.split(/ {2,}/).slice(0, 4))).toEqual([
      [expect.stringContaining('calm'), 'conformant', '100.0', '0'],
      [expect.stringContaining('loud'), 'not conformant', expect.any(String), '1'],
      [expect.stringContaining('gone'), 'not reached', '–', '0'],
    ]);
    expect(readFileSync(html, 'utf8')).toContain('<table id="fleet">');
    expect(readFileSync(history, 'utf8').trimEnd().split('\n')).toHaveLength(3);
    const again = JSON.parse((await vivarium([...args, '--reporter', 'json'])).stdout) as { fleet: object[]; reports: Report[] };
    expect(again.fleet).toHaveLength(3);
    expect(again.reports.map(({ trends }) => trends?.length)).toEqual([1, 1, 0]);
    expect(again.reports[1]?.trends).toMatchObject([{ better: [], worse: [], points: [{ failed: 1 }, { failed: 1 }] }]);
  });
});
