// vivarium serve --http, as the built package does it.
import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { request } from 'node:http';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { call, initialize, type Json, modern, type Sent } from '../../../serve/http.ts';

const root = fileURLToPath(new URL('../../../../', import.meta.url));
const main = join(root, 'dist/cli/main.js');
const token = 'a-token-of-sufficient-length';
let folder: string;

beforeAll(() => {
  // Inside the checkout, so that the modules find the package by its own name.
  mkdirSync(join(root, '.cache'), { recursive: true });
  folder = mkdtempSync(join(root, '.cache', 'cli-http-'));
  const write = (name: string, text: string): void => writeFileSync(join(folder, name), text);
  const imports = "import { Server } from 'vivarium/server';\n";
  const make = (name: string): string => `new Server({ name: ${JSON.stringify(name)}, version: '1.0.0' })`;
  write('server.mjs', `${imports}const server = ${make('notes')};\nserver.tool('hello', {}, () => 'Hello');\nexport default server;\n`);
  write('named.mjs', `${imports}export const here = ${make("it's; touch pwned")};\nexport const odd = ${make('\u001b[31mred')};\n`);
  write('typed.ts', `${imports}const name: string = 'typed';\nexport default new Server({ name, version: '1' }) satisfies Server;\n`);
  write('loud.mjs', `${imports}console.log('loading');\nprocess.stdout.write('more\\n');\nexport default ${make('loud')};\n`);
  const extension = "{ id: 'com.example/x', install: (host) => host.method('com.example/x', { scopes: ['x'] }, () => ({ done: true })) }";
  write(
    'scoped.mjs',
    `${imports}const server = ${make('scoped')};\nserver.tool('save', { scopes: ['notes:write'] }, () => 'saved');\nserver.use(${extension});\nexport default server;\n`,
  );
  write(
    'slow.mjs',
    `${imports}const server = ${make('slow')};\nlet go;\nserver.tool('slow', {}, () => new Promise((done) => { go = done; console.error('started'); }));\nprocess.on('SIGTERM', () => go?.('done after all'));\nexport default server;\n`,
  );
  write('none.mjs', 'export default 7;\n');
});

afterAll(() => rmSync(folder, { recursive: true, force: true }));

interface Ended {
  readonly code: number | null;
  readonly signal: string | null;
}

class Served {
  readonly process: ChildProcessWithoutNullStreams;
  readonly ended: Promise<Ended>;
  stdout = '';
  stderr = '';
  #wake: () => void = () => undefined;

  constructor(args: readonly string[], env: Readonly<Record<string, string>> = {}) {
    this.process = spawn(process.execPath, [main, 'serve', ...args], { cwd: folder, env: { ...process.env, ...env } });
    onTestFinished(() => void this.process.kill('SIGKILL'));
    for (const name of ['stdout', 'stderr'] as const) {
      this.process[name].on('data', (chunk) => {
        this[name] += chunk;
        this.#wake();
      });
    }
    this.ended = new Promise((resolve) => {
      this.process.once('close', (code, signal) => {
        resolve({ code, signal });
        this.#wake();
      });
    });
  }

  async until(pattern: RegExp): Promise<RegExpExecArray> {
    for (;;) {
      const found = pattern.exec(this.stderr);
      if (found !== null) return found;
      const { exitCode, signalCode } = this.process;
      if (exitCode !== null || signalCode !== null) throw new Error(`It ended with ${exitCode ?? signalCode}: ${this.stderr}`);
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
  }

  async url(): Promise<string> {
    return (await this.until(/ is served at (http:\S+)\n/))[1] as string;
  }
}

async function start(args: readonly string[], env: Readonly<Record<string, string>> = {}): Promise<{ served: Served; url: string }> {
  const served = new Served(args, env);
  return { served, url: await served.url() };
}

function send(url: string, { method = 'POST', headers = {}, body }: Sent): Promise<Response> {
  const usual = { accept: 'application/json, text/event-stream', 'content-type': 'application/json' };
  const all = { ...usual, ...(headers as Record<string, string>) };
  return fetch(url, { method, headers: all, ...(body !== undefined && { body: JSON.stringify(body) }) });
}

/** Of a request that names this host. */
function statusFor(url: string, host: string): Promise<number | undefined> {
  const { port, pathname } = new URL(url);
  const address = new URL(url).hostname.replace('0.0.0.0', '127.0.0.1');
  const headers = { host, authorization: `Bearer ${token}`, 'content-type': 'application/json', accept: '*/*' };
  return new Promise((resolve, reject) => {
    const asked = request({ host: address, port, path: pathname, method: 'POST', headers }, (answer) => {
      answer.resume();
      resolve(answer.statusCode);
    });
    asked.on('error', reject).end(JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'ping' }));
  });
}

const jsonOf = async (response: Response): Promise<Json> => response.json();
const hello = (headers: object = {}): Sent => modern('tools/call', { name: 'hello' }, { ...headers });

describe('vivarium serve --http', () => {
  it('says where it serves and how to add it, on stderr, and nothing on stdout', async () => {
    const { served, url } = await start(['server.mjs', '--http', '0']);
    expect(url).toMatch(/^http:\/\/127\.0\.0\.1:[1-9]\d*\/mcp$/);
    await served.until(/claude mcp add --transport http notes http:\S+\n/);
    expect(served.stderr.trim().split('\n')).toHaveLength(2);
    expect(served.stdout).toBe('');
    const quiet = await start(['server.mjs', '--http', '0', '--quiet']);
    await send(quiet.url, hello());
    expect(quiet.served.stderr).toBe(`notes is served at ${quiet.url}\n`);
  });

  it('serves every revision at that URL', async () => {
    const { url } = await start(['server.mjs', '--http', '0']);
    expect((await jsonOf(await send(url, hello()))).result.content).toEqual([{ type: 'text', text: 'Hello' }]);
    for (const revision of ['2025-03-26', '2025-06-18', '2025-11-25']) {
      const opened = await send(url, { body: initialize(revision) });
      expect((await jsonOf(opened)).result.protocolVersion).toBe(revision);
      const headers = { 'mcp-session-id': opened.headers.get('mcp-session-id') ?? '', 'mcp-protocol-version': revision };
      expect((await jsonOf(await send(url, { headers, body: call(1, 'hello') }))).result.content[0].text).toBe('Hello');
    }
  });

  it.each([
    ['127.0.0.1:0', [], {}],
    ['127.0.0.2:0', [], {}],
    ['127.0.0.1:0', ['--allow-host', 'api.example'], {}],
    ['0.0.0.0:0', ['--allow-remote', '--auth-token-env', 'TOKEN', '--public-url', 'https://api.example/mcp'], { TOKEN: token }],
  ])('judges Host as it does with --watch: %s %j', async (at, more, env) => {
    const args = ['server.mjs', '--http', at, ...more];
    const [plain, watched] = await Promise.all([start(args, env), start([...args, '--watch'], env)]);
    for (const host of [
      'localhost',
      '127.0.0.1',
      '127.0.0.2',
      '[::1]:9',
      'api.example',
      'api.example:5',
      'evil.example',
      'localhost.',
      'a,b',
    ]) {
      const found = await Promise.all([plain, watched].map(({ url }) => statusFor(url, host)));
      expect(found[1], host).toBe(found[0]);
    }
  });

  it('answers at the address that it prints, whatever --allow-host adds', async () => {
    const { url } = await start(['server.mjs', '--http', '0', '--allow-host', 'notes.example']);
    expect(await statusFor(url, new URL(url).host)).toBe(200);
    expect(await statusFor(url, 'notes.example')).toBe(200);
    expect(await statusFor(url, 'other.example')).toBe(403);
  });

  it.each(['SIGTERM', 'SIGINT', 'SIGHUP'] as const)('ends with code 0 on %s, though a session and its stream are open', async (signal) => {
    const { served, url } = await start(['server.mjs', '--http', '0']);
    const opened = await send(url, { body: initialize() });
    const headers = { 'mcp-session-id': opened.headers.get('mcp-session-id') ?? '', 'mcp-protocol-version': '2025-11-25' };
    const stream = await send(url, { method: 'GET', headers });
    expect(stream.status).toBe(200);
    served.process.kill(signal);
    expect(await served.ended).toEqual({ code: 0, signal: null });
    await stream.text();
  });

  it('answers what runs before it ends', async () => {
    const { served, url } = await start(['slow.mjs', '--http', '0']);
    const running = send(url, modern('tools/call', { name: 'slow' }));
    await served.until(/^started$/m);
    served.process.kill('SIGTERM');
    expect((await jsonOf(await running)).result.content[0].text).toBe('done after all');
    expect(await served.ended).toEqual({ code: 0, signal: null });
  });

  it('serves TypeScript, and a named export', async () => {
    const typed = await start(['typed.ts', '--http', '0']);
    expect((await send(typed.url, modern('server/discover'))).status).toBe(200);
    expect(typed.served.stderr).toMatch(/^typed is served at /);
    const { served } = await start(['named.mjs:here', '--http', '127.0.0.1:0']);
    await served.until(/claude mcp add .*\n/);
    // To be pasted into a shell as it is.
    expect(served.stderr).toContain(`claude mcp add --transport http 'it'\\''s; touch pwned' http://`);
    const odd = await start(['named.mjs:odd', '--http', '0']);
    await odd.served.until(/claude mcp add .*\n/);
    expect(odd.served.stderr).not.toContain('\u001b');
  });

  it('serves a module that prints while it loads: stdout is free', async () => {
    const { served, url } = await start(['loud.mjs', '--http', '0']);
    expect((await send(url, modern('server/discover'))).status).toBe(200);
    expect(served.stdout).toBe('loading\nmore\n');
  });

  it('listens on another loopback address when told to', async () => {
    const { url } = await start(['server.mjs', '--http', 'localhost:0']);
    expect(url).toMatch(/^http:\/\/localhost:\d+\/mcp$/);
    expect((await send(url, hello())).status).toBe(200);
  });
});

describe('its flags', () => {
  it('--path is where it serves, and nowhere else', async () => {
    const { url } = await start(['server.mjs', '--http', '0', '--path', '/a/b']);
    expect(new URL(url).pathname).toBe('/a/b');
    expect((await send(url, hello())).status).toBe(200);
    expect((await send(new URL('/mcp', url).href, hello())).status).toBe(404);
  });

  it('--stateless gives no session and needs none', async () => {
    const { url } = await start(['server.mjs', '--http', '0', '--stateless']);
    const opened = await send(url, { body: initialize() });
    expect([opened.status, opened.headers.get('mcp-session-id')]).toEqual([200, null]);
    const headers = { 'mcp-protocol-version': '2025-11-25' };
    expect((await jsonOf(await send(url, { headers, body: call(1, 'hello') }))).result.content[0].text).toBe('Hello');
    expect((await send(url, { method: 'GET', headers })).status).toBe(405);
  });

  it('--sse offers the transport of 2024-11-05 too', async () => {
    const { url } = await start(['server.mjs', '--http', '0', '--sse']);
    const stream = await send(new URL('/sse', url).href, { method: 'GET' });
    const reader = stream.body?.pipeThrough(new TextDecoderStream()).getReader();
    expect((await reader?.read())?.value).toMatch(/^event: endpoint\ndata: \/messages\?sessionId=\w+\n\n/);
    await reader?.cancel();
    const plain = await start(['server.mjs', '--http', '0']);
    expect((await send(new URL('/sse', plain.url).href, { method: 'GET' })).status).toBe(404);
  });

  it('--metrics offers counters, which are not there without it', async () => {
    const { url } = await start(['server.mjs', '--http', '0', '--metrics']);
    await send(url, hello());
    const metrics = await fetch(new URL('/metrics', url));
    expect(metrics.status).toBe(200);
    expect(await metrics.text()).toContain('vivarium_http_answers_total{status="200"} 1\n');
    const plain = await start(['server.mjs', '--http', '0']);
    expect((await fetch(new URL('/metrics', plain.url))).status).toBe(404);
  });

  it('--cors and --allow-origin let the pages of their origins in, the first with CORS headers', async () => {
    const { url } = await start([
      'server.mjs',
      '--http',
      '0',
      '--cors',
      'https://a.example, https://b.example',
      '--allow-origin',
      'https://c.example',
    ]);
    const seen = async (origin: string): Promise<[number, string | null]> => {
      const { status, headers } = await send(url, hello({ origin }));
      return [status, headers.get('access-control-allow-origin')];
    };
    expect(await seen('https://a.example')).toEqual([200, 'https://a.example']);
    expect(await seen('https://b.example')).toEqual([200, 'https://b.example']);
    expect(await seen('https://c.example')).toEqual([200, null]);
    expect(await seen('https://d.example')).toEqual([403, null]);
  });

  it('--auth-token-env lets in whoever has the token, with all scopes of the module', async () => {
    const { served, url } = await start(['scoped.mjs', '--http', '0', '--auth-token-env', 'NOTES_TOKEN'], { NOTES_TOKEN: token });
    const save = (headers: object): Sent => modern('tools/call', { name: 'save' }, { ...headers });
    for (const headers of [{}, { authorization: 'Bearer another-token-of-nobody' }]) {
      const refused = await send(url, save(headers));
      expect([refused.status, refused.headers.get('www-authenticate')]).toEqual([401, expect.stringMatching(/^Bearer /)]);
    }
    const authorization = `Bearer ${token}`;
    expect((await jsonOf(await send(url, save({ authorization })))).result.content[0].text).toBe('saved');
    const meta = { 'io.modelcontextprotocol/clientCapabilities': { extensions: { 'com.example/x': {} } } };
    expect((await jsonOf(await send(url, modern('com.example/x', {}, { authorization }, meta)))).result).toMatchObject({ done: true });
    expect(`${served.stdout}${served.stderr}`).not.toContain(token);
  });

  it('--auth-issuer points at the issuer, under the URL that --public-url names', async () => {
    const publicUrl = 'https://api.example/mcp';
    const { url } = await start(['scoped.mjs', '--http', '0', '--auth-issuer', 'https://as.example', '--public-url', publicUrl]);
    const refused = await send(url, modern('tools/list'));
    expect(refused.status).toBe(401);
    const at = '/.well-known/oauth-protected-resource/mcp';
    expect(refused.headers.get('www-authenticate')).toContain(`resource_metadata="https://api.example${at}"`);
    const metadata = await jsonOf(await fetch(new URL(at, url)));
    expect(metadata).toMatchObject({ resource: publicUrl, authorization_servers: ['https://as.example'] });
    expect(metadata.scopes_supported.sort()).toEqual(['notes:write', 'x']);
  });

  it('--allow-remote serves to others, with authorization', async () => {
    const args = ['server.mjs', '--http', '0.0.0.0:0', '--allow-remote', '--auth-token-env', 'NOTES_TOKEN'];
    const { url } = await start(args, { NOTES_TOKEN: token });
    const here = url.replace('0.0.0.0', '127.0.0.1');
    expect((await send(here, hello())).status).toBe(401);
    expect((await send(here, hello({ authorization: `Bearer ${token}` }))).status).toBe(200);
  });
});

describe('what cannot be served', () => {
  async function refused(args: readonly string[], env: Readonly<Record<string, string>> = {}): Promise<string> {
    const served = new Served(args, env);
    expect([args, await served.ended, served.stdout]).toEqual([args, { code: 2, signal: null }, '']);
    expect(served.stderr).toMatch(/^vivarium: /);
    // The author's own mistake has no stack.
    expect(served.stderr).not.toMatch(/^ {4}at /m);
    return served.stderr;
  }

  it.each([
    [['0.0.0.0:0'], '0.0.0.0 can be reached from elsewhere'],
    [['[::]:0'], ':: can be reached from elsewhere'],
    [['0.0.0.0:0', '--allow-remote'], '0.0.0.0 can be reached from elsewhere'],
    [['0.0.0.0:0', '--auth-token-env', 'NOTES_TOKEN'], '0.0.0.0 can be reached from elsewhere'],
    [['127.evil.example:0'], 'can be reached from elsewhere'],
  ] as const)('H05: a host that others can reach needs both flags: %j', async (args, words) => {
    const told = await refused(['server.mjs', '--http', ...args], { NOTES_TOKEN: token });
    expect(told).toContain(words);
    if (!words.startsWith('can')) expect(told).toContain('Add --allow-remote and --auth-token-env NAME (or --auth-issuer URL)');
  });

  it('an address that is none is refused with an example', async () => {
    const addresses = ['', 'x', '70000', '1.5', '127.0.0.1', ':3000', '127.0.0.1:', 'a b:1', 'http://127.0.0.1:3000', '0x10'];
    const all = await Promise.all(addresses.map((address) => refused(['server.mjs', `--http=${address}`])));
    for (const [at, told] of all.entries()) {
      expect(told).toContain(`--http takes a port, or a host and a port, not ${addresses[at]}`);
      expect(told).toContain('vivarium serve server.ts --http 3000');
    }
  });

  it('an address that was left out is missed', async () => {
    expect(await refused(['server.mjs', '--http'])).toContain("'--http");
    expect(await refused(['server.mjs', '--http', '--sse'])).toContain("'--http");
  });

  it('a flag that is about HTTP is refused without --http', async () => {
    const flags = ['--sse', '--stateless', '--allow-remote', '--metrics'].map((name) => [name]);
    for (const name of ['path', 'allow-host', 'allow-origin', 'cors', 'public-url', 'auth-token-env', 'auth-issuer', 'auth-audience']) {
      flags.push([`--${name}`, 'x']);
    }
    const all = await Promise.all(flags.map((flag) => refused(['server.mjs', ...flag])));
    for (const [at, told] of all.entries()) {
      expect(told).toContain(`${flags[at]?.[0]} is about HTTP`);
      expect(told).toContain('Add --http 3000');
    }
  });

  it.each<[readonly string[], string]>([
    [['--guard'], '--guard is about stdio'],
    [['--path', 'mcp'], 'path must begin with a slash'],
    [['--cors', 'nowhere'], 'nowhere is no web origin'],
    [['--public-url', '/mcp'], 'publicUrl must be the whole URL'],
    [['--auth-token-env', 'NOT_SET_ANYWHERE'], 'The environment variable NOT_SET_ANYWHERE is not set'],
    [['--auth-token-env', 'SHORT'], 'Token 1 can be guessed'],
    [['--auth-token-env', 'NOTES_TOKEN', '--auth-issuer', 'https://as.example'], 'one way to be let in'],
    [['--auth-audience', 'x'], '--auth-audience needs --auth-issuer'],
    [['--auth-issuer', 'as.example'], '`issuer`'],
  ])('%j is refused with the reason', async (flags, words) => {
    const told = await refused(['server.mjs', '--http', '0', ...flags], { NOTES_TOKEN: token, SHORT: 'short' });
    expect(told).toContain(words);
    expect(told).not.toContain('short\n');
  });

  it('tokens of an issuer need a name that no caller can choose', async () => {
    const remote = ['server.mjs', '--http', '0.0.0.0:0', '--allow-remote', '--auth-issuer', 'https://as.example'];
    const told = await refused(remote);
    for (const flag of ['--public-url', '--allow-host', '--auth-audience']) expect(told).toContain(flag);
    const { url } = await start([...remote, '--auth-audience', 'notes']);
    expect((await send(url.replace('0.0.0.0', '127.0.0.1'), hello())).status).toBe(401);
  });

  it('a module with scopes needs authorization', async () => {
    expect(await refused(['scoped.mjs', '--http', '0'])).toContain('has scopes, which only authorization can grant');
  });

  it('a module without a Server is named', async () => {
    expect(await refused(['none.mjs', '--http', '0'])).toContain('exports "default", which is not a Server');
  });

  it('a port that is in use is named, with what to do', async () => {
    const other = createServer();
    await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve));
    onTestFinished(() => void other.close());
    const { port } = other.address() as { port: number };
    expect(await refused(['server.mjs', '--http', String(port)])).toContain(
      `Cannot listen on 127.0.0.1: port ${port} is in use: choose another, or 0 for any`,
    );
  });
});
