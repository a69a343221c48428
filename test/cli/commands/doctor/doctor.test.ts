// Each broken server of the client's tests, and the step that doctor names for it.
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import type { ServerResponse } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { bearer } from 'vivarium/auth';
import { serveHttp } from 'vivarium/serve/node';
import { Server } from 'vivarium/server';
import { rudeHttp, rudeStart } from '../../../client/rude.ts';
import { rude } from '../../../connect/fixture.ts';
import { distant, startProxy } from '../../../connect/proxy.ts';
import { fixture, root, vivarium } from '../../vivarium.ts';

interface Verdict {
  readonly code: number | null;
  readonly healthy: boolean;
  readonly steps: readonly { readonly name: string; readonly status: string; readonly detail: string; readonly hint?: string }[];
}

/** `wait`: for those that never answer; the others have answered long before. */
async function examine(args: readonly string[], wait = '20s'): Promise<Verdict> {
  const { code, stdout, stderr } = await vivarium(['doctor', '--format', 'json', '--connect-timeout', wait, ...args]);
  expect(stderr).toBe('');
  return { code, ...JSON.parse(stdout) };
}

function expectFailure({ code, healthy, steps }: Verdict, step: string, detail: RegExp, exitCode = 4): void {
  expect(steps.filter(({ status }) => status === 'failed')).toEqual([
    expect.objectContaining({ name: step, detail: expect.stringMatching(detail) }),
  ]);
  expect(steps.at(-1)?.name).toBe(step);
  expect([code, healthy]).toEqual([exitCode, false]);
}

describe('doctor finds the step at which a program fails', () => {
  it.each([
    ['exits with a message', 'first answer', /exited with code 3.*DATABASE_URL/],
    ['exits silently', 'first answer', /exited with code 4 without a word/],
    ['throws', 'first answer', /the key is not set/],
    ['kills itself', 'first answer', /SIGKILL/],
    ['prints only junk', 'first answer', /prints text instead of messages/],
    ['never answers', 'first answer', /was started but does not answer/],
  ])('%s', async (how, step, detail) => {
    const { command, args } = rudeStart(how);
    const verdict = await examine(['--', command, ...args], /junk|never/.test(how) ? '6s' : undefined);
    expectFailure(verdict, step, detail);
    expect(verdict.steps[0]).toMatchObject({ name: 'program', status: 'ok' });
  });

  it('shows with --verbose what the program wrote to stderr', async () => {
    const { stderr } = await vivarium(['doctor', '--verbose', '--', process.execPath, '-e', 'console.error("one\\ntwo"); process.exit(3)']);
    // It may have been started a second time, for an older revision.
    expect(stderr).toMatch(/^one\ntwo\n/);
  });

  it('there is no such command', async () => expectFailure(await examine(['--', 'no-such-command-at-all']), 'program', /on PATH/));

  it('the file may not be executed', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'doctor-'));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    const file = join(folder, 'server.sh');
    writeFileSync(file, '#!/bin/sh\n');
    chmodSync(file, 0o644);
    const verdict = await examine(['--', file]);
    expectFailure(verdict, 'program', /may not be executed/);
    expect(verdict.steps.at(-1)?.hint).toContain('chmod +x');
  });

  it('another revision is asked for than it speaks', async () => {
    const { command, args } = rudeStart('prints junk, then works');
    expectFailure(await examine(['--spec-version', '2025-11-25', '--', command, ...args]), 'version', /speaks 2025-06-18/);
  });

  it('a variable it names is what it needs', async () => {
    const { command, args } = rudeStart('exits with a message');
    expect((await examine(['--', command, ...args])).steps.at(-1)?.hint).toBe('give it the variable: --env DATABASE_URL=…');
  });
});

const html = '<!doctype html>\n<html><body>Welcome!</body></html>';

describe('doctor finds the step at which a URL fails', () => {
  it.each<[string, (response: ServerResponse) => void, string, RegExp, number]>([
    ['HTML', (to) => to.writeHead(200, { 'content-type': 'text/html' }).end(html), 'first answer', /HTML came back/, 4],
    ['404', (to) => to.writeHead(404).end(), 'first answer', /no MCP endpoint at this URL/, 4],
    ['500', (to) => to.writeHead(500).end('oh'), 'first answer', /answered 500/, 4],
    ['a redirect', (to) => to.writeHead(308, { location: 'https://elsewhere.example/mcp' }).end(), 'first answer', /redirects to/, 4],
    ['no JSON', (to) => to.writeHead(200, { 'content-type': 'application/json' }).end('{"a":'), 'first answer', /answered 200, but/, 4],
    ['silence', () => undefined, 'first answer', /does not answer/, 4],
    ['a cut connection', (to) => to.destroy(), 'first answer', /connection broke/, 4],
    ['401', (to) => to.writeHead(401).end(), 'authorization', /401/, 3],
    ['403', (to) => to.writeHead(403).end('Not from there'), 'authorization', /Not from there/, 3],
  ])('%s', async (_, respond, step, detail, exitCode) => {
    const { url } = await rudeHttp('legacy', (_message, response) => {
      respond(response);
      return true;
    });
    const verdict = await examine([url], '6s');
    expectFailure(verdict, step, detail, exitCode);
    expect(verdict.steps[0]).toMatchObject({ name: 'tcp', status: 'ok' });
    // Where tokens come from is looked for only where one is asked for.
    expect(verdict.steps.some(({ name }) => name === 'challenge')).toBe(/401/.test(detail.source));
  });

  it('nothing listens', async () => {
    const server = await rudeHttp('legacy');
    await server.close();
    expectFailure(await examine([server.url]), 'tcp', /Nothing listens there/);
  });

  it('there is no such host', async () => expectFailure(await examine(['http://no-such-host.invalid/mcp']), 'dns', /host/));

  it('it does not speak TLS', async () => {
    const { url } = await rudeHttp('legacy');
    const verdict = await examine([url.replace('http:', 'https:')]);
    expectFailure(verdict, 'tls', /does not speak it/);
    expect(verdict.steps.at(-1)?.hint).toContain('http://');
  });

  it('it wants a token: what it publishes about tokens is looked at too', async () => {
    const server = await serveHttp(new Server({ name: 'closed', version: '1' }), { port: 0, auth: bearer(['a-token-of-this-test']) });
    onTestFinished(() => server.close());
    const verdict = await examine([server.url]);
    expectFailure(verdict, 'authorization', /authorization|token/, 3);
    expect(verdict.steps.map(({ name }) => name)).toEqual(expect.arrayContaining(['challenge', 'well-known']));
    const open = await examine([server.url, '--token', 'a-token-of-this-test']);
    expect([open.code, open.healthy]).toEqual([0, true]);
  });
});

describe('doctor says of a server that works', () => {
  it('that it is healthy', async () => {
    const { code, stdout } = await vivarium(['doctor', '--', ...fixture]);
    expect([code, stdout.endsWith('Healthy.\n')]).toEqual([0, true]);
  });

  it('that it logs JSON where messages belong', async () => {
    const log = `process.stdout.write('{"level":30,"msg":"ready"}\\n'); setInterval(() => process.stdout.write('{"level":30,"msg":"on"}\\n'), 5).unref();`;
    const script = join(mkdtempSync(join(tmpdir(), 'logs-')), 'logs.mjs');
    onTestFinished(() => rmSync(join(script, '..'), { recursive: true }));
    writeFileSync(script, `${log}\nawait import(${JSON.stringify(join(root, 'test/fixtures/stdio.mjs'))});\n`);
    const { steps } = await examine(['--', process.execPath, script]);
    expect(steps.find(({ name }) => name === 'stdout')).toMatchObject({ status: 'warning', detail: expect.stringContaining('"level":30') });
    const { stderr } = await vivarium(['list', 'tools', '--', process.execPath, script]);
    expect(stderr.match(/"level":30/g)?.length ?? 0).toBeLessThanOrEqual(2);
  });

  it('through which proxy it is reached', async () => {
    const proxy = await startProxy();
    const { url } = await rude((_, response) => void response.writeHead(404).end());
    const given = { env: { HTTP_PROXY: `http://ann:s3cret@127.0.0.1:${proxy.port}` } };
    const { code, stdout } = await vivarium(['doctor', distant(url)], given);
    expect(stdout).toContain(`proxy           http://127.0.0.1:${proxy.port}, as the environment says`);
    expect(stdout).not.toMatch(/dns|s3cret/);
    expect([code, proxy.asked[0]]).toEqual([4, `POST ${distant(url)}`]);
    expect((await vivarium(['doctor', distant(url)], { env: { HTTP_PROXY: 'socks5://x' } })).code).toBe(2);
  });

  it('that it prints what is no message', async () => {
    const { command, args } = rudeStart('prints junk, then works');
    const { steps } = await examine(['--', command, ...args]);
    expect(steps.find(({ name }) => name === 'stdout')).toMatchObject({ status: 'warning', detail: expect.stringContaining('Listening') });
  });
});

describe('doctor of a server that refuses a list', () => {
  const refusing = [process.execPath, join(root, 'test/fixtures/refusing.mjs')];

  it('names the list as something to look at, as check does, and goes on', async () => {
    const { code, healthy, steps } = await examine(['--', ...refusing, 'resources/list', 'resources/templates/list']);
    expect([code, healthy]).toEqual([0, true]);
    expect(steps.map(({ name, status }) => [name, status]).slice(-4)).toEqual([
      ['tools/list', 'ok'],
      ['resources/list', 'warning'],
      ['resources/templates/list', 'warning'],
      ['prompts/list', 'ok'],
    ]);
    expect(steps.at(-2)).toMatchObject({ detail: 'error -32601: Method not found', hint: expect.stringContaining('declares resources') });
  });

  it('fails where all are refused', async () => {
    const all = ['tools/list', 'resources/list', 'resources/templates/list', 'prompts/list'];
    expectFailure(await examine(['--', ...refusing, ...all]), 'prompts/list', /error -32601/);
  });
});
