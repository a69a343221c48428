// Mistakes and misfits that were hard to understand, told in words.
import { expect, it } from 'vitest';
import { connect } from '../../../src/client/index.ts';
import { connect as connectTo } from '../doors.ts';
import { failureOf, rudeHttp } from '../rude.ts';

it('A URL is nothing for the client of connectors, and that is said', async () => {
  const error = await failureOf(connect('http://127.0.0.1:1/mcp' as never));
  expect([error.code, error.message]).toEqual(['ERR_CONFIG', expect.stringContaining('fetchHttp(url)')]);
});

it('JSON that is no message is told of as such', async () => {
  const { url } = await rudeHttp('legacy', (_, response) => {
    response.writeHead(200, { 'content-type': 'application/json' }).end('{"ok":true}');
    return true;
  });
  const error = await failureOf(connectTo(url));
  expect(error.message).toBe(`The server answered 200, but with JSON that is no JSON-RPC message: {"ok":true} [${url}]`);
});

it('Arguments that are no JSON over HTTP are ERR_NOT_JSON', async () => {
  const { url } = await rudeHttp('legacy');
  await using client = await connectTo(url);
  const error = await failureOf(client.callTool('echo', { n: 1n }));
  expect([error.code, error.message]).toEqual([
    'ERR_NOT_JSON',
    expect.stringMatching(/^tools\/call of "echo" cannot be written as JSON: /),
  ]);
});

it('A package that does not exist is named by npm', async () => {
  const lines = [
    'npm error code E404',
    'npm error 404 Not Found - GET https://registry.example/x',
    'npm error 404',
    'npm error A complete log of this run can be found in: /x.log',
  ];
  const code = `console.error(${JSON.stringify(lines.join('\n'))}); process.exit(1)`;
  const error = await failureOf(connectTo({ command: process.execPath, args: ['-e', code] }));
  expect(error.failure.cause).toBe(
    'The server exited with code 1; its stderr says: npm error 404 Not Found - GET https://registry.example/x',
  );
});

it('An error of the server says in its cause which method it was, and keeps its message', async () => {
  const { url } = await rudeHttp('legacy');
  await using client = await connectTo(url);
  const error = await failureOf(client.listPrompts());
  expect([error.code, error.message, error.cause]).toEqual([-32601, 'No prompts/list', { method: 'prompts/list', target: url }]);
});
