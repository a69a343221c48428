// The official conformance suite judges the fixture: every scenario of every revision it knows, without a failure, a warning or a gap.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { notRun } from '../../scripts/prepare.mjs';
import { type Check, checksOf, newerNode, runSuite } from './suite.ts';

/** What this version of the suite holds: a scenario or a check that silently stays away is a failure too. */
const contents = [
  { revision: '2025-03-26', scenarios: 1, checks: 3 },
  { revision: '2025-06-18', scenarios: 27, checks: 56 },
  { revision: '2025-11-25', scenarios: 33, checks: 83 },
  { revision: '2026-07-28', scenarios: 40, checks: 152 },
];

/** From here on the suite looks at streams where it finds them, in one check more. */
const withStreamCheck = ['2025-11-25', '2026-07-28'];

const root = fileURLToPath(new URL('../..', import.meta.url));
const require = createRequire(import.meta.url);
const program = require.resolve('./server.ts');
const folder = mkdtempSync(join(tmpdir(), 'conformance-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

async function listed(revision: string): Promise<string[]> {
  const text = await runSuite(folder, 'list', '--server', '--spec-version', revision);
  return [...text.matchAll(/^ {2}- (\S+) /gm)].map(([, name = '']) => name);
}

interface Started {
  readonly url: string;
  /** Settles with the exit code and the signal that ended it. */
  stop(): Promise<unknown[]>;
}

async function start(node: string, args: readonly string[]): Promise<Started> {
  const child = spawn(node, ['--import', 'tsx', program, ...args], { cwd: root, stdio: ['ignore', 'pipe', 'inherit'] });
  const exit = once(child, 'exit');
  const lines = createInterface({ input: child.stdout });
  const [line] = await Promise.race([once(lines, 'line'), exit.then(([code]) => [`(ended with ${code})`])]);
  const [, url] = /^listening on (\S+)$/.exec(line) ?? [];
  if (url === undefined) throw new Error(`The server said: ${line}`);
  const stop = (): Promise<unknown[]> => {
    child.kill();
    return exit;
  };
  return { url, stop };
}

const passed = ({ status }: Check): boolean => status === 'SUCCESS';
const faulty = (check: Check): boolean => !passed(check) && check.status !== 'INFO';

/** Says of what did flow that it was well formed, and nothing of what was asked for. */
const passive = ({ id }: Check): boolean => id.startsWith('wire-schema-');

const scenarios = notRun('node-24') ? [] : await Promise.all(contents.map(({ revision }) => listed(revision)));

const servers = [
  [`on Node ${process.versions.node}`, () => process.execPath, []],
  ['on Node 24, where every answer is a stream', newerNode, ['--streams']],
] as const;

describe.skipIf(notRun('node-24')).each(servers)('the official conformance suite %s', (title, node, args) => {
  let server: Started;
  beforeAll(async () => {
    server = await start(node(), args);
  });
  afterAll(async () => {
    expect(await server.stop()).toEqual([0, null]);
  });

  describe.each(contents.map((content, at) => [content.revision, content, scenarios[at] ?? []] as const))(
    'in %s',
    (revision, content, names) => {
      const checks = content.checks + Number(args.length > 0 && withStreamCheck.includes(revision));
      let results: Map<string, readonly Check[]>;
      beforeAll(async () => {
        results = await checksOf(server.url, revision, join(folder, title, revision));
      }, 60_000);

      it(`runs ${content.scenarios} scenarios, which pass ${checks} checks`, () => {
        expect([...results.keys()].sort()).toEqual([...names].sort());
        expect([results.size, [...results.values()].flat().filter(passed).length]).toEqual([content.scenarios, checks]);
      });

      it.each(names)('%s', (name) => {
        const found = results.get(name) ?? [];
        const faults = found.filter(faulty);
        expect(faults.map(({ id, status, errorMessage, description }) => `${status} ${id}: ${errorMessage ?? description}`)).toEqual([]);
        expect(found.some((check) => passed(check) && !passive(check))).toBe(true);
      });
    },
  );
});
