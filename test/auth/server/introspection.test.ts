// Tokens that the issuer is asked about: what its answer must say, how long it counts, and what happens without one.
import type { RequestListener } from 'node:http';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { type Authorizer, type IntrospectionOptions, introspection } from 'vivarium/auth';
import {
  admit,
  bodyOf,
  issuer,
  json,
  type Listener,
  listen,
  listenForErrors,
  principalOf,
  refusalOf,
  resource,
  seconds,
  withToken,
} from '../fixture.ts';

// Time stands still, and is the same for the tables below.
const start = Date.now();
const now = Math.floor(start / 1_000);

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['Date'], now: start });
});

afterEach(() => {
  vi.useRealTimers();
});

const later = (forSeconds: number): unknown => vi.setSystemTime(Date.now() + forSeconds * 1_000);
const active = { active: true, sub: 'alice', scope: 'a b', token_type: 'Bearer' };

interface Asking {
  readonly auth: Authorizer;
  readonly server: Listener;
  readonly told: unknown[];
}

async function asking(listener: RequestListener, options: Partial<IntrospectionOptions> = {}): Promise<Asking> {
  const server = await listen(listener);
  const { told, onError } = listenForErrors();
  const client = { clientId: 'mcp', clientSecret: 'secret' };
  return { auth: introspection({ endpoint: `${server.url}/introspect`, ...client, onError, ...options }), server, told };
}

const answering = (answer: object, options?: Partial<IntrospectionOptions>): Promise<Asking> =>
  asking((_, response) => json(response, answer), options);

describe('the question', () => {
  it('says which token, and who asks', async () => {
    const asked: unknown[] = [];
    const { auth } = await asking(
      async (request, response) => {
        asked.push(request.method, request.url, request.headers.authorization, request.headers['content-type'], await bodyOf(request));
        json(response, active);
      },
      { clientId: 'my client:1', clientSecret: 'sécret+/%' },
    );
    await principalOf(auth, 'abc+/=');
    const credentials = Buffer.from('my+client%3A1:s%C3%A9cret%2B%2F%25').toString('base64');
    expect(asked).toEqual([
      'POST',
      '/introspect',
      `Basic ${credentials}`,
      'application/x-www-form-urlencoded;charset=UTF-8',
      'token=abc%2B%2F%3D&token_type_hint=access_token',
    ]);
  });

  it('is asked once for many requests with one token', async () => {
    const { auth, server } = await answering(active, { cacheMs: 0 });
    await Promise.all(Array.from({ length: 100 }, () => principalOf(auth, 'abc')));
    expect(server.count).toBe(1);
    await principalOf(auth, 'abc');
    expect(server.count).toBe(2);
  });

  it('is not asked about more than 256 tokens at a time', async () => {
    let release = (): void => undefined;
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    const answer: RequestListener = async (_, response) => {
      await held;
      json(response, active);
    };
    const { auth, server } = await asking(answer, { timeoutMs: 30_000 });
    const waiting = Array.from({ length: 256 }, (_, index) => principalOf(auth, `token-${index}`));
    expect(auth.admit(withToken('one-more'), resource)).toMatchObject({ refused: { status: 503, retryAfterSeconds: 1 } });
    release();
    await Promise.all(waiting);
    expect(server.count).toBe(256);
    await principalOf(auth, 'one-more');
  });
});

describe('an answer', () => {
  it('makes a principal', async () => {
    const claims = { ...active, client_id: 'app', username: 'Alice' };
    const { auth } = await answering(claims);
    expect(await principalOf(auth, 'abc')).toEqual({ id: 'alice', scopes: ['a', 'b'], claims });
  });

  it('makes the principal that the author says', async () => {
    const { auth } = await answering({ ...active, username: 'al' }, { principal: ({ username }) => ({ id: String(username) }) });
    expect(await principalOf(auth, 'abc')).toMatchObject({ id: 'al', scopes: ['a', 'b'] });
  });

  it.each([
    [{ aud: resource }],
    [{ aud: ['https://other.example', resource] }],
    [{ iss: issuer }],
    [{ iss: undefined }],
    [{ sub: undefined, client_id: 'app' }],
    [{ exp: now + 60, nbf: now - 1 }],
    [{ token_type: undefined }],
    [{ token_type: 'bearer' }],
  ])('may say %j', async (claims) => {
    const { auth } = await answering({ ...active, ...claims }, { issuer });
    expect(await admit(auth, 'abc')).toHaveProperty('principal');
  });

  it.each([
    [{ active: false }],
    [{ active: 'true' }],
    [{ active: 1 }],
    [{ active: undefined }],
    [{ aud: 'https://other.example/mcp' }],
    [{ aud: [] }],
    [{ aud: 7 }],
    [{ iss: 'https://evil.example' }],
    [{ exp: now - 1 }],
    [{ exp: 'never' }],
    [{ nbf: now + 600 }],
    [{ sub: undefined }],
    [{ token_type: 'DPoP' }],
    [{ cnf: { jkt: 'x' } }],
  ])('is a refusal with %j', async (claims) => {
    const { auth, told } = await answering({ ...active, ...claims }, { issuer });
    for (const _ of ['asked', 'remembered']) expect(await refusalOf(auth, 'abc')).toMatchObject({ status: 401, error: 'invalid_token' });
    expect(told).toEqual([]);
  });

  it('must name the audience that the author names', async () => {
    const { auth } = await answering(active, { audience: 'notes' });
    expect(await refusalOf(auth, 'abc')).toMatchObject({ description: 'The access token is for another resource' });
    const { auth: other } = await answering({ ...active, aud: 'notes' }, { audience: 'notes' });
    expect(await admit(other, 'abc')).toHaveProperty('principal');
  });

  it('is judged for each resource', async () => {
    const { auth, server } = await answering({ ...active, aud: resource });
    await principalOf(auth, 'abc');
    expect(await refusalOf(auth, 'abc', 'https://other.example/mcp')).toMatchObject({ status: 401 });
    expect(await admit(auth, 'abc')).toHaveProperty('principal');
    expect(server.count).toBe(1);
  });
});

describe('an answer that was given before', () => {
  it('counts at once', async () => {
    const { auth } = await answering(active);
    await principalOf(auth, 'abc');
    expect(auth.admit(withToken('abc'), resource)).toMatchObject({ principal: { id: 'alice' } });
  });

  it('counts for thirty seconds, then a revoked token is refused', async () => {
    let answer: object = active;
    const { auth, server } = await asking((_, response) => json(response, answer));
    await principalOf(auth, 'abc');
    answer = { active: false };
    later(29);
    expect(auth.admit(withToken('abc'), resource)).toHaveProperty('principal');
    later(2);
    expect(await refusalOf(auth, 'abc')).toMatchObject({ status: 401 });
    expect(server.count).toBe(2);
  });

  it('does not count where the author wants none: a token revoked or narrowed is refused at the next request', async () => {
    let answer: object = active;
    const { auth } = await asking((_, response) => json(response, answer), { cacheMs: 0, required: ['b'] });
    await principalOf(auth, 'abc');
    answer = { ...active, scope: 'a' };
    expect(await refusalOf(auth, 'abc')).toMatchObject({ status: 403 });
    answer = { active: false };
    expect(await refusalOf(auth, 'abc')).toMatchObject({ status: 401 });
    answer = active;
    expect(await admit(auth, 'abc')).toHaveProperty('principal');
  });

  it('counts no longer than the token', async () => {
    const { auth, server } = await answering({ ...active, exp: seconds(10) });
    await principalOf(auth, 'abc');
    later(11);
    expect(await refusalOf(auth, 'abc')).toMatchObject({ description: 'The access token has expired' });
    expect(server.count).toBe(2);
  });

  it('counts for five seconds if it was a refusal', async () => {
    let answer: object = { active: false };
    const { auth, server } = await asking((_, response) => json(response, answer));
    await refusalOf(auth, 'abc');
    answer = active;
    later(4);
    expect(auth.admit(withToken('abc'), resource)).toHaveProperty('refused');
    later(2);
    expect(await admit(auth, 'abc')).toHaveProperty('principal');
    expect(server.count).toBe(2);
  });

  it('is not pushed out by refusals', async () => {
    const { auth } = await asking(
      async (request, response) => json(response, (await bodyOf(request)).startsWith('token=good') ? active : { active: false }),
      { cache: { max: 5 } },
    );
    await principalOf(auth, 'good');
    for (let index = 0; index < 20; index++) await refusalOf(auth, `bad-${index}`);
    expect(auth.admit(withToken('good'), resource)).toHaveProperty('principal');
  });
});

describe('without an answer', () => {
  const faults: readonly (readonly [string, RequestListener])[] = [
    ['an error', (_, response) => json(response, active, 500)],
    ['a refusal of this server', (_, response) => json(response, { error: 'invalid_client' }, 401)],
    ['a redirection', (_, response) => response.writeHead(307, { location: '/elsewhere' }).end()],
    ['no JSON', (_, response) => response.end('active')],
    ['another JSON', (_, response) => json(response, null)],
    ['too much', (_, response) => response.end(JSON.stringify({ ...active, pad: ' '.repeat(1_048_576) }))],
    ['nothing', () => undefined],
    ['a closed connection', (request) => request.socket.destroy()],
  ];

  it.each(faults)('nobody is admitted: %s', async (_, listener) => {
    const { auth, told } = await asking(listener, { timeoutMs: 500 });
    const refused = await refusalOf(auth, 'abc-the-token');
    expect(refused).toMatchObject({ status: 503, error: 'temporarily_unavailable', retryAfterSeconds: 5 });
    expect(told).toHaveLength(1);
    expect(`${JSON.stringify(refused)}${told[0]}`).not.toMatch(/abc-the-token|secret/);
  });

  it('the next request asks again', async () => {
    let up = false;
    const { auth } = await asking((_, response) => (up ? json(response, active) : json(response, {}, 500)));
    await refusalOf(auth, 'abc');
    up = true;
    expect(await admit(auth, 'abc')).toHaveProperty('principal');
  });
});

describe('an author', () => {
  const good = { endpoint: 'https://as.example/introspect', clientId: 'a', clientSecret: 'b' };

  it.each([
    [{ endpoint: 'http://as.example/introspect' }, 'write https://'],
    [{ clientId: '' }, 'clientId and clientSecret'],
    [{ clientSecret: undefined }, 'clientId and clientSecret'],
    [{ issuer: 'as' }, 'write https://'],
    [{ cacheMs: -1 }, 'leave it out'],
    [{ audience: [] }, 'leave it out'],
  ])('is told what to write instead of %j', (options, remedy) => {
    expect(() => introspection({ ...good, ...options } as IntrospectionOptions)).toThrow(
      expect.objectContaining({ code: 'ERR_CONFIG', message: expect.stringContaining(remedy) }),
    );
  });

  it('gets metadata and a challenge that leads there if there is an issuer', () => {
    expect(introspection(good).document).toBeUndefined();
    expect(introspection({ ...good, issuer }).document?.('/.well-known/oauth-protected-resource', resource)).toMatchObject({
      authorization_servers: [issuer],
    });
  });
});
