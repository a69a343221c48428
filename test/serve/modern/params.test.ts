// Arguments that are repeated in headers: Mcp-Param-* over HTTP, with the base64 sentinel.
import { describe, expect, it } from 'vitest';
import { createFetchHandler } from 'vivarium/serve/fetch';
import { createNodeHandler } from 'vivarium/serve/node';
import { Server } from 'vivarium/server';
import { type Answer, call, type Door, type Doorway, doors, modern, nodeDoor, openSession, Raw } from '../http.ts';

const input = {
  type: 'object',
  properties: {
    region: { type: ['string', 'null'], 'x-mcp-header': 'Region' },
    count: { type: 'integer', 'x-mcp-header': 'Count' },
    dry: { type: 'boolean', 'x-mcp-header': 'DRY-run' },
    where: { type: 'object', properties: { zone: { type: 'string', 'x-mcp-header': 'Zone' } } },
    free: {},
  },
};

async function enter(open: Doorway): Promise<{ readonly door: Door; readonly seen: unknown[] }> {
  const seen: unknown[] = [];
  const server = new Server({ name: 'routed', version: '1.0.0' });
  server.tool('route', { input }, (args) => {
    seen.push(args);
    return 'routed';
  });
  server.tool('hidden', { input, visible: () => false }, () => 'never');
  await server.ready();
  return { door: await open(server), seen };
}

const wrapped = (text: string | Uint8Array): string => `=?base64?${Buffer.from(text).toString('base64')}?=`;

describe.each(doors)('%s', (_, open) => {
  const send = (door: Door, args: object | undefined, headers: Record<string, string>): Promise<Answer> =>
    door.send(modern('tools/call', { name: 'route', ...(args && { arguments: args }) }, headers));

  it.each<[string, object | undefined, Record<string, string>]>([
    ['nothing is said twice', undefined, {}],
    ['a string', { region: 'eu-west' }, { 'mcp-param-region': 'eu-west' }],
    ['names in any case', { region: 'eu', dry: true }, { 'MCP-PARAM-REGION': 'eu', 'Mcp-Param-dry-RUN': 'true' }],
    ['blanks around a value', { region: 'eu' }, { 'mcp-param-region': '  eu\t' }],
    ['a string that needs wrapping', { region: 'Zürich ' }, { 'mcp-param-region': wrapped('Zürich ') }],
    ['a string that is wrapped without need', { region: 'eu' }, { 'mcp-param-region': wrapped('eu') }],
    ['an empty string', { region: '' }, { 'mcp-param-region': wrapped('') }],
    ['H32 a literal that looks wrapped, wrapped again', { region: '=?base64?YQ==?=' }, { 'mcp-param-region': wrapped('=?base64?YQ==?=') }],
    ['H32 the sentinel in capitals, which is a literal', { region: '=?BASE64?YQ==?=' }, { 'mcp-param-region': '=?BASE64?YQ==?=' }],
    ['H33 42.0 for 42', { count: 42 }, { 'mcp-param-count': '42.0' }],
    ['null without a header', { region: null }, {}],
    ['a nested value', { where: { zone: 'a' } }, { 'mcp-param-zone': 'a' }],
    ['a header that no argument has', {}, { 'mcp-param-unknown': 'x' }],
    ['an argument that has no header', { free: 'x' }, {}],
  ])('serves %s', async (_name, args, headers) => {
    const { door, seen } = await enter(open);
    const { status, json } = await send(door, args, headers);
    expect([status, json.result?.content]).toEqual([200, [{ type: 'text', text: 'routed' }]]);
    expect(seen).toEqual([args ?? {}]);
  });

  it.each<[string, object | undefined, Record<string, string>]>([
    ['H33 a value in the body only', { region: 'eu' }, {}],
    ['H33 a header for null', { region: null }, { 'mcp-param-region': 'null' }],
    ['a header for nothing', {}, { 'mcp-param-region': 'eu' }],
    ['a header without arguments', undefined, { 'mcp-param-region': 'eu' }],
    ['another value', { region: 'eu' }, { 'mcp-param-region': 'us' }],
    ['H30 another case of a value', { region: 'eu' }, { 'mcp-param-region': 'EU' }],
    ['H33 True for true', { dry: true }, { 'mcp-param-dry-run': 'True' }],
    ['another number', { count: 42 }, { 'mcp-param-count': '43' }],
    ['a number as it is written in C', { count: 42 }, { 'mcp-param-count': '0x2a' }],
    ['a nested value in the body only', { where: { zone: 'a' } }, {}],
    ['two values', { region: 'eu' }, { 'mcp-param-region': 'eu, eu' }],
    ['H32 a sentinel around no base64', { region: '=?base64?!!!?=' }, { 'mcp-param-region': '=?base64?!!!?=' }],
    ['H32 a sentinel around no UTF-8', { region: 'eu' }, { 'mcp-param-region': wrapped(Uint8Array.from([0xff])) }],
    ['H32 a sentinel without padding', { region: 'a' }, { 'mcp-param-region': '=?base64?YQ?=' }],
    ['H32 a literal that looks wrapped', { region: '=?base64?YQ==?=' }, { 'mcp-param-region': '=?base64?YQ==?=' }],
  ])('refuses %s with -32020', async (_name, args, headers) => {
    const { door, seen } = await enter(open);
    const { status, json } = await send(door, args, headers);
    expect([status, json.error?.code, json.id]).toEqual([400, -32020, 1]);
    expect(seen).toEqual([]);
  });

  it('tells nobody of a hidden tool by its headers', async () => {
    const { door } = await enter(open);
    const hidden = await door.send(modern('tools/call', { name: 'hidden', arguments: { region: 'eu' } }));
    const unknown = await door.send(modern('tools/call', { name: 'absent', arguments: { region: 'eu' } }));
    expect([hidden.status, hidden.text]).toEqual([unknown.status, unknown.text.replaceAll('absent', 'hidden')]);
  });

  it('asks for none of them before 2026-07-28', async () => {
    const { door, seen } = await enter(open);
    const headers = await openSession(door);
    const { status } = await door.send({ headers: { ...headers, 'mcp-param-region': 'us' }, body: call(1, 'route', { region: 'eu' }) });
    expect(status).toBe(200);
    expect(seen).toEqual([{ region: 'eu' }]);
  });
});

it('H32 refuses bytes that are no ASCII in a header', async () => {
  const { door, seen } = await enter(nodeDoor);
  const raw = await Raw.open(door.port);
  raw.request(modern('tools/call', { name: 'route', arguments: { region: 'Zürich' } }, { 'mcp-param-region': 'Zürich' }));
  const { status, code } = await raw.answer();
  expect([status, code]).toEqual([400, -32020]);
  expect(seen).toEqual([]);
});

it.each([
  ['on a number', { type: 'number', 'x-mcp-header': 'A' }],
  ['with a line break', { type: 'string', 'x-mcp-header': 'a\r\nb' }],
  ['that is empty', { type: 'string', 'x-mcp-header': '' }],
])('H28 refuses to serve a tool with a header %s', async (_, a) => {
  const server = new Server({ name: 'x', version: '1.0.0' });
  server.tool('bad', { input: { type: 'object', properties: { a } } }, () => 'x');
  const complaint = expect.objectContaining({ code: 'ERR_SCHEMA', message: expect.stringContaining('"bad"') });
  await expect(nodeDoor(server)).rejects.toThrow(complaint);
  expect(() => createNodeHandler(server, { allowedHosts: ['localhost'] })).toThrow(complaint);
  expect(() => createFetchHandler(server, { allowedHosts: ['localhost'] })).toThrow(complaint);
});
