// A web page cannot use the door of `vivarium record <url> --token`: it would call the server as the user.
import { type IncomingHttpHeaders, request } from 'node:http';
import { expect, it } from 'vitest';
import { replayed } from '../replayed.ts';
import { withDoor } from '../with-door.ts';

const page = { origin: 'https://evil.example' };

it.each([
  ['of another origin', page],
  ['of another port here', { origin: 'http://localhost:5173' }],
  ['of a file or a sandbox', { origin: 'null' }],
  ['of the door itself', { origin: 'http://127.0.0.1' }],
  ['that sends no origin', { 'sec-fetch-site': 'cross-site' }],
  ['of a sibling', { 'sec-fetch-site': 'same-site' }],
])('The door of record answers a page %s with 403, and the server hears nothing', async (_, headers) => {
  await using lab = await withDoor({ token: 'lent' });
  for (const method of ['POST', 'GET', 'DELETE', 'OPTIONS']) expect((await ask(lab.url, method, headers)).status).toBe(403);
  expect(lab.heard).toEqual([]);
});

it('The door of record refuses a preflight itself, without CORS headers', async () => {
  await using lab = await withDoor({ token: 'lent', answer: { 'access-control-allow-origin': '*' } });
  const { status, headers } = await ask(lab.url, 'OPTIONS', { ...page, 'access-control-request-method': 'POST' });
  expect([status, Object.keys(headers).filter((name) => name.startsWith('access-control'))]).toEqual([403, []]);
  expect((await ask(lab.url, 'OPTIONS', {})).status).toBe(403);
  expect(lab.heard).toEqual([]);
});

it('The door of record passes on no CORS header of the server', async () => {
  await using lab = await withDoor({ token: 'lent', answer: { 'access-control-allow-origin': '*', 'x-kept': 'yes' } });
  const { status, headers } = await ask(lab.url, 'POST', {});
  expect([status, headers['access-control-allow-origin'], headers['x-kept']]).toEqual([200, undefined, 'yes']);
});

it.each(['localhost.evil.example', '127.0.0.1.evil.example', 'evil.example', 'localhost@evil.example', 'localhost:80:80'])(
  'The door of record refuses a page that was led to it as %j',
  async (host) => {
    await using lab = await withDoor({ token: 'lent' });
    const { port } = new URL(lab.url);
    for (const name of [host, `${host}:${port}`]) expect((await ask(lab.url, 'POST', { host: name })).status).toBe(403);
    expect(lab.heard).toEqual([]);
  },
);

it('A replay at a URL refuses pages too, and takes nothing from them', async () => {
  await using server = await replayed([
    { t: 1, from: 'client', exchange: 1, raw: '{"jsonrpc":"2.0","id":1,"method":"ping"}' },
    { t: 2, from: 'server', exchange: 1, raw: '{"jsonrpc":"2.0","id":1,"result":{}}' },
  ]);
  for (const headers of [page, { 'sec-fetch-site': 'cross-site' }, { host: 'localhost.evil.example' }])
    expect((await ask(server.url, 'POST', headers)).status).toBe(403);
  expect((await ask(server.url, 'POST', {})).status).toBe(200);
});

function ask(
  url: string,
  method: string,
  headers: Readonly<Record<string, string>>,
): Promise<{ readonly status: number | undefined; readonly headers: IncomingHttpHeaders }> {
  return new Promise((resolve, reject) => {
    const body = '{"jsonrpc":"2.0","id":1,"method":"ping"}';
    const asked = request(url, { method, headers }, (answer) => {
      answer.resume().once('end', () => resolve({ status: answer.statusCode, headers: answer.headers }));
    });
    asked.once('error', reject);
    asked.end(method === 'POST' ? body : undefined);
  });
}
