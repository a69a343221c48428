// Who a client is at an authorization server, and that it is that at no other.
import { describe, expect, it } from 'vitest';
import { clientCredentials, memoryTokens, oauth } from 'vivarium/auth';
import { call, coded, createFakeResource, createFakeServer, headless } from '../client-fixture.ts';

const clientMetadataUrl = 'https://app.example/client.json';
const takesUrls = { client_id_metadata_document_supported: true };
const basic = `Basic ${btoa('by-hand:s%3A+%2F%25')}`;

describe('a client is known', () => {
  it('by what its author registered by hand, before everything else', async () => {
    const server = await createFakeServer({ metadata: takesUrls });
    const { endpoint } = await createFakeResource(server);
    await call(oauth({ redirect: headless(), clientId: 'by-hand', clientMetadataUrl }), endpoint);
    expect(server.authorizations[0]?.['client_id']).toBe('by-hand');
    expect(server.registrations).toEqual([]);
  });

  it('by the address of its document, where the server reads it', async () => {
    const server = await createFakeServer({ metadata: takesUrls });
    const { endpoint } = await createFakeResource(server);
    await call(oauth({ redirect: headless(), clientMetadataUrl }), endpoint);
    expect([server.authorizations[0]?.['client_id'], server.tokens[0]?.form['client_id']]).toEqual([clientMetadataUrl, clientMetadataUrl]);
    expect(server.registrations).toEqual([]);
  });

  it('by registering on the spot, where it does not', async () => {
    const server = await createFakeServer();
    const { endpoint } = await createFakeResource(server);
    await call(oauth({ redirect: headless('https://app.example/callback'), clientMetadataUrl }), endpoint).catch(() => undefined);
    expect(server.registrations).toEqual([expect.objectContaining({ application_type: 'web' })]);
  });

  it.each(['http://localhost:1/cb', 'http://127.0.0.1:1/cb', 'http://[::1]:1/cb', 'com.example.app:/cb'])(
    'as native if %s is its own',
    async (uri) => {
      const server = await createFakeServer();
      const { endpoint } = await createFakeResource(server);
      await call(oauth({ redirect: headless(uri) }), endpoint).catch(() => undefined);
      expect(server.registrations).toEqual([expect.objectContaining({ application_type: 'native', redirect_uris: [uri] })]);
    },
  );

  it('not at all, where none of these goes', async () => {
    const server = await createFakeServer({ metadata: { registration_endpoint: undefined } });
    const { endpoint } = await createFakeResource(server);
    await expect(call(oauth({ redirect: headless() }), endpoint)).rejects.toEqual(coded('ERR_AUTH_FAILED', '`clientId`'));
  });
});

describe('a secret is shown', () => {
  const cases: readonly (readonly [methods: readonly string[] | undefined, shown: object])[] = [
    [['client_secret_post', 'client_secret_basic'], { header: basic }],
    [['client_secret_basic'], { header: basic }],
    [undefined, { header: basic }],
    [['client_secret_post'], { id: 'by-hand', secret: 's: /%' }],
  ];
  it.each(cases)('as the server wants it: %j', async (methods, shown) => {
    const server = await createFakeServer({ metadata: { token_endpoint_auth_methods_supported: methods } });
    const { endpoint } = await createFakeResource(server);
    await call(oauth({ redirect: headless(), clientId: 'by-hand', clientSecret: 's: /%', issuer: server.issuer }), endpoint);
    const { form, headers } = server.tokens[0] as (typeof server.tokens)[0];
    const seen = { header: headers.authorization, id: form['client_id'], secret: form['client_secret'] };
    expect(seen).toEqual({ header: undefined, id: undefined, secret: undefined, ...shown });
  });

  it('to no server that wants none', async () => {
    const server = await createFakeServer({ metadata: { token_endpoint_auth_methods_supported: ['private_key_jwt'] } });
    const { endpoint } = await createFakeResource(server);
    const auth = oauth({ redirect: headless(), clientId: 'by-hand', clientSecret: 's', issuer: server.issuer });
    await expect(call(auth, endpoint)).rejects.toEqual(coded('ERR_AUTH_FAILED', 'private_key_jwt'));
    expect(server.tokens).toEqual([]);
  });

  const registered: readonly (readonly [methods: readonly string[] | undefined, asked: string, answer: object, shown: string])[] = [
    [['none'], 'none', {}, 'none'],
    [['client_secret_post', 'none'], 'none', {}, 'none'],
    [['client_secret_post'], 'client_secret_post', { client_secret: 's' }, 'client_secret_post'],
    [['client_secret_basic', 'client_secret_post'], 'client_secret_basic', { client_secret: 's' }, 'client_secret_basic'],
    [undefined, 'client_secret_basic', { client_secret: 's' }, 'client_secret_basic'],
    [['none'], 'none', { client_secret: 's', token_endpoint_auth_method: 'client_secret_post' }, 'client_secret_post'],
    [['none'], 'none', { client_secret: 's' }, 'none'],
  ];
  it.each(registered)(
    'after registering at a server of %j, which is asked for %s and answers %j',
    async (methods, asked, answer, shown) => {
      const metadata = { token_endpoint_auth_methods_supported: methods };
      const server = await createFakeServer({ metadata, registration: () => answer as Record<string, unknown> });
      const { endpoint } = await createFakeResource(server);
      await call(oauth({ redirect: headless() }), endpoint);
      expect(server.registrations[0]?.['token_endpoint_auth_method']).toBe(asked);
      const { form, headers } = server.tokens[0] as (typeof server.tokens)[0];
      const seen =
        headers.authorization !== undefined ? 'client_secret_basic' : form['client_secret'] !== undefined ? 'client_secret_post' : 'none';
      expect(seen).toBe(shown);
    },
  );
});

describe('a registration', () => {
  it.each([
    { client_id: '' },
    { client_id: 7 },
    { client_secret: 7 },
    { token_endpoint_auth_method: 'tls_client_auth' },
    { token_endpoint_auth_method: 'client_secret_basic' },
  ])('that answers with %j is of no use', async (answer) => {
    const server = await createFakeServer({ registration: () => answer });
    const { endpoint } = await createFakeResource(server);
    await expect(call(oauth({ redirect: headless() }), endpoint)).rejects.toEqual(coded('ERR_AUTH_FAILED', 'cannot be understood'));
    expect(server.authorizations).toEqual([]);
  });

  it('is used in the next run', async () => {
    const server = await createFakeServer();
    const [one, two] = [await createFakeResource(server), await createFakeResource(server)];
    const tokens = memoryTokens();
    for (const { endpoint } of [one, two]) await call(oauth({ redirect: headless(), tokens }), endpoint);
    expect(server.registrations.length).toBe(1);
  });

  it('is made again when its secret has run out', async () => {
    const registration = () => ({ client_secret: 's', client_secret_expires_at: 1, token_endpoint_auth_method: 'client_secret_basic' });
    const server = await createFakeServer({ registration });
    const tokens = memoryTokens();
    for (let left = 2; left > 0; left--) await call(oauth({ redirect: headless(), tokens }), (await createFakeResource(server)).endpoint);
    expect(server.registrations.length).toBe(2);
  });

  it('is made again, once, when the server has forgotten it', async () => {
    const server = await createFakeServer({
      token({ form }, response) {
        if (form['client_id'] !== 'client-1' || form['grant_type'] !== 'refresh_token') return false;
        response
          .writeHead(401, { 'content-type': 'application/json', 'www-authenticate': 'Basic realm="as"' })
          .end('{"error":"invalid_client"}');
        return true;
      },
    });
    const { endpoint } = await createFakeResource(server);
    const auth = oauth({ redirect: headless(), onError: () => undefined });
    await call(auth, endpoint);
    server.valid.clear();
    expect(await call(auth, endpoint)).toBe('access-2-');
    expect(server.authorizations.map(({ client_id: id }) => id)).toEqual(['client-1', 'client-2']);
  });

  it('that was made by hand is never made again', async () => {
    const server = await createFakeServer({
      token(_, response) {
        response.writeHead(401, { 'content-type': 'application/json' }).end('{"error":"invalid_client"}');
        return true;
      },
    });
    const { endpoint } = await createFakeResource(server);
    const auth = oauth({ redirect: headless(), clientId: 'by-hand' });
    await expect(call(auth, endpoint)).rejects.toEqual(coded('ERR_AUTH_FAILED', 'does not know this client'));
    expect(server.registrations).toEqual([]);
  });
});

describe('when the server names another authorization server (A17)', () => {
  it.each(['in the same run', 'in the next run'])('the client registers there, and shows it nothing of the old: %s', async (when) => {
    const old = await createFakeServer();
    const fresh = await createFakeServer({ path: '/new', registration: () => ({ client_id: 'fresh' }) });
    const resource = await createFakeResource(old);
    const tokens = memoryTokens();
    const first = oauth({ redirect: headless(), tokens });
    expect(await call(first, resource.endpoint)).toBe('access-1-');
    resource.server = fresh;
    const second = when === 'in the same run' ? first : oauth({ redirect: headless(), tokens });
    expect(await call(second, resource.endpoint)).toBe('access-1-new');
    const seen = JSON.stringify([fresh.authorizations, fresh.tokens, fresh.registrations]);
    expect(seen).not.toMatch(/client-1|refresh-1|access-1-"/);
    expect([fresh.registrations.length, old.tokens.length]).toEqual([1, 1]);
    expect(await call(second, resource.endpoint)).toBe('access-1-new');
  });

  it.each([
    ['oauth', (issuer: string) => oauth({ redirect: headless(), clientId: 'c', clientSecret: 'secret', issuer })],
    ['clientCredentials', (issuer: string) => clientCredentials({ clientId: 'c', clientSecret: 'secret', issuer })],
  ] as const)('%s never shows it the secret', async (_, create) => {
    const metadata = { registration_endpoint: undefined };
    const [old, evil] = [await createFakeServer({ metadata }), await createFakeServer({ metadata })];
    const resource = await createFakeResource(old);
    const [unused, used] = [create(old.issuer), create(old.issuer)];
    await call(used, resource.endpoint);
    resource.server = evil;
    for (const auth of [unused, used]) await expect(call(auth, resource.endpoint)).rejects.toEqual(coded('ERR_AUTH_FAILED', '`issuer`'));
    expect([evil.tokens, evil.authorizations]).toEqual([[], []]);
  });

  it('that of the author is taken among several', async () => {
    const [one, two] = [await createFakeServer(), await createFakeServer()];
    const resource = await createFakeResource(two, { metadata: () => ({ authorization_servers: [one.issuer, two.issuer] }) });
    await call(oauth({ redirect: headless(), clientId: 'c', issuer: two.issuer }), resource.endpoint);
    expect(one.asked).toEqual([]);
  });
});

describe('a mistake of the author', () => {
  it.each([
    () => oauth({ redirect: { uri: 'nowhere', open: () => Promise.reject(new Error()) } }),
    () => oauth({ clientId: '' }),
    () => oauth({ clientSecret: 's' }),
    () => oauth({ clientMetadataUrl: 'http://app.example/client.json' }),
    () => oauth({ clientMetadataUrl: 'https://app.example' }),
    () => oauth({ scopes: ['a b'] }),
    () => oauth({ maxStepUps: -1 }),
    () => oauth({ timeoutMs: 0 }),
    () => oauth({}).token({ resource: 'http://api.example/mcp' }),
    () => oauth({}).token({ resource: 'nowhere' }),
    () => oauth({ clientId: 'c', clientSecret: 's' }),
    () => clientCredentials({ clientId: 'c', issuer: 'https://as.example' }),
    () => clientCredentials({ clientId: '', clientSecret: 's', issuer: 'https://as.example' }),
    () => clientCredentials({ clientId: 'c', clientSecret: 's', privateKey: 'k', issuer: 'https://as.example' }),
    () => clientCredentials({ clientId: 'c', clientSecret: 's', issuer: 'http://as.example' }),
  ])('is told at once: %s', (make) => {
    expect(make).toThrow(coded('ERR_CONFIG') as Error);
  });
});
