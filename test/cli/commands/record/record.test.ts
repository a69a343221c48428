import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { createServer as createHttpServer, get } from 'node:http';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { connect } from 'vivarium';
import { serveHttp } from 'vivarium/serve/node';
import { Server } from 'vivarium/server';
import { Started } from '../../started.ts';
import { fixture, root, vivarium } from '../../vivarium.ts';

let folder: string;
const main = join(root, 'dist/cli/main.js');
const everything = [process.execPath, join(root, 'node_modules/@modelcontextprotocol/server-everything/dist/index.js')];

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'vivarium-record-'));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

interface Entry {
  readonly from: string;
  readonly raw?: string;
  readonly bytes?: string;
  readonly stderr?: string;
  readonly end?: { readonly code?: number };
  readonly head?: { readonly status?: number; readonly headers: Record<string, string> };
}

function entriesOf(file: string): Entry[] {
  const lines = readFileSync(join(folder, file), 'utf8').trim().split('\n');
  return lines.slice(1).map((line) => JSON.parse(line));
}

/** What the server said, with the ids it answers left out. */
function spoken(file: string): string[] {
  return entriesOf(file).flatMap(({ from, raw }) => (from === 'server' && raw?.startsWith('{') === true ? [withoutId(raw)] : []));
}

function withoutId(raw: string): string {
  const { id, ...rest } = JSON.parse(raw);
  const { progressToken, ...params } = rest.params ?? {};
  return JSON.stringify(rest.params === undefined ? rest : { ...rest, params });
}

async function tour(target: readonly string[] | string): Promise<void> {
  const [program = '', ...args] = target;
  const client = await connect(typeof target === 'string' ? target : { command: program, args }, { revision: '2025-06-18' });
  try {
    await client.listTools();
    await client.callTool('echo', { message: 'hello' });
    await client.callTool('get-sum', { a: 2, b: 3 });
    await client.listPrompts();
    await client.listResources();
    await client.callTool('trigger-long-running-operation', { duration: 0.3, steps: 3 }, { onProgress: () => undefined });
    await client.callTool('no-such-tool', {}).catch(() => undefined);
  } finally {
    await client.close();
  }
}

describe('vivarium record on stdio', () => {
  it('passes every byte, also those that are no message, and the exit code', async () => {
    const program =
      "process.stdin.on('data', (d) => process.stdout.write(d)).on('end', () => { process.stderr.write('bye\\n'); process.exitCode = 7; })";
    const input = 'not json\r\n{"jsonrpc":"2.0","id":1}\n\u00e9 half a line';
    const ended = await vivarium(['record', '-q', '-o', 'bytes.jsonl', '--', process.execPath, '-e', program], { cwd: folder, input });
    expect(ended).toEqual({ code: 7, stdout: input, stderr: 'bye\n' });
    const entries = entriesOf('bytes.jsonl');
    for (const side of ['client', 'server']) {
      expect(entries.filter(({ from, raw }) => from === side && raw !== undefined).map(({ raw }) => raw)).toEqual(input.split('\n'));
    }
    expect(entries.some(({ stderr }) => stderr === 'bye')).toBe(true);
    expect(entries.at(-1)?.end).toEqual({ code: 7, signal: null });
  });

  it('keeps bytes that are no UTF-8', async () => {
    const program = 'process.stdout.write(Buffer.from([0x7b, 0xff, 0x0a]))';
    await vivarium(['record', '-q', '-o', 'odd.jsonl', '--', process.execPath, '-e', program], { cwd: folder });
    expect(entriesOf('odd.jsonl').find(({ bytes }) => bytes !== undefined)?.bytes).toBe(Buffer.from([0x7b, 0xff]).toString('base64'));
  });

  it('masks secrets, in a file only its owner can read', async () => {
    const secret = { jsonrpc: '2.0', method: 'x', params: { password: 'hunter2', note: 'Bearer abcdefgh12345', plain: 'kept' } };
    const program = 'process.stdin.resume()';
    await vivarium(['record', '-q', '-o', 'secret.jsonl', '--', process.execPath, '-e', program], {
      cwd: folder,
      input: `${JSON.stringify(secret)}\n`,
    });
    const text = readFileSync(join(folder, 'secret.jsonl'), 'utf8');
    expect(text).not.toMatch(/hunter2|abcdefgh12345/);
    expect(text).toContain('kept');
    expect(statSync(join(folder, 'secret.jsonl')).mode & 0o777).toBe(0o600);
  });

  it('passes a message of many megabytes, and writes it down', { timeout: 60_000 }, async () => {
    const program = `process.stdout.write(JSON.stringify({ text: 'a\\\\"b'.repeat(6e6) }) + '\\n')`;
    const { code, stdout } = await vivarium(['record', '-q', '-o', 'large.jsonl', '--', process.execPath, '-e', program], { cwd: folder });
    expect([code, stdout.length > 20e6]).toEqual([0, true]);
    expect(entriesOf('large.jsonl').find(({ raw }) => raw !== undefined)?.raw === stdout.trimEnd()).toBe(true);
  });

  it('masks what is no UTF-8, too, and the command line', async () => {
    const program = `process.stdout.write(Buffer.concat([Buffer.from('{"password":"hunter2"}'), Buffer.from([255, 10])]))`;
    await vivarium(['record', '-q', '-o', 'keyed.jsonl', '--', process.execPath, '-e', program, '--', '--api-key', 'hunter3'], {
      cwd: folder,
    });
    const [entry] = entriesOf('keyed.jsonl').filter(({ bytes }) => bytes !== undefined);
    expect(Buffer.from(entry?.bytes ?? '', 'base64')).toEqual(Buffer.concat([Buffer.from('{"password":"***"}'), Buffer.from([255])]));
    const [head = ''] = readFileSync(join(folder, 'keyed.jsonl'), 'utf8').split('\n');
    expect([head.includes('--api-key ***'), head.includes('hunter3')]).toEqual([true, false]);
  });

  it('refuses a file that cannot be written before it starts anything', async () => {
    const { code, stdout, stderr } = await vivarium(['record', '-o', 'no/such/folder/s.jsonl', '--', 'echo', 'started'], { cwd: folder });
    expect([code, stdout, stderr.includes('cannot be written'), stderr.includes('Recorded in')]).toEqual([2, '', true, false]);
  });

  it('says what could not be started', async () => {
    const { code, stderr } = await vivarium(['record', '-q', '-o', 'none.jsonl', '--', 'no-such-program-anywhere'], { cwd: folder });
    expect([code, stderr.includes('could not be started')]).toEqual([4, true]);
  });

  it('A recording of server-everything replays byte for byte, but for ids', async () => {
    const record = (file: string, command: readonly string[]): string[] => [
      process.execPath,
      main,
      'record',
      '-q',
      '-o',
      join(folder, file),
      '--',
      ...command,
    ];
    await tour(record('first.jsonl', everything));
    await tour(record('again.jsonl', [process.execPath, main, 'replay', join(folder, 'first.jsonl')]));
    expect(spoken('first.jsonl').length).toBeGreaterThan(9);
    expect(spoken('again.jsonl')).toEqual(spoken('first.jsonl'));
  });
});

describe('vivarium replay', () => {
  it('answers what was asked before, in any order and again, and nothing else', async () => {
    const recorded = await vivarium([
      'call',
      'add',
      'a=1',
      'b=2',
      '--',
      process.execPath,
      main,
      'record',
      '-q',
      '-o',
      join(folder, 'sum.jsonl'),
      '--',
      ...fixture,
    ]);
    expect(recorded.stdout).toBe('3\n');
    const play = ['--', process.execPath, main, 'replay', join(folder, 'sum.jsonl')];
    expect((await vivarium(['call', 'add', 'b=2', 'a=1', ...play])).stdout).toBe('3\n');
    const other = await vivarium(['call', 'add', 'a=5', 'b=5', ...play]);
    expect([other.code, other.stderr.includes('Not in the recording: tools/call')]).toEqual([5, true]);
    expect(other.stderr).toContain('"a":5');
    expect(other.stderr).not.toContain('_meta');
  });

  it('goes on when what was recorded is no message', async () => {
    const head = { recording: 1, target: 'x', transport: 'http', began: '' };
    const asked = { t: 1, from: 'client', exchange: 1, raw: '{"jsonrpc":"2.0","id":1,"method":"ping"}' };
    const page = { t: 2, from: 'server', exchange: 1, raw: '<html>' };
    writeFileSync(join(folder, 'page.jsonl'), [head, asked, page].map((one) => JSON.stringify(one)).join('\n'));
    const replaying = new Started(['replay', 'page.jsonl', '--http', String(await freePort())], { cwd: folder });
    const [, url = ''] = await replaying.until('stderr', /served at (\S+)/);
    const post = (): Promise<Response> => fetch(url, { method: 'POST', body: '{"jsonrpc":"2.0","id":7,"method":"ping"}' });
    const first = await post();
    expect([first.status, await first.text()]).toEqual([502, '<html>']);
    expect(await (await post()).json()).toMatchObject({ id: 7, error: { code: -32603 } });
  });

  it.each([
    ['nowhere.jsonl', 'There is no file'],
    ['prose.jsonl', 'is no recording'],
    ['other.jsonl', 'is no recording'],
    ['.', 'is a folder'],
  ])('refuses %s', async (file, said) => {
    writeFileSync(join(folder, 'prose.jsonl'), 'hello\nworld\n');
    writeFileSync(join(folder, 'other.jsonl'), '{"a":1}\n');
    const { code, stderr } = await vivarium(['replay', file], { cwd: folder });
    expect([code, stderr.includes(said)]).toEqual([2, true]);
  });
});

describe('vivarium record at a URL', () => {
  it.each(['2025-11-25', '2026-07-28'] as const)('passes everything on and writes it down, and replays it (%s)', async (revision) => {
    const server = new Server({ name: 'sums', version: '1' });
    server.tool('slow', { input: { type: 'object', properties: { n: { type: 'number' } } } }, async ({ n = 0 }, ctx) => {
      ctx.progress(1, 2);
      return `done ${n}`;
    });
    const serving = await serveHttp(server, { port: 0 });
    onTestFinished(() => serving.close());
    const file = `far-${revision}.jsonl`;
    const recorder = new Started(['record', serving.url, '-o', file, '--header', 'authorization: Bearer abcdefgh12345'], { cwd: folder });
    const [, url = ''] = await recorder.until('stderr', /Connect the client to\n(\S+)\n/);
    const call = async (at: string): Promise<unknown> => {
      const client = await connect(at, { revision });
      const steps: number[] = [];
      const { content } = await client.callTool('slow', { n: 4 }, { onProgress: ({ progress }) => steps.push(progress) });
      await client.close();
      return { content, steps };
    };
    const first = await call(url);
    expect(first).toEqual({ content: [{ type: 'text', text: 'done 4' }], steps: [1] });
    recorder.process.kill('SIGINT');
    expect(await recorder.ended).toBe(0);
    const entries = entriesOf(file);
    expect(JSON.stringify(entries)).not.toContain('abcdefgh12345');
    expect(entries.some(({ head }) => head?.status === 200)).toBe(true);
    const replaying = new Started(['replay', file, '--http', '0'], { cwd: folder });
    await replaying.ended;
    expect(replaying.stderr).toContain('--http takes a whole number');
    const port = new URL(url).port;
    const second = new Started(['replay', file, '--http', port], { cwd: folder });
    const [, again = ''] = await second.until('stderr', /served at (\S+)/);
    expect(await call(again)).toEqual(first);
  });

  it.each([
    ['streamableHttp', 'mcp'],
    ['sse', 'sse'],
  ])('A recording of server-everything at a URL (%s) replays byte for byte, but for ids, and is judged', async (transport, path) => {
    const [first, again] = [`far-${path}.jsonl`, `far-${path}-again.jsonl`];
    const port = await freePort();
    const server = spawn(process.execPath, [...everything.slice(1), transport], { env: { ...process.env, PORT: String(port) } });
    onTestFinished(() => void server.kill('SIGKILL'));
    await new Promise<void>((resolve) => server.stderr.on('data', (text) => String(text).includes(String(port)) && resolve()));
    const record = async (at: string, file: string): Promise<void> => {
      const recorder = new Started(['record', at, '-o', file], { cwd: folder });
      const [, url = ''] = await recorder.until('stderr', /Connect the client to\n(\S+)\n/);
      await tour(url);
      recorder.process.kill('SIGINT');
      expect(await recorder.ended).toBe(0);
    };
    await record(`http://127.0.0.1:${port}/${path}`, first);
    const replaying = new Started(['replay', first, '--http', String(await freePort())], { cwd: folder });
    const [, url = ''] = await replaying.until('stderr', /served at (\S+)/);
    await record(url, again);
    expect(spoken(first).length).toBeGreaterThan(9);
    expect(spoken(again).sort()).toEqual(spoken(first).sort());
    const { code, stdout } = await vivarium(['check', '--recording', first, '--spec-version', '2025-06-18'], { cwd: folder });
    expect(stdout).toContain(`${first} (the client)`);
    expect(code, stdout).toBe(0);
  });

  it('shows by the rules that ask for nothing what either side broke', async () => {
    const server = new Server({ name: 'sums', version: '1' });
    server.tool('one', {}, () => '1');
    const serving = await serveHttp(server, { port: 0 });
    onTestFinished(() => serving.close());
    const recorder = new Started(['record', serving.url, '-o', 'judged.jsonl'], { cwd: folder });
    const [, url = ''] = await recorder.until('stderr', /Connect the client to\n(\S+)\n/);
    const client = await connect(url, { revision: '2025-11-25' });
    await client.callTool('one');
    await client.close();
    recorder.process.kill('SIGINT');
    await recorder.ended;
    const sound = await vivarium(['check', '--recording', 'judged.jsonl'], { cwd: folder });
    expect([sound.code, sound.stdout.includes('judged.jsonl (the server)')], sound.stdout).toEqual([0, true]);
    const text = readFileSync(join(folder, 'judged.jsonl'), 'utf8').replaceAll('application/json, text/event-stream', 'application/json');
    writeFileSync(join(folder, 'spoilt.jsonl'), text);
    const spoilt = await vivarium(['check', '--recording', 'spoilt.jsonl'], { cwd: folder });
    expect([spoilt.code, spoilt.stdout.includes('✗ http/post/accept')], spoilt.stdout).toEqual([1, true]);
  });

  it('ends what the server broke off, reads what it would have compressed, and masks queries and forms', async () => {
    const server = createHttpServer((request, response) => {
      if (request.method === 'GET') {
        response.writeHead(200, { 'content-type': 'text/event-stream' }).write('data: {}\n\n', () => response.destroy());
        return;
      }
      const text = '{"access_token":"hunter5","note":"readable"}';
      const isPacked = request.headers['accept-encoding']?.includes('gzip') === true;
      response.writeHead(200, { 'content-type': 'application/json', ...(isPacked && { 'content-encoding': 'gzip' }) });
      response.end(isPacked ? gzipSync(text) : text);
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    onTestFinished(() => void server.close());
    const at = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const recorder = new Started(['record', `${at}/mcp?api_key=hunter1`, '-o', 'cut.jsonl'], { cwd: folder });
    const [, url = ''] = await recorder.until('stderr', /Connect the client to\n(\S+)\n/);
    expect(url).not.toContain('hunter1');
    await expect(fetch(url).then((answer) => answer.text())).rejects.toThrow();
    const body = new URLSearchParams({ client_secret: 'hunter2', code: 'hunter-three', grant_type: 'authorization_code' });
    const headers = { 'x-auth-token': 'hunter4', 'accept-encoding': 'gzip' };
    const answer = await fetch(`${url}?token=hunter6`, { method: 'POST', headers, body });
    expect(await answer.json()).toEqual({ access_token: 'hunter5', note: 'readable' });
    recorder.process.kill('SIGINT');
    expect(await recorder.ended).toBe(0);
    const text = readFileSync(join(folder, 'cut.jsonl'), 'utf8');
    expect([text.includes('hunter'), text.includes('readable'), text.includes('grant_type=authorization_code')]).toEqual([
      false,
      true,
      true,
    ]);
  });

  it('answers 502 when the server is not there, and refuses other hosts', async () => {
    const recorder = new Started(['record', 'http://127.0.0.1:9/mcp', '-o', 'gone.jsonl'], { cwd: folder });
    const [, url = ''] = await recorder.until('stderr', /Connect the client to\n(\S+)\n/);
    expect((await fetch(url, { method: 'POST', body: '{}' })).status).toBe(502);
    const foreign = await new Promise<number | undefined>((resolve) =>
      get(url, { headers: { host: 'elsewhere.example' } }, (answer) => resolve(answer.resume().statusCode)),
    );
    expect(foreign).toBe(403);
    recorder.process.kill('SIGINT');
    expect(await recorder.ended).toBe(0);
  });
});

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}
