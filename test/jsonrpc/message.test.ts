import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type ParsedMessage, parseMessage, type Refusal } from 'vivarium/protocol';
import { decodeMessage, isRequestId } from '../../src/jsonrpc/message.ts';

const refused = (value: unknown): Refusal => {
  const parsed = parseMessage(value);
  if (parsed.kind !== 'refused') throw new Error(`Expected a refusal, got ${parsed.kind}`);
  return parsed;
};
const refusedWith = (id: string | number | undefined, data: unknown, code = -32600): Refusal => ({
  kind: 'refused',
  id,
  answer: true,
  error: code === -32602 ? { code, message: 'Invalid params', data: { details: data } } : { code, message: 'Invalid Request', data },
});
const decode = (text: string) => decodeMessage(text, 256);

describe('a request', () => {
  it.each([[1], [0], [-7], ['a'], [''], ['x'.repeat(256)], [Number.MAX_SAFE_INTEGER], [Number.MIN_SAFE_INTEGER]])('has the id %j', (id) => {
    expect(parseMessage({ jsonrpc: '2.0', id, method: 'ping' })).toStrictEqual({ kind: 'request', id, method: 'ping', params: undefined });
  });

  it('has the params it came with, untouched', () => {
    const params = { a: [1, { b: null }], _meta: { progressToken: 1 } };
    const parsed = parseMessage({ jsonrpc: '2.0', id: 1, method: 'tools/call', params });
    expect(parsed).toStrictEqual({ kind: 'request', id: 1, method: 'tools/call', params });
    expect((parsed as { params: unknown }).params).toBe(params);
  });

  it('may have members that JSON-RPC does not know', () => {
    expect(parseMessage({ jsonrpc: '2.0', id: 1, method: 'ping', extra: true, Params: 7 })).toMatchObject({ kind: 'request', id: 1 });
  });

  it.each([
    ['-0', 0],
    ['1.0', 1],
    ['1e2', 100],
    ['9007199254740991', Number.MAX_SAFE_INTEGER],
  ])('reads the id %s as an integer', (written, id) => {
    const parsed = decode(`{"jsonrpc":"2.0","id":${written},"method":"ping"}`) as { kind: string; id: number };
    expect(parsed.kind).toBe('request');
    expect(parsed.id === id).toBe(true);
  });
});

describe('a notification', () => {
  it('has no id', () => {
    const params = { requestId: 1 };
    expect(parseMessage({ jsonrpc: '2.0', method: 'n' })).toStrictEqual({ kind: 'notification', method: 'n', params: undefined });
    expect(parseMessage({ jsonrpc: '2.0', method: 'n', params })).toStrictEqual({ kind: 'notification', method: 'n', params });
  });

  it.each([[7], ['x'], [null], [true], [[1]], [[]]])('is never answered, even with params %j', (params) => {
    expect(refused({ jsonrpc: '2.0', method: 'notifications/cancelled', params })).toMatchObject({ id: undefined, answer: false });
  });
});

describe('a refusal', () => {
  it.each([
    [42, 'Expected a JSON object, got number'],
    ['x', 'Expected a JSON object, got string'],
    [true, 'Expected a JSON object, got boolean'],
    [null, 'Expected a JSON object, got null'],
    [[], 'Expected a JSON object, got an array'],
    [[{ jsonrpc: '2.0', id: 1, method: 'ping' }], 'Expected a JSON object, got an array'],
    [undefined, 'Expected a JSON object, got undefined'],
  ])('answers %j, which is no object', (value, data) => {
    expect(refused(value)).toStrictEqual(refusedWith(undefined, data));
  });

  it.each([
    [{ id: 1, method: 'ping' }, 1, 'Missing required field: jsonrpc'],
    [{ id: 'a', method: 'ping' }, 'a', 'Missing required field: jsonrpc'],
    [{ method: 'ping' }, undefined, 'Missing required field: jsonrpc'],
    [{}, undefined, 'Missing required field: jsonrpc'],
    [{ id: 1.5, method: 'ping' }, undefined, 'Missing required field: jsonrpc'],
    [{ jsonrpc: '1.0', id: 1, method: 'ping' }, 1, 'jsonrpc must be "2.0"'],
    [{ jsonrpc: 2, id: 1, method: 'ping' }, 1, 'jsonrpc must be "2.0"'],
    [{ jsonrpc: null, id: 1, method: 'ping' }, 1, 'jsonrpc must be "2.0"'],
    [{ jsonrpc: ['2.0'], id: 1, method: 'ping' }, 1, 'jsonrpc must be "2.0"'],
  ])('names the wrong version of %j and keeps a readable id', (value, id, data) => {
    expect(refused(value)).toStrictEqual(refusedWith(id, data));
  });

  it.each([
    [null, 'id must be a string or an integer, got null'],
    [true, 'id must be a string or an integer, got boolean'],
    [{}, 'id must be a string or an integer, got object'],
    [[], 'id must be a string or an integer, got an array'],
    [[1], 'id must be a string or an integer, got an array'],
    [1.5, 'id must be an integer of at most 2^53 - 1, got 1.5'],
    [2 ** 53, 'id must be an integer of at most 2^53 - 1, got 9007199254740992'],
    [-(2 ** 53), 'id must be an integer of at most 2^53 - 1, got -9007199254740992'],
    ['x'.repeat(257), 'id is longer than 256 characters'],
    ['x'.repeat(10_000), 'id is longer than 256 characters'],
  ])('has no id when the id is %j', (id, data) => {
    expect(refused({ jsonrpc: '2.0', id, method: 'ping' })).toStrictEqual(refusedWith(undefined, data));
  });

  it.each(['1e400', '-1e400', '9007199254740993', '1.0000000001'])('answers the id %s, which is no integer that can be echoed', (id) => {
    expect(decode(`{"jsonrpc":"2.0","id":${id},"method":"ping"}`)).toMatchObject({
      kind: 'refused',
      id: undefined,
      error: { code: -32600 },
    });
  });

  it.each([
    [{ jsonrpc: '2.0', id: 1 }, 'Missing required field: method'],
    [{ jsonrpc: '2.0', id: 1, method: 7 }, 'method must be a non-empty string'],
    [{ jsonrpc: '2.0', id: 1, method: '' }, 'method must be a non-empty string'],
    [{ jsonrpc: '2.0', id: 1, method: null }, 'method must be a non-empty string'],
    [{ jsonrpc: '2.0', id: 1, method: ['ping'] }, 'method must be a non-empty string'],
  ])('names the wrong method of %j', (value, data) => {
    expect(refused(value)).toStrictEqual(refusedWith(1, data));
  });

  it('answers a message without id that is no valid notification', () => {
    expect(refused({ jsonrpc: '2.0' })).toStrictEqual(refusedWith(undefined, 'Missing required field: method'));
    expect(refused({ jsonrpc: '2.0', method: 7 })).toMatchObject({ id: undefined, answer: true });
  });

  it.each([
    [7, -32600],
    ['x', -32600],
    [null, -32600],
    [true, -32600],
    [[1], -32602],
  ])('answers the params %j of a request', (params, code) => {
    expect(refused({ jsonrpc: '2.0', id: 1, method: 'ping', params })).toStrictEqual(refusedWith(1, 'params must be an object', code));
  });

  it.each([
    '{"jsonrpc":"2.0","id":1,"Method":"ping"}',
    '{"jsonrpc":"2.0","id":1,"METHOD":"ping"}',
    '{"jsonrpc":"2.0","ID":1,"method":7}',
    '{"Jsonrpc":"2.0","id":1,"method":"ping"}',
    '{"json\u212apc":"2.0","id":1,"method":"ping"}',
    '{"j\u017fonrpc":"2.0","id":1,"method":"ping"}',
    '{"jsonrpc":"2.0","id":1,"methοd":"ping"}',
  ])('does not take a look-alike for a member: %s', (text) => {
    expect(decode(text)).toMatchObject({ kind: 'refused', error: { code: -32600 } });
  });

  it('leaves look-alikes of params alone', () => {
    const parsed = decode('{"jsonrpc":"2.0","id":1,"method":"ping","PARAMS":{"a":1},"param\u017f":{"b":1}}');
    expect(parsed).toStrictEqual({ kind: 'request', id: 1, method: 'ping', params: undefined });
  });

  it('is small, however large its cause', () => {
    const huge = 'x'.repeat(100_000);
    for (const value of [
      huge,
      { jsonrpc: huge, id: 1 },
      { jsonrpc: '2.0', id: huge, method: 'p' },
      { jsonrpc: '2.0', id: 1, method: [huge] },
    ]) {
      expect(JSON.stringify(refused(value)).length).toBeLessThan(500);
    }
  });
});

describe('a response', () => {
  it('has the result and the id it came with', () => {
    for (const result of [{}, null, 0, '', false, [1]]) {
      expect(parseMessage({ jsonrpc: '2.0', id: 'a', result })).toStrictEqual({ kind: 'response', id: 'a', result });
    }
  });

  it.each([-32700, -32603, -32042, -32022, -32002, -32001, -32000, -1, 0, 1, 403, 2_147_483_648])(
    'passes the error code %i on as it is',
    (code) => {
      const error = { code, message: 'text', data: { any: [null] }, extra: 1 };
      expect(parseMessage({ jsonrpc: '2.0', id: 1, error })).toStrictEqual({ kind: 'response', id: 1, error });
    },
  );

  it('may be an error about nothing that could be read', () => {
    const error = { code: -32700, message: 'Parse error' };
    expect(parseMessage({ jsonrpc: '2.0', id: null, error })).toStrictEqual({ kind: 'response', id: undefined, error });
    expect(parseMessage({ jsonrpc: '2.0', error })).toStrictEqual({ kind: 'response', id: undefined, error });
  });

  it.each([
    { jsonrpc: '2.0', id: 1, result: {}, error: { code: 1, message: 'x' } },
    { jsonrpc: '2.0', id: 1, result: null, error: null },
    { jsonrpc: '2.0', id: 1, error: {} },
    { jsonrpc: '2.0', id: 1, error: { message: 'no code' } },
    { jsonrpc: '2.0', id: 1, error: { code: '1', message: 'text code' } },
    { jsonrpc: '2.0', id: 1, error: { code: 1.5, message: 'x' } },
    { jsonrpc: '2.0', id: 1, error: { code: 1 } },
    { jsonrpc: '2.0', id: 1, error: null },
    { jsonrpc: '2.0', id: 1, error: 'x' },
    { jsonrpc: '2.0', id: 1, error: [1, 'x'] },
    { jsonrpc: '2.0', id: null, result: {} },
    { jsonrpc: '2.0', result: {} },
    { jsonrpc: '2.0', id: 1.5, result: {} },
    { id: 1, result: {} },
    { jsonrpc: '1.0', id: 1, error: { code: 1, message: 'x' } },
  ])('that is broken is never answered: %j', (value) => {
    expect(refused(value)).toMatchObject({ id: undefined, answer: false, error: { code: -32600 } });
  });
});

describe('decodeMessage', () => {
  it.each(['', ' ', '{', '{"jsonrpc":"2.0","id":5,', '{} {}', 'nul', "{'a':1}", '[1,]', '\ufeff{}', 'NaN', '"\u0001"'])(
    'refuses %j as no JSON',
    (text) => {
      expect(decode(text)).toStrictEqual({
        kind: 'refused',
        id: undefined,
        answer: true,
        error: { code: -32700, message: 'Parse error', data: 'Not valid JSON' },
      });
    },
  );

  it('lets the last of two equal keys win', () => {
    expect(decode('{"jsonrpc":"1.0","id":1,"method":"a","params":7,"jsonrpc":"2.0","id":2,"method":"b","params":{}}')).toStrictEqual({
      kind: 'request',
      id: 2,
      method: 'b',
      params: {},
    });
  });

  it('gives the members of an array unread', () => {
    expect(decode('[1,{"a":[]}]')).toStrictEqual({ kind: 'batch', members: [1, { a: [] }] });
    expect(decode('[]')).toStrictEqual({ kind: 'batch', members: [] });
  });

  const nested = (depth: number, open: string, close: string) => `${open.repeat(depth)}0${close.repeat(depth)}`;

  it.each([
    ['[', ']'],
    ['{"a":', '}'],
    ['[{"a":', '}]'],
    [' [ ', ' ]'],
  ])('takes %s as deep as the limit and not deeper, and keeps the id', (open, close) => {
    const step = (open.match(/[[{]/g) ?? []).length;
    const message = (depth: number) => `{"jsonrpc":"2.0","id":"x","method":"m","params":{"p":${nested(depth / step, open, close)}}}`;
    expect(decode(message(254))).toMatchObject({ kind: 'request', id: 'x' });
    expect(decode(message(256))).toStrictEqual(refusedWith('x', 'Nested deeper than 256 levels'));
    expect(decode(message(100_000))).toStrictEqual(refusedWith('x', 'Nested deeper than 256 levels'));
  });

  it('refuses an array that is too deep without an id', () => {
    expect(decode(nested(256, '[', ']'))).toMatchObject({ kind: 'batch' });
    expect(decode(nested(257, '[', ']'))).toStrictEqual(refusedWith(undefined, 'Nested deeper than 256 levels'));
    expect(decode(nested(100_000, '[', ']'))).toStrictEqual(refusedWith(undefined, 'Nested deeper than 256 levels'));
    expect(decode('['.repeat(100_000))).toMatchObject({ kind: 'refused', error: { code: -32700 } });
  });
});

describe('whatever JSON value arrives', () => {
  const odd = fc.oneof(
    fc.constantFrom('2.0', '1.0', 2, null, '', 'ping', 'initialize', 'notifications/cancelled', '__proto__', 1, 0, 1.5, true),
    fc.jsonValue(),
  );
  const messageLike = fc.record(
    {
      jsonrpc: fc.oneof({ weight: 3, arbitrary: fc.constant('2.0') }, odd),
      id: fc.oneof(fc.integer(), fc.string(), odd),
      method: fc.oneof(fc.string(), odd),
      params: fc.oneof(fc.dictionary(fc.string(), fc.jsonValue()), odd),
      result: odd,
      error: fc.oneof(fc.record({ code: odd, message: odd }, { requiredKeys: [] }), odd),
    },
    { requiredKeys: [] },
  );

  it('is classified without a throw, and only a readable id is kept', () => {
    fc.assert(
      fc.property(fc.oneof(messageLike, fc.jsonValue()), (value) => {
        const parsed = parseMessage(value);
        expect(parsed.kind).toBe(kindOf(value));
        if (parsed.kind === 'notification') return;
        const id = (value as { id?: unknown } | null)?.id;
        if (parsed.id !== undefined) expect(parsed.id).toBe(id);
        else if (parsed.kind === 'refused' && parsed.answer) expect(isRequestId(id) && !Array.isArray(value)).toBe(false);
      }),
      { numRuns: 5_000 },
    );
  });

  it('comes through its text the same', () => {
    fc.assert(
      fc.property(fc.oneof(messageLike, fc.jsonValue()), (value) => {
        const text = JSON.stringify(value);
        const expected = Array.isArray(value) ? { kind: 'batch', members: JSON.parse(text) } : parseMessage(JSON.parse(text));
        expect(decode(text)).toStrictEqual(expected);
      }),
    );
  });

  it('or does not parse at all, is decoded without a throw', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        expect(['request', 'notification', 'response', 'refused', 'batch']).toContain(decode(text).kind);
      }),
    );
  });
});

/** The rules once more, in the words of JSON-RPC. */
function kindOf(value: unknown): ParsedMessage['kind'] {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return 'refused';
  const { jsonrpc, id, method, params, result, error } = value as Record<string, unknown>;
  const validId = typeof id === 'string' ? id.length <= 256 : Number.isSafeInteger(id);
  if (jsonrpc !== '2.0') return 'refused';
  if (method === undefined && result !== undefined) return error === undefined && validId ? 'response' : 'refused';
  if (method === undefined) {
    const { code, message } = (error ?? {}) as Record<string, unknown>;
    return Number.isInteger(code) && typeof message === 'string' ? 'response' : 'refused';
  }
  const validParams = params === undefined || (typeof params === 'object' && params !== null && !Array.isArray(params));
  if (typeof method !== 'string' || method === '' || !validParams) return 'refused';
  if (validId) return 'request';
  return id === undefined ? 'notification' : 'refused';
}
