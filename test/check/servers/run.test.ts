import { describe, expect, it } from 'vitest';
import { runCheck } from 'vivarium/check';
import { Server } from 'vivarium/server';
import { createEverything } from '../../fixtures/everything.mjs';
import { type Meddling, pipeTarget } from '../pipe-target.ts';

function create(): Server {
  const server = new Server({ name: 'sums', version: '1.0.0' });
  server.tool('add', { description: 'Adds', annotations: { readOnlyHint: true } }, () => '3');
  return server;
}

async function broken(meddling: () => Meddling, revision: '2025-11-25' | '2026-07-28' = '2025-11-25'): Promise<string[]> {
  const { runs } = await runCheck(pipeTarget(create, meddling), { revision, timeout: 500 });
  return runs.flatMap(({ outcomes }) => outcomes.filter(({ verdict }) => verdict === 'failed').map(({ id }) => id));
}

describe('a run', () => {
  it('finds nothing broken in a sound server, in every revision', async () => {
    const { offered, runs } = await runCheck(pipeTarget(create), { revision: 'all' });
    expect(offered).toHaveLength(5);
    for (const { outcomes } of runs) {
      expect(outcomes.filter(({ verdict }) => verdict === 'failed' || verdict === 'warned')).toEqual([]);
      expect(outcomes.filter(({ verdict }) => verdict === 'passed').length).toBeGreaterThan(15);
    }
  });

  it('takes the newest revision that the server offers', async () => {
    expect((await runCheck(pipeTarget(create))).offered).toEqual(['2026-07-28']);
  });

  it('names what pollutes standard output, with the bytes', async () => {
    const target = pipeTarget(create, () => ({ greeting: 'listening on stdin\n' }));
    const { runs } = await runCheck(target, { revision: '2025-11-25' });
    const failed = runs[0]?.outcomes.filter(({ verdict }) => verdict === 'failed');
    expect(failed).toMatchObject([{ id: 'stdio/stdout-clean', level: 'MUST NOT', evidence: [{ text: 'listening on stdin' }] }]);
  });

  it('tells a message on several lines from foreign bytes', async () => {
    const out = (line: string) => JSON.stringify(JSON.parse(line), null, 1).split('\n');
    expect(await broken(() => ({ out: (line) => (line.includes('-32601') ? out(line) : line) }))).toContain('stdio/no-embedded-newline');
  });

  it('gives the same verdicts ten times', { timeout: 120_000 }, async () => {
    const given = { echo: { text: 'a' }, add: { a: 1, b: 2 }, any: {}, sum: { of: [1] }, steps: { steps: 2 } };
    const bare = Object.fromEntries(['names', 'picture', 'sound', 'link', 'fail', 'refuse'].map((name) => [name, {}]));
    const options = { revision: '2025-11-25', arguments: new Map(Object.entries({ ...given, ...bare })) } as const;
    const verdicts = async (): Promise<string[]> => {
      const { runs } = await runCheck(pipeTarget(createEverything), options);
      return runs.flatMap(({ outcomes }) => outcomes.map(({ id, verdict, message }) => `${id} ${verdict} ${message}`));
    };
    const first = await verdicts();
    expect(first.filter((line) => / passed $/.test(line)).length).toBeGreaterThan(60);
    for (let run = 2; run <= 10; run += 1) expect(await verdicts()).toEqual(first);
  });

  it('says why when there is no server', async () => {
    const report = await runCheck({ kind: 'command', command: process.execPath, args: ['-e', 'console.error("no key"); process.exit(3)'] });
    expect(report.problem).toMatchObject({ kind: 'unreachable', message: expect.stringContaining('exit code 3') });
    expect(report.problem?.stderr).toContain('no key');
  });

  it('ends when a server never answers', async () => {
    const target = { kind: 'command', command: process.execPath, args: ['-e', 'setInterval(() => {}, 1000)'] } as const;
    const report = await runCheck(target, { timeout: 100, startTimeout: 100 });
    expect(report.problem?.kind).toBe('unreachable');
  });
});
