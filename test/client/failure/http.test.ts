// Servers over HTTP that are broken, and the one line that says why.
import type { ServerResponse } from 'node:http';
import { describe, expect, it } from 'vitest';
import { VivariumError } from '../../../src/client/index.ts';
import { connect } from '../doors.ts';
import { type Any, failureOf, rudeHttp } from '../rude.ts';

const patient = { timeouts: { probeMs: 8_000, connectMs: 20_000 } };
/** For a server that never answers. */
const impatient = { timeouts: { probeMs: 300, connectMs: 500 } };

async function failing(
  respond: (response: ServerResponse) => void,
  limits = patient,
): Promise<{ error: Any; url: string; verbs: string[] }> {
  const verbs: string[] = [];
  const { url } = await rudeHttp('legacy', (message, response, request) => {
    verbs.push(`${request.method} ${message?.method ?? ''}`.trim());
    respond(response);
    return true;
  });
  const error = await failureOf(connect(url, limits));
  expect(error).toBeInstanceOf(VivariumError);
  expect(error.message).not.toMatch(/[\r\n]/);
  expect(error.failure.target).toBe(url);
  expect(error.message).toContain(url);
  expect(error.message).not.toContain(') (');
  expect(error.failure.elapsedMs).toBeGreaterThanOrEqual(0);
  return { error, url, verbs };
}

const html = '<!doctype html>\n<html><body>Welcome!</body></html>';

describe('a broken server over HTTP is told of in one line', () => {
  it('when it answers HTML with status 200', async () => {
    const { error, verbs } = await failing((response) => response.writeHead(200, { 'content-type': 'text/html' }).end(html));
    expect(error.code).toBe('ERR_PROTOCOL');
    expect(error.message).toContain('HTML came back instead of an answer');
    expect(error.failure).toMatchObject({ phase: 'probe', status: 200 });
    expect(verbs).toEqual(['POST server/discover']);
  });

  it('when it wants authorization and says which', async () => {
    const { error, verbs } = await failing((response) =>
      response.writeHead(401, { 'www-authenticate': 'Bearer resource_metadata="https://a.example/"' }).end(),
    );
    expect(error.code).toBe('ERR_AUTH_REQUIRED');
    expect(error.message).toContain('The server wants authorization (401)');
    expect(error.failure).toMatchObject({ phase: 'probe', status: 401, hint: expect.stringContaining('auth') });
    expect(verbs).toEqual(['POST server/discover']);
  });

  it('when it wants authorization and does not say which', async () => {
    const { error } = await failing((response) => response.writeHead(401).end());
    expect(error.code).toBe('ERR_AUTH_REQUIRED');
    expect(error.message).toContain('401 without WWW-Authenticate');
    expect(error.failure).toMatchObject({ phase: 'probe', status: 401, hint: expect.any(String) });
  });

  it('when it refuses the client', async () => {
    const { error, verbs } = await failing((response) => response.writeHead(403).end('Not from there'));
    expect(error.code).toBe('ERR_FORBIDDEN');
    expect(error.failure.cause).toBe('The server refuses this client (403): Not from there');
    expect(error.failure).toMatchObject({ phase: 'probe', status: 403 });
    expect(verbs).toEqual(['POST server/discover']);
  });

  it('when there is nothing at the URL, after all three ways were tried', async () => {
    const { error, verbs } = await failing((response) => response.writeHead(404, { 'content-type': 'text/html' }).end(html));
    expect(error.code).toBe('ERR_CONNECT');
    expect(error.message).toContain('There is no MCP endpoint at this URL (404)');
    expect(error.failure).toMatchObject({ phase: 'initialize', status: 404, hint: 'is the path right?' });
    expect(verbs).toEqual(['POST server/discover', 'POST initialize', 'GET']);
  });

  it('when the URL takes no messages', async () => {
    const { error, verbs } = await failing((response) => response.writeHead(405).end());
    expect(error.code).toBe('ERR_CONNECT');
    expect(error.message).toContain('This URL takes no messages (405)');
    expect(error.failure).toMatchObject({ phase: 'initialize', status: 405 });
    expect(verbs).toEqual(['POST server/discover', 'POST initialize', 'GET']);
  });

  it('when it fails by itself', async () => {
    const { error } = await failing((response) => response.writeHead(500, { 'content-type': 'text/html' }).end(html));
    expect(error.code).toBe('ERR_CONNECT');
    expect(error.failure.cause).toMatch(/^The server answered 500 with HTML: /);
    expect(error.message.match(/500/g)).toHaveLength(1);
    expect(error.failure).toMatchObject({ phase: 'probe', status: 500 });
  });

  it('when it redirects', async () => {
    const { error } = await failing((response) => response.writeHead(308, { location: 'https://elsewhere.example/mcp' }).end());
    expect(error.code).toBe('ERR_CONNECT');
    expect(error.message).toMatch(/^The server redirects to https:\/\/elsewhere\.example\/mcp \(308\)/);
    expect(error.failure).toMatchObject({ status: 308 });
  });

  it('when it redirects to another path, without the secrets in it', async () => {
    const { error } = await failing((response) => response.writeHead(307, { location: '/mcp/?key=hunter2' }).end());
    expect(error.message).toMatch(/^The server redirects to \/mcp\/ \(307\)/);
    const { error: far } = await failing((response) =>
      response.writeHead(307, { location: 'https://me:hunter2@a.example/b?key=hunter2' }).end(),
    );
    expect(far.message).toMatch(/^The server redirects to https:\/\/a\.example\/b \(307\)/);
    expect(`${error.message} ${far.message}`).not.toContain('hunter2');
  });

  it('when it has too much to do, with when to come again', async () => {
    const { error } = await failing((response) => response.writeHead(429, { 'retry-after': '30' }).end('slowly'));
    expect(error.message).toMatch(/^The server answered 429: slowly; try again in 30 s/);
    expect(error.failure).toMatchObject({ status: 429, hint: 'try again in 30 s' });
  });

  it.each([
    ['with nothing', (response: ServerResponse) => response.writeHead(200, { 'content-type': 'application/json' }).end()],
    ['with 204', (response: ServerResponse) => response.writeHead(204).end()],
    ['with text', (response: ServerResponse) => response.writeHead(200, { 'content-type': 'text/plain' }).end('hello')],
    ['with what is no JSON', (response: ServerResponse) => response.writeHead(200, { 'content-type': 'application/json' }).end('{"a":')],
  ])('when it answers %s', async (_, respond) => {
    const { error } = await failing(respond);
    expect(error.code).toBe('ERR_PROTOCOL');
    expect(error.message).toMatch(/^The server answered 20[04], but/);
  });

  it('when it accepts the connection and never answers', async () => {
    const { error } = await failing(() => undefined, impatient);
    expect(error.code).toBe('ERR_TIMEOUT');
    expect(error.message).toContain('does not answer');
    expect(error.message).not.toContain('was started');
    expect(error.failure).toMatchObject({ phase: 'probe', limit: 'connectMs' });
  });

  it('when it cuts the connection', async () => {
    const { error } = await failing((response) => response.destroy());
    expect(error.code).toBe('ERR_CONNECT');
    expect(error.message).toContain('The connection broke');
    expect(error.failure).toMatchObject({ phase: 'probe' });
  });

  it('when nothing listens on the port', async () => {
    const server = await rudeHttp('legacy');
    await server.close();
    const error = await failureOf(connect(server.url, patient));
    expect(error).toBeInstanceOf(VivariumError);
    expect(error.code).toBe('ERR_CONNECT');
    expect(error.message).toMatch(/^Nothing listens there \(ECONNREFUSED/);
    expect(error.failure).toMatchObject({ phase: 'probe', target: server.url });
  });

  it('when it is asked for TLS and speaks none', async () => {
    const { url } = await rudeHttp('legacy');
    const error = await failureOf(connect(url.replace('http:', 'https:'), patient));
    expect(error).toBeInstanceOf(VivariumError);
    expect(error.code).toBe('ERR_CONNECT');
    expect(error.message).toMatch(/^TLS: the server does not speak it there \(\w+\); did you mean http:\/\/\? \[https:/);
    expect(error.message).not.toMatch(/SSL routines|\\n/i);
    expect(error.message).not.toMatch(/[\r\n]/);
    expect(error.failure).toMatchObject({ phase: 'probe', target: url.replace('http:', 'https:') });
  });

  it('when it speaks another revision than the pinned one', async () => {
    const { url } = await rudeHttp('legacy');
    const old = await failureOf(connect(url, { ...patient, revision: '2025-11-25' }));
    expect([old.code, old.message]).toEqual(['ERR_ERA', `The server speaks 2025-06-18, not 2025-11-25 [${url}]`]);
    const modern = await failureOf(connect(url, { ...patient, revision: '2026-07-28' }));
    expect(modern.code).toBe('ERR_ERA');
    expect(modern.message).toContain('2026-07-28');
    expect(modern.failure).toMatchObject({ phase: 'probe', target: url });
  });

  it('when the host does not exist', async () => {
    const error = await failureOf(connect('http://no-such-host.invalid/mcp', patient));
    expect(error.code).toMatch(/^ERR_(?:CONNECT|TIMEOUT)$/);
    expect(error.message).not.toMatch(/[\r\n]/);
  });
});

it('A way back that works beside it does not hide the first refusal', async () => {
  const { url } = await rudeHttp('legacy', (_, response, request) => {
    if (request.method === 'GET') response.writeHead(200, { 'content-type': 'text/html' }).end(html);
    else response.writeHead(404).end();
    return true;
  });
  const error = await failureOf(connect(url, patient));
  expect(error.message).toContain('(404)');
});

it('Causes are all different', async () => {
  const causes = new Set<string>();
  const answers: ((response: ServerResponse) => void)[] = [
    (response) => response.writeHead(200, { 'content-type': 'text/html' }).end(html),
    (response) => response.writeHead(401, { 'www-authenticate': 'Bearer' }).end(),
    (response) => response.writeHead(401).end(),
    (response) => response.writeHead(403).end(),
    (response) => response.writeHead(404).end(),
    (response) => response.writeHead(405).end(),
  ];
  for (const answer of answers) causes.add((await failing(answer)).error.message);
  expect(causes.size).toBe(answers.length);
});
