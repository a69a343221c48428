// Other people's clients and gateways as programs, and our server as what they are given: at a URL, or as a command whose
// conversation is recorded and judged.
import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, expect, vi } from 'vitest';
import { node24 } from '../../scripts/prepare.mjs';
import { strangers } from '../../scripts/strangers.mjs';
import { judgeRecording, type RecordedEntry } from '../../src/check/recording/judge-recording.ts';
import { start } from './judged.ts';

export type Way = 'stdio' | 'http' | 'sse';

export interface Ended {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

export const root: string = fileURLToPath(new URL('../../', import.meta.url));
const main = join(root, 'dist/cli/main.js');
const fixture = join(root, 'test/fixtures/strangers.mjs');
const installed = strangers() ?? 'the folder of test/peers/strangers, which is not installed';

/** What they write, and what is recorded of them. Their home too: nobody's configuration is read or changed. */
export const folder: string = mkdtempSync(join(tmpdir(), 'strangers-'));
afterAll(() => rmSync(folder, { recursive: true, force: true, maxRetries: 10 }));

export const newNode: string = node24() ?? 'node-24';

/** A file of a package that is installed. */
export const within = (...path: readonly string[]): string => join(installed, 'node_modules', ...path);

/** `vivarium serve` on stdio. */
export const ours: readonly string[] = [process.execPath, main, 'serve', fixture];

/** The same, written down under this name. */
export function recorded(name: string): readonly string[] {
  return [process.execPath, main, 'record', '--quiet', '--output', join(folder, `${name}.jsonl`), '--', ...ours];
}

/** The rules that our server broke in what was recorded under this name. */
export async function broken(name: string): Promise<string[]> {
  const read = (): RecordedEntry[] => {
    const lines = readFileSync(join(folder, `${name}.jsonl`), 'utf8')
      .trim()
      .split('\n')
      .slice(1);
    return lines.map((line) => JSON.parse(line) as RecordedEntry);
  };
  // The server may end a little later than the client that left it.
  await vi.waitFor(() => expect(read().at(-1)).toMatchObject({ from: 'server', end: {} }), 60_000);
  const [server] = judgeRecording({ label: name, transport: 'stdio', entries: read() });
  expect(server?.runs).toHaveLength(1);
  return server?.runs.flatMap(({ outcomes }) => outcomes.filter(({ verdict }) => verdict === 'failed').map(({ id }) => id)) ?? [];
}

export interface Address {
  readonly http: string;
  readonly sse: string;
  stop(): Promise<void>;
}

/** `vivarium serve --http --sse`. */
export async function serveOurs(): Promise<Address> {
  const { line, stop } = await start([main, 'serve', fixture, '--http', '0', '--sse'], /is served at/);
  const http = /http:\S+/.exec(line)?.[0] ?? '';
  return { http, sse: new URL('/sse', http).href, stop };
}

export const environment: Readonly<Record<string, string>> = {
  PATH: process.env['PATH'] ?? '',
  HOME: folder,
  XDG_CONFIG_HOME: join(folder, '.config'),
  XDG_CACHE_HOME: join(folder, '.cache'),
  NO_COLOR: '1',
  // They are to reach our server, and nobody else.
  DO_NOT_TRACK: '1',
  DISABLE_AUTOUPDATER: '1',
  DISABLE_TELEMETRY: '1',
  CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
  GEMINI_CLI_TRUST_WORKSPACE: 'true',
  MASTRA_TELEMETRY_DISABLED: '1',
  MCP_USE_ANONYMIZED_TELEMETRY: 'false',
};

/** Runs a program of theirs on the newer Node, to its end. */
export function run(args: readonly string[], cwd: string = folder): Promise<Ended> {
  return ended(newNode, args, cwd, environment);
}

/** Runs our command line, to its end. */
export function vivarium(...args: readonly string[]): Promise<Ended> {
  return ended(process.execPath, [main, ...args], folder, { ...process.env, HOME: folder });
}

/** Runs a program to its end. */
export function ended(command: string, args: readonly string[], cwd: string, env: NodeJS.ProcessEnv): Promise<Ended> {
  const child = spawn(command, args, { cwd, env, stdio: ['ignore', 'pipe', 'pipe'] });
  let [stdout, stderr] = ['', ''];
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    stdout += text;
  });
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    stderr += text;
  });
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code) => resolve({ code, stdout, stderr }));
  });
}
