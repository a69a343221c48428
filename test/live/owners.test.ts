// Over HTTP several people may work in one server: nobody reaches what is another's.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { bearer, staticToken } from 'vivarium/auth';
import { connect } from 'vivarium/client';
import { http } from 'vivarium/connect/http';
import { createLive } from 'vivarium/live';
import { serveHttp } from 'vivarium/serve/node';

async function serve(): Promise<(name: 'alice' | 'bob') => Promise<(tool: string, args: object) => Promise<string>>> {
  const folder = mkdtempSync(join(tmpdir(), 'live-owners-'));
  const live = createLive({ cwd: folder, single: false, stateFolder: join(folder, 'state') });
  const tokens = { alice: 'token-of-alice-0123456789', bob: 'token-of-bob-0123456789abc' };
  const auth = bearer({ [tokens.alice]: { id: 'alice' }, [tokens.bob]: { id: 'bob' } });
  const served = await serveHttp(live.server, { port: 0, signals: false, drainMs: 0, auth });
  onTestFinished(async () => {
    await served.close();
    await live.close();
    rmSync(folder, { recursive: true, force: true });
  });
  return async (name) => {
    const client = await connect(http(served.url, { auth: staticToken(tokens[name]) }), { revision: '2026-07-28' });
    onTestFinished(() => client.close());
    return async (tool, args) => {
      const { content } = await client.callTool(tool, args as never);
      return content.map((block) => (block.type === 'text' ? block.text : '')).join('\n');
    };
  };
}

it('A session is found by its handle, and by its owner only', async () => {
  const as = await serve();
  const [alice, bob] = [await as('alice'), await as('bob')];
  await alice('evaluate', { code: "const secret = 'of alice'" });
  const [session = ''] = /s-[\w-]+/.exec(await alice('sessions', { action: 'list' })) ?? [];
  expect(await alice('evaluate', { code: 'secret', session })).toContain('of alice');
  expect(await bob('evaluate', { code: 'secret', session })).toContain('There is no session');
  expect(await bob('sessions', { action: 'list' })).not.toContain(session);
});

it('What was saved is found by who saved it only', async () => {
  const as = await serve();
  const [alice, bob] = [await as('alice'), await as('bob')];
  await alice('evaluate', { code: "const secret = 'of alice'" });
  const [session = ''] = /s-[\w-]+/.exec(await alice('sessions', { action: 'list' })) ?? [];
  await alice('sessions', { action: 'save', session, name: 'work' });
  expect(await bob('sessions', { action: 'restore', name: 'work' })).toContain('nothing was saved yet');
  expect(await alice('sessions', { action: 'restore', name: 'work' })).toContain('Replayed 1 of 1');
});

it('A call that runs nothing opens no session', async () => {
  const as = await serve();
  const alice = await as('alice');
  expect(await alice('evaluate', {})).toContain('Say which session');
  expect(await alice('sessions', { action: 'list' })).toContain('No session is open');
});
