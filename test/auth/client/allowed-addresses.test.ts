// Where a client lets itself be sent, and where not (A14).
import { BlockList } from 'node:net';
import fc from 'fast-check';
import { describe, expect, it, vi } from 'vitest';
import { type AuthFetch, enterpriseManaged, oauth } from 'vivarium/auth';
import { isWithin, zoneOf } from '../../../src/auth/client/allowed-addresses.ts';
import { createGuardedFetch } from '../../../src/auth/node/fetch.ts';
import { call, coded, createFakeResource, createFakeServer, headless } from '../client-fixture.ts';
import { listen } from '../fixture.ts';

describe('an address is', () => {
  const zones = {
    loopback: [
      '127.0.0.1',
      '127.255.0.9',
      '0x7f.1',
      '2130706433',
      '0177.0.0.1',
      '127.1',
      '127.0.0.1.',
      'localhost',
      'LOCALHOST',
      'localhost.',
      'a.localhost',
      '[::1]',
      '[0:0:0:0:0:0:0:1]',
      '[::ffff:127.0.0.1]',
      '[::ffff:7f00:1]',
      '::ffff:127.0.0.1',
      '[::127.0.0.1]',
      '[64:ff9b::7f00:1]',
      '[2002:7f00:1::]',
    ],
    private: [
      '10.0.0.1',
      '172.16.0.1',
      '172.31.255.255',
      '192.168.1.1',
      '100.64.0.1',
      '100.127.255.255',
      '[fc00::1]',
      '[fd12::1]',
      '[fec0::1]',
      '[::ffff:10.0.0.1]',
      '167772161',
    ],
    special: [
      '0.0.0.0',
      '169.254.169.254',
      '0xa9fea9fe',
      '[::ffff:169.254.169.254]',
      '[fe80::1]',
      'fe80::1%eth0',
      '[::]',
      '[ff02::1]',
      '224.0.0.1',
      '255.255.255.255',
      '192.0.2.1',
      '198.18.0.1',
      '203.0.113.1',
      '[2001:db8::1]',
      '[2001::1]',
      '[64:ff9b:1::1]',
      '[100::1]',
      '[3fff::1]',
    ],
    public: [
      '8.8.8.8',
      '172.32.0.1',
      '100.128.0.1',
      '11.0.0.1',
      'example.com',
      'localhost.example.com',
      '[2606:4700::1111]',
      '[64:ff9b::808:808]',
      '[2002:808:808::]',
    ],
  } as const;
  it.each(Object.entries(zones).flatMap(([zone, hosts]) => hosts.map((host) => [host, zone] as const)))('%s: %s', (host, zone) => {
    expect(zoneOf(host)).toBe(zone);
  });

  it('out of reach whenever the lists of Node say so', () => {
    const list = new BlockList();
    const subnets = [
      '10.0.0.0/8',
      '100.64.0.0/10',
      '127.0.0.0/8',
      '169.254.0.0/16',
      '172.16.0.0/12',
      '192.168.0.0/16',
      '0.0.0.0/8',
      '224.0.0.0/4',
      '240.0.0.0/4',
    ];
    for (const subnet of subnets) list.addSubnet(subnet.split('/')[0] as string, Number(subnet.split('/')[1]), 'ipv4');
    for (const [net, bits] of [
      ['fc00::', 7],
      ['fe80::', 10],
      ['ff00::', 8],
      ['::1', 128],
      ['::', 128],
    ] as const)
      list.addSubnet(net, bits, 'ipv6');
    fc.assert(
      fc.property(fc.ipV4(), (address) => {
        for (const host of [address, `::ffff:${address}`]) if (list.check(address, 'ipv4')) expect(isWithin(host, 'public')).toBe(false);
      }),
      { numRuns: 2_000 },
    );
    fc.assert(
      fc.property(fc.ipV6(), (address) => {
        if (list.check(address, 'ipv6')) expect(isWithin(address, 'public')).toBe(false);
      }),
      { numRuns: 2_000 },
    );
  });
});

describe('a public MCP server', () => {
  const resource = 'https://api.example/mcp';
  const places = [
    'http://as.example',
    'https://127.0.0.1',
    'https://localhost',
    'https://169.254.169.254',
    'https://10.0.0.1',
    'https://[::ffff:127.0.0.1]',
    'https://0x7f.1',
    'https://2130706433',
    'https://[fd00::1]',
    'https://user:pass@as.example',
    'ftp://as.example',
    'javascript:alert(1)',
  ];

  /** Everything that is asked for, and answers by address. */
  function network(
    answers: Readonly<Record<string, object>>,
  ): AuthFetch & { readonly mock: { readonly calls: readonly (readonly [string, ...unknown[]])[] } } {
    return vi.fn(async (url: string) => (answers[url] === undefined ? new Response(null, { status: 404 }) : Response.json(answers[url])));
  }
  const wellKnown = 'https://api.example/.well-known/oauth-protected-resource/mcp';
  const metadata = 'https://as.example/.well-known/oauth-authorization-server';
  const good = {
    issuer: 'https://as.example',
    authorization_endpoint: 'https://as.example/authorize',
    token_endpoint: 'https://as.example/token',
    registration_endpoint: 'https://as.example/register',
    code_challenge_methods_supported: ['S256'],
  };

  it.each(places)('may not name %s as the place of its metadata', async (place) => {
    const fetch = network({});
    const challenge = `Bearer resource_metadata="${place}/x"`;
    const asked = oauth({ redirect: headless(), fetch }).token({ resource, status: 401, challenge });
    await expect(asked).rejects.toEqual(coded('ERR_AUTH_FAILED', 'not asked'));
    expect(fetch.mock.calls).toEqual([]);
  });

  it.each(places)('may not name %s as its authorization server', async (place) => {
    const fetch = network({ [wellKnown]: { resource, authorization_servers: [place] } });
    const asked = oauth({ redirect: headless(), fetch }).token({ resource, status: 401 });
    await expect(asked).rejects.toEqual(coded('ERR_AUTH_FAILED', 'not asked'));
    expect(fetch.mock.calls.map(([url]) => url)).toEqual([wellKnown]);
  });

  const endpoints = ['authorization_endpoint', 'token_endpoint', 'registration_endpoint'];
  it.each(endpoints.flatMap((name) => places.map((place) => [name, place] as const)))('may not have %s at %s', async (name, place) => {
    const fetch = network({
      [wellKnown]: { resource, authorization_servers: [good.issuer] },
      [metadata]: { ...good, [name]: `${place}/x` },
    });
    const redirect = headless();
    const asked = oauth({ redirect, fetch }).token({ resource, status: 401 });
    await expect(asked).rejects.toEqual(coded('ERR_AUTH_FAILED', `\`${name}\` of https://as.example is an address that is not asked`));
    expect(fetch.mock.calls.map(([url]) => url)).toEqual([wellKnown, metadata]);
    expect(redirect.opened).toEqual([]);
  });

  it('may have all of it elsewhere in public', async () => {
    const fetch = network({ [wellKnown]: { resource, authorization_servers: [good.issuer] }, [metadata]: good });
    const asked = oauth({ redirect: headless(), fetch }).token({ resource, status: 401 });
    await expect(asked).rejects.toEqual(coded('ERR_AUTH_FAILED', 'does not register this client: status 404'));
    expect(fetch.mock.calls.at(-1)?.[1]).toMatchObject({ reach: 'public', redirect: 'manual', method: 'POST' });
  });

  it('may have it anywhere in development', async () => {
    const issuer = 'http://10.0.0.1';
    const fetch = network({ [wellKnown]: { resource, authorization_servers: [issuer] } });
    const asked = oauth({ redirect: headless(), fetch, allowInsecure: true }).token({ resource, status: 401 });
    await expect(asked).rejects.toEqual(coded('ERR_AUTH_FAILED', 'No metadata of http://10.0.0.1'));
  });
});

it.each([
  ['https://10.0.0.1/mcp', 'https://10.0.0.2', true],
  ['https://10.0.0.1/mcp', 'https://127.0.0.1', false],
  ['https://10.0.0.1/mcp', 'http://10.0.0.2', false],
  ['http://127.0.0.1/mcp', 'http://localhost', true],
  ['http://127.0.0.1/mcp', 'https://10.0.0.2', true],
  ['http://127.0.0.1/mcp', 'http://10.0.0.2', false],
  ['http://127.0.0.1/mcp', 'https://169.254.169.254', false],
])('a server at %s may name %s: %s', async (resource, issuer, may) => {
  const { origin } = new URL(resource);
  const fetch: AuthFetch = async (url) =>
    url.startsWith(`${origin}/.well-known/oauth-protected`)
      ? Response.json({ resource, authorization_servers: [issuer] })
      : new Response(null, { status: 404 });
  const asked = oauth({ redirect: headless(), fetch }).token({ resource, status: 401 });
  await expect(asked).rejects.toEqual(coded('ERR_AUTH_FAILED', may ? /No metadata/ : /not asked/));
});

it('an identity provider is where its author says, even on this machine', async () => {
  const fetch: AuthFetch = vi.fn(async () => new Response(null, { status: 404 }));
  const idp = { clientId: 'i', idToken: 'x', tokenEndpoint: 'http://localhost:1/token' };
  const resource = 'https://api.example/mcp';
  const answers: AuthFetch = async (url, init) => {
    if (url.includes('oauth-protected')) return Response.json({ resource, authorization_servers: ['https://as.example'] });
    if (url.includes('oauth-authorization'))
      return Response.json({ issuer: 'https://as.example', token_endpoint: 'https://as.example/token' });
    return fetch(url, init);
  };
  const asked = enterpriseManaged({ clientId: 'c', issuer: 'https://as.example', idp, fetch: answers }).token({ resource, status: 401 });
  await expect(asked).rejects.toEqual(coded('ERR_AUTH_FAILED', 'vouches for nobody'));
  expect(fetch).toHaveBeenCalledExactlyOnceWith('http://localhost:1/token', expect.objectContaining({ reach: 'loopback' }));
});

describe('a guarded connection', () => {
  type Answer = { readonly address: string; readonly family: number };
  const resolving = (...answers: Answer[][]) =>
    vi.fn((_host: string, _options: object, done: (error: Error | null, addresses: Answer[]) => void) => done(null, answers.shift() ?? []));
  const here = { address: '127.0.0.1', family: 4 };

  it('goes to the address that was checked, and asks for no other', async () => {
    const { url } = await listen((request, response) => response.writeHead(200, { 'x-host': request.headers.host ?? '' }).end('hello'));
    const ask = resolving([here], [{ address: '10.0.0.1', family: 4 }]);
    const { port } = new URL(url);
    const response = await createGuardedFetch(ask as never)(`http://name.localhost:${port}/x`, { reach: 'loopback' });
    expect([response.status, response.headers.get('x-host'), await response.text()]).toEqual([200, `name.localhost:${port}`, 'hello']);
    expect(ask).toHaveBeenCalledOnce();
  });

  it.each(['127.0.0.1', '10.0.0.1', '169.254.169.254', '::1', '::ffff:127.0.0.1', 'fe80::1', 'fd00::1', '0.0.0.0'])(
    'is refused where a public name leads to %s',
    async (address) => {
      const fetch = createGuardedFetch(
        resolving([
          { address: '8.8.8.8', family: 4 },
          { address, family: address.includes(':') ? 6 : 4 },
        ]) as never,
      );
      await expect(fetch('https://as.example/x', { reach: 'public' })).rejects.toEqual(
        coded('ERR_AUTH_FAILED', `as.example is at ${address}`),
      );
    },
  );

  it('is refused when the name leads elsewhere the next time', async () => {
    const server = await createFakeServer();
    const { url } = await listen((_, response) => response.writeHead(200).end());
    const ask = resolving([here], [here], [{ address: '169.254.169.254', family: 4 }]);
    const fetch = createGuardedFetch(ask as never);
    const target = url.replace('127.0.0.1', 'name.localhost');
    for (const _ of [1, 2]) expect((await fetch(target, { reach: 'loopback' })).status).toBe(200);
    await expect(fetch(target, { reach: 'loopback' })).rejects.toEqual(coded('ERR_AUTH_FAILED', '169.254.169.254'));
    expect(server.asked).toEqual([]);
  });

  it.each(['https://127.0.0.1/', 'https://[::1]/', 'https://0x7f.1/', 'http://example.com/'])('is not even begun for %s', async (url) => {
    const ask = resolving();
    await expect(createGuardedFetch(ask as never)(url, {})).rejects.toEqual(coded('ERR_AUTH_FAILED', 'not asked'));
    expect(ask).not.toHaveBeenCalled();
  });

  it('follows no redirect', async () => {
    const away = vi.fn();
    const target = await listen(away);
    const { url } = await listen((_, response) => response.writeHead(307, { location: target.url }).end());
    const response = await createGuardedFetch(resolving() as never)(url, { reach: 'loopback' });
    expect(response.status).toBe(307);
    await response.body?.cancel();
    expect(away).not.toHaveBeenCalled();
  });

  it('ends when nobody waits', async () => {
    const { url } = await listen(() => undefined);
    const asked = createGuardedFetch(resolving() as never)(url, { reach: 'loopback', signal: AbortSignal.timeout(20) });
    await expect(asked).rejects.toThrow();
  });

  it('carries a whole authorization', async () => {
    const { guardedFetch } = await import('vivarium/auth/node');
    const server = await createFakeServer();
    const { endpoint } = await createFakeResource(server);
    expect(await call(oauth({ redirect: headless(), fetch: guardedFetch }), endpoint)).toBe('access-1-');
  });
});
