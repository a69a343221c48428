import { inspect } from 'node:util';
import { describe, expect, it } from 'vitest';
import * as front from 'vivarium';
import * as protocol from 'vivarium/protocol';
import { ToolError } from 'vivarium/server';
import { cut, errorCodes, faults, localErrorCodes, RpcError, unsupportedMethod, VivariumError } from '../../src/jsonrpc/error.ts';

describe('unsupportedMethod', () => {
  it.each(['tools/call', '', "it's", "' is not supported"])('reads the method back from an error made for %j', (method) => {
    expect(unsupportedMethod(faults.methodNotFound(method))).toBe(method);
  });

  it('finds none in any other error', () => {
    expect(unsupportedMethod(faults.internal())).toBeUndefined();
    expect(unsupportedMethod({ ...faults.methodNotFound('x'), code: 7 })).toBeUndefined();
    expect(unsupportedMethod({ ...faults.methodNotFound('x'), data: 'other' })).toBeUndefined();
  });
});

describe('errorCodes', () => {
  it('names the codes of JSON-RPC and of every revision', () => {
    expect(errorCodes).toEqual({
      parseError: -32700,
      invalidRequest: -32600,
      methodNotFound: -32601,
      invalidParams: -32602,
      internal: -32603,
      resourceNotFound: -32002,
      headerMismatch: -32020,
      missingCapability: -32021,
      unsupportedVersion: -32022,
      urlElicitationRequired: -32042,
      forbidden: 403,
      tooMany: 429,
    });
  });

  it('gives every code one name', () => {
    expect(new Set(Object.values(errorCodes)).size).toBe(Object.keys(errorCodes).length);
  });

  it('is the same table, and RpcError the same class, under every public name', () => {
    expect(front.errorCodes).toBe(errorCodes);
    expect(protocol.errorCodes).toBe(errorCodes);
    expect(front.RpcError).toBe(RpcError);
    expect(front.VivariumError).toBe(VivariumError);
  });
});

describe('faults', () => {
  it.each([
    [faults.parseError(), { code: -32700, message: 'Parse error' }],
    [faults.parseError('Not valid JSON'), { code: -32700, message: 'Parse error', data: 'Not valid JSON' }],
    [faults.invalidRequest(), { code: -32600, message: 'Invalid Request' }],
    [
      faults.invalidRequest('Missing required field: jsonrpc'),
      { code: -32600, message: 'Invalid Request', data: 'Missing required field: jsonrpc' },
    ],
    [faults.methodNotFound('x'), { code: -32601, message: 'Method not found', data: "Method 'x' is not supported" }],
    [
      faults.invalidParams('Missing required parameter: name'),
      { code: -32602, message: 'Invalid params', data: { details: 'Missing required parameter: name' } },
    ],
    [faults.invalidParams('gone', { uri: 'a:b' }), { code: -32602, message: 'Invalid params', data: { details: 'gone', uri: 'a:b' } }],
    [faults.resourceNotFound('a:b'), { code: -32002, message: 'Resource not found', data: { uri: 'a:b' } }],
    [faults.internal(), { code: -32603, message: 'Internal error' }],
    [
      faults.missingCapability({ sampling: {} }),
      { code: -32021, message: 'Missing required client capability', data: { requiredCapabilities: { sampling: {} } } },
    ],
    [
      faults.unsupportedVersion(['2026-07-28'], '1999-01-01'),
      { code: -32022, message: 'Unsupported protocol version', data: { supported: ['2026-07-28'], requested: '1999-01-01' } },
    ],
    [faults.forbidden(['write']), { code: 403, message: 'Forbidden', data: { scopes: ['write'] } }],
  ])('makes %j', (made, expected) => {
    expect(made).toStrictEqual(expected);
  });

  it('never repeats a long method name in full', () => {
    const { data } = faults.methodNotFound('m'.repeat(1_000_000));
    expect((data as string).length).toBeLessThan(300);
  });
});

describe('RpcError', () => {
  it('is an Error with a code, and with data and cause only when they were given', () => {
    const bare = new RpcError(-1, 'User rejected sampling request');
    expect(bare).toBeInstanceOf(Error);
    expect(bare).toMatchObject({ name: 'RpcError', code: -1, message: 'User rejected sampling request' });
    expect('data' in bare).toBe(false);
    expect('cause' in bare).toBe(false);
    const cause = new TypeError('inner');
    expect(new RpcError(7, 'x', { data: 0, cause })).toMatchObject({ code: 7, data: 0, cause });
  });

  it.each([-32700, -32603, -32042, -32000, -32001, -1, 0, 403, 2_147_483_648, Number.MAX_SAFE_INTEGER])(
    'carries the code %i and any data through toObject and from unchanged',
    (code) => {
      for (const data of [undefined, null, 0, '', false, [], { details: 'x' }]) {
        const object = new RpcError(code, 'text', { data }).toObject();
        expect(object).toStrictEqual(data === undefined ? { code, message: 'text' } : { code, message: 'text', data });
        expect(RpcError.from(object).toObject()).toStrictEqual(object);
      }
    },
  );

  it.each([
    [RpcError.parseError('why'), faults.parseError('why')],
    [RpcError.invalidRequest(), faults.invalidRequest()],
    [RpcError.methodNotFound('m'), faults.methodNotFound('m')],
    [RpcError.invalidParams('why'), faults.invalidParams('why')],
    [RpcError.invalidParams('why', { uri: 'u' }), faults.invalidParams('why', { uri: 'u' })],
    [RpcError.resourceNotFound('u'), faults.resourceNotFound('u')],
    [RpcError.internal(), faults.internal()],
    [RpcError.missingCapability({ roots: {} }), faults.missingCapability({ roots: {} })],
  ])('is made by the name of its code: %s', (error, fault) => {
    expect(error).toBeInstanceOf(RpcError);
    expect(error.toObject()).toStrictEqual(fault);
  });

  it('keeps the cause of an internal error on this side', () => {
    const error = RpcError.internal(new Error('secret'));
    expect((error.cause as Error).message).toBe('secret');
    expect(JSON.stringify(error.toObject())).not.toContain('secret');
  });
});

describe('VivariumError', () => {
  it.each(localErrorCodes)('carries the code %s and is no RpcError', (code) => {
    const cause = new Error('inner');
    const error = new VivariumError(code, 'text', { cause });
    expect(error).toBeInstanceOf(Error);
    expect(error).not.toBeInstanceOf(RpcError);
    expect(error).toMatchObject({ name: 'VivariumError', code, message: 'text', cause });
  });
});

describe('cut', () => {
  it('leaves a short text alone and shortens a long one with an ellipsis', () => {
    expect(cut('a'.repeat(200))).toBe('a'.repeat(200));
    expect(cut('a'.repeat(201))).toBe(`${'a'.repeat(200)}…`);
    expect(cut('abcdef', 3)).toBe('abc…');
    expect(cut('')).toBe('');
  });
});

describe('an error that is printed', () => {
  it('shows no members it does not have', () => {
    for (const error of [new VivariumError('ERR_CONFIG', 'a'), new RpcError(1, 'b'), new ToolError('c')])
      expect(inspect(error)).not.toContain('undefined');
    const known = inspect(new VivariumError('ERR_CONNECT', 'a', { failure: { phase: 'open' } }));
    expect(known).toContain("failure: { phase: 'open' }");
    expect(inspect(new RpcError(1, 'b', { data: { d: 2 }, reason: 'unknown-name' }))).toMatch(
      /data: \{ d: 2 \},\n {2}reason: 'unknown-name'/,
    );
  });
});
