// Messages held against our own schemas: where the fault is, and what it is called.
import { describe, expect, it } from 'vitest';
import { checkMessage, isDefined } from '../../../src/check/schemas/message.ts';
import { type Revision, revisions } from '../../../src/protocol/revision.ts';

const meta = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientCapabilities': {},
};

function issues(revision: Revision, message: unknown, answers?: string): string[] {
  const from = answers === undefined ? 'client' : 'server';
  return checkMessage({ revision, from, message, answers }).map(({ path, message: text }) => `${path} ${text}`);
}

const result = (value: unknown): object => ({ jsonrpc: '2.0', id: 1, result: value });

describe('the envelope', () => {
  it.each(revisions)('of %s is JSON-RPC 2.0 with an id of text or an integer', (revision) => {
    expect(issues(revision, { jsonrpc: '2.0', id: 'a', method: 'x/y' })).toEqual([]);
    expect(issues(revision, { jsonrpc: '1.0', id: null, method: 'x/y' })).toEqual([
      '/jsonrpc must be "2.0", is "1.0"',
      '/id must be a string, is null',
    ]);
    expect(issues(revision, { jsonrpc: '2.0', id: 1.5, method: 7 })).toHaveLength(2);
  });

  it('holds a method, a result or an error, and never two of the last', () => {
    expect(issues('2025-06-18', { jsonrpc: '2.0', id: 1 })).toEqual(['/method is required, or result, or error']);
    expect(issues('2025-06-18', { jsonrpc: '2.0', id: 1, result: {}, error: { code: 1, message: '' } })).toEqual([
      '/error must not stand beside result',
    ]);
  });

  it.each([null, 7, 'text'])('is never %j', (message) => {
    expect(issues('2025-11-25', message)).toHaveLength(1);
  });

  it('is an array in 2025-03-26 only', () => {
    const batch = [
      { jsonrpc: '2.0', id: 1, method: 'ping' },
      { jsonrpc: '2.0', method: 5 },
    ];
    expect(issues('2025-03-26', batch)).toEqual(['/1/method must be a string, is the number 5']);
    expect(issues('2025-03-26', [])).toEqual([' must not be an empty array']);
    expect(issues('2025-06-18', batch)).toEqual([' must be an object, is an array']);
  });

  it('gives an id to requests and none to notifications', () => {
    expect(issues('2025-11-25', { jsonrpc: '2.0', method: 'tools/list' })).toEqual(['/id is required']);
    expect(issues('2025-11-25', { jsonrpc: '2.0', id: 1, method: 'notifications/initialized' })).toEqual([
      '/id must not be there: notifications/initialized is a notification',
    ]);
  });

  it('of an error may lack a readable id', () => {
    const error = { code: -32700, message: 'Parse error' };
    for (const revision of revisions) expect(issues(revision, { jsonrpc: '2.0', id: null, error }, '')).toEqual([]);
    expect(issues('2025-11-25', { jsonrpc: '2.0', error }, '')).toEqual([]);
    expect(issues('2025-06-18', { jsonrpc: '2.0', error }, '')).toEqual(['/id is required']);
    expect(issues('2025-06-18', { jsonrpc: '2.0', id: 1, error: { code: 'E', message: 1 } }, '')).toHaveLength(2);
  });
});

describe('a fault', () => {
  it('is told with the pointer to its place', () => {
    const tools = [
      { name: 'a', inputSchema: { type: 'object' } },
      { name: 'b', title: 1, inputSchema: { type: 'string' } },
    ];
    expect(issues('2025-06-18', result({ tools }), 'tools/list')).toEqual([
      '/result/tools/1/title must be a string, is the number 1',
      '/result/tools/1/inputSchema/type must be "object", is "string"',
    ]);
  });

  it('inside a content block is told by the type of the block', () => {
    const content = [{ type: 'text' }, { type: 'image', data: '%%', mimeType: 'image/png' }, { type: 'video' }];
    expect(issues('2025-03-26', result({ content }), 'tools/call')).toEqual([
      '/result/content/0/text is required',
      '/result/content/1/data is not a valid base64: "%%"',
      '/result/content/2/type must be one of "text", "image", "audio", "resource", is "video"',
    ]);
  });

  it('of one of several forms is told by the nearest', () => {
    const contents = [
      { uri: 'file:///a', text: 1 },
      { uri: 'no uri', blob: 'aGk=' },
    ];
    expect(issues('2025-11-25', result({ contents }), 'resources/read')).toEqual([
      '/result/contents/0/text must be a string, is the number 1',
      '/result/contents/1/uri is not a valid uri: "no uri"',
    ]);
  });

  it('is counted only so far, however many there are', () => {
    const tools = Array.from({ length: 100_000 }, () => 0);
    expect(issues('2025-06-18', result({ tools }), 'tools/list')).toHaveLength(20);
  });

  it('is none where a name is one of JavaScript’s own', () => {
    expect(issues('2025-06-18', JSON.parse('{"jsonrpc":"2.0","id":1,"method":"__proto__","params":{"__proto__":1}}'))).toEqual([]);
    expect(issues('2025-06-18', { jsonrpc: '2.0', id: 1, method: 'constructor' })).toEqual([]);
  });
});

describe('what a revision does not have', () => {
  it('is not judged by it', () => {
    const call = { content: [], structuredContent: 'text' };
    expect(issues('2025-03-26', result(call), 'tools/call')).toEqual([]);
    expect(issues('2025-06-18', result(call), 'tools/call')).toHaveLength(1);
    expect(issues('2026-07-28', result({ ...call, resultType: 'complete' }), 'tools/call')).toEqual([]);
  });

  it('is not among its methods', () => {
    expect(isDefined('2025-03-26', 'server', 'elicitation/create')).toBe(false);
    expect(isDefined('2025-06-18', 'server', 'elicitation/create')).toBe(true);
    expect(isDefined('2026-07-28', 'server', 'elicitation/create')).toBe(false);
    expect(isDefined('2026-07-28', 'client', 'toString')).toBe(false);
  });
});

describe('the newest revision', () => {
  it('wants its metadata in every request', () => {
    expect(issues('2026-07-28', { jsonrpc: '2.0', id: 1, method: 'tools/list' })).toEqual(['/params is required']);
    expect(issues('2026-07-28', { jsonrpc: '2.0', id: 1, method: 'tools/list', params: { _meta: {} } })).toHaveLength(2);
    expect(issues('2026-07-28', { jsonrpc: '2.0', id: 1, method: 'tools/list', params: { _meta: meta } })).toEqual([]);
  });

  it('judges a result by its kind, and one of an extension by what all have', () => {
    const ask = { k: { method: 'elicitation/create', params: { mode: 'url', message: 'Sign in', url: 'https://example.com' } } };
    expect(issues('2026-07-28', result({ resultType: 'input_required', inputRequests: ask }), 'tools/call')).toEqual([]);
    expect(
      issues('2026-07-28', result({ resultType: 'input_required', inputRequests: { k: { method: 'ping' } } }), 'tools/call'),
    ).toHaveLength(1);
    expect(issues('2026-07-28', result({ resultType: 'task', taskId: 't' }), 'tools/call')).toEqual([]);
    expect(issues('2026-07-28', result({ content: [] }), 'tools/call')).toEqual(['/result/resultType is required']);
  });
});

describe('text of a form', () => {
  const read = (uri: string): object => ({ jsonrpc: '2.0', id: 1, method: 'resources/read', params: { uri } });
  const complete = (uri: string): object => ({
    jsonrpc: '2.0',
    id: 1,
    method: 'completion/complete',
    params: { ref: { type: 'ref/resource', uri }, argument: { name: 'a', value: '' } },
  });

  it.each(['file:///a%20b', 'https://example.com/?q=[1]#f', 'note:a', 'urn:isbn:1'])('%s is a URI', (uri) => {
    expect(issues('2025-11-25', read(uri))).toEqual([]);
  });

  it.each(['', 'a', '/a/b', 'file:///a b', 'a:%zz', 'a:ä', 'a:b#c#d'])('%s is no URI', (uri) => {
    expect(issues('2025-11-25', read(uri))).toHaveLength(1);
  });

  it.each(['file:///{+path}', 'a:{x,y*}{?q:3}', 'a:b', ''])('%s is a URI template', (uri) => {
    expect(issues('2025-11-25', complete(uri))).toEqual([]);
  });

  it.each(['a:{', 'a:}', 'a:{}', 'a:{x:0}', 'a:{a b}', 'a:<b>'])('%s is no URI template', (uri) => {
    expect(issues('2025-11-25', complete(uri))).toHaveLength(1);
  });
});
