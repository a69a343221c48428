// Keys that are fetched: how often, how much of them, for how long, and what happens without them.
import type { RequestListener } from 'node:http';
import { gzipSync } from 'node:zlib';
import { SignJWT, UnsecuredJWT } from 'jose';
import { afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { type Authorizer, type JwtOptions, jwt } from 'vivarium/auth';
import { type KeySet, remoteKeys } from '../../../src/auth/server/issuer-keys.ts';
import { asTerms } from '../../../src/auth/server/options.ts';
import {
  admit,
  createSigner,
  issuer,
  json,
  type Listener,
  listen,
  listenForErrors,
  principalOf,
  refusalOf,
  resource,
  type Signer,
  seconds,
  withDefaults,
  withToken,
} from '../fixture.ts';

let signer: Signer;

beforeAll(async () => {
  signer = await createSigner();
});

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['Date'] });
});

afterEach(() => {
  vi.useRealTimers();
});

const later = (forSeconds: number): unknown => vi.setSystemTime(Date.now() + forSeconds * 1_000);

interface Fetching {
  readonly auth: Authorizer;
  readonly server: Listener;
  readonly told: unknown[];
}

async function fetching(
  listener: RequestListener = (_, response) => json(response, signer.jwks),
  options: Partial<JwtOptions> = {},
): Promise<Fetching> {
  const server = await listen(listener);
  const { told, onError } = listenForErrors();
  return { auth: jwt({ issuer, jwksUri: `${server.url}/keys`, onError, ...options }), server, told };
}

/** A fetch may take long on a busy machine; how long it may take is tested below. */
const patient = { timeoutMs: 60_000 };

describe('keys', () => {
  it('are fetched when the first token comes, and once for many at a time', async () => {
    const { auth, server } = await fetching();
    expect(server.count).toBe(0);
    const tokens = await Promise.all(Array.from({ length: 50 }, (_, index) => signer.sign({ sub: `user-${index}` })));
    const principals = await Promise.all(tokens.map((token) => principalOf(auth, token)));
    expect(principals.map(({ id }) => id)).toEqual(tokens.map((_, index) => `user-${index}`));
    expect(server.count).toBe(1);
  });

  it('are not fetched for what cannot be a good token', async () => {
    const { auth, server } = await fetching();
    const shared = await new SignJWT(withDefaults()).setProtectedHeader({ alg: 'HS256' }).sign(new Uint8Array(32));
    const unsigned = new UnsecuredJWT(withDefaults()).encode();
    const otherwise = await signer.sign({}, { typ: 'secevent+jwt' });
    for (const token of ['nonsense', 'a.b.c', shared, unsigned, otherwise])
      expect(await refusalOf(auth, token)).toMatchObject({ status: 401 });
    expect(server.count).toBe(0);
  });

  it('are fetched again after ten minutes, and then a key that is gone counts no more', async () => {
    let jwks = signer.jwks;
    const { auth, server } = await fetching((_, response) => json(response, jwks));
    const token = await signer.sign({ exp: seconds(3_600) });
    await principalOf(auth, token);
    jwks = (await createSigner('ES256', 'k2')).jwks;
    later(599);
    expect(auth.admit(withToken(token), resource)).toHaveProperty('principal');
    later(2);
    expect(await refusalOf(auth, token)).toMatchObject({ status: 401 });
    expect(server.count).toBe(2);
  });

  it('that are new are found once the pause is over', async () => {
    let jwks = signer.jwks;
    const { auth, server } = await fetching((_, response) => json(response, jwks));
    await principalOf(auth, await signer.sign());
    const next = await createSigner('ES256', 'k2');
    jwks = { keys: [...signer.jwks.keys, ...next.jwks.keys] };
    expect(await refusalOf(auth, await next.sign())).toMatchObject({ status: 401 });
    later(31);
    const tokens = await Promise.all(['a', 'b', 'c'].map((sub) => next.sign({ sub })));
    const principals = await Promise.all(tokens.map((token) => principalOf(auth, token)));
    expect(principals.map(({ id }) => id)).toEqual(['a', 'b', 'c']);
    expect(server.count).toBe(2);
  });

  it('that came while a token was checked with the old ones are used without another request', async () => {
    const server = await listen((_, response) => json(response, signer.jwks));
    const source = remoteKeys({ issuer, jwksUri: new URL(server.url), timeoutMs: 5_000 }, asTerms({}));
    const old = (await source.current()) as KeySet;
    expect(await source.newer(old)).toBeUndefined();
    later(31);
    const fresh = await source.newer(old);
    expect(fresh).not.toBe(old);
    expect(await source.newer(old)).toBe(fresh);
    expect(await source.current()).toBe(fresh);
    expect(server.count).toBe(2);
  });
});

describe('a thousand tokens with unknown keys', () => {
  it('cause one request in each pause, at once or one after another', async () => {
    const { auth, server } = await fetching(undefined, patient);
    await principalOf(auth, await signer.sign());
    const other = await createSigner('ES256', 'other');
    const tokens = await Promise.all(Array.from({ length: 1_000 }, (_, index) => other.sign({}, { kid: `unknown-${index}` })));
    for (const token of tokens) expect(await admit(auth, token)).toMatchObject({ refused: { status: 401, error: 'invalid_token' } });
    expect(server.count).toBe(1);
    later(31);
    const admissions = await Promise.all(tokens.map((token) => admit(auth, token)));
    expect(admissions.every((admission) => 'refused' in admission && admission.refused.status === 401)).toBe(true);
    expect(server.count).toBe(2);
    await Promise.all(tokens.map((token) => admit(auth, token)));
    expect(server.count).toBe(2);
    expect(await principalOf(auth, await signer.sign({ sub: 'bob' }))).toMatchObject({ id: 'bob' });
  });

  it('cause no more when the request fails', async () => {
    let up = true;
    const { auth, server } = await fetching((_, response) => (up ? json(response, signer.jwks) : json(response, {}, 500)));
    await principalOf(auth, await signer.sign());
    up = false;
    later(31);
    for (let index = 0; index < 100; index++) {
      expect(await refusalOf(auth, await signer.sign({}, { kid: `unknown-${index}` }))).toMatchObject({ status: 503 });
    }
    expect(server.count).toBe(2);
    later(10);
    await refusalOf(auth, await signer.sign({}, { kid: 'unknown' }));
    expect(server.count).toBe(2);
    expect(await principalOf(auth, await signer.sign({ sub: 'bob' }))).toMatchObject({ id: 'bob' });
  });
});

describe('keys that cannot be had', () => {
  const unavailable = { status: 503, error: 'temporarily_unavailable', retryAfterSeconds: 5 };
  const large = (response: Parameters<RequestListener>[1]): void => {
    const chunk = Buffer.alloc(65_536, ' ');
    let sent = 0;
    const more = (): void => {
      while (sent < 50_000_000) {
        sent += chunk.length;
        if (!response.write(chunk)) return;
      }
      response.end();
    };
    response.on('drain', more);
    more();
  };
  const faults: readonly (readonly [string, RequestListener])[] = [
    ['an error', (_, response) => json(response, signer.jwks, 500)],
    ['nothing there', (_, response) => json(response, signer.jwks, 404)],
    ['a closed connection', (request) => request.socket.destroy()],
    [
      'half an answer',
      (request, response) => {
        response.writeHead(200, { 'content-length': 1_000 }).write('{', () => request.socket.destroy());
      },
    ],
    ['no JSON', (_, response) => response.end('<html>')],
    ['another JSON', (_, response) => json(response, [])],
    ['no list of keys', (_, response) => json(response, { keys: 'none' })],
    ['no UTF-8', (_, response) => response.end(Buffer.from([0x7b, 0xff, 0x7d]))],
    ['50 MB', (_, response) => large(response)],
    [
      '2 MB that were packed',
      (_, response) => response.writeHead(200, { 'content-encoding': 'gzip' }).end(gzipSync(Buffer.alloc(2_000_000, ' '))),
    ],
  ];

  it.each(faults)('are no reason to admit anyone: %s', async (_, listener) => {
    const { auth, server, told } = await fetching(listener);
    const refused = await refusalOf(auth, await signer.sign());
    expect(refused).toMatchObject(unavailable);
    expect(refused.challenge).toBeUndefined();
    expect(refused.description).toBe('The access token cannot be checked just now');
    expect(told).toHaveLength(1);
    expect(server.count).toBe(1);
  });

  it('are read no further than 1 MiB', async () => {
    let sent = 0;
    const { auth, told } = await fetching((_, response) => {
      const chunk = Buffer.alloc(65_536, ' ');
      const more = (): void => {
        sent += chunk.length;
        if (!response.destroyed) response.write(chunk, more);
      };
      more();
    });
    expect(await refusalOf(auth, await signer.sign())).toMatchObject(unavailable);
    expect(told).toMatchObject([{ message: expect.stringContaining('answers with more than 1048576 bytes') }]);
    expect(sent).toBeGreaterThan(1_048_576);
  });

  it.each([301, 302, 303, 307, 308])('are not looked for where a redirection leads: %i', async (status) => {
    const elsewhere = await listen((_, response) => json(response, signer.jwks));
    const { auth, told } = await fetching((_, response) => response.writeHead(status, { location: elsewhere.url }).end());
    expect(await refusalOf(auth, await signer.sign())).toMatchObject(unavailable);
    expect(elsewhere.count).toBe(0);
    expect(told).toMatchObject([{ message: expect.stringContaining(`status ${status}`) }]);
  });

  it('are not waited for', async () => {
    const { auth, told } = await fetching(() => undefined, { timeoutMs: 50 });
    expect(await refusalOf(auth, await signer.sign())).toMatchObject(unavailable);
    expect(told).toMatchObject([{ name: 'TimeoutError' }]);
  });

  it('are not waited for when they come in drops', async () => {
    const { auth } = await fetching((_, response) => void response.writeHead(200).write('{'), { timeoutMs: 50 });
    expect(await refusalOf(auth, await signer.sign())).toMatchObject(unavailable);
  });

  it('are asked for again after five seconds, not before', async () => {
    let up = false;
    const { auth, server } = await fetching((_, response) => (up ? json(response, signer.jwks) : json(response, {}, 500)));
    const token = await signer.sign();
    await Promise.all(Array.from({ length: 20 }, () => refusalOf(auth, token)));
    up = true;
    later(3);
    expect(await refusalOf(auth, token)).toMatchObject({ status: 503, retryAfterSeconds: 2 });
    expect(server.count).toBe(1);
    later(3);
    expect(await principalOf(auth, token)).toMatchObject({ id: 'alice' });
    expect(server.count).toBe(2);
  });

  it('are asked for again when the clock was set back meanwhile', async () => {
    let up = false;
    const { auth } = await fetching((_, response) => (up ? json(response, signer.jwks) : json(response, {}, 500)));
    expect(await refusalOf(auth, await signer.sign())).toMatchObject({ status: 503 });
    up = true;
    later(-3_600);
    expect(await principalOf(auth, await signer.sign())).toMatchObject({ id: 'alice' });
  });

  it('let those go on that were fetched before, until their time is over', async () => {
    let up = true;
    const { auth } = await fetching((_, response) => (up ? json(response, signer.jwks) : json(response, {}, 500)));
    const token = await signer.sign({ exp: seconds(3_600) });
    await principalOf(auth, token);
    up = false;
    later(500);
    expect(await principalOf(auth, await signer.sign({ sub: 'bob', exp: seconds(3_600) }))).toMatchObject({ id: 'bob' });
    later(101);
    expect(await refusalOf(auth, token)).toMatchObject({ status: 503 });
  });
});

it('a set with a key that cannot be used refuses its tokens and tells the author', async () => {
  const weak = { keys: [{ kty: 'EC', crv: 'P-256', x: 'AAAA', y: 'AAAA', kid: 'k1', alg: 'ES256' }] };
  const { auth, told } = await fetching((_, response) => json(response, weak));
  expect(await refusalOf(auth, await signer.sign())).toMatchObject({ status: 401 });
  expect(told).toHaveLength(1);
});
