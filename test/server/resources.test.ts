// Reading resources: which one answers, and what becomes of everything it may return.
import { describe, expect, it } from 'vitest';
import { metaKeys } from 'vivarium/protocol';
import type { ResourceReturn } from 'vivarium/server';
import { matrix } from '../matrix/matrix.ts';
import { ask, createServer, openWire } from './fixture.ts';

const uri = 'note:///a';

/** A server whose one resource returns this, and beside it a template that does. */
function returning(value: unknown, options: object = {}): ReturnType<typeof createServer> {
  const made = createServer();
  made.server.resource(uri, options, () => value as ResourceReturn);
  made.server.resource('later:///{id}', options, async () => value as ResourceReturn);
  return made;
}

describe('a read', () => {
  matrix('takes an exact address before any template, and templates in the order of registration', {}, async ({ connect }) => {
    const { server } = createServer();
    server.resource('note:///{first}', {}, ({ first }) => `first ${first}`);
    server.resource('note:///{second}', {}, ({ second }) => `second ${second}`);
    server.resource('note:///{+path}', {}, ({ path }) => `path ${path}`);
    server.resource('note:///exact', {}, (variables) => `exact ${Object.keys(variables).length}`);
    const link = await connect(server);
    const read = async (address: string) => (await link.request('resources/read', { uri: address })).result.contents[0];
    expect(await read('note:///exact')).toEqual({ uri: 'note:///exact', mimeType: 'text/plain', text: 'exact 0' });
    expect(await read('note:///other')).toEqual({ uri: 'note:///other', mimeType: 'text/plain', text: 'first other' });
    expect((await read('note:///a/b')).text).toBe('path a/b');
  });

  matrix('goes on to the next that matches when one has nothing', {}, async ({ connect }) => {
    const { server } = createServer();
    const asked: string[] = [];
    server.resource('note:///x', {}, () => void asked.push('exact') as undefined);
    server.resource('note:///{id}', {}, async () => void asked.push('first') as undefined);
    server.resource('{+all}', {}, ({ all }) => {
      asked.push('second');
      return all;
    });
    const { result } = await (await connect(server)).request('resources/read', { uri: 'note:///x' });
    expect(result.contents[0].text).toBe('note:///x');
    expect(asked).toEqual(['exact', 'first', 'second']);
  });

  matrix('hands over variables, lists and what a query left out', {}, async ({ connect }) => {
    const { server } = createServer();
    server.resource('note:///{id}{?rev,fields*}', {}, (variables, ctx) => JSON.stringify({ ...variables, at: ctx.uri }));
    const link = await connect(server);
    const read = async (address: string) => JSON.parse((await link.request('resources/read', { uri: address })).result.contents[0].text);
    expect(await read('note:///a%20b')).toEqual({ id: 'a b', at: 'note:///a%20b' });
    expect(await read('note:///a?fields=x&rev=2&fields=y')).toEqual({
      id: 'a',
      rev: '2',
      fields: ['x', 'y'],
      at: 'note:///a?fields=x&rev=2&fields=y',
    });
  });

  matrix('knows who asks and can send before it answers', {}, async ({ connect, revision }) => {
    const { server } = createServer();
    server.resource(uri, {}, (_, ctx) => {
      ctx.progress(1, 2);
      return `${ctx.revision} ${ctx.client.info?.name} ${ctx.principal?.id}`;
    });
    const link = await connect(server, { principal: { id: 'ada', scopes: [] } });
    const { result } = await link.request('resources/read', { uri }, { progressToken: 't' });
    expect(result.contents[0].text).toBe(`${revision} link ada`);
    expect((await link.notification('notifications/progress')).params).toEqual({ progressToken: 't', progress: 1, total: 2 });
  });
});

describe('what is returned', () => {
  const bytes = Uint8Array.of(0, 255, 128, 10);
  const html = { mimeType: 'text/html' };
  it.each<[string, unknown, object, object[]]>([
    ['a string', 'hi', {}, [{ uri, mimeType: 'text/plain', text: 'hi' }]],
    ['a string with a type', 'hi', html, [{ uri, mimeType: 'text/html', text: 'hi' }]],
    ['an empty string', '', {}, [{ uri, mimeType: 'text/plain', text: '' }]],
    ['bytes', bytes, {}, [{ uri, mimeType: 'application/octet-stream', blob: 'AP+ACg==' }]],
    ['bytes with a type', bytes, { mimeType: 'image/png' }, [{ uri, mimeType: 'image/png', blob: 'AP+ACg==' }]],
    ['a Buffer', Buffer.from('hi'), {}, [{ uri, mimeType: 'application/octet-stream', blob: 'aGk=' }]],
    ['no bytes', new Uint8Array(), {}, [{ uri, mimeType: 'application/octet-stream', blob: '' }]],
    ['a part of an array of bytes', bytes.subarray(1, 2), {}, [{ uri, mimeType: 'application/octet-stream', blob: '/w==' }]],
    ['contents', { uri: 'other:1', text: 'x' }, {}, [{ uri: 'other:1', mimeType: 'text/plain', text: 'x' }]],
    ['contents without a URI', { text: 'x' }, html, [{ uri, mimeType: 'text/html', text: 'x' }]],
    ['contents with a type', { uri, mimeType: 'a/b', blob: 'AA==' }, html, [{ uri, mimeType: 'a/b', blob: 'AA==' }]],
    ['contents with bytes', { uri, blob: 'AA==' }, {}, [{ uri, mimeType: 'application/octet-stream', blob: 'AA==' }]],
    ['empty contents', { uri, text: '' }, {}, [{ uri, mimeType: 'text/plain', text: '' }]],
    ['contents with _meta', { uri, text: 'x', _meta: { a: 1 } }, html, [{ uri, mimeType: 'text/html', text: 'x', _meta: { a: 1 } }]],
    [
      'a list',
      [
        { uri: 'dir:///a', text: 'x' },
        { uri: 'dir:///b', blob: 'AA==' },
      ],
      { mimeType: 'a/b' },
      [
        { uri: 'dir:///a', mimeType: 'a/b', text: 'x' },
        { uri: 'dir:///b', mimeType: 'a/b', blob: 'AA==' },
      ],
    ],
    ['a whole result', { contents: [{ uri, text: 'x' }] }, html, [{ uri, mimeType: 'text/html', text: 'x' }]],
  ])('may be %s', async (_, value, options, contents) => {
    const { server, told } = returning(value, options);
    const wire = await openWire(server);
    expect((await ask(wire, 'resources/read', { uri })).result).toEqual({ contents });
    const later = await ask(wire, 'resources/read', { uri: 'later:///x' });
    expect(later.result.contents.map((item: object) => ({ ...item, uri }))).toEqual(contents.map((item) => ({ ...item, uri })));
    expect(told).toEqual([]);
  });

  it.each([
    ['undefined', undefined],
    ['null', null],
    ['an empty list', []],
    ['a whole result without contents', { contents: [] }],
  ])('may be %s, which means there is no such resource', async (_, value) => {
    const { server, told } = returning(value);
    const wire = await openWire(server);
    for (const address of [uri, 'later:///x']) {
      const { error } = await ask(wire, 'resources/read', { uri: address });
      expect(error).toEqual({ code: -32002, message: 'Resource not found', data: { uri: address } });
    }
    expect(told).toEqual([]);
  });

  it.each([
    ['text and blob', { uri, text: 'x', blob: 'AA==' }],
    ['neither text nor blob', { uri }],
    ['text that is a number', { uri, text: 5 }],
    ['one good and one bad', [{ text: 'x' }, { mimeType: 'a/b' }]],
    ['a URI that is none', { uri: 5, text: 'x' }],
    ['a number', 5],
    ['true', true],
    ['a list of strings', ['a']],
    ['a list with nothing in it', [null]],
    ['contents that are no list', { contents: 'x' }],
    ['a plain object', { sum: 5 }],
  ])('cannot be %s: the client learns nothing, the author does', async (_, value) => {
    const { server, told } = returning(value);
    const wire = await openWire(server);
    for (const address of [uri, 'later:///x']) {
      const { error } = await ask(wire, 'resources/read', { uri: address });
      expect(error).toEqual({ code: -32603, message: 'Internal error' });
    }
    expect(told.map(({ info }) => info.method)).toEqual(['resources/read', 'resources/read']);
    expect(told[0]?.error).toBeInstanceOf(TypeError);
  });

  matrix('is a result of its revision', {}, async ({ connect, revision }) => {
    const { server } = returning('hi');
    const { result } = await (await connect(server)).request('resources/read', { uri });
    const contents = [{ uri, mimeType: 'text/plain', text: 'hi' }];
    const _meta = { [metaKeys.serverInfo]: { name: 'tested', version: '1.0.0' } };
    const more = { resultType: 'complete', ttlMs: 0, cacheScope: 'private', _meta };
    expect(result).toEqual(revision === '2026-07-28' ? { contents, ...more } : { contents });
  });

  matrix('says for how long it may be kept, since there is a word for it', {}, async ({ connect, revision }) => {
    const { server } = returning({ contents: [{ uri, text: 'x' }], ttlMs: 5000, cacheScope: 'public', _meta: { 'example.com/a': 1 } });
    const { result } = await (await connect(server)).request('resources/read', { uri });
    expect(result._meta).toMatchObject({ 'example.com/a': 1 });
    if (revision === '2026-07-28') expect(result).toMatchObject({ ttlMs: 5000, cacheScope: 'public' });
    else expect(Object.keys(result).sort()).toEqual(['_meta', 'contents']);
  });

  it('is not changed by having been sent', async () => {
    const contents = Object.freeze([Object.freeze({ uri, text: 'x' })]);
    const { server } = returning(Object.freeze({ contents }));
    const wire = await openWire(server);
    for (let i = 0; i < 2; i++) expect((await ask(wire, 'resources/read', { uri })).result.contents[0].text).toBe('x');
  });
});
