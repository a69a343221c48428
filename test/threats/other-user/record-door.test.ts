// Another user of this machine cannot use the door of `vivarium record <url> --token`: its address cannot be guessed.
import { expect, it } from 'vitest';
import { withDoor } from '../with-door.ts';

const post = (url: string | URL): Promise<Response> => fetch(url, { method: 'POST', body: '{}', redirect: 'manual' });

it('The door of record forwards nothing without the part of its address that cannot be guessed', async () => {
  await using lab = await withDoor({ token: 'lent' });
  const secret = new URL(lab.url).pathname.split('/')[1] ?? '';
  expect(secret.length).toBeGreaterThanOrEqual(32);
  for (const path of [
    '/mcp',
    '/',
    '/admin',
    `/${secret.slice(0, -1)}/mcp`,
    `/${secret.slice(0, -1)}A_/mcp`,
    '/.well-known/oauth-protected-resource',
  ])
    expect([path, (await post(new URL(path, lab.url))).status]).toEqual([path, 404]);
  expect(lab.heard).toEqual([]);
  expect((await post(lab.url)).status).toBe(200);
  expect(lab.heard).toEqual(['POST /mcp Bearer lent']);
});

it('Each recording has an address of its own, and the recording does not tell it', async () => {
  await using one = await withDoor({ token: 'lent' });
  await using two = await withDoor({ token: 'lent' });
  const secrets = [one, two].map(({ url }) => new URL(url).pathname.split('/')[1] ?? '');
  expect(new Set(secrets).size).toBe(2);
  await post(one.url);
  const text = await one.recorded();
  expect([text.includes('"/mcp"'), text.includes(secrets[0] ?? ''), text.includes('lent')]).toEqual([true, false, false]);
});

it('The door of record lends the token to the path of the server only, not to others on that host', async () => {
  await using lab = await withDoor({ token: 'lent' });
  for (const path of ['/admin', '/mcp/../admin', '/mcp/', '/mcp/sub', '/%6dcp', '//evil.example/mcp'])
    expect([path, (await post(lab.url.replace(/\/mcp$/, path))).status]).toEqual([path, 404]);
  expect(lab.heard).toEqual([]);
});

it('The door of record follows no redirect, and sends the token nowhere else', async () => {
  await using other = await withDoor({});
  const elsewhere = new URL(other.url).origin;
  await using lab = await withDoor({
    token: 'lent',
    serve: (_, response) => void response.writeHead(307, { location: `${elsewhere}/mcp` }).end(),
  });
  const answer = await post(lab.url);
  expect([answer.status, answer.headers.get('location')]).toEqual([307, `${elsewhere}/mcp`]);
  expect(other.heard).toEqual([]);
});

it('The door of record answers requests for OAuth metadata itself where it lends a token, and lends nothing to them', async () => {
  const known = '/.well-known/oauth-protected-resource';
  await using lending = await withDoor({ token: 'lent' });
  await using open = await withDoor({});
  const at = ({ url }: { readonly url: string }): URL => new URL(known + new URL(url).pathname, url);
  expect([(await fetch(at(lending))).status, lending.heard]).toEqual([404, []]);
  expect([(await fetch(at(open))).status, open.heard]).toEqual([200, [`GET ${known}/mcp -`]]);
});

it('HTTP+SSE works through the door of record: the path that the server names leads through the door', async () => {
  await using lab = await withDoor({
    token: 'lent',
    path: '/sse',
    serve: (request, response) => {
      if (request.method !== 'GET') return void response.writeHead(202).end();
      response.writeHead(200, { 'content-type': 'text/event-stream' }).write('event: endpoint\ndata: /messages?session=1\n\n');
    },
  });
  const stream = await fetch(lab.url);
  const { value } = (await stream.body?.getReader().read()) ?? {};
  const [, place = ''] = /^event: endpoint\ndata: (\S+)\n\n$/.exec(new TextDecoder().decode(value)) ?? [];
  expect(place).toMatch(/^\/[\w-]{32}\/messages\?session=1$/);
  expect((await post(new URL(place, lab.url))).status).toBe(202);
  expect((await post(new URL(place.replace('=1', '=2'), lab.url))).status).toBe(404);
  expect(lab.heard).toEqual(['GET /sse Bearer lent', 'POST /messages?session=1 Bearer lent']);
  expect(await lab.recorded()).toContain('"raw":"/messages?session=1"');
});
