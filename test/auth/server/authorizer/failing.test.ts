// An Authorizer of one's own that fails: it lets nobody in, costs one answer, and never the process.
import { describe, expect, it } from 'vitest';
import { type Admission, type Authorizer, bearer } from 'vivarium/auth';
import { call, type Door, doors, modern, openSession } from '../../../serve/http.ts';
import { createServer, type Told } from '../../../server/fixture.ts';

const token = 'a-token-of-sufficient-length';
const headers = { authorization: `Bearer ${token}` };
const good = bearer([token]);
const secret = 'postgres://user:password@db';

function fail(): never {
  throw new Error(secret);
}

function served(): { readonly server: ReturnType<typeof createServer>['server']; readonly told: Told[]; readonly ran: string[] } {
  const { server, told } = createServer({ expose: { resources: true } });
  const ran: string[] = [];
  server.tool('free', {}, () => void ran.push('free'));
  server.tool('save', { scopes: ['x'] }, () => void ran.push('save'));
  server.resource('note:///1', { scopes: ['x'] }, () => void ran.push('read') as unknown as string);
  return { server, told, ran };
}

async function expectAlive(door: Door): Promise<void> {
  expect((await door.send({ method: 'GET', path: '/nowhere', headers: { accept: 'text/event-stream' } })).status).toBeGreaterThan(0);
}

describe.each(doors)('an Authorizer at %s', (_, open) => {
  it.each<[string, Authorizer['admit']]>([
    ['throws', fail],
    ['rejects', async () => fail()],
    ['gives nothing', () => undefined as unknown as Admission],
    ['gives nothing later', async () => undefined as unknown as Admission],
    ['gives null', () => null as unknown as Admission],
    ['gives an empty object', () => ({}) as unknown as Admission],
  ])('whose admit %s lets nobody in', async (_what, admit) => {
    const { server, told, ran } = served();
    const door = await open(server, { auth: { ...good, admit } });
    for (const sent of [modern('tools/call', { name: 'free' }, headers), { headers, body: call(1, 'free') }]) {
      const answer = await door.send(sent);
      expect([500, 503]).toContain(answer.status);
      expect(answer.text).not.toContain('password');
    }
    expect(ran).toEqual([]);
    expect(told).toHaveLength(2);
    await expectAlive(door);
  });

  it('whose stepUp throws refuses all the same, at once or later', async () => {
    const { server, told, ran } = served();
    const door = await open(server, { auth: { ...good, stepUp: fail } });
    const session = await openSession(door, '2025-11-25', headers);
    const read = { name: 'resource_read', arguments: { uri: 'note:///1' } };
    for (const sent of [
      modern('tools/call', { name: 'save' }, headers),
      modern('resources/read', { uri: 'note:///1' }, headers),
      modern('tools/call', read, headers),
      { headers: session, body: call(1, 'save') },
      { headers: session, body: call(1, 'resource_read', read.arguments) },
    ]) {
      const answer = await door.send(sent);
      expect([403, 500]).toContain(answer.status);
      expect(answer.text).not.toContain('password');
    }
    expect(ran).toEqual([]);
    expect(told).toHaveLength(5);
    expect(door.stats.running).toBe(0);
  });

  it('whose challenge is no header value is not sent on, and splits nothing', async () => {
    const { server, ran } = served();
    const challenge = 'Bearer scope="x\r\nset-cookie: evil=1"';
    const refused = { status: 401, error: 'invalid_token', description: 'no', challenge } as const;
    const door = await open(server, { auth: { ...good, admit: () => ({ refused }), stepUp: () => ({ ...refused, status: 403 }) } });
    const answer = await door.send(modern('tools/call', { name: 'free' }, headers));
    expect(answer.status).toBeGreaterThanOrEqual(401);
    expect(answer.headers).not.toHaveProperty('set-cookie');
    expect(ran).toEqual([]);
    await expectAlive(door);
  });

  it('whose document throws costs that answer only', async () => {
    const { server } = served();
    const door = await open(server, { auth: { ...good, document: fail } });
    const answer = await door.send({ method: 'GET', path: '/.well-known/oauth-protected-resource' });
    expect([answer.status, answer.text]).toEqual([500, expect.not.stringContaining('password')]);
    expect(await door.send(modern('tools/call', { name: 'free' }, headers))).toMatchObject({ status: 200 });
  });
});
