// Tokens over real HTTP: who is let in, what the others are told, and where the metadata is.
import { SignJWT, UnsecuredJWT } from 'jose';
import { beforeAll, describe, expect, it } from 'vitest';
import { type Authorizer, bearer, type JwtOptions, jwt } from 'vivarium/auth';
import { type Answer, call, type Door, doors, initialize, modern, nodeDoor, openSession, Raw } from '../../../serve/http.ts';
import { createServer } from '../../../server/fixture.ts';
import { createSigner, issuer, type Signer, seconds, withDefaults } from '../../fixture.ts';

const scopes = ['notes:read', 'notes:write'];
const metadata = '/.well-known/oauth-protected-resource';
let signer: Signer;

beforeAll(async () => {
  signer = await createSigner();
});

const byJwt = (options: Partial<JwtOptions> = {}): Authorizer => jwt({ issuer, keys: signer.jwks, scopes, ...options });
/** On loopback the port is its own, whatever Host says. */
const originOf = ({ port }: Door): string => (port === 0 ? 'http://localhost' : `http://localhost:${port}`);
const sign = (door: Door, claims: object = {}, header: object = {}): Promise<string> =>
  signer.sign({ aud: `${originOf(door)}/mcp`, ...claims }, header);
const withToken = (token: string): { authorization: string } => ({ authorization: `Bearer ${token}` });
const hello = (headers: object = {}) => modern('tools/call', { name: 'hello' }, { ...headers });

/** The tool that must not run counts. */
function counted(): { readonly server: ReturnType<typeof createServer>['server']; readonly calls: () => number; told: unknown[] } {
  const { server, told } = createServer();
  let count = 0;
  server.tool('hello', {}, (_, ctx) => `Hello ${ctx.principal?.id}, call ${++count}`);
  return { server, calls: () => count, told };
}

/** The parameters of a Bearer challenge. */
function challengeOf(answer: Answer): Record<string, string> {
  const [scheme = '', rest = ''] = (answer.headers['www-authenticate'] ?? '').split(/ (.*)/s);
  expect(scheme).toBe('Bearer');
  const pairs = [...rest.matchAll(/(?:^|, )(\w+)="([^"\\]*)"/g)];
  expect(pairs.map(([text]) => text).join('')).toBe(rest);
  return Object.fromEntries(pairs.map(([, name, value]) => [name, value]));
}

describe.each(doors)('a request at %s', (_, open) => {
  it('A01: without a token is told where to get one and which, whatever its method and era', async () => {
    const { server, calls } = counted();
    const door = await open(server, { auth: byJwt() });
    const session = { 'mcp-session-id': 'a', 'mcp-protocol-version': '2025-11-25' };
    const sent = [
      hello(),
      { body: initialize() },
      { headers: session, body: call(1, 'hello') },
      { method: 'GET', headers: session },
      { method: 'DELETE', headers: session },
      { body: 'not even JSON' },
      hello({ authorization: 'Basic dXNlcjpwYXNz' }),
    ];
    for (const one of sent) {
      const answer = await door.send(one);
      expect(answer.status).toBe(401);
      const resource_metadata = `${originOf(door)}${metadata}/mcp`;
      // RFC 6750, section 3.1: no error for whoever brought nothing.
      expect(challengeOf(answer)).toEqual({ resource_metadata, scope: 'notes:read notes:write' });
      expect(answer.json).toMatchObject({ jsonrpc: '2.0', error: { code: 401 } });
    }
    expect(calls()).toBe(0);
    expect(door.stats.sessions).toBe(0);
  });

  it('A01: finds the metadata at the path and at the root without a token, and nowhere else', async () => {
    const door = await open(counted().server, { auth: byJwt({ resourceName: 'Notes' }) });
    for (const path of [`${metadata}/mcp`, metadata]) {
      const { status, headers, json } = await door.send({ method: 'GET', path });
      expect([status, headers['content-type']]).toEqual([200, 'application/json']);
      expect(json).toMatchObject({ authorization_servers: [issuer], scopes_supported: scopes, resource_name: 'Notes' });
      expect(json.bearer_methods_supported).toEqual(['header']);
      if (path !== metadata || door.port !== 0) expect(json.resource).toBe(`${originOf(door)}/mcp`);
    }
    for (const path of [`${metadata}x`, `${metadata}/`, `${metadata}/mcp/`, `${metadata}//mcp`, `${metadata}@evil.example/mcp`]) {
      const { status, text } = await door.send({ method: 'GET', path });
      if (status === 200) expect(JSON.parse(text).resource).toBe(`${originOf(door)}${path.slice(metadata.length)}`);
      else expect(status).toBe(404);
      if (door.port !== 0) expect(status).toBe(404);
    }
    expect(await door.send({ method: 'POST', path: metadata, body: {} })).toMatchObject({ status: 405, headers: { allow: 'GET' } });
  });

  it('H46: is not believed about proxies, and publicUrl is', async () => {
    const forwarded = {
      'x-forwarded-host': 'evil.example',
      'x-forwarded-proto': 'https',
      'x-forwarded-for': '10.0.0.1',
      'x-original-url': '/evil',
      forwarded: 'host=evil.example;proto=https',
    };
    const door = await open(counted().server, { auth: byJwt() });
    expect(challengeOf(await door.send(hello(forwarded)))['resource_metadata']).toBe(`${originOf(door)}${metadata}/mcp`);
    const said = await door.send({ method: 'GET', path: `${metadata}/mcp`, headers: forwarded });
    expect(said.json.resource).toBe(`${originOf(door)}/mcp`);

    const publicUrl = 'https://api.example/base/mcp';
    const { server } = counted();
    const named = await open(server, { auth: byJwt(), publicUrl });
    const resource_metadata = `https://api.example${metadata}/base/mcp`;
    expect(challengeOf(await named.send(hello(forwarded)))['resource_metadata']).toBe(resource_metadata);
    for (const path of [`${metadata}/base/mcp`, metadata]) {
      expect((await named.send({ method: 'GET', path, headers: forwarded })).json.resource).toBe(publicUrl);
    }
    // And it is what a token must be for.
    expect(await named.send(hello(withToken(await sign(door))))).toMatchObject({ status: 401 });
    expect(await named.send(hello(withToken(await sign(door, { aud: publicUrl }))))).toMatchObject({ status: 200 });
  });

  it('A02: with a good token is answered, in either era', async () => {
    const { server } = counted();
    const door = await open(server, { auth: byJwt() });
    const own = withToken(await sign(door));
    expect((await door.send(hello(own))).json.result.content[0].text).toBe('Hello alice, call 1');
    const session = await openSession(door, '2025-06-18', own);
    expect((await door.send({ headers: session, body: call(1, 'hello') })).json.result.content[0].text).toBe('Hello alice, call 2');
  });

  it('A02: with a token for another, of another, too old, too new or changed is refused', async () => {
    const { server, calls } = counted();
    const door = await open(server, { auth: byJwt() });
    const aud = `${originOf(door)}/mcp`;
    const good = await sign(door);
    const [head = '', payload = '', signature = ''] = good.split('.');
    const forged = Buffer.from(JSON.stringify({ ...withDefaults({ aud }), sub: 'root' })).toString('base64url');
    const stranger = await createSigner('ES256', signer.kid);
    const secret = new TextEncoder().encode(JSON.stringify(signer.jwks.keys[0]));
    const bad: Record<string, string> = {
      'another audience': await sign(door, { aud: 'https://other.example/mcp' }),
      'no audience': await sign(door, { aud: undefined }),
      'the audience of a neighbour': await sign(door, { aud: `${aud}2` }),
      'another issuer': await sign(door, { iss: 'https://evil.example' }),
      'an issuer with a slash more': await sign(door, { iss: `${issuer}/` }),
      expired: await sign(door, { exp: seconds(-60) }),
      'without end': await sign(door, { exp: undefined }),
      early: await sign(door, { nbf: seconds(60) }),
      'a changed payload': `${head}.${forged}.${signature}`,
      'a changed signature': `${head}.${payload}.${signature.startsWith('A') ? 'B' : 'A'}${signature.slice(1)}`,
      'no signature': `${head}.${payload}.`,
      'alg none': new UnsecuredJWT(withDefaults({ aud })).encode(),
      'the key of a stranger under our name': await stranger.sign({ aud }),
      'A03: the public key as a secret': await new SignJWT(withDefaults({ aud }))
        .setProtectedHeader({ alg: 'HS256', kid: signer.kid })
        .sign(secret),
      'A03: an unknown key': await sign(door, {}, { kid: 'unknown' }),
      'no JWT': 'made-up-token',
    };
    for (const [what, token] of Object.entries(bad)) {
      const answer = await door.send(hello(withToken(token)));
      expect([what, answer.status, challengeOf(answer)['error']]).toEqual([what, 401, 'invalid_token']);
      expect(challengeOf(answer)).toMatchObject({ scope: 'notes:read notes:write', resource_metadata: `${originOf(door)}${metadata}/mcp` });
      expect(`${answer.text}${answer.headers['www-authenticate']}`).not.toContain(token.slice(0, 30));
    }
    expect(calls()).toBe(0);
  });

  it('A05: with the token in its address is refused, though the header has one too', async () => {
    const { server, calls, told } = counted();
    const door = await open(server, { auth: byJwt() });
    const token = await sign(door);
    for (const headers of [{}, withToken(token)]) {
      for (const path of [`/mcp?access_token=${token}`, '/mcp?a=b&access_token=', `/mcp?%61ccess_token=${token}`]) {
        const answer = await door.send({ ...hello(headers), path });
        expect([answer.status, challengeOf(answer)['error']]).toEqual([400, 'invalid_request']);
        expect(answer.text).not.toContain(token);
      }
    }
    // Elsewhere it is not looked for.
    const { body } = hello();
    expect(await door.send({ ...hello(), body: { ...(body as object), access_token: token } })).toMatchObject({ status: 401 });
    expect(await door.send(hello({ cookie: `access_token=${token}`, 'x-access-token': token }))).toMatchObject({ status: 401 });
    expect([calls(), told]).toEqual([0, []]);
  });

  it('A05: with a header that is no Bearer and one token is refused', async () => {
    const door = await open(counted().server, { auth: byJwt() });
    const token = await sign(door);
    for (const [authorization, status] of [
      ['Bearer', 400],
      [`Bearer ${token} ${token}`, 400],
      [`Bearer ${token}, Bearer ${token}`, 400],
      [`Bearer ${token},`, 400],
      [`Bearer "${token}"`, 401],
      [`Bearer${token}`, 401],
      [`DPoP ${token}`, 401],
      [token, 401],
    ] as const) {
      expect([authorization, (await door.send(hello({ authorization }))).status]).toEqual([authorization, status]);
    }
    for (const authorization of [`bearer ${token}`, `BEARER   ${token}`]) {
      expect(await door.send(hello({ authorization }))).toMatchObject({ status: 200 });
    }
  });
});

describe('on a socket', () => {
  const serve = async (): Promise<{ door: Door; calls: () => number; told: unknown[] }> => {
    const { server, calls, told } = counted();
    return { door: await nodeDoor(server, { auth: byJwt() }), calls, told };
  };

  async function exchange(door: Door, lines: readonly string[]): Promise<Answer> {
    const { headers = {}, body } = hello();
    const text = JSON.stringify(body);
    const more = Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
    const usual = ['Host: localhost', 'Accept: application/json, text/event-stream', 'Content-Type: application/json'];
    const raw = await Raw.open(door.port);
    raw.write([`POST /mcp HTTP/1.1`, ...usual, ...more, `Content-Length: ${text.length}`, ...lines, '', text].join('\r\n'));
    return raw.answer();
  }

  it('A05: two Authorization headers are refused in either order, good or bad, the same or not', async () => {
    const { door, calls } = await serve();
    const token = await sign(door);
    const line = (value: string, name = 'Authorization'): string => `${name}: ${value}`;
    for (const lines of [
      [line(`Bearer ${token}`), line(`Bearer ${token}`)],
      [line(`Bearer ${token}`), line('Bearer other-token-of-nobody')],
      [line('Bearer other-token-of-nobody'), line(`Bearer ${token}`, 'authorization')],
      [line('Basic dXNlcjpwYXNz'), line(`Bearer ${token}`, 'AUTHORIZATION')],
      [line(''), line(`Bearer ${token}`)],
    ]) {
      const answer = await exchange(door, lines);
      expect([lines, answer.status, challengeOf(answer)['error']]).toEqual([lines, 400, 'invalid_request']);
    }
    expect(calls()).toBe(0);
    expect(await exchange(door, [line(`Bearer ${token}`)])).toMatchObject({ status: 200 });
  });

  it('A05: a token of 64 KB is refused before it is looked at, one of 9 KB after, and the next request is answered', async () => {
    const { door, calls, told } = await serve();
    expect(await exchange(door, [`Authorization: Bearer ${'x'.repeat(64 * 1024)}`])).toMatchObject({ status: 431 });
    const long = await exchange(door, [`Authorization: Bearer ${'x'.repeat(9 * 1024)}`]);
    expect([long.status, challengeOf(long)['error_description']]).toEqual([401, 'The access token is too long']);
    expect(calls()).toBe(0);
    expect(await exchange(door, [`Authorization: Bearer ${await sign(door)}`])).toMatchObject({ status: 200 });
    expect(told).toEqual([]);
  });
});

describe('tokens of a list', () => {
  it('are known or not, and the challenge names no metadata where there is no authorization server', async () => {
    const token = 'a-token-of-sufficient-length';
    const door = await nodeDoor(counted().server, { auth: bearer([token]) });
    expect(challengeOf(await door.send(hello()))).toEqual({ realm: 'mcp' });
    expect(await door.send({ method: 'GET', path: `${metadata}/mcp` })).toMatchObject({ status: 404 });
    expect(await door.send(hello(withToken(token)))).toMatchObject({ status: 200 });
    for (const near of [token.slice(0, -1), `${token}a`, token.toUpperCase()]) {
      expect(await door.send(hello(withToken(near)))).toMatchObject({ status: 401 });
    }
  });
});

describe('the address of the server', () => {
  it('A02: is not chosen by whoever calls: a token for another is refused under any Host', async () => {
    const auth = byJwt();
    for (const options of [{ allowedHosts: ['*'] }, { host: '0.0.0.0' }]) {
      await expect(nodeDoor(counted().server, { auth, ...options })).rejects.toMatchObject({
        code: 'ERR_CONFIG',
        message: expect.stringContaining('publicUrl'),
      });
    }
    const publicUrl = 'https://api.example/mcp';
    const doors = [
      await nodeDoor(counted().server, { auth, allowedHosts: ['*'], publicUrl }),
      await nodeDoor(counted().server, { auth: byJwt({ audience: 'notes' }), allowedHosts: ['*'] }),
      await nodeDoor(counted().server, { auth, allowedHosts: ['localhost', 'api.example'] }),
    ];
    for (const door of doors) {
      const token = await signer.sign({ aud: 'http://evil.example/mcp' });
      const answer = await door.send(hello({ ...withToken(token), host: 'evil.example' }));
      expect([401, 403]).toContain(answer.status);
    }
  });

  it('A02: has the port it listens on: a token for the neighbour is refused, whatever port Host names', async () => {
    const door = await nodeDoor(counted().server, { auth: byJwt() });
    for (const host of ['localhost:1', '127.0.0.1:1', '[::1]:1', 'LOCALHOST:1']) {
      const token = await signer.sign({ aud: `http://${host}/mcp` });
      expect(await door.send(hello({ ...withToken(token), host }))).toMatchObject({ status: 401 });
    }
  });

  it('has its metadata read by web pages of the origins in cors, after a preflight without a token', async () => {
    const door = await nodeDoor(counted().server, { auth: byJwt(), cors: ['https://app.example'] });
    const headers = { origin: 'https://app.example' };
    const asks = { 'access-control-request-method': 'GET', 'access-control-request-headers': 'mcp-protocol-version,authorization' };
    for (const path of [metadata, `${metadata}/mcp`, '/mcp']) {
      const preflight = await door.send({ method: 'OPTIONS', path, headers: { ...headers, ...asks } });
      expect(preflight).toMatchObject({ status: 204, headers: { 'access-control-allow-origin': 'https://app.example' } });
      expect(preflight.headers['access-control-allow-headers']).toBe('mcp-protocol-version, authorization');
    }
    const read = await door.send({ method: 'GET', path: metadata, headers });
    expect(read).toMatchObject({ status: 200, headers: { 'access-control-allow-origin': 'https://app.example' } });
    const refused = await door.send(hello(headers));
    expect(refused).toMatchObject({ status: 401, headers: { 'access-control-allow-origin': 'https://app.example' } });
    expect(refused.headers['access-control-expose-headers']).toContain('www-authenticate');
  });

  it.each(doors)('is one for the stream of 2024-11-05 and what is posted to it, at %s', async (_, open) => {
    const door = await open(counted().server, { auth: byJwt(), sse: true });
    const refused = await door.send({ method: 'GET', path: '/sse' });
    expect(challengeOf(refused)['resource_metadata']).toBe(`${originOf(door)}${metadata}/sse`);
    const { resource } = (await door.send({ method: 'GET', path: `${metadata}/sse` })).json;
    expect(resource).toBe(`${originOf(door)}/sse`);
    const headers = withToken(await signer.sign({ aud: resource }));
    const stream = await door.open({ method: 'GET', path: '/sse', headers });
    const path = (await stream.next())?.data ?? '';
    expect(await door.send({ path, headers, body: { jsonrpc: '2.0', id: 1, method: 'ping' } })).toMatchObject({ status: 202 });
    expect(await stream.message()).toEqual({ jsonrpc: '2.0', id: 1, result: {} });
    stream.hangUp();
  });
});
