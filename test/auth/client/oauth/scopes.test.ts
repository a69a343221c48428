// Which scopes a client asks for: first, and when they turn out not to be enough.
import { afterEach, describe, expect, it, vi } from 'vitest';
import { clientCredentials, oauth } from 'vivarium/auth';
import {
  call,
  coded,
  createFakeResource,
  createFakeServer,
  headless,
  type ResourceOptions,
  type ServerOptions,
} from '../../client-fixture.ts';

afterEach(() => {
  vi.useRealTimers();
});

const offered = { metadata: () => ({ scopes_supported: ['a', 'b', 'c'] }) };
const challenged = (scope: string): ResourceOptions => ({
  ...offered,
  challenge: (url) => `Bearer scope="${scope}", resource_metadata="${url}/.well-known/oauth-protected-resource/mcp"`,
});

describe('the first time a client asks for', () => {
  const cases: readonly (readonly [string, ResourceOptions, ServerOptions, readonly string[] | undefined, string | undefined])[] = [
    ['what the challenge names', challenged('a b'), {}, undefined, 'a b'],
    ['everything that is offered, where the challenge names nothing', offered, {}, undefined, 'a b c'],
    ['nothing, where nothing is named', {}, {}, undefined, undefined],
    ['what its author names in place of everything', offered, {}, ['x'], 'x'],
    ['what its author names beside the challenge', challenged('a'), {}, ['x', 'a'], 'a x'],
    [
      'offline access, where the server lists it',
      challenged('a'),
      { metadata: { scopes_supported: ['a', 'offline_access'] } },
      undefined,
      'a offline_access',
    ],
    ['no offline access, where it does not', challenged('a'), { metadata: { scopes_supported: ['a'] } }, undefined, 'a'],
    ['no offline access, whatever the resource says', challenged('a offline_access'), {}, undefined, 'a'],
    ['no offline access alone', {}, { metadata: { scopes_supported: ['offline_access'] } }, undefined, undefined],
  ];
  it.each(cases)('%s', async (_, resource, server, scopes, expected) => {
    const as = await createFakeServer(server);
    const { endpoint } = await createFakeResource(as, resource);
    await call(oauth({ redirect: headless(), ...(scopes !== undefined && { scopes }) }), endpoint);
    expect(as.authorizations[0]?.['scope']).toBe(expected);
    expect(as.authorizations[0]?.['prompt']).toBe(expected?.includes('offline_access') ? 'consent' : undefined);
  });
});

describe('a token that does not reach far enough', () => {
  const needs = (operation: string): string => operation;

  it('is replaced by one for everything asked for so far', async () => {
    const as = await createFakeServer();
    const { endpoint } = await createFakeResource(as, { ...challenged('read'), needs });
    const auth = oauth({ redirect: headless() });
    expect(await call(auth, endpoint, 'read')).toBe('access-1-');
    expect(await call(auth, endpoint, 'write')).toBe('access-2-');
    expect(await call(auth, endpoint, 'read')).toBe('access-2-');
    expect(as.authorizations.map(({ scope }) => scope)).toEqual(['read', 'read write']);
  });

  it('is replaced once for two that need the same, and again for one that needs more', async () => {
    const as = await createFakeServer();
    const { endpoint } = await createFakeResource(as, { ...challenged('read'), needs });
    const auth = oauth({ redirect: headless() });
    await call(auth, endpoint, 'read');
    await Promise.all([call(auth, endpoint, 'write'), call(auth, endpoint, 'write'), call(auth, endpoint, 'admin')]);
    expect(as.authorizations.map(({ scope }) => scope)).toEqual(['read', 'read write', 'read write admin']);
  });

  it('is not replaced when it holds all that is named', async () => {
    const as = await createFakeServer();
    const { endpoint } = await createFakeResource(as, challenged('read'));
    const auth = oauth({ redirect: headless() });
    const stale = await call(auth, endpoint);
    const challenge = 'Bearer error="insufficient_scope", scope="read"';
    const asked = auth.token({ resource: endpoint, status: 403, challenge, stale });
    await expect(asked).rejects.toEqual(coded('ERR_FORBIDDEN', 'holds every scope'));
    expect(as.authorizations.length).toBe(1);
  });

  it('is not replaced when no scope would help', async () => {
    const as = await createFakeServer();
    const { endpoint } = await createFakeResource(as);
    const auth = oauth({ redirect: headless() });
    const stale = await call(auth, endpoint);
    await expect(auth.token({ resource: endpoint, status: 403, stale })).rejects.toEqual(coded('ERR_FORBIDDEN', 'names no scope'));
    expect(as.authorizations.length).toBe(1);
  });

  it('is replaced no more often than is decent, though the server wants something new each time (A18)', async () => {
    const as = await createFakeServer();
    let count = 0;
    const { endpoint } = await createFakeResource(as, { ...challenged('s0'), needs: () => `s${++count}` });
    const auth = oauth({ redirect: headless() });
    await expect(call(auth, endpoint, 'x', 100)).rejects.toEqual(coded('ERR_FORBIDDEN', 'goes on refusing: 4 authorizations'));
    expect(as.authorizations.map(({ scope }) => scope)).toEqual(['s0', 's0 s1', 's0 s1 s2', 's0 s1 s2 s3']);
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 60_001 });
    await expect(call(auth, endpoint, 'x', 1)).rejects.toThrow('refused with 403');
    expect(as.authorizations.length).toBe(5);
  });

  it('stays where it is when its author allows no other', async () => {
    const as = await createFakeServer();
    const { endpoint } = await createFakeResource(as, { ...challenged('read'), needs });
    const auth = oauth({ redirect: headless(), maxStepUps: 0 });
    await call(auth, endpoint, 'read');
    await expect(call(auth, endpoint, 'write')).rejects.toEqual(coded('ERR_FORBIDDEN'));
    expect(await call(auth, endpoint, 'read')).toBe('access-1-');
  });

  it('is replaced without a person where none is needed', async () => {
    const as = await createFakeServer();
    const { endpoint } = await createFakeResource(as, { ...challenged('read'), needs });
    const auth = clientCredentials({ clientId: 'c', clientSecret: 's', issuer: as.issuer });
    await call(auth, endpoint, 'read');
    expect(await call(auth, endpoint, 'write')).toBe('access-2-');
    expect(as.tokens.map(({ form }) => form['scope'])).toEqual(['read', 'read write']);
  });
});

it('a server that refuses every token stops opening pages', async () => {
  const as = await createFakeServer();
  const { endpoint } = await createFakeResource(as);
  const redirect = headless();
  const auth = oauth({ redirect, onError: () => undefined });
  as.valid.set = () => as.valid;
  as.refresh.set = () => as.refresh;
  for (let left = 10; left > 0; left--) await expect(call(auth, endpoint)).rejects.toThrow();
  expect(redirect.opened.length).toBe(4);
});
