// Other people's gateways between our client and a server, which is ours or the reference server: `vivarium list` and `call` go through.
import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { revisions } from 'vivarium';
import { strangersNotRun } from '../../scripts/strangers.mjs';
import { start } from './judged.ts';
import { type Address, newNode, ours, root, serveOurs, vivarium, within } from './strangers.ts';

const reference = join(root, 'node_modules/@modelcontextprotocol/server-everything/dist/index.js');
const remote = [newNode, within('mcp-remote', 'dist/proxy.js')];
const supergateway = within('supergateway', 'dist/index.js');
const loopback = new URL('./strangers/loopback.mjs', import.meta.url).href;
const proxy = within('mcp-proxy', 'dist/bin/mcp-proxy.mjs');

/** Gateways that are programs on stdio in front of a URL. */
const programs: readonly (readonly [name: string, way: 'http' | 'sse', command: (url: string) => readonly string[]])[] = [
  ['mcp-remote', 'http', (url) => [...remote, url, '--allow-http']],
  ['mcp-remote --transport sse-only', 'sse', (url) => [...remote, url, '--allow-http', '--transport', 'sse-only']],
  ['supergateway --streamableHttp', 'http', (url) => [newNode, supergateway, '--streamableHttp', url, '--logLevel', 'none']],
  ['supergateway --sse', 'sse', (url) => [newNode, supergateway, '--sse', url, '--logLevel', 'none']],
];

type Gateway = (port: string, command: readonly string[]) => readonly string[];
const superAt =
  (...mode: readonly string[]): Gateway =>
  (port, command) => ['--import', loopback, supergateway, '--port', port, '--stdio', command.join(' '), '--outputTransport', ...mode];
const proxyAt =
  (...flags: readonly string[]): Gateway =>
  (port, command) => [proxy, '--host', '127.0.0.1', '--port', port, ...flags, '--', ...command];

/** Gateways that are at a URL in front of a program. */
const sites: readonly (readonly [name: string, path: string, args: Gateway, says: RegExp])[] = [
  ['supergateway to Streamable HTTP', '/mcp', superAt('streamableHttp'), /Listening on port/],
  ['supergateway to Streamable HTTP with sessions', '/mcp', superAt('streamableHttp', '--stateful'), /Listening on port/],
  ['mcp-proxy', '/mcp', proxyAt(), /starting server on port/],
  ['mcp-proxy --stateless', '/mcp', proxyAt('--stateless'), /starting server on port/],
  ['mcp-proxy --upstreamProtocol auto', '/mcp', proxyAt('--upstreamProtocol', 'auto'), /starting server on port/],
  ['mcp-proxy to HTTP+SSE', '/sse', proxyAt('--server', 'sse'), /starting server on port/],
];

/** What a run printed that ended well. */
async function printed(...args: readonly string[]): Promise<string> {
  const { code, stdout, stderr } = await vivarium(...args);
  expect(code, stderr).toBe(0);
  return stdout;
}

async function freePort(): Promise<string> {
  const free = createServer().listen(0, '127.0.0.1');
  await once(free, 'listening');
  const { port } = free.address() as AddressInfo;
  free.close();
  await once(free, 'close');
  return String(port);
}

async function siteOf(args: Gateway, says: RegExp, path: string, command: readonly string[]): Promise<string> {
  const port = await freePort();
  const gateway = await start(args(port, command), says, {}, newNode);
  onTestFinished(() => gateway.stop());
  return `http://127.0.0.1:${port}${path}`;
}

describe.skipIf(strangersNotRun())('our client', () => {
  let address: Address;
  const theirs = {} as Record<'http' | 'sse', string>;
  const stops: (() => Promise<void>)[] = [];
  beforeAll(async () => {
    address = await serveOurs();
    stops.push(address.stop);
    for (const [way, mode, path] of [
      ['http', 'streamableHttp', '/mcp'],
      ['sse', 'sse', '/sse'],
    ] as const) {
      const port = await freePort();
      stops.push((await start([reference, mode], /on port/, { PORT: port })).stop);
      theirs[way] = `http://127.0.0.1:${port}${path}`;
    }
  });
  afterAll(async () => {
    for (const stop of stops) await stop();
  });

  it.each(programs)('lists and calls through %s', async (name, way, command) => {
    // supergateway fails a handshake that comes while it still connects for an earlier question, as on a busy machine.
    const era = name.startsWith('supergateway') ? ['--spec-version', '2025-11-25'] : [];
    const listed = JSON.parse(await printed('list', 'tools', '--format', 'json', ...era, '--', ...command(address[way])));
    expect(listed.tools).toHaveLength(20);
    expect(await printed('call', 'add', 'a:=1', 'b:=2', ...era, '--', ...command(address[way]))).toBe('3\n');
    expect(await printed('call', 'echo', 'message=through', ...era, '--', ...command(theirs[way]))).toBe('Echo: through\n');
  });

  it.each(revisions)('speaks %s through mcp-remote', async (revision) => {
    const said = await printed('call', 'revision', '--spec-version', revision, '--', ...remote, address.http, '--allow-http');
    expect(said).toMatch(new RegExp(`^${revision} `));
  });

  it.each(['http-only', 'sse-only'] as const)('sends a header of its own through mcp-remote --transport %s', async (transport) => {
    const url = transport === 'sse-only' ? address.sse : address.http;
    const flags = ['--allow-http', '--transport', transport, '--header', 'X-Own: of mine'];
    expect(await printed('call', 'header', 'name=x-own', '--', ...remote, url, ...flags)).toBe('of mine\n');
  });

  it.each(sites)('lists and calls through %s', async (_, path, args, says) => {
    const site = await siteOf(args, says, path, ours);
    expect(JSON.parse(await printed('list', site, 'tools', '--format', 'json')).tools).toHaveLength(20);
    expect(await printed('call', site, 'add', 'a:=1', 'b:=2')).toBe('3\n');
    const other = await siteOf(args, says, path, [process.execPath, reference, 'stdio']);
    expect(await printed('call', other, 'echo', 'message=through')).toBe('Echo: through\n');
  });

  it('calls through supergateway to HTTP+SSE, which has one connection for all its clients: a server of ours takes one handshake on it', async () => {
    const site = await siteOf(superAt('sse'), /Listening on port/, '/sse', ours);
    expect(await printed('call', site, 'add', 'a:=1', 'b:=2')).toBe('3\n');
    const other = await siteOf(superAt('sse'), /Listening on port/, '/sse', [process.execPath, reference, 'stdio']);
    for (const message of ['once', 'twice']) expect(await printed('call', other, 'echo', `message=${message}`)).toBe(`Echo: ${message}\n`);
  });
});
