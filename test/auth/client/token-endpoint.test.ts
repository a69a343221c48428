// What a token endpoint may answer, and what a client keeps of it.
import type { ServerResponse } from 'node:http';
import { describe, expect, it } from 'vitest';
import { memoryTokens, oauth, type TokenStore } from 'vivarium/auth';
import { call, coded, createFakeResource, createFakeServer, headless } from '../client-fixture.ts';
import { flood, json } from '../fixture.ts';

/** A store that can be looked into. */
function open(): TokenStore & { readonly kept: () => string } {
  const store = memoryTokens();
  const texts = new Map<string, string | undefined>();
  return {
    ...store,
    async set(key, value, expected) {
      const done = await store.set(key, value, expected);
      if (done) texts.set(key, value);
      return done;
    },
    kept: () => JSON.stringify([...texts].filter(([key]) => key.includes('"tokens"'))),
  };
}

const good = { access_token: 'good', token_type: 'Bearer', expires_in: 60 };

describe('an answer (A23)', () => {
  const bad: readonly (readonly [name: string, answer: (response: ServerResponse) => void, message?: RegExp])[] = [
    ['that is a page', (response) => response.writeHead(200, { 'content-type': 'text/html' }).end('<h1>Welcome</h1>')],
    ['that is a page in disguise', (response) => response.writeHead(200, { 'content-type': 'application/json' }).end('<h1>Welcome</h1>')],
    ['that is empty', (response) => response.writeHead(200, { 'content-type': 'application/json' }).end()],
    ['that is a list', (response) => json(response, [good])],
    ['without a token', (response) => json(response, { ...good, access_token: undefined })],
    ['whose token is a number', (response) => json(response, { ...good, access_token: 7 })],
    ['whose token is empty', (response) => json(response, { ...good, access_token: '' })],
    ['whose token would break a header', (response) => json(response, { ...good, access_token: 'a\r\nx-evil: 1' }), /cannot be sent/],
    ['whose token holds a blank', (response) => json(response, { ...good, access_token: 'a b' }), /cannot be sent/],
    ['without a type', (response) => json(response, { ...good, token_type: undefined })],
    ['of an unknown type', (response) => json(response, { ...good, token_type: 'mac' })],
    ['of a type that was not asked for', (response) => json(response, { ...good, token_type: 'DPoP' }), /dpop/],
    ['that expires in "abc"', (response) => json(response, { ...good, expires_in: 'abc' })],
    ['that expires in -1', (response) => json(response, { ...good, expires_in: -1 })],
    ['that expires in {}', (response) => json(response, { ...good, expires_in: {} })],
    ['whose refresh token is a list', (response) => json(response, { ...good, refresh_token: ['r'] })],
    ['whose scope is a list', (response) => json(response, { ...good, scope: ['a'] })],
    ['with status 500', (response) => json(response, good, 500)],
    ['with status 503 and a page', (response) => response.writeHead(503, { 'content-type': 'text/html' }).end('<h1>Busy</h1>')],
    ['with status 302', (response) => response.writeHead(302, { location: 'https://evil.example' }).end()],
    ['with status 400 and no error', (response) => json(response, {}, 400)],
    [
      'with an error',
      (response) => json(response, { error: 'invalid_request', error_description: 'No\u001b]0;x\u0007' }, 400),
      /refuses: invalid_request \(No\\x1b\]0;x\\x07\)$/,
    ],
    ['of 50 MB', flood, /more than 1048576 bytes/],
    ['that stops in the middle', (response) => response.writeHead(200, { 'content-length': '100' }).write('{', () => response.destroy())],
  ];

  it.each(bad.map(([name, answer, message = /./]) => [name, answer, message] as const))(
    '%s ends with a typed error, and nothing is kept',
    async (_, answer, message) => {
      const server = await createFakeServer({
        token(_seen, response) {
          answer(response);
          return true;
        },
      });
      const { endpoint } = await createFakeResource(server);
      const tokens = open();
      const auth = oauth({ redirect: headless(), tokens });
      await expect(call(auth, endpoint)).rejects.toEqual(coded('ERR_AUTH_FAILED', message));
      expect(tokens.kept()).toBe('[]');
      expect(await auth.token({ resource: endpoint })).toBeUndefined();
    },
  );

  const fine: readonly (readonly [string, object])[] = [
    ['that expires in "60"', { ...good, expires_in: '60' }],
    ['that never expires', { access_token: 'good', token_type: 'bearer' }],
    ['with an identity nobody asked for, however wrong', { ...good, id_token: 'no.jwt.at-all' }],
    ['with more than is needed', { ...good, x: { y: [] }, scope: 'a  b' }],
  ];
  it.each(fine)('%s is as good as any', async (_, answer) => {
    const server = await createFakeServer({
      token(_seen, response) {
        server.valid.set('good', '');
        json(response, answer);
        return true;
      },
    });
    const { endpoint } = await createFakeResource(server);
    const auth = oauth({ redirect: headless() });
    expect(await call(auth, endpoint)).toBe('good');
    expect(await auth.token({ resource: endpoint })).toEqual({ value: 'good', scheme: 'Bearer' });
  });
});

describe('what is kept', () => {
  it('is found again by a client that starts anew', async () => {
    const server = await createFakeServer();
    const { endpoint } = await createFakeResource(server);
    const tokens = memoryTokens();
    await call(oauth({ redirect: headless(), tokens }), endpoint);
    const redirect = headless();
    expect(await call(oauth({ redirect, tokens }), endpoint)).toBe('access-1-');
    expect([redirect.opened, server.tokens.length]).toEqual([[], 1]);
  });

  it.each(['', '{', 'null', '7', '{"access":1}', '{"access":"a","scheme":"Basic"}'])('counts as nothing if it is %j', async (text) => {
    const server = await createFakeServer();
    const { endpoint } = await createFakeResource(server);
    const store = memoryTokens();
    const tokens: TokenStore = {
      ...store,
      set: (key, value, expected) => store.set(key, value === undefined ? undefined : text, expected),
    };
    await call(oauth({ redirect: headless(), tokens }), endpoint);
    expect(await call(oauth({ redirect: headless(), tokens: store }), endpoint)).toBe('access-2-');
  });

  it('is replaced only by who knows it', async () => {
    const store = memoryTokens();
    expect(await store.set('k', 'a', 'x')).toBe(false);
    expect(await store.set('k', 'a', undefined)).toBe(true);
    expect(await store.set('k', 'b', undefined)).toBe(false);
    expect(await store.set('k', 'b', 'a')).toBe(true);
    expect(await store.get('k')).toBe('b');
    expect(await store.set('k', undefined, 'b')).toBe(true);
    expect(await store.get('k')).toBeUndefined();
  });

  it('is used without a lock that cannot be had', async () => {
    const server = await createFakeServer();
    const { endpoint } = await createFakeResource(server);
    const told: unknown[] = [];
    const tokens = { ...memoryTokens(), lock: () => Promise.reject(new Error('read-only')) };
    expect(await call(oauth({ redirect: headless(), tokens, onError: (error) => void told.push(error) }), endpoint)).toBe('access-1-');
    expect(told).toContainEqual(expect.objectContaining({ message: 'read-only' }));
  });
});
