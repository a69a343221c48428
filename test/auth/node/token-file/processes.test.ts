// Several processes that share one file of tokens.
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import { oauth } from 'vivarium/auth';
import { fileTokens } from 'vivarium/auth/node';
import { call, createFakeResource, createFakeServer, headless, type ServerOptions } from '../../client-fixture.ts';

const count = 6;
let folder: string;
let program: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'vivarium-processes-'));
  program = join(folder, 'process.mjs');
  await build({
    entryPoints: [fileURLToPath(new URL('../../client-fixtures/process.ts', import.meta.url))],
    bundle: true,
    platform: 'node',
    format: 'esm',
    conditions: ['@vivarium/source'],
    outfile: program,
    logLevel: 'silent',
  });
});

afterAll(() => rm(folder, { recursive: true, force: true }));

async function shared(options: ServerOptions = {}) {
  const server = await createFakeServer(options);
  const { endpoint } = await createFakeResource(server);
  const home = await mkdtemp(join(folder, 'home-'));
  const path = join(home, 'state', 'tokens.json');
  const redirect = headless();
  const tokens = fileTokens(path);
  const auth = oauth({ redirect, tokens });
  expect(await call(auth, endpoint)).toBe('access-1-');
  const start = async (): Promise<ChildProcess> => {
    const child = fork(program, [path, endpoint, redirect.uri], { stdio: 'inherit' });
    onTestFinished(() => void child.kill('SIGKILL'));
    expect((await once(child, 'message'))[0]).toBe('ready');
    return child;
  };
  return { server, endpoint, path, tokens, auth, start };
}

async function ask(child: ChildProcess, what: 'token' | 'call'): Promise<unknown> {
  const answer = once(child, 'message');
  child.send(what);
  return (await answer)[0];
}

/** As if its time had passed. */
async function expire({ path, tokens }: Awaited<ReturnType<typeof shared>>): Promise<void> {
  const entries = Object.entries(JSON.parse(await readFile(path, 'utf8')) as Record<string, string>);
  const [key, text] = entries.find(([name]) => name.startsWith('["tokens"')) as [string, string];
  expect(await tokens.set(key, JSON.stringify({ ...JSON.parse(text), expiresAt: Date.now() }), text)).toBe(true);
}

describe(`${count} processes`, () => {
  it('ask once for a new token when it has expired, and once each time it is refused', async () => {
    const world = await shared();
    const { server, path, start } = world;
    await expire(world);
    const children = await Promise.all(Array.from({ length: count }, start));
    expect(await Promise.all(children.map((child) => ask(child, 'token')))).toEqual(Array(count).fill('access-2-'));
    expect([server.tokens.length, server.reuses]).toEqual([2, 0]);
    for (const round of [3, 4, 5]) {
      server.valid.clear();
      expect(await Promise.all(children.map((child) => ask(child, 'call')))).toEqual(Array(count).fill(`access-${round}-`));
      expect([server.tokens.length, server.reuses]).toEqual([round, 0]);
    }
    expect(server.authorizations.length).toBe(1);
    expect(await readdir(join(path, '..'))).toEqual(['tokens.json']);
  });
});

describe('a process that dies in the middle', () => {
  it('does not keep the others from going on', async () => {
    let hanging = true;
    const { server, endpoint, auth, start } = await shared({
      token: ({ form }) => (form['grant_type'] === 'refresh_token' && hanging ? new Promise(() => undefined) : false),
    });
    server.valid.clear();
    const child = await start();
    child.send('call');
    await vi.waitFor(() => expect(server.tokens.length).toBe(2), 60_000);
    hanging = false;
    const waiting = call(auth, endpoint);
    const gone = once(child, 'exit');
    child.kill('SIGKILL');
    await gone;
    expect(await waiting).toBe('access-2-');
    expect(server.tokens.length).toBe(3);
  });
});
