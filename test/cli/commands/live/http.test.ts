// vivarium live --http behind an authorization server: who comes by the local socket is nobody whom a token names.
import { mkdirSync, mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { staticToken } from 'vivarium/auth';
import { connect } from 'vivarium/client';
import { http } from 'vivarium/connect/http';
import { createSigner, json, listen } from '../../../auth/fixture.ts';
import { Started } from '../../started.ts';

it('keeps the sessions of vivarium eval from every token of an issuer, whatever its subject', async () => {
  const home = realpathSync(mkdtempSync(join(tmpdir(), 'live-http-')));
  onTestFinished(() => rmSync(home, { recursive: true, force: true }));
  const project = join(home, 'project');
  mkdirSync(project);
  const start = (args: readonly string[]): Started =>
    new Started(args, {
      cwd: project,
      env: { HOME: home, XDG_STATE_HOME: join(home, '.local/state'), XDG_CACHE_HOME: join(home, '.cache') },
    });

  const signer = await createSigner();
  const issuer = await listen((request, response) => {
    if (request.url === '/jwks') json(response, signer.jwks);
    else json(response, { issuer: issuer.url, jwks_uri: `${issuer.url}/jwks` });
  });
  const live = start(['live', '--http', '0', '--auth-issuer', issuer.url]);
  const [, url = ''] = await live.until('stderr', /is served at (\S+?),/);
  await live.until('stderr', /Try it in another terminal, in this folder, in a session of your own/);

  const local = async (...args: string[]): Promise<string> => {
    const started = start(['eval', ...args]);
    started.process.stdin.end();
    expect([await started.ended, started.stderr]).toEqual([0, '']);
    return started.stdout;
  };
  expect(await local("const mine = 'seen by nobody else'; mine.length")).toBe('=> 19\n');
  const [handle = ''] = (await local('--sessions')).split(' ');
  expect(handle).toMatch(/^main/);

  for (const sub of ['token-1', 'local', 'anonymous']) {
    const token = await signer.sign({ iss: issuer.url, aud: url, sub });
    await using client = await connect(http(url, { auth: staticToken(token) }), { revision: '2025-11-25' });
    const listed = await client.callTool('sessions', { action: 'list' });
    expect(JSON.stringify(listed)).not.toContain(handle);
    const reached = await client.callTool('evaluate', { session: handle, code: 'mine' });
    expect([reached.isError, JSON.stringify(reached).includes('seen by nobody else')]).toEqual([true, false]);
  }
  expect(await local('mine')).toBe("=> 'seen by nobody else'\n");
});
