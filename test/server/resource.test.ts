// What cannot be registered as a resource, and that the refusal says what to write instead.
import { describe, expect, it } from 'vitest';
import { type ResourceOptions, type Server, VivariumError } from 'vivarium/server';
import { createServer } from './fixture.ts';

function refusal(uri: string, options: object = {}, read: unknown = () => 'x'): VivariumError {
  const { server } = createServer();
  try {
    server.resource(uri, options as ResourceOptions, read as Parameters<Server['resource']>[2]);
  } catch (error) {
    expect(error).toBeInstanceOf(VivariumError);
    return error as VivariumError;
  }
  throw new Error(`${uri.slice(0, 80)} was registered`);
}

describe('an address that cannot be registered', () => {
  it.each([
    ['', /something like note:\/\/\/index$/],
    ['index', /something like note:\/\/\/index$/],
    ['/a/b', /something like/],
    ['1a:b', /something like/],
    ['note:///a b', /something like/],
    ['note:///a\n', /something like/],
    ['note:///{id', /is never closed: write \} after its last name/],
    ['note:///{id}}', /closes nothing: write \{ before the first name/],
    ['note:///{a{b}}', /braces cannot be nested: write \}/],
    ['note:///{}', /is no name: write letters/],
    ['note:///{a b}', /is no name: write letters/],
    ['note:///{a,,b}', /is no name: write letters/],
    ['note:///{!a}', /keeps ! for later: write one of/],
    ['note:///{=a}', /keeps = for later: write one of/],
    ['note:///{a:0}', /prefix is wrong: write :1 to :9999/],
    ['note:///{a:10000}', /prefix is wrong: write :1 to :9999/],
    ['note:///{a:3*}', /write either :n or \*/],
    ['note:///{a}/{a}', /stands twice: write another name/],
    ['note:///{id} b', /cannot stand in a URI: write %20/],
    ['note:///%zz{id}', /cannot stand in a URI: write/],
    [`note:///{id}${'a'.repeat(1_000_000)}`, /write at most 8192$/],
    [`note:///${Array.from({ length: 65 }, (_, at) => `{v${at}}`).join('/')}`, /write at most 64$/],
    [`note:///{${Array.from({ length: 10_000 }, (_, at) => `v${at}`).join(',')}}`, /write at most/],
  ])('%.40s', (uri, remedy) => {
    const { code, message } = refusal(uri);
    expect(code).toBe('ERR_CONFIG');
    expect(message).toMatch(remedy);
    expect(message.startsWith('Resource "')).toBe(true);
  });
});

describe('options that cannot be', () => {
  it('list and complete without a template', () => {
    for (const options of [{ list: () => [] }, { complete: {} }]) {
      expect(refusal('note:///a', options).message).toMatch(/belong to templates such as note:\/\/\/\{id\}$/);
    }
  });

  it('says how it is written where everything was put into one object', () => {
    const { server } = createServer();
    const written = server.resource as unknown as (all: object, read: () => string) => void;
    expect(() => written.call(server, { uri: 'note:///1' }, () => 'x')).toThrow(/its name or URI comes first, then the options/);
  });

  it('a completer for a variable that is not there', () => {
    expect(refusal('note:///{id}', { complete: { di: () => [] } }).message).toContain('no variable "di" to complete');
    expect(refusal('note:///{id}', { complete: { toString: () => [] } }).code).toBe('ERR_CONFIG');
  });

  it('no handler', () => {
    for (const read of [null, 'x', {}]) {
      expect(refusal('note:///a', {}, read).message).toBe('Resource "note:///a" has no handler: give a function as the last argument');
    }
  });

  it('an address that is taken', () => {
    const { server } = createServer();
    server.resource('note:///a', {}, () => 'x');
    expect(() => server.resource('note:///a', {}, () => 'x')).toThrow(expect.objectContaining({ code: 'ERR_DUPLICATE' }));
  });
});

describe('an address that can be registered', () => {
  it.each(['note:a', 'urn:isbn:0451450523', 'a+b.c-d:', 'file:///a%20b', 'x://bücher.example/ä', 'https://example.com/?a=b#c'])(
    '%s',
    (uri) => {
      expect(createServer().server.resource(uri, {}, () => 'x').name).toBe(uri);
    },
  );
});
