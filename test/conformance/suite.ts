// The official conformance suite as a program: run on a server, and what it left behind.
import { execFile } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { node24 } from '../../scripts/prepare.mjs';

export interface Check {
  readonly id: string;
  readonly status: 'SUCCESS' | 'FAILURE' | 'WARNING' | 'SKIPPED' | 'INFO';
  readonly description?: string;
  readonly errorMessage?: string;
}

const require = createRequire(import.meta.url);
const suite = require.resolve('@modelcontextprotocol/conformance/dist/index.js');

export function newerNode(): string {
  const node = node24();
  if (node === undefined) throw new Error('Node 24 is missing; node scripts/prepare.mjs fetches it');
  return node;
}

/** The suite needs a newer Node than the server does. It fails where a check did: what it wrote is read either way. */
export function runSuite(cwd: string, ...args: string[]): Promise<string> {
  return new Promise((resolve) => {
    execFile(newerNode(), [suite, ...args], { cwd, maxBuffer: 1 << 26 }, (_, stdout, stderr) => resolve(stdout + stderr));
  });
}

/** By scenario; each leaves its checks in `server-<scenario>-<time>/checks.json`. */
export async function checksOf(url: string, revision: string, out: string): Promise<Map<string, readonly Check[]>> {
  mkdirSync(out, { recursive: true });
  const said = await runSuite(out, 'server', '--url', url, '--suite', 'all', '--spec-version', revision, '-o', out);
  const found = new Map<string, readonly Check[]>();
  for (const name of readdirSync(out)) {
    const [, scenario] = /^server-(.+?)-\d{4}-\d\d-\d\dT[\d-]+Z?$/.exec(name) ?? [];
    if (scenario !== undefined) found.set(scenario, JSON.parse(readFileSync(join(out, name, 'checks.json'), 'utf8')));
  }
  if (found.size === 0) throw new Error(`The suite left no checks behind: ${said}`);
  return found;
}
