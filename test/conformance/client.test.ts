// The official conformance suite judges the client: every scenario of every revision it knows, without a failure, a warning or a gap.
import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { buildSync } from 'esbuild';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { node24, notRun } from '../../scripts/prepare.mjs';

/** What this version of the suite holds: a scenario or a check that silently stays away is a failure too. */
const contents = [
  { revision: '2025-03-26', scenarios: 2, checks: 13 },
  { revision: '2025-06-18', scenarios: 5, checks: 51 },
  { revision: '2025-11-25', scenarios: 19, checks: 203 },
  { revision: '2026-07-28', scenarios: 33, checks: 329 },
  { revision: 'extension', scenarios: 6, checks: 47 },
];

/** Extensions that the client does not have: tasks, and skills. */
const leftOut = /tasks|sep-2640/;
/** It measures time. */
const alone = 'sse-retry';

interface Check {
  readonly id: string;
  readonly status: 'SUCCESS' | 'FAILURE' | 'WARNING' | 'SKIPPED' | 'INFO';
  readonly description?: string;
  readonly errorMessage?: string;
}

interface Judgement {
  readonly checks: readonly Check[];
  /** Of the suite: not 0 either where the client ended with an error that the scenario did not call for. */
  readonly code: number;
  readonly said: string;
}

const root = fileURLToPath(new URL('../..', import.meta.url));
const suite = createRequire(import.meta.url).resolve('@modelcontextprotocol/conformance/dist/index.js');
const folder = mkdtempSync(join(tmpdir(), 'conformance-client-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
const command = `"${process.execPath}" "${inOneFile('test/conformance/client.ts', join(root, '.cache', 'conformance-client.mjs'))}"`;

/** It is started for every scenario: compiled once, that takes a third of the time. Packages are found from where it lies. */
function inOneFile(source: string, outfile: string): string {
  const banner = { js: "import { createRequire as requireFrom } from 'node:module'; const require = requireFrom(import.meta.url);" };
  const external = ['undici', 'jose', 'ajv'].flatMap((name) => [name, `${name}/*`]);
  const terms = { bundle: true, platform: 'node', format: 'esm', external, banner } as const;
  buildSync({ ...terms, conditions: ['@vivarium/source'], entryPoints: [join(root, source)], outfile, logLevel: 'warning' });
  return outfile;
}

/** The suite needs a newer Node than the client does, which runs on this one. */
function run(...args: string[]): Promise<{ readonly code: number; readonly said: string }> {
  const node = node24();
  if (node === undefined) throw new Error('Node 24 is missing; node scripts/prepare.mjs fetches it');
  return new Promise((resolve) => {
    execFile(node, [suite, ...args], { cwd: root, maxBuffer: 1 << 26 }, (error, stdout, stderr) =>
      resolve({ code: error === null ? 0 : Number(error.code ?? 1), said: stdout + stderr }),
    );
  });
}

async function listed(revision: string): Promise<string[]> {
  const isExtension = revision === 'extension';
  const { said } = await run('list', '--client', ...(isExtension ? [] : ['--spec-version', revision]));
  const lines = [...said.matchAll(/^ {2}- (\S+) \[(.*)\]$/gm)];
  return lines.flatMap(([, name = '', of]) => (!isExtension || (of === 'extension' && !leftOut.test(name)) ? [name] : []));
}

/** Each scenario leaves its checks in `<scenario>-<time>/checks.json`. */
async function judged(revision: string, scenario: string): Promise<Judgement> {
  const out = join(folder, revision, scenario);
  mkdirSync(out, { recursive: true });
  const version = revision === 'extension' ? [] : ['--spec-version', revision];
  const { code, said } = await run('client', '--command', command, '--scenario', scenario, ...version, '-o', out);
  const left = readdirSync(out, { recursive: true, encoding: 'utf8' }).filter((path) => path.endsWith('checks.json'));
  const checks = left.flatMap((path): Check[] => JSON.parse(readFileSync(join(out, path), 'utf8')));
  return { checks, code, said };
}

/** Two at a time, and then the one that measures time. */
async function judgeAll(revision: string, names: readonly string[]): Promise<Map<string, Judgement>> {
  const found = new Map<string, Judgement>();
  const waiting = names.filter((name) => name !== alone);
  const worker = async (): Promise<void> => {
    for (let name = waiting.shift(); name !== undefined; name = waiting.shift()) found.set(name, await judged(revision, name));
  };
  await Promise.all([worker(), worker()]);
  if (names.includes(alone)) found.set(alone, await judged(revision, alone));
  return found;
}

const passed = ({ status }: Check): boolean => status === 'SUCCESS';
/** 2026-07-28 has no handshake, so there are no headers of it to look at. */
const inapplicable = ({ status, description = '', errorMessage = description }: Check): boolean =>
  status === 'SKIPPED' && /^Client did not send a (?:initialize|notifications\/initialized) request;/.test(errorMessage);
const faulty = (check: Check): boolean => !passed(check) && check.status !== 'INFO' && !inapplicable(check);

/** Says of what did flow that it was well formed, and nothing of what was asked for. */
const passive = ({ id }: Check): boolean => id.startsWith('wire-schema-');

const scenarios = notRun('node-24') ? [] : await Promise.all(contents.map(({ revision }) => listed(revision)));

describe.skipIf(notRun('node-24'))('the official conformance suite of clients', () => {
  describe.each(contents.map((content, at) => [content.revision, content, scenarios[at] ?? []] as const))(
    'in %s',
    (revision, content, names) => {
      let results: Map<string, Judgement>;
      beforeAll(async () => {
        results = await judgeAll(revision, names);
      }, 240_000);

      it(`runs ${content.scenarios} scenarios, which pass ${content.checks} checks`, () => {
        // Each once in its scenario: how often a token is looked at depends on how many requests there are.
        const good = [...results.values()].flatMap(({ checks }) => [...new Set(checks.filter(passed).map(({ id }) => id))]);
        expect([results.size, good.length]).toEqual([content.scenarios, content.checks]);
      });

      it.each(names)('%s', (name) => {
        const { checks = [], code, said } = results.get(name) ?? {};
        const faults = checks
          .filter(faulty)
          .map(({ id, status, errorMessage, description }) => `${status} ${id}: ${errorMessage ?? description}`);
        expect(faults).toEqual([]);
        expect(checks.some((check) => passed(check) && !passive(check))).toBe(true);
        expect(code, said).toBe(0);
      });
    },
  );
});
