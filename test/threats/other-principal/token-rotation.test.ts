// Somebody has a copy of the token of a running server: rotating it locks them out without a restart.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { main, Started } from '../../cli/started.ts';
import { eventually } from '../../live/fixture.ts';
import { call, initialize } from '../../serve/http.ts';

let home: string;

beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'rotate-'));
});

afterEach(() => rmSync(home, { recursive: true, force: true }));

const environment = (): Record<string, string> => ({ HOME: home, XDG_STATE_HOME: join(home, 'state') });
const kept = (): string => readFileSync(join(home, 'state/vivarium/live/token'), 'utf8').trim();

function headersOf(token: string, session?: string): Record<string, string> {
  const more = session === undefined ? {} : { 'mcp-session-id': session, 'mcp-protocol-version': '2025-11-25' };
  return { accept: 'application/json, text/event-stream', 'content-type': 'application/json', authorization: `Bearer ${token}`, ...more };
}

const post = (url: string, token: string, body: object, session?: string): Promise<Response> =>
  fetch(url, { method: 'POST', headers: headersOf(token, session), body: JSON.stringify(body) });

describe('vivarium live --rotate-token', () => {
  it('makes a running server refuse the old token, cut its streams, and keep the sessions for the new one', async () => {
    const live = new Started(['live', '--http', '0'], { cwd: home, env: environment() });
    const [, url = ''] = await live.until('stderr', / is served at (http:[^,\s]+)/);
    const old = kept();
    const opened = await post(url, old, initialize());
    const session = opened.headers.get('mcp-session-id') ?? '';
    await opened.text();
    await (await post(url, old, call(2, 'evaluate', { code: 'kept = 7' }), session)).text();
    const stream = await fetch(url, { headers: { ...headersOf(old, session), accept: 'text/event-stream' } });
    expect(stream.status).toBe(200);
    const ended = stream.text().then(
      () => 'ended',
      () => 'cut',
    );

    const rotated = spawnSync(process.execPath, [main, 'live', '--rotate-token'], {
      cwd: home,
      env: { ...process.env, ...environment() },
      encoding: 'utf8',
    });
    expect(rotated.status).toBe(0);
    expect(rotated.stderr).toContain('refuse the old one within seconds');
    const fresh = kept();
    expect(fresh).not.toBe(old);
    expect(`${rotated.stdout}${rotated.stderr}`).not.toContain(fresh);

    await eventually(
      async () => (await post(url, old, call(3, 'evaluate', { code: '1' }), session).catch(() => ({ status: 0 }))).status,
    ).toBe(401);
    expect(await ended).toBe('cut');
    const answer = await post(url, fresh, call(4, 'evaluate', { code: 'kept + 1' }), session);
    expect(answer.status).toBe(200);
    expect(await answer.text()).toContain('=> 8');
  }, 60_000);
});
