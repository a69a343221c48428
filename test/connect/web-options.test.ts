// Options of the ways over HTTP: what cannot be meant is refused where it is written.
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { fetchHttp } from '../../src/connect/fetch.ts';
import { http } from '../../src/connect/http.ts';
import { sse } from '../../src/connect/sse.ts';

describe.each([
  ['http', http],
  ['sse', sse],
  ['fetchHttp', fetchHttp],
] as const)('%s', (_, connector) => {
  it.each(['nonsense', 'ftp://host.example/', '/mcp', 'http://'])('takes no %j for a URL', (url) => {
    expect(() => connector(url)).toThrow(expect.objectContaining({ code: 'ERR_CONFIG' }));
  });

  it('takes no URL with a password, and does not repeat it', () => {
    const attempt = () => connector('https://user:hunter2@host.example/');
    expect(attempt).toThrow(/use auth/);
    expect(attempt).not.toThrow(/hunter2/);
  });

  it('refuses an option that nobody knows, and limits that are none', () => {
    const url = 'https://host.example/mcp';
    expect(() => connector(url, { maxResume: 3 } as object)).toThrow(/no option "maxResume"/);
    for (const bad of [{ maxMessageBytes: 0 }, { maxResumes: -1 }, { maxAuthRetries: 1.5 }]) {
      expect(() => connector(url, bad)).toThrow(expect.objectContaining({ code: 'ERR_CONFIG' }));
    }
  });

  it('refuses headers that are its own or cannot be sent', () => {
    for (const headers of [{ 'Mcp-Session-Id': 'x' }, { Host: 'x' }, { 'content-length': '1' }, { 'a b': 'x' }, { x: 'a\nb' }]) {
      expect(() => connector('https://host.example/mcp', { headers: headers as unknown as Record<string, string> })).toThrow(/^headers: /);
    }
    const both = { headers: { authorization: 'x' }, auth: { token: () => 'y' } };
    expect(() => connector('https://host.example/mcp', both)).toThrow(/one of the two/);
    expect(() => connector('https://host.example/mcp', { headers: { authorization: 'x' } })).not.toThrow();
  });

  it('shows where it leads without the query, which may hold secrets', () => {
    expect(connector(new URL('https://host.example/mcp?key=secret')).target).toBe('https://host.example/mcp?…');
  });
});

it('http and fetchHttp know the older way to the same server', () => {
  expect(http('https://host.example/mcp').older?.target).toBe('https://host.example/mcp');
  expect(fetchHttp('https://host.example/mcp').older?.target).toBe('https://host.example/mcp');
  expect(sse('https://host.example/sse').older).toBeUndefined();
});

it('a process ends when its channels are closed, and an idle connection does not hold it', { timeout: 60_000 }, () => {
  const file = fileURLToPath(new URL('../../src/connect/http.ts', import.meta.url));
  const script = `
    import { createServer } from 'node:http';
    import { http } from ${JSON.stringify(file)};
    const server = createServer((request, response) => {
      if (request.method !== 'POST') return response.writeHead(200, { 'content-type': 'text/event-stream' }).write(': hi\\n\\n');
      request.resume().on('end', () => response.writeHead(200, { 'content-type': 'application/json', 'mcp-session-id': 's' }).end('{"jsonrpc":"2.0","id":1,"result":{}}'));
    });
    await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
    const channel = await http('http://127.0.0.1:' + server.address().port + '/mcp').open();
    const asked = (message) => new Promise((resolve) => { channel.receive(resolve); channel.send({ jsonrpc: '2.0', id: 1, ...message }); });
    await asked({ method: 'initialize' });
    await asked({ method: 'notifications/initialized' });
    channel.listen();
    await asked({ method: 'ping' });
    await channel.close();
    server.close();
    server.unref();
    console.log('closed');
  `;
  const { stdout, stderr, status } = spawnSync(process.execPath, ['--import', 'tsx', '--input-type=module', '-e', script], {
    encoding: 'utf8',
    timeout: 50_000,
  });
  expect([stdout.trim(), stderr, status]).toEqual(['closed', '', 0]);
});
