// A person's client from the first refusal to the last refresh.
import { afterEach, describe, expect, it, vi } from 'vitest';
import { memoryTokens, oauth } from 'vivarium/auth';
import { call, coded, createFakeResource, createFakeServer, headless } from '../../client-fixture.ts';

afterEach(() => {
  vi.useRealTimers();
});

function later(ms: number): void {
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + ms });
}

describe('a client without a token', () => {
  it('goes without one until the server refuses', async () => {
    const server = await createFakeServer();
    const { endpoint } = await createFakeResource(server);
    expect(await oauth({ redirect: headless() }).token({ resource: endpoint })).toBeUndefined();
    expect(server.asked).toEqual([]);
  });

  it('registers, sends the person to the server, proves that the code is its own, and is let in', async () => {
    const server = await createFakeServer();
    const { endpoint } = await createFakeResource(server, { metadata: () => ({ scopes_supported: ['a', 'b'] }) });
    const redirect = headless();
    const auth = oauth({ redirect, clientName: 'Tester' });
    expect(await call(auth, endpoint)).toBe('access-1-');
    expect(server.registrations).toEqual([
      {
        client_name: 'Tester',
        redirect_uris: [redirect.uri],
        grant_types: ['authorization_code', 'refresh_token'],
        response_types: ['code'],
        token_endpoint_auth_method: 'none',
        application_type: 'native',
      },
    ]);
    expect(server.authorizations).toEqual([
      {
        response_type: 'code',
        client_id: 'client-1',
        redirect_uri: redirect.uri,
        code_challenge: expect.stringMatching(/^[\w-]{43}$/),
        code_challenge_method: 'S256',
        state: expect.stringMatching(/^[\w-]{43}$/),
        resource: endpoint,
        scope: 'a b',
      },
    ]);
    expect(server.tokens.map(({ form }) => form)).toEqual([
      {
        grant_type: 'authorization_code',
        code: 'code-1',
        redirect_uri: redirect.uri,
        code_verifier: expect.stringMatching(/^[\w-]{43}$/),
        client_id: 'client-1',
        resource: endpoint,
      },
    ]);
    expect(auth.token({ resource: endpoint })).toEqual({ value: 'access-1-', scheme: 'Bearer' });
  });

  it('says what is missing where nobody can log in', async () => {
    const { endpoint } = await createFakeResource(await createFakeServer());
    await expect(call(oauth({}), endpoint)).rejects.toEqual(coded('ERR_AUTH_REQUIRED', 'log in'));
  });

  it('opens one page however many wait', async () => {
    const server = await createFakeServer();
    const { endpoint } = await createFakeResource(server);
    const redirect = headless();
    const auth = oauth({ redirect });
    expect(await Promise.all(Array.from({ length: 5 }, () => call(auth, endpoint)))).toEqual(Array(5).fill('access-1-'));
    expect([redirect.opened.length, server.tokens.length, server.registrations.length]).toEqual([1, 1, 1]);
  });

  it('fails for all who wait when the person refuses, and asks that person once', async () => {
    const server = await createFakeServer({
      callback: () => ({ code: null, error: 'access_denied', error_description: 'no\u001b[31m way' }),
    });
    const { endpoint } = await createFakeResource(server);
    const redirect = headless();
    const auth = oauth({ redirect });
    const results = await Promise.allSettled([call(auth, endpoint), call(auth, endpoint)]);
    const refusal = { status: 'rejected', reason: coded('ERR_AUTH_FAILED', /access_denied \(no\\x1b\[31m way\)$/) };
    expect(results).toEqual([refusal, refusal]);
    expect([redirect.opened.length, server.tokens.length]).toEqual([1, 0]);
  });
});

describe('a token that has expired', () => {
  it('is refreshed once however many ask, with the resource, and all get the same', async () => {
    const server = await createFakeServer();
    const { endpoint } = await createFakeResource(server);
    const auth = oauth({ redirect: headless() });
    await call(auth, endpoint);
    later(3_600_000);
    server.valid.clear();
    const results = await Promise.all(Array.from({ length: 5 }, () => call(auth, endpoint)));
    expect(results).toEqual(Array(5).fill('access-2-'));
    expect(server.tokens.slice(1).map(({ form }) => form)).toEqual([
      { grant_type: 'refresh_token', refresh_token: 'refresh-1', client_id: 'client-1', resource: endpoint },
    ]);
    expect(server.reuses).toBe(0);
  });

  it('is refreshed once when five requests are refused for it', async () => {
    const server = await createFakeServer();
    const { endpoint } = await createFakeResource(server);
    const auth = oauth({ redirect: headless() });
    await call(auth, endpoint);
    server.valid.clear();
    expect(await Promise.all(Array.from({ length: 5 }, () => call(auth, endpoint)))).toEqual(Array(5).fill('access-2-'));
    expect([server.tokens.length, server.reuses, server.authorizations.length]).toEqual([2, 0, 1]);
  });

  it('is refreshed once even if the new one is as old already', async () => {
    const server = await createFakeServer({ seconds: 0 });
    const { endpoint } = await createFakeResource(server);
    const auth = oauth({ redirect: headless() });
    await call(auth, endpoint);
    const results = await Promise.all(Array.from({ length: 5 }, () => auth.token({ resource: endpoint })));
    expect(results).toEqual(Array(5).fill({ value: 'access-2-', scheme: 'Bearer' }));
    expect(server.tokens.length).toBe(2);
  });

  it('is refreshed with the latest of the refresh tokens, again and again', async () => {
    const server = await createFakeServer();
    const { endpoint } = await createFakeResource(server);
    const auth = oauth({ redirect: headless() });
    for (const count of [1, 2, 3, 4]) {
      expect(await call(auth, endpoint)).toBe(`access-${count}-`);
      later(3_600_000);
    }
    expect([server.reuses, server.authorizations.length]).toEqual([0, 1]);
  });

  it('keeps its refresh token where the server gives no new one', async () => {
    let given = 0;
    const server = await createFakeServer({
      token({ form }, response) {
        if (form['grant_type'] !== 'refresh_token') return false;
        expect(form['refresh_token']).toBe('refresh-1');
        response
          .writeHead(200, { 'content-type': 'application/json' })
          .end(`{"access_token":"again-${++given}","token_type":"bearer","expires_in":60}`);
        return true;
      },
    });
    const { endpoint } = await createFakeResource(server);
    const auth = oauth({ redirect: headless() });
    await call(auth, endpoint);
    for (const count of [1, 2]) {
      later(3_600_000);
      expect(await auth.token({ resource: endpoint })).toEqual({ value: `again-${count}`, scheme: 'Bearer' });
    }
  });

  it('leads to one new authorization when the refresh token is dead', async () => {
    const server = await createFakeServer();
    const { endpoint } = await createFakeResource(server);
    const redirect = headless();
    const onError = vi.fn();
    const auth = oauth({ redirect, onError });
    await call(auth, endpoint);
    server.valid.clear();
    server.refresh.clear();
    expect(await Promise.all(Array.from({ length: 5 }, () => call(auth, endpoint)))).toEqual(Array(5).fill('access-2-'));
    expect(redirect.opened.length).toBe(2);
    expect(server.tokens.map(({ form }) => form['grant_type'])).toEqual(['authorization_code', 'refresh_token', 'authorization_code']);
    expect(onError).toHaveBeenCalledOnce();
  });

  it.each([
    [503, 'busy'],
    [400, '{"error":"temporarily_unavailable"}'],
    [400, '{"error":"invalid_scope"}'],
  ])('stays where it is when the server is only out of order: %i %s', async (status, text) => {
    let broken = false;
    const server = await createFakeServer({
      token(_, response) {
        if (broken) response.writeHead(status, { 'content-type': 'application/json' }).end(text);
        return broken;
      },
    });
    const { endpoint } = await createFakeResource(server);
    const redirect = headless();
    const auth = oauth({ redirect });
    await call(auth, endpoint);
    later(3_600_000);
    broken = true;
    await expect(auth.token({ resource: endpoint })).rejects.toEqual(coded('ERR_AUTH_FAILED'));
    broken = false;
    expect(await auth.token({ resource: endpoint })).toEqual({ value: 'access-2-', scheme: 'Bearer' });
    expect(redirect.opened.length).toBe(1);
  });

  it('is not refreshed by whoever has stopped waiting, but by those who have not', async () => {
    let release = (): void => undefined;
    const server = await createFakeServer({
      token: ({ form }) => (form['grant_type'] === 'refresh_token' ? new Promise((resolve) => (release = () => resolve(false))) : false),
    });
    const { endpoint } = await createFakeResource(server);
    const auth = oauth({ redirect: headless() });
    await call(auth, endpoint);
    later(3_600_000);
    const gone = new AbortController();
    const first = auth.token({ resource: endpoint, signal: gone.signal });
    const second = auth.token({ resource: endpoint });
    await vi.waitFor(() => expect(server.tokens.length).toBe(2), 60_000);
    gone.abort();
    await expect(first).rejects.toEqual(coded('ERR_CANCELLED'));
    release();
    expect(await second).toEqual({ value: 'access-2-', scheme: 'Bearer' });
  });
});

describe('a refused token', () => {
  it('is not refreshed when a newer one is there', async () => {
    const server = await createFakeServer();
    const { endpoint } = await createFakeResource(server);
    const auth = oauth({ redirect: headless() });
    await call(auth, endpoint);
    later(3_600_000);
    await call(auth, endpoint);
    expect(await auth.token({ resource: endpoint, status: 401, stale: 'access-1-' })).toEqual({ value: 'access-2-', scheme: 'Bearer' });
    expect(server.tokens.length).toBe(2);
  });

  it('is not refreshed when another client of the same store has done so', async () => {
    const server = await createFakeServer();
    const { endpoint } = await createFakeResource(server);
    const tokens = memoryTokens();
    const [one, two] = [oauth({ redirect: headless(), tokens }), oauth({ redirect: headless(), tokens })] as const;
    await call(one, endpoint);
    expect(await call(two, endpoint)).toBe('access-1-');
    server.valid.delete('access-1-');
    expect(await Promise.all([call(one, endpoint), call(two, endpoint)])).toEqual(['access-2-', 'access-2-']);
    expect([server.tokens.length, server.reuses, server.authorizations.length, server.registrations.length]).toEqual([2, 0, 1, 1]);
  });

  it('never costs a newer one its place', async () => {
    const server = await createFakeServer({
      async token({ form }, response) {
        if (form['grant_type'] !== 'refresh_token') return false;
        // A process that does not know of the lock has been faster.
        const [key, text] = entries.find(([name]) => name.includes('"tokens"')) as [string, string];
        const newer = { ...JSON.parse(text), access: 'newer', refresh: 'newer', obtainedAt: Date.now() };
        server.valid.set('newer', '');
        expect(await tokens.set(key, JSON.stringify(newer), text)).toBe(true);
        response.writeHead(400, { 'content-type': 'application/json' }).end('{"error":"invalid_grant"}');
        return true;
      },
    });
    const { endpoint } = await createFakeResource(server);
    const plain = memoryTokens();
    const entries: [string, string][] = [];
    const tokens = {
      ...plain,
      set(key: string, value: string | undefined, expected: string | undefined) {
        if (value !== undefined) entries.push([key, value]);
        return plain.set(key, value, expected);
      },
    };
    const redirect = headless();
    const auth = oauth({ redirect, tokens, onError: () => undefined });
    await call(auth, endpoint);
    server.valid.delete('access-1-');
    expect(await call(auth, endpoint)).toBe('newer');
    expect(redirect.opened.length).toBe(1);
  });
});

describe('a store', () => {
  it('holds tokens by issuer and resource', async () => {
    const server = await createFakeServer();
    const [one, two] = [await createFakeResource(server), await createFakeResource(server)];
    const redirect = headless();
    const auth = oauth({ redirect });
    expect([await call(auth, one.endpoint), await call(auth, two.endpoint)]).toEqual(['access-1-', 'access-2-']);
    expect(server.tokens.map(({ form }) => form['resource'])).toEqual([one.endpoint, two.endpoint]);
    expect(server.registrations.length).toBe(1);
  });

  it.each([
    ['written', () => undefined],
    ['read or written', () => Promise.reject(new Error('no permission'))],
  ])('that cannot be %s costs nothing but the next run', async (_, get) => {
    const server = await createFakeServer();
    const { endpoint } = await createFakeResource(server);
    const onError = vi.fn();
    const tokens = { get, set: () => Promise.reject(new Error('disk full')) };
    const auth = oauth({ redirect: headless(), tokens, onError });
    expect(await call(auth, endpoint)).toBe('access-1-');
    expect(await call(auth, endpoint)).toBe('access-1-');
    later(3_600_000);
    server.valid.clear();
    expect(await call(auth, endpoint)).toBe('access-2-');
    expect(server.authorizations.length).toBe(1);
    expect(onError).toHaveBeenCalledWith(expect.objectContaining({ message: 'disk full' }));
  });
});
