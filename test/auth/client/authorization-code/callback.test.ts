// What comes back from the authorization server, and what a client makes of it.
import { describe, expect, it } from 'vitest';
import { oauth, type Redirect } from 'vivarium/auth';
import { call, coded, createFakeResource, createFakeServer, headless, type ServerOptions } from '../../client-fixture.ts';

const advertised = { authorization_response_iss_parameter_supported: true };
const silent = { authorization_response_iss_parameter_supported: undefined };

type Callback = NonNullable<ServerOptions['callback']>;

/** RFC 9207, section 2.4: four rows, compared letter by letter. */
const table: readonly (readonly [name: string, metadata: object, callback: Callback, accepted: boolean])[] = [
  ['advertised and right', advertised, () => ({}), true],
  ['advertised and missing', advertised, () => ({ iss: null }), false],
  ['advertised and wrong', advertised, () => ({ iss: 'https://evil.example' }), false],
  ['advertised, with one slash more', advertised, (issuer) => ({ iss: `${issuer}/` }), false],
  ['advertised, in other letters', advertised, (issuer) => ({ iss: issuer.replace('http', 'HTTP') }), false],
  ['advertised and empty', advertised, () => ({ iss: '' }), false],
  ['not advertised and missing', silent, () => ({ iss: null }), true],
  ['not advertised and right', silent, () => ({}), true],
  ['not advertised and wrong', silent, () => ({ iss: 'https://evil.example' }), false],
  ['not advertised and empty', silent, () => ({ iss: '' }), false],
];

describe('an issuer (A15)', () => {
  it.each(table)('%s', async (_, metadata, callback, accepted) => {
    const server = await createFakeServer({ metadata: metadata as Record<string, unknown>, callback });
    const { endpoint } = await createFakeResource(server);
    const result = call(oauth({ redirect: headless() }), endpoint);
    if (accepted) expect(await result).toBe('access-1-');
    else await expect(result).rejects.toEqual(coded('ERR_AUTH_FAILED', 'its `iss` is'));
    expect(server.tokens.length).toBe(accepted ? 1 : 0);
  });

  it('that is wrong keeps the error it brings from being shown', async () => {
    const error = { code: null, error: 'access_denied', error_description: 'Call 0900-666 now', iss: 'https://evil.example' };
    const server = await createFakeServer({ callback: () => error });
    const { endpoint } = await createFakeResource(server);
    const failure = await call(oauth({ redirect: headless() }), endpoint).catch((one: unknown) => one);
    expect(failure).toEqual(coded('ERR_AUTH_FAILED', 'its `iss` is another'));
    expect(String(failure)).not.toMatch(/0900|denied/);
  });
});

describe('an answer (A16)', () => {
  const bad: readonly (readonly [string, Callback, RegExp])[] = [
    ['without a state', () => ({ state: null }), /`state` is another/],
    ['with another state', () => ({ state: 'x' }), /`state` is another/],
    ['with another state and an error', () => ({ state: 'x', error: 'access_denied' }), /`state` is another/],
    ['without a code', () => ({ code: null }), /neither a code nor an error/],
    ['with an empty code', () => ({ code: '' }), /neither a code nor an error/],
  ];
  it.each(bad)('%s is refused', async (_, callback, message) => {
    const server = await createFakeServer({ callback });
    const { endpoint } = await createFakeResource(server);
    await expect(call(oauth({ redirect: headless() }), endpoint)).rejects.toEqual(coded('ERR_AUTH_FAILED', message));
    expect(server.tokens).toEqual([]);
  });

  const changed: readonly (readonly [string, (url: URL) => URL | URLSearchParams, RegExp | undefined])[] = [
    ['at another path', (url) => new URL(`/other${url.search}`, url), /another address/],
    ['at another host', (url) => new URL(url.href.replace('127.0.0.1', 'localhost')), /another address/],
    ['with two codes', (url) => new URL(`${url.href}&code=x`), /more than one `code`/],
    ['with two issuers', (url) => new URL(`${url.href}&iss=x`), /more than one `iss`/],
    ['as parameters alone', (url) => url.searchParams, undefined],
  ];
  it.each(changed)('%s', async (_, change, message) => {
    const server = await createFakeServer();
    const { endpoint } = await createFakeResource(server);
    const good = headless();
    const redirect: Redirect = { uri: good.uri, open: async (url, options) => change((await good.open(url, options)) as URL) };
    const result = call(oauth({ redirect }), endpoint);
    if (message === undefined) expect(await result).toBe('access-1-');
    else await expect(result).rejects.toEqual(coded('ERR_AUTH_FAILED', message));
    expect(server.tokens.length).toBe(message === undefined ? 1 : 0);
  });

  it('is exchanged at most once, even when that fails', async () => {
    const server = await createFakeServer({
      token(_, response) {
        response.writeHead(500).end();
        return true;
      },
    });
    const { endpoint } = await createFakeResource(server);
    await expect(call(oauth({ redirect: headless() }), endpoint)).rejects.toEqual(coded('ERR_AUTH_FAILED'));
    expect(server.tokens.length).toBe(1);
  });

  it('that never comes ends with the reason, and the next request may try again', async () => {
    const server = await createFakeServer();
    const { endpoint } = await createFakeResource(server);
    const good = headless();
    let away = true;
    const redirect: Redirect = {
      uri: good.uri,
      open: (url, options) => (away ? Promise.reject(new Error('the window was closed')) : good.open(url, options)),
    };
    const auth = oauth({ redirect });
    await expect(call(auth, endpoint)).rejects.toEqual(coded('ERR_AUTH_REQUIRED', 'the window was closed'));
    away = false;
    expect(await call(auth, endpoint)).toBe('access-1-');
  });

  it('is awaited no longer than anyone waits', async () => {
    const server = await createFakeServer();
    const { endpoint } = await createFakeResource(server);
    const leaving = new AbortController();
    let told: AbortSignal | undefined;
    const redirect: Redirect = {
      uri: 'http://127.0.0.1:9/callback',
      open(_, { signal }) {
        told = signal;
        leaving.abort();
        return new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(signal.reason), { once: true }));
      },
    };
    const asked = oauth({ redirect }).token({ resource: endpoint, status: 401, signal: leaving.signal });
    await expect(asked).rejects.toEqual(coded('ERR_CANCELLED'));
    expect(told?.aborted).toBe(true);
  });
});
