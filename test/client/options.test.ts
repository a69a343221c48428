// What an author gets wrong is told where it was written, as ERR_CONFIG, and with what to write instead.
import { describe, expect, it, onTestFinished } from 'vitest';
import { type Client, connect } from '../../src/client/index.ts';
import { checkReachable } from '../../src/client/target.ts';
import { http } from '../../src/connect/http.ts';
import { stdio } from '../../src/connect/stdio.ts';
import { revisions, Server } from '../../src/index.ts';
import { createTestClient } from '../../src/testing/client.ts';
import { connect as connectTo } from './doors.ts';
import { type Any, failureOf, rudeHttp, rudePipe, rudeStdio } from './rude.ts';

async function mistake(act: Promise<unknown>): Promise<string> {
  const error = await failureOf(act);
  expect([error.name, error.code]).toEqual(['VivariumError', 'ERR_CONFIG']);
  return error.message;
}

async function opened(): Promise<Client> {
  const client = await connect(rudePipe('legacy'));
  onTestFinished(() => client.close());
  return client;
}

describe('a target that is none', () => {
  it.each([undefined, null, 5, {}, { cmd: 'cat' }, { open: 'wide' }])('is refused: %j', async (target) => {
    expect(await mistake(connectTo(target as Any))).toContain('write a URL, { command, args }, a connector or a channel');
  });

  it.each([{ url: 'http://127.0.0.1:1/mcp' }, { type: 'http', url: 'http://127.0.0.1:1/mcp' }])(
    'is refused as an entry of a settings file: %j',
    async (target) => expect(await mistake(connectTo(target as Any))).toContain('connect(url, { headers })'),
  );

  it('is refused where only connectors and channels are taken, with the way to get one', () => {
    expect(() => checkReachable('http://127.0.0.1:1/mcp')).toThrow(/fetchHttp\(url\).*or use connect of 'vivarium'/);
    expect(() => checkReachable(new URL('http://127.0.0.1:1/mcp'))).toThrow(/fetchHttp\(url\)/);
    expect(() => checkReachable({ command: 'cat' })).toThrow(/stdio\(\{ command, args \}\)/);
    expect(() => checkReachable(http('http://127.0.0.1:1/mcp'))).not.toThrow();
    expect(() => checkReachable(rudePipe('legacy'))).not.toThrow();
  });
});

describe('an option that nobody knows', () => {
  const url = 'http://127.0.0.1:1/mcp';

  it.each([
    [{ timeout: 5 }, 'There is no option "timeout": auth, cache, client'],
    [{ timeouts: { totalMS: 5 } }, 'There is no option "timeouts.totalMS": connectMs, idleMs, totalMs, probeMs'],
    [{ limits: { page: 5 } }, 'There is no option "limits.page": pages, rounds'],
    [{ handlers: { sampling: () => ({}) } }, 'There is no handler "sampling": elicit, roots, sample'],
  ])('is refused before anything is opened: %j', async (options, said) => {
    expect(await mistake(connectTo(url, options as Any))).toContain(said);
  });

  it('is refused with a connector, a channel, a server under test, and by stdio', async () => {
    expect(await mistake(connect(http(url), { timeout: 5 } as Any))).toContain('"timeout"');
    expect(await mistake(connect(rudePipe('legacy'), { timeout: 5 } as Any))).toContain('"timeout"');
    expect(await mistake(createTestClient(new Server({ name: 'a', version: '1' }), { timeout: 5 } as Any))).toContain('"timeout"');
    expect(() => stdio({ command: 'cat' }, { grace: 5 } as Any)).toThrow(/no option "grace": graceMs/);
  });

  it('may be there without a value', async () => {
    const { url: real } = await rudeHttp('legacy');
    const client = await connectTo(real, { headers: undefined, auth: undefined, timeouts: undefined } as Any);
    await client.close();
  });
});

describe('a value that cannot be meant', () => {
  const url = 'http://127.0.0.1:1/mcp';

  it.each([
    [{ revision: '2025-01-01' }, revisions.join(', ')],
    [{ timeouts: { connectMs: -1 } }, 'timeouts.connectMs must be a number above 0, got -1'],
    [{ timeouts: { totalMs: '5' } }, 'timeouts.totalMs must be a number above 0, got "5"'],
    [{ limits: { pages: Number.NaN } }, 'limits.pages must be a number above 0, got NaN'],
    [{ handlers: { elicit: true } }, 'handlers.elicit must be a function'],
    [{ restart: true }, 'restart must be false or { max }'],
    [null, 'Options must be an object'],
  ])('is refused: %j', async (options, said) => {
    expect(await mistake(connectTo(url, options as Any))).toContain(said);
  });

  it.each(['headers', 'auth'])('is %s for a connector, or for a command', async (name) => {
    const options = { [name]: {} } as Any;
    expect(await mistake(connectTo(http(url), options))).toContain(`give it to the connector: http(url, { ${name} })`);
    expect(await mistake(connectTo({ command: 'cat' }, options))).toContain('as env');
  });
});

describe('of a request', () => {
  it.each([
    [{ timeout: 1 }, 'There is no option "timeout": logLevel, meta, onProgress, output, signal, timeouts'],
    [{ timeouts: { total: 1 } }, 'There is no option "timeouts.total": idleMs, totalMs'],
    [{ timeouts: { totalMs: -1 } }, 'timeouts.totalMs must be a number above 0, got -1'],
    [{ timeouts: { totalMs: '5' } }, 'timeouts.totalMs must be a number above 0, got "5"'],
  ])('%j is refused', async (options, said) => {
    const client = await opened();
    expect(await mistake(client.callTool('echo', {}, options as Any))).toContain(said);
    expect(await mistake(client.listTools(options as Any))).toContain(said);
    await client.callTool('echo', {}, { timeouts: { totalMs: Number.POSITIVE_INFINITY } });
  });

  it('an event that there is not is refused, and so is a listener that is no function', async () => {
    const client = await opened();
    expect(() => client.on('nope' as Any, () => undefined)).toThrow(/no event "nope": closed, listChanged, log/);
    expect(() => client.on('log', undefined as Any)).toThrow(expect.objectContaining({ code: 'ERR_CONFIG' }));
  });
});

it('Arguments that are no JSON are a mistake of this side, in one line with the tool', async () => {
  const client = await connectTo(rudeStdio('legacy'));
  onTestFinished(() => client.close());
  const circle: Record<string, unknown> = {};
  circle['self'] = circle;
  for (const args of [circle, { n: 1n }]) {
    const error = await failureOf(client.callTool('echo', args));
    expect(error.code).toBe('ERR_NOT_JSON');
    expect(error.message).toMatch(/^tools\/call of "echo" cannot be written as JSON: .*\[.*rude-stdio\.mjs/);
    expect(error.message).not.toMatch(/[\r\n]|\\n/);
  }
  expect((await client.callTool('echo', {})).isError).toBe(false);
});

it('Pages have the type of their list', async () => {
  const client = await opened();
  for await (const page of client.pages('tools/list')) expect(page.tools.map(({ name }) => name)).toEqual(['echo', 'look']);
});
