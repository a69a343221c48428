import { execFile, execFileSync, spawnSync } from 'node:child_process';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Report, runCheck } from 'vivarium/check';
import { notRun } from '../../../scripts/prepare.mjs';
import { describeEvidence } from '../../../src/check/model/evidence.ts';
import { type Exchange, Recorder } from '../../../src/check/model/trace.ts';
import type { Finding } from '../../../src/check/model/verdict.ts';
import { reproduction } from '../../../src/check/servers/reproduce.ts';

const finding = (evidence: Finding['evidence']): Finding => ({ id: 'ping/empty', kind: 'broken', message: '', evidence });

function posted(headers: Record<string, string>, secrets: readonly string[] = []): Exchange {
  const request = { method: 'POST', url: 'http://127.0.0.1:1/mcp', headers, body: Buffer.from('{"jsonrpc":"2.0"}'), secrets };
  return { number: 1, at: 0, wild: false, request };
}

describe('a line that shows a failure again', () => {
  it('has the headers that a user gave by name only, where a shell puts them in', () => {
    const exchange = posted({ authorization: 'Bearer abc', 'x-my-key': 'top secret', accept: 'application/json' }, ['x-my-key']);
    const target = { kind: 'url', url: 'http://127.0.0.1:1/mcp' } as const;
    const line = reproduction(finding([exchange]), target, '2025-11-25') ?? '';
    expect(line).not.toMatch(/abc|top secret/);
    expect(JSON.stringify(describeEvidence(exchange))).not.toMatch(/abc|top secret/);
    const echo = line.replace(/^curl/, 'printf "%s\\n"');
    const env = { ...process.env, AUTHORIZATION: 'Bearer mine', X_MY_KEY: 'my own' };
    const words = execFileSync('sh', ['-c', echo], { env }).toString().split('\n');
    expect(words).toEqual(expect.arrayContaining(['authorization: Bearer mine', 'x-my-key: my own', 'accept: application/json']));
  });

  it('starts the program in its folder, with the variables it was given', () => {
    const env = { SECRET: 'abc' };
    const target = { kind: 'command', command: 'sh', args: ['-c', 'cat >/dev/null; pwd; echo "$SECRET"'], env, cwd: '/usr' } as const;
    const line = reproduction({ ...finding([]), id: 'stdio/exit-on-eof' }, target, '2026-07-28') ?? '';
    expect(line).not.toContain('abc');
    const said = execFileSync('sh', ['-c', line.replace('sleep 1', ':')], { env: { ...process.env, SECRET: 'mine' } }).toString();
    expect(said).toBe('/usr\nmine\n');
  });

  it('holds the same JSON without a character that a terminal obeys', () => {
    const name = 'a\u009b31m\u202eb\u{e0001}';
    const sent = new Recorder('main', 'stdio', '2026-07-28').message('sent', Buffer.from(JSON.stringify({ name })));
    const line = reproduction(finding(sent), { kind: 'command', command: 'cat', args: [] }, '2026-07-28') ?? '';
    expect(line).not.toMatch(/[\p{Cc}\p{Cf}]/u);
    expect(JSON.parse(execFileSync('sh', ['-c', line.replace('sleep 1', ':')]).toString())).toEqual({ name });
  });
});

/** Prints into its standard output whenever it lists its tools, has a schema of another dialect, and ends at bytes that are not UTF-8. */
const defective = `
const tools = [{ name: 'look', annotations: { readOnlyHint: true }, inputSchema: { $schema: 'http://json-schema.org/draft-04/schema#', type: 'object' } }];
const results = {
  initialize: { protocolVersion: '2025-11-25', capabilities: { tools: {} }, serverInfo: { name: 'defective', version: '1' } },
  ping: {},
  'tools/list': { tools },
  'tools/call': { content: [] },
};
function reply({ id, method }) {
  if (id === undefined) return undefined;
  const result = Object.hasOwn(results, String(method)) ? results[method] : undefined;
  return { jsonrpc: '2.0', id, ...(result ? { result } : { error: { code: -32601, message: 'Unknown method' } }) };
}
function take(line, say) {
  if (line.includes(0xff)) process.exit(3);
  let message;
  try { message = JSON.parse(line); } catch { return; }
  if (typeof message !== 'object' || message === null || Array.isArray(message)) return;
  if (message.method === 'tools/list') process.stdout.write('listing the tools\\n');
  const answer = reply(message);
  if (answer) say(answer);
}
let rest = Buffer.alloc(0);
process.stdin.on('data', (bytes) => {
  rest = Buffer.concat([rest, bytes]);
  for (let end = rest.indexOf(10); end >= 0; end = rest.indexOf(10)) {
    take(rest.subarray(0, end), (answer) => process.stdout.write(JSON.stringify(answer) + '\\n'));
    rest = rest.subarray(end + 1);
  }
});
`;

function lineFor({ runs }: Report, id: string): string {
  return runs[0]?.outcomes.find((one) => one.id === id)?.reproduce ?? '';
}

describe('a line for a server on stdio', { timeout: 60_000 }, () => {
  let report: Report;
  beforeAll(async () => {
    const only = ['jsonrpc/request/answered', 'stdio/stdout-clean', 'json-schema/dialect', 'tools/list'];
    const target = { kind: 'command', command: process.execPath, args: ['-e', defective] } as const;
    report = await runCheck(target, { revision: '2025-11-25', only, timeout: 2_000 });
  }, 60_000);
  const again = (id: string) => spawnSync('sh', ['-c', lineFor(report, id)], { encoding: 'utf8' });

  it('holds bytes that are not UTF-8, and the server ends of them again', () => {
    const line = lineFor(report, 'jsonrpc/request/answered');
    expect(line).toContain(String.raw`\377\376`);
    expect(again('jsonrpc/request/answered').status).toBe(3);
  });

  it('holds the request in whose course something else was printed', () => {
    expect(again('stdio/stdout-clean').stdout).toContain('listing the tools');
  });

  it('holds the request that brought what is at fault', () => {
    expect(again('json-schema/dialect/recommended').stdout).toContain('draft-04');
  });
});

describe('a line of a conversation', () => {
  const target = { kind: 'command', command: 'cat', args: [] } as const;
  const run = (line: string) => execFileSync('sh', ['-c', line.replaceAll('sleep 1', ':')], { maxBuffer: 4e6 });

  it('has a message of a megabyte in few words', () => {
    const recorder = new Recorder('main', 'stdio', '2026-07-28');
    const bytes = Buffer.from(`{"a":"50% \\\\ it's ${'x'.repeat(1024 * 1024)}"}`);
    const line = reproduction(finding(recorder.message('sent', bytes)), target, '2026-07-28', [recorder]) ?? '';
    expect(line.length).toBeLessThan(500);
    expect(run(line).equals(Buffer.concat([bytes, Buffer.from('\n')]))).toBe(true);
  });

  it('begins as the conversation did', () => {
    const recorder = new Recorder('main', 'stdio', '2025-11-25');
    const say = (value: unknown) => recorder.message('sent', Buffer.from(JSON.stringify(value)));
    const [early] = [say({ jsonrpc: '2.0', id: 1, method: 'tools/list' }), say({ jsonrpc: '2.0', id: 2, method: 'initialize' })];
    const late = say({ jsonrpc: '2.0', id: 3, method: 'ping' });
    const lines = (of: Finding['evidence']) => run(reproduction(finding(of), target, '2025-11-25', [recorder]) ?? '').toString();
    expect(lines(early ?? [])).toBe('{"jsonrpc":"2.0","id":1,"method":"tools/list"}\n');
    expect(lines(late)).toBe('{"jsonrpc":"2.0","id":2,"method":"initialize"}\n{"jsonrpc":"2.0","id":3,"method":"ping"}\n');
  });

  it('begins with the first request but discovery where there is no handshake, as a server may take its version from that', () => {
    const recorder = new Recorder('main', 'stdio', '2026-07-28');
    const say = (id: number, wild = false) => recorder.message('sent', Buffer.from(`{"id":${id}}`), { wild });
    recorder.message('sent', Buffer.from('{"id":0,"method":"server/discover"}'));
    const [first] = say(1);
    const [, last] = [say(2), say(3, true)];
    const lines = (of: Finding['evidence']) => run(reproduction(finding(of), target, '2026-07-28', [recorder]) ?? '').toString();
    expect(lines(last ?? [])).toBe('{"id":1}\n{"id":3}\n');
    expect(lines(first === undefined ? [] : [first])).toBe('{"id":1}\n');
  });

  it('is none where nothing that was sent shows it, or nobody would copy it', () => {
    const words = Array.from({ length: 5_000 }, (_, index) => index).join(' ');
    const long = new Recorder('main', 'stdio', '2026-07-28').message('sent', Buffer.from(words));
    expect(reproduction(finding(['two words']), target, '2025-11-25')).toBeUndefined();
    expect(reproduction(finding(long), target, '2025-11-25')).toBeUndefined();
  });
});

describe('a line for a server over HTTP', { timeout: 60_000 }, () => {
  const sessions = new Set<string>();
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const body = Buffer.concat(chunks);
      if (body.includes(0xff)) return response.socket?.destroy();
      let message: { id?: unknown; method?: string } = {};
      try {
        message = JSON.parse(body.toString());
      } catch {
        return response.writeHead(400).end();
      }
      const answer = (result: object, headers = {}) =>
        response
          .writeHead(200, { 'content-type': 'application/json', ...headers })
          .end(JSON.stringify({ jsonrpc: '2.0', id: message.id, result }));
      if (message.method === 'initialize') {
        const session = crypto.randomUUID();
        sessions.add(session);
        const serverInfo = { name: 'defective', version: '1' };
        return answer({ protocolVersion: '2025-11-25', capabilities: { tools: {} }, serverInfo }, { 'mcp-session-id': session });
      }
      const session = String(request.headers['mcp-session-id']);
      if (!sessions.has(session)) return response.writeHead(404).end();
      if (request.method === 'DELETE') sessions.delete(session);
      if (message.id === undefined) return response.writeHead(request.method === 'GET' ? 405 : 202).end();
      const inputSchema = { $schema: 'http://json-schema.org/draft-04/schema#', type: 'object' };
      return answer(message.method === 'tools/list' ? { tools: [{ name: 'look', inputSchema }] } : {});
    });
  });
  beforeAll(() => new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve)));
  afterAll(() => new Promise<void>((resolve) => void server.close(() => resolve())));

  it.skipIf(notRun('curl'))('begins a session of its own, since the one of the run is over', async () => {
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`;
    const report = await runCheck({ kind: 'url', url }, { revision: '2025-11-25', only: ['json-schema/dialect'], timeout: 2_000 });
    sessions.clear();
    const line = lineFor(report, 'json-schema/dialect/recommended');
    const said = await new Promise<string>((resolve) => void execFile('sh', ['-c', line], (_, stdout) => resolve(stdout)));
    expect(said).toContain('draft-04');
  });

  it('sends bytes as they were, and everything that was sent', () => {
    const bytes = Buffer.from([0x7b, 0xff, 0xfe, 0x0a, 0x7d]);
    const [first, second] = [posted({}), posted({})];
    const evidence = [{ ...first, request: { ...first.request, body: bytes } }, second];
    const line = reproduction(finding(evidence), { kind: 'url', url: 'http://127.0.0.1:1/mcp' }, '2025-11-25') ?? '';
    const heard = line.replaceAll('curl -isN', 'cat_body').replaceAll('cat_body -m 5', 'cat_body');
    const shell = `cat_body() { case "$*" in *@-*) cat;; *) printf '%s' "$2";; esac; }; ${heard}`;
    expect(execFileSync('sh', ['-c', shell]).equals(Buffer.concat([bytes, Buffer.from('{"jsonrpc":"2.0"}')]))).toBe(true);
  });
});
