// How a client finds the authorization server of an MCP server, and which documents it refuses.
import { describe, expect, it } from 'vitest';
import { oauth } from 'vivarium/auth';
import {
  call,
  coded,
  createFakeResource,
  createFakeServer,
  headless,
  type ResourceOptions,
  type ServerOptions,
} from '../client-fixture.ts';
import { flood, json, listen } from '../fixture.ts';

const path = '/.well-known/oauth-protected-resource/mcp';
const root = '/.well-known/oauth-protected-resource';

interface Variant {
  readonly name: string;
  readonly resource?: ResourceOptions;
  readonly server?: ServerOptions;
  /** Documents, in the order in which they are asked for. */
  readonly asked: readonly string[];
  readonly askedServer: readonly string[];
  /** As it is sent. */
  readonly sent?: (url: string) => string | undefined;
}

const plain = ['/.well-known/oauth-authorization-server'];

const variants: readonly Variant[] = [
  { name: 'metadata named by the challenge', asked: [path], askedServer: plain },
  {
    name: 'metadata named by the challenge at a place of its own',
    resource: { metadataAt: '/custom/metadata.json' },
    asked: ['/custom/metadata.json'],
    askedServer: plain,
  },
  { name: 'a challenge without metadata: the path', resource: { challenge: () => 'Bearer' }, asked: [path], askedServer: plain },
  { name: 'no challenge: the path', resource: { challenge: () => null }, asked: [path], askedServer: plain },
  { name: 'a challenge for another scheme: the path', resource: { challenge: () => 'Basic realm="x"' }, asked: [path], askedServer: plain },
  {
    name: 'metadata at the root only, for the whole server, sent as it is written',
    resource: { challenge: () => 'Bearer', metadataAt: root, metadata: (url) => ({ resource: url }) },
    asked: [path, root],
    askedServer: plain,
    sent: (url) => url,
  },
  {
    name: 'a named place where nothing is',
    resource: { challenge: (url) => `Bearer resource_metadata="${url}/gone"` },
    asked: ['/gone', path],
    askedServer: plain,
  },
  {
    name: 'an endpoint at the root',
    resource: { path: '/', metadataAt: root, challenge: () => null },
    asked: [root],
    askedServer: plain,
    sent: (url) => `${url}/`,
  },
  {
    name: 'an issuer with a path (RFC 8414)',
    server: { path: '/tenant' },
    asked: [path],
    askedServer: ['/.well-known/oauth-authorization-server/tenant'],
  },
  {
    name: 'OpenID Connect, at the root',
    server: { metadataAt: '/.well-known/openid-configuration' },
    asked: [path],
    askedServer: [...plain, '/.well-known/openid-configuration'],
  },
  {
    name: 'OpenID Connect, path inserted',
    server: { path: '/tenant', metadataAt: '/.well-known/openid-configuration/tenant' },
    asked: [path],
    askedServer: ['/.well-known/oauth-authorization-server/tenant', '/.well-known/openid-configuration/tenant'],
  },
  {
    name: 'OpenID Connect, path in front',
    server: { path: '/tenant', metadataAt: '/tenant/.well-known/openid-configuration' },
    asked: [path],
    askedServer: [
      '/.well-known/oauth-authorization-server/tenant',
      '/.well-known/openid-configuration/tenant',
      '/tenant/.well-known/openid-configuration',
    ],
  },
];

it.each(variants)('finds $name', async ({ resource, server, asked, askedServer, sent }) => {
  const as = await createFakeServer(server);
  const rs = await createFakeResource(as, resource);
  expect(await call(oauth({ redirect: headless() }), rs.endpoint)).toMatch(/^access-1-/);
  expect(rs.asked.filter((one) => one !== new URL(rs.endpoint).pathname)).toEqual(asked);
  expect(as.asked.filter((one) => one.includes('.well-known'))).toEqual(askedServer);
  const expected = (sent ?? ((url) => `${url}/mcp`))(rs.url);
  expect([as.authorizations[0]?.['resource'], as.tokens[0]?.form['resource']]).toEqual([expected, expected]);
});

describe('a server of 2025-03-26, which publishes nothing of itself', () => {
  async function legacy(metadata: object | undefined) {
    const asked: string[] = [];
    const forms: string[] = [];
    const { url } = await listen(async (request, response) => {
      const { pathname, searchParams } = new URL(request.url ?? '', url);
      asked.push(pathname);
      if (pathname === '/mcp') return response.writeHead(request.headers.authorization === 'Bearer legacy' ? 200 : 401).end('in');
      if (pathname === '/.well-known/oauth-authorization-server') expect(request.headers['mcp-protocol-version']).toBe('2025-03-26');
      if (metadata !== undefined && pathname === '/.well-known/oauth-authorization-server')
        return json(response, { issuer: url, ...metadata });
      if (pathname.endsWith('/register')) return json(response, { client_id: 'c', client_secret: 's' }, 201);
      if (pathname.endsWith('/token')) {
        let text = '';
        for await (const chunk of request) text += chunk;
        forms.push(text);
        return json(response, { access_token: 'legacy', token_type: 'Bearer' });
      }
      if (!pathname.endsWith('/authorize')) return response.writeHead(404).end();
      const back = new URL(searchParams.get('redirect_uri') ?? '');
      back.searchParams.set('code', 'c');
      back.searchParams.set('state', searchParams.get('state') ?? '');
      expect(searchParams.get('code_challenge_method')).toBe('S256');
      response.writeHead(302, { location: back.href }).end();
    });
    return { url, asked, forms };
  }

  it('is its own authorization server, with metadata at the root', async () => {
    const { url, asked } = await legacy(undefined);
    const own = await legacy({
      authorization_endpoint: `${url}/oauth/authorize`,
      token_endpoint: `${url}/oauth/token`,
      registration_endpoint: `${url}/oauth/register`,
      code_challenge_methods_supported: ['S256'],
    });
    await expect(call(oauth({ redirect: headless() }), `${own.url}/mcp`)).resolves.toBe('in');
    expect(own.asked).toEqual(['/mcp', path, root, '/.well-known/oauth-authorization-server', '/mcp']);
    expect(asked).toEqual(['/oauth/register', '/oauth/authorize', '/oauth/token']);
  });

  it('has the usual endpoints where there is no metadata either', async () => {
    const { url, asked, forms } = await legacy(undefined);
    expect(await call(oauth({ redirect: headless() }), `${url}/mcp`)).toBe('in');
    expect(asked.slice(-4)).toEqual(['/register', '/authorize', '/token', '/mcp']);
    expect(forms).toEqual([expect.stringContaining('client_secret=s')]);
    expect(forms[0]).not.toContain('resource=');
  });
});

describe('a client refuses', () => {
  const refusals: readonly (readonly [string, ResourceOptions, ServerOptions, RegExp])[] = [
    [
      'metadata for another resource (A10)',
      { metadata: () => ({ resource: 'https://evil.example/mcp' }) },
      {},
      /speaks for https:\/\/evil\.example\/mcp/,
    ],
    ['metadata for a sibling (A10)', { metadata: (url) => ({ resource: `${url}/mc` }) }, {}, /speaks for/],
    ['metadata for a path below (A10)', { metadata: (url) => ({ resource: `${url}/mcp/x` }) }, {}, /speaks for/],
    ['metadata for another port (A10)', { metadata: () => ({ resource: 'http://127.0.0.1:1/mcp' }) }, {}, /speaks for/],
    ['metadata with a fragment (A10)', { metadata: (url) => ({ resource: `${url}/mcp#x` }) }, {}, /speaks for/],
    ['metadata without a resource (A10)', { metadata: () => ({ resource: undefined }) }, {}, /speaks for undefined/],
    ['metadata whose servers are no list', { metadata: () => ({ authorization_servers: 'x' }) }, {}, /authorization servers/],
    ['another issuer (A11)', {}, { metadata: { issuer: 'https://evil.example' } }, /speaks for https:\/\/evil\.example/],
    ['an issuer with one slash more (A11)', {}, { metadata: (url) => ({ issuer: `${url}/` }) }, /speaks for/],
    ['no issuer (A11)', {}, { metadata: { issuer: undefined } }, /speaks for undefined/],
    ['no word of PKCE (A12)', {}, { metadata: { code_challenge_methods_supported: undefined } }, /PKCE/],
    ['PKCE without S256 (A12)', {}, { metadata: { code_challenge_methods_supported: ['plain'] } }, /PKCE/],
    ['no token endpoint', {}, { metadata: { token_endpoint: undefined } }, /token_endpoint/],
    ['no authorization endpoint', {}, { metadata: { authorization_endpoint: undefined } }, /no authorization endpoint/],
    ['no metadata of an issuer that is named', {}, { metadataAt: null }, /No metadata of .* status 404/],
  ];

  it.each(refusals)('%s', async (_, resource, server, message) => {
    const as = await createFakeServer(server);
    const rs = await createFakeResource(as, resource);
    const redirect = headless();
    await expect(call(oauth({ redirect }), rs.endpoint)).rejects.toEqual(coded('ERR_AUTH_FAILED', message));
    expect([redirect.opened.length, as.tokens.length]).toEqual([0, 0]);
  });

  it.each([
    'javascript:alert(1)',
    'file:///etc/passwd',
    'data:text/html,x',
    'http://x/$(calc)&calc',
    '-flag',
    '\\\\host\\share',
    'vbscript:x',
  ])('to open %s (A13)', async (endpoint) => {
    const as = await createFakeServer({ metadata: { authorization_endpoint: endpoint } });
    const { endpoint: url } = await createFakeResource(as);
    const redirect = headless();
    await expect(call(oauth({ redirect }), url)).rejects.toEqual(coded('ERR_AUTH_FAILED', 'authorization_endpoint'));
    expect(redirect.opened).toEqual([]);
  });

  it('a document that is out of order, rather than guess', async () => {
    const { url } = await listen((request, response) => response.writeHead(request.url === '/mcp' ? 401 : 503).end());
    await expect(call(oauth({ redirect: headless() }), `${url}/mcp`)).rejects.toEqual(coded('ERR_AUTH_FAILED', 'status 503'));
  });

  it('a document of 50 MB', async () => {
    const { url } = await listen((request, response) => {
      if (request.url === '/mcp') return response.writeHead(401).end();
      flood(response);
    });
    await expect(call(oauth({ redirect: headless() }), `${url}/mcp`)).rejects.toEqual(coded('ERR_AUTH_FAILED', 'more than 1048576 bytes'));
  });

  it('to wait for ever', async () => {
    const { url } = await listen((request, response) => void (request.url === '/mcp' && response.writeHead(401).end()));
    await expect(call(oauth({ redirect: headless(), timeoutMs: 50 }), `${url}/mcp`)).rejects.toEqual(
      coded('ERR_AUTH_FAILED', 'within 50 ms'),
    );
  });
});

describe('a redirect', () => {
  it('is not followed, and counts as nothing found (A20)', async () => {
    const away = await createFakeServer();
    const as = await createFakeServer({ metadataAt: '/.well-known/openid-configuration' });
    const rs = await createFakeResource(as);
    const { url } = await listen((_, response) =>
      response.writeHead(307, { location: `${away.url}/.well-known/oauth-authorization-server` }).end(),
    );
    const redirecting = await createFakeResource(as, { metadata: () => ({ authorization_servers: [url] }) });
    await expect(call(oauth({ redirect: headless() }), redirecting.endpoint)).rejects.toEqual(coded('ERR_AUTH_FAILED', 'status 302'));
    expect(await call(oauth({ redirect: headless() }), rs.endpoint)).toBe('access-1-');
    expect(away.asked).toEqual([]);
  });

  it.each([307, 308])('with status %i takes no code and no secret elsewhere (A20)', async (status) => {
    const away = await createFakeServer();
    const as = await createFakeServer({
      token(_, response) {
        response.writeHead(status, { location: `${away.url}/token` }).end();
        return true;
      },
    });
    const { endpoint } = await createFakeResource(as);
    await expect(call(oauth({ redirect: headless() }), endpoint)).rejects.toEqual(coded('ERR_AUTH_FAILED'));
    expect(away.asked).toEqual([]);
  });
});
