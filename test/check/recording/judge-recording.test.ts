import { expect, it } from 'vitest';
import { judgeRecording, type RecordedEntry } from '../../../src/check/recording/judge-recording.ts';
import { loadValidator } from '../../../src/schema/json-schema.ts';

type Said = Omit<RecordedEntry, 't' | 'raw'> & { readonly value?: object | string };

function broken(transport: 'stdio' | 'http', said: readonly Said[]): string[] {
  const entries = said.map(({ value, ...rest }, t): RecordedEntry => {
    const raw = typeof value === 'string' ? value : JSON.stringify(value);
    return { t, ...rest, ...(value !== undefined && { raw: raw as string }) };
  });
  const reports = judgeRecording({ label: 'recorded', transport, entries }, { level: 'must' });
  return reports.flatMap(({ party, runs }) =>
    runs.flatMap(({ outcomes }) => outcomes.filter(({ verdict }) => verdict === 'failed').map(({ id }) => `${party} ${id}`)),
  );
}

const meta = { 'io.modelcontextprotocol/protocolVersion': '2026-07-28', 'io.modelcontextprotocol/clientCapabilities': {} };
const probe = { jsonrpc: '2.0', id: 1, method: 'server/discover', params: { _meta: meta } };
const info = { name: 'one', version: '1' };
const ask = {
  jsonrpc: '2.0',
  id: 2,
  method: 'initialize',
  params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: info },
};
const greeting = { jsonrpc: '2.0', id: 2, result: { protocolVersion: '2025-06-18', capabilities: {}, serverInfo: info } };
const ready = { jsonrpc: '2.0', method: 'notifications/initialized' };

it('holds it against nobody that a client asked for a newer revision first', async () => {
  await loadValidator();
  const refused = { jsonrpc: '2.0', id: 1, error: { code: -32601, message: 'Method not found' } };
  const shared = [
    { from: 'client', value: ask },
    { from: 'server', value: greeting },
    { from: 'client', value: ready },
  ] as const;
  expect(broken('stdio', [{ from: 'client', value: probe }, { from: 'server', value: refused }, ...shared])).toEqual([]);
  const early = { jsonrpc: '2.0', method: 'notifications/message', params: { level: 'info', data: 'too soon' } };
  expect(broken('stdio', [{ from: 'server', value: early }, ...shared])).toContain('server lifecycle/initialize/first');
});

const json = { 'content-type': 'application/json' };
const client = { ...json, accept: 'application/json, text/event-stream', 'mcp-protocol-version': '2025-06-18' };

function post(path: string, headers: Record<string, string>, value: object | string, answer?: object, status = 200): Said[] {
  exchanges += 1;
  const exchange = exchanges;
  return [
    { from: 'client', exchange, head: { method: 'POST', path, headers } },
    { from: 'client', exchange, value },
    { from: 'server', exchange, head: { status: answer === undefined ? 202 : status, headers: answer === undefined ? {} : json } },
    ...(answer === undefined ? [] : [{ from: 'server' as const, exchange, value: answer }]),
    { from: 'server', exchange, end: {} },
  ];
}
let exchanges = 0;

it('takes no form and no registration that passes the same door for a message', async () => {
  await loadValidator();
  const tokens = [
    ...post('/register', json, { client_name: 'one' }, { client_id: 'one' }),
    ...post('/token', { 'content-type': 'application/x-www-form-urlencoded' }, 'grant_type=authorization_code', { token_type: 'Bearer' }),
  ];
  expect(broken('http', [...tokens, ...post('/mcp', client, ask, greeting), ...post('/mcp', client, ready)])).toEqual([]);
});

it('takes no refusal of OAuth for a message', async () => {
  await loadValidator();
  const refused = post('/mcp', client, { ...ask, id: 1 }, { error: 'invalid_token', error_description: 'No authorization provided' }, 401);
  expect(broken('http', [...refused, ...post('/mcp', client, ask, greeting), ...post('/mcp', client, ready)])).toEqual([]);
});
