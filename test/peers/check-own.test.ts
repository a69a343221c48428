// No false alarms: our own servers break no MUST in any revision, over any transport.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { type CheckOptions, runCheck } from 'vivarium/check';
import { serveHttp } from 'vivarium/serve/node';
import type { Server } from 'vivarium/server';
import { notRun } from '../../scripts/prepare.mjs';
import { pipeTarget } from '../check/pipe-target.ts';
import { createEverything } from '../fixtures/everything.mjs';
import { program, redLines, redLinesOfAll, start } from './judged.ts';

const at = (name: string): string => fileURLToPath(new URL(name, import.meta.url));
const limit = 180_000;
const closing: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0)) await close();
});

async function overHttp(server: Server, more: object = {}): Promise<URL> {
  const serving = await serveHttp(server, { port: 0, signals: false, sse: true, ...more });
  closing.push(() => serving.close());
  return new URL(serving.url);
}

const sse = (url: URL): { kind: 'url'; url: string; transport: 'sse' } => ({
  kind: 'url',
  url: new URL('/sse', url).href,
  transport: 'sse',
});

describe('the fixture', () => {
  const stdio = program(at('../fixtures/stdio.mjs'));

  it('breaks nothing on stdio, in five revisions', { timeout: limit }, async () => {
    expect(await redLinesOfAll(stdio)).toEqual([]);
  });

  it('breaks nothing over HTTP in five revisions, nor over HTTP+SSE', { timeout: limit }, async () => {
    const url = await overHttp(createEverything());
    expect(await redLinesOfAll({ kind: 'url', url: url.href })).toEqual([]);
    expect(await redLines(sse(url), { revision: '2024-11-05' })).toEqual([]);
  });

  it('is judged the same twice', { timeout: limit }, async () => {
    const verdicts = async (): Promise<string[]> => {
      const { runs } = await runCheck(stdio, { allowSideEffects: true, timeout: 2_000, revision: '2025-11-25' });
      return runs.flatMap(({ outcomes }) => outcomes.map(({ id, verdict }) => `${id} ${verdict}`));
    };
    const first = await verdicts();
    expect(first.length).toBeGreaterThan(100);
    expect(await verdicts()).toEqual(first);
  });
});

describe('the servers of the examples', () => {
  const names = ['ten-lines', 'notes', 'structured', 'asking', 'progress-and-cancel', 'extension', 'testing', 'client-tour'] as const;
  const servers = new Map<string, Server>();
  beforeAll(async () => {
    // Some try themselves out, and print what was said.
    const quiet = vi.spyOn(process.stdout, 'write').mockReturnValue(true);
    for (const name of names) servers.set(name, ((await import(`../../examples/${name}.ts`)) as { default: Server }).default);
    quiet.mockRestore();
  }, limit);

  // A tool of the tour works until it is cancelled, so that each call of it would be waited for.
  const terms = (name: string): CheckOptions =>
    name === 'client-tour' ? { allowSideEffects: false, arguments: new Map([['water', { plant: 'fern' }]]) } : {};

  const serverOf = (name: string): Server => {
    const server = servers.get(name);
    if (server === undefined) throw new Error(`examples/${name}.ts exports no server`);
    return server;
  };

  it.each(names)('%s breaks nothing on stdio in five revisions', { timeout: limit }, async (name) => {
    expect(
      await redLinesOfAll(
        pipeTarget(() => serverOf(name)),
        terms(name),
      ),
    ).toEqual([]);
  });

  it.each(names)('%s breaks nothing over HTTP in five revisions, nor over HTTP+SSE', { timeout: limit }, async (name) => {
    const url = await overHttp(serverOf(name));
    expect(await redLinesOfAll({ kind: 'url', url: url.href }, terms(name))).toEqual([]);
    expect(await redLines(sse(url), { ...terms(name), revision: '2024-11-05' })).toEqual([]);
  });

  it('auth-jwt breaks nothing behind its tokens', { timeout: limit }, async () => {
    const { default: server, auth, audience, grant } = await import('../../examples/auth-jwt.ts');
    const url = await overHttp(server, { auth, publicUrl: audience, sse: false });
    const headers = { authorization: `Bearer ${await grant('notes:read notes:write')}` };
    // Only there a server is its own authorization server, or has its paths; the tokens of the example come from another, as they do in
    // all later revisions.
    const elsewhere = 'authorization/metadata/default-paths-served@2025-03-26';
    expect(await redLinesOfAll({ kind: 'url', url: url.href, headers })).toEqual([elsewhere]);
  });

  it.each(['express', 'fastify', 'hono'] as const)('breaks nothing inside %s, in five revisions', { timeout: limit }, async (name) => {
    const running = await start(['--import', 'tsx', at('../fixtures/framework.ts'), name], /^listening on /);
    closing.push(() => running.stop());
    expect(await redLinesOfAll({ kind: 'url', url: `${running.line.replace('listening on ', '')}/mcp` })).toEqual([]);
  });
});

describe.concurrent('the live image', () => {
  const command = at('../../dist/cli/main.js');
  const folder = mkdtempSync(join(tmpdir(), 'check-live-'));
  const state = join(folder, 'state');
  writeFileSync(join(folder, 'package.json'), '{ "type": "module" }');
  afterAll(() => rmSync(folder, { recursive: true, force: true }));
  const live = (...more: string[]): string[] => [command, 'live', '-q', '--cwd', folder, '--state', state, ...more];

  const surfaces: readonly (readonly [title: string, flags: readonly string[]])[] = [
    ['itself', []],
    ...(notRun('sbcl') ? [] : [['CL-MCP-Server', ['--surface', 'cl']] as const]),
    ['the server of the Pharo guide', ['--surface', 'pharo']],
  ];

  it.each(surfaces)('breaks nothing as %s on stdio, in five revisions', { timeout: limit }, async (_title, flags) => {
    expect(await redLinesOfAll(program(...live(...flags)))).toEqual([]);
  });

  it.each(surfaces)('breaks nothing as %s over HTTP in five revisions, nor over HTTP+SSE', { timeout: limit }, async (_title, flags) => {
    const running = await start(live(...flags, '--http', '0', '--sse'), /served at/);
    try {
      const [href = ''] = /http:\S+\/mcp/.exec(running.line) ?? [];
      const headers = { authorization: `Bearer ${readFileSync(join(state, 'token'), 'utf8').trim()}` };
      expect(await redLinesOfAll({ kind: 'url', url: href, headers })).toEqual([]);
      expect(await redLines({ ...sse(new URL(href)), headers }, { revision: '2024-11-05' })).toEqual([]);
    } finally {
      await running.stop();
    }
  });
});
