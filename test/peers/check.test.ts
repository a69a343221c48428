// No false alarms: what `vivarium check` holds against servers that are known, over each transport, with the reason for every red line.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { afterEach, describe, expect, it } from 'vitest';
import { type Report, runCheck, type Target } from 'vivarium/check';
import { serveHttp } from 'vivarium/serve/node';
import { createEverything } from '../fixtures/everything.mjs';

const path = (name: string): string => fileURLToPath(new URL(`../fixtures/${name}`, import.meta.url));
const program = (...args: string[]): Target => ({ kind: 'command', command: process.execPath, args });
const options = {
  revision: 'all',
  allowSideEffects: true,
  timeout: 2_000,
  startTimeout: 60_000,
  level: 'must',
  skip: ['quality'],
} as const;
const limit = 180_000;

const running: ChildProcess[] = [];
afterEach(() => {
  for (const child of running.splice(0)) child.kill();
});

/** A server of the official SDK over HTTP: its first line says where it is. */
async function served(file: string): Promise<Target> {
  const child = spawn(process.execPath, [path(file), 'http'], { stdio: ['pipe', 'pipe', 'inherit'] });
  running.push(child);
  const [url] = (await once(createInterface({ input: child.stdout }), 'line')) as [string];
  return { kind: 'url', url };
}

/** Each broken MUST with its revision. */
function red({ problem, runs }: Report): string[] {
  expect(problem).toBeUndefined();
  return runs.flatMap(({ revision, outcomes }) =>
    outcomes.filter(({ verdict }) => verdict === 'failed').map(({ id }) => `${id}@${revision}`),
  );
}

/** The SDKs read one message at a time, also in the revision that asks for batches. */
const noBatches = 'jsonrpc/batch/received@2025-03-26';
/** SDK 1 refuses a call with `task` where it has to ignore it. */
const noTasks = 'tasks/augment/ignored@2025-11-25';
/** The fixture's tool "steps" reports progress also to those who sent no token, and the SDKs send it without one. */
const tokens = (...revisions: string[]): string[] => revisions.map((revision) => `progress/token/type@${revision}`);
/** SDK 2 answers server/discover in whatever version it is asked in, on stdio only. */
const anyVersion = 'versioning/unsupported@2026-07-28';

/** Whoever serves with these SDKs has to look at Origin himself; the fixtures do not. */
const anyOrigin = (revision: string): string => `http/origin/validated@${revision}`;

describe('our own server', () => {
  it(
    'breaks nothing on stdio, in five revisions',
    async () => {
      const report = await runCheck(program(path('stdio.mjs')), options);
      expect([report.offered.length, red(report)]).toEqual([5, []]);
    },
    limit,
  );

  it(
    'breaks nothing over HTTP in five revisions, nor over HTTP+SSE',
    async () => {
      const serving = await serveHttp(createEverything(), { port: 0, signals: false, sse: true });
      try {
        const report = await runCheck({ kind: 'url', url: serving.url }, options);
        expect([report.offered.length, red(report)]).toEqual([5, []]);
        const old = await runCheck(
          { kind: 'url', url: new URL('/sse', serving.url).href, transport: 'sse' },
          { ...options, revision: '2024-11-05' },
        );
        expect([old.offered, red(old)]).toEqual([['2024-11-05'], []]);
      } finally {
        await serving.close();
      }
    },
    limit,
  );

  it(
    'is judged the same twice',
    async () => {
      const verdicts = async (): Promise<string[]> => {
        const { runs } = await runCheck(program(path('stdio.mjs')), { ...options, level: 'may', revision: '2025-11-25' });
        return runs.flatMap(({ outcomes }) => outcomes.map(({ id, verdict }) => `${id} ${verdict}`));
      };
      const first = await verdicts();
      expect(first.length).toBeGreaterThan(100);
      expect(await verdicts()).toEqual(first);
    },
    limit,
  );
});

describe('servers of the official SDKs', () => {
  const legacy = ['2025-11-25', '2025-06-18', '2025-03-26', '2024-11-05'];

  it(
    'version 1 breaks on stdio what is argued above',
    async () => {
      const expected = [noBatches, noTasks, ...tokens(...legacy)].sort();
      expect(red(await runCheck(program(path('official-v1.mjs'), 'stdio'), options)).sort()).toEqual(expected);
    },
    limit,
  );

  it(
    'version 2 breaks on stdio what is argued above',
    async () => {
      const expected = [anyVersion, noBatches, ...tokens(...legacy)].sort();
      expect(red(await runCheck(program(path('official-v2.mjs'), 'stdio'), options)).sort()).toEqual(expected);
    },
    limit,
  );

  it(
    'break over HTTP, in the newest of their revisions, what is argued above',
    async () => {
      const newest = { ...options, revision: 'auto' } as const;
      const first = red(await runCheck(await served('official-v1.mjs'), newest));
      expect(first.sort()).toEqual([anyOrigin('2025-11-25'), noTasks, ...tokens('2025-11-25')].sort());
      expect(red(await runCheck(await served('official-v2.mjs'), newest))).toEqual([anyOrigin('2026-07-28')]);
    },
    limit,
  );
});
