// Resources that are not there, that fail, that someone may not read; addresses that are none.
import { describe, expect, it } from 'vitest';
import { type Principal, RpcError, ToolError } from 'vivarium/server';
import { legacy, matrix, pipes } from '../../matrix/matrix.ts';
import { ask, createServer, openWire } from '../fixture.ts';

const uri = 'note:///a';

describe('a resource that is not there', () => {
  matrix('has one error, and the code of its era', {}, async ({ connect, revision }) => {
    const { server, told } = createServer();
    server.resource('note:///{id}', {}, () => undefined);
    server.resource('file:///fixed', {}, () => 'x');
    const link = await connect(server);
    const code = revision === '2026-07-28' ? -32602 : -32002;
    for (const address of ['note:///b', 'note:///b/c', 'file:///fixed/', 'file:///', 'FILE:///fixed', 'nonsense', '', 'toString']) {
      const { error } = await link.request('resources/read', { uri: address });
      expect(error).toEqual({ code, message: 'Resource not found', data: { uri: address } });
    }
    expect(told).toEqual([]);
  });

  matrix('may be said by the handler too', {}, async ({ connect, revision }) => {
    const { server } = createServer();
    server.resource('note:///{id}', {}, () => {
      throw RpcError.resourceNotFound('note:///elsewhere');
    });
    const { error } = await (await connect(server)).request('resources/read', { uri });
    expect(error?.code).toBe(revision === '2026-07-28' ? -32602 : -32002);
    expect(error?.data).toEqual({ uri: 'note:///elsewhere' });
  });

  matrix('is something else than an address that is missing', {}, async ({ connect }) => {
    const { server } = createServer();
    server.resource(uri, {}, () => 'x');
    const link = await connect(server);
    for (const params of [{}, { uri: 5 }, { uri: null }, { uri: [uri] }]) {
      expect((await link.request('resources/read', params)).error).toMatchObject({ code: -32602, message: 'Invalid params' });
    }
  });

  matrix('does not exist as a method where nothing is registered', {}, async ({ connect }) => {
    const { server } = createServer();
    server.tool('it', {}, () => 'x');
    const link = await connect(server);
    for (const method of ['resources/list', 'resources/templates/list', 'resources/read', 'prompts/list', 'completion/complete']) {
      expect((await link.request(method, { uri })).error?.code).toBe(-32601);
    }
  });
});

describe('an address', () => {
  const create = () => {
    const { server, told } = createServer();
    let ran: unknown;
    server.resource('note://host/{id}', {}, ({ id }) => {
      ran = id;
      return id;
    });
    return { server, told, ran: () => ran };
  };

  matrix('with a bad escape is not found, and never an internal error', {}, async ({ connect, revision }) => {
    const { server, told } = create();
    const link = await connect(server);
    for (const id of ['%zz', '%ff', '%', '%4', '%C3', '%ED%A0%80', '%C0%AE']) {
      const { error } = await link.request('resources/read', { uri: `note://host/${id}` });
      expect(error?.code).toBe(revision === '2026-07-28' ? -32602 : -32002);
    }
    expect(told).toEqual([]);
  });

  it.each(['note://host/../etc', 'note://host/./a', 'note://host//a', 'note://host/a/', 'note://host-evil/a', 'note://host\\a'])(
    'is compared as it is: %s matches nothing',
    async (address) => {
      const { server, ran } = create();
      expect((await ask(await openWire(server), 'resources/read', { uri: address })).error.code).toBe(-32002);
      expect(ran()).toBeUndefined();
    },
  );

  it.each([
    ['..', '..'],
    ['%2e%2e', '..'],
    ['..%2F..%2Fetc', '../../etc'],
    ['%252e%252e%252f', '%2e%2e%2f'],
    ['..\\..', '..\\..'],
    ['a%00b', 'a\0b'],
    ['%5c', '\\'],
  ])('is decoded once and resolved by no one: %s', async (id, expected) => {
    const { server, ran } = create();
    const { result } = await ask(await openWire(server), 'resources/read', { uri: `note://host/${id}` });
    expect(ran()).toBe(expected);
    expect(result.contents[0].uri).toBe(`note://host/${id}`);
  });

  it.each([
    'NOTE://host/a',
    'note://HOST/a',
    'note://user@host/a',
    'note://host/a#b',
    'note://host/a?b',
    'note://xn--hst-sna/a',
    'note://host/',
    `note://host/${'a'.repeat(65_536)}`,
  ])('has one way to be written: %.60s', async (address) => {
    const { server, ran } = create();
    const { error } = await ask(await openWire(server), 'resources/read', { uri: address });
    expect(error).toEqual({ code: -32002, message: 'Resource not found', data: { uri: address } });
    expect(ran()).toBeUndefined();
  });
});

describe('a handler that throws', () => {
  const throwing = (thrown: () => unknown) => {
    const made = createServer();
    made.server.resource(uri, {}, () => {
      throw thrown();
    });
    made.server.resource('later:///{id}', {}, async () => {
      await undefined;
      throw thrown();
    });
    return made;
  };
  const both = [uri, 'later:///x'];

  matrix('an RpcError is answered with it', {}, async ({ connect }) => {
    const { server, told } = throwing(() => new RpcError(1234, 'Out of paper', { data: { tray: 2 }, cause: new Error('private') }));
    const link = await connect(server);
    for (const address of both) {
      const { error } = await link.request('resources/read', { uri: address });
      expect(error).toEqual({ code: 1234, message: 'Out of paper', data: { tray: 2 } });
    }
    expect(told).toEqual([]);
  });

  matrix('a ToolError is answered with its message', {}, async ({ connect }) => {
    const { server, told } = throwing(() => new ToolError('The disk is full'));
    const link = await connect(server);
    for (const address of both) {
      expect((await link.request('resources/read', { uri: address })).error).toEqual({ code: -32603, message: 'The disk is full' });
    }
    expect(told).toEqual([]);
  });

  matrix('anything else tells the client nothing and the author everything', {}, async ({ connect }) => {
    for (const thrown of [new Error('password: 1234'), 'a string', undefined, null, Object.freeze({ code: 5, message: 'x' })]) {
      const { server, told } = throwing(() => thrown);
      const link = await connect(server);
      for (const address of both) {
        expect((await link.request('resources/read', { uri: address })).error).toEqual({ code: -32603, message: 'Internal error' });
      }
      expect(told.map(({ error }) => error)).toEqual([thrown, thrown]);
      expect(told[0]?.info.method).toBe('resources/read');
    }
  });

  it('stops there: no template is tried instead', async () => {
    const { server } = throwing(() => new Error('no'));
    server.resource('note:///{id}', {}, () => 'instead');
    expect((await ask(await openWire(server), 'resources/read', { uri })).error.code).toBe(-32603);
  });
});

describe('who may read', () => {
  const ada: Principal = { id: 'ada', scopes: ['read', 'write'] };
  const bob: Principal = { id: 'bob', scopes: ['read'] };

  // Over HTTP there is no local user, who has them all.
  matrix('is said by scopes', { transports: pipes }, async ({ connect }) => {
    const { server } = createServer();
    server.resource(uri, { scopes: ['read', 'write'] }, () => 'x');
    server.resource('later:///{id}', { scopes: ['write'] }, () => 'y');
    server.resource('{+all}', {}, () => 'anyone');
    const read = async (principal?: Principal) => {
      const link = await connect(server, principal && { principal });
      return [await link.request('resources/read', { uri }), await link.request('resources/read', { uri: 'later:///1' })];
    };
    for (const who of [undefined, ada]) expect((await read(who)).map(({ result }) => result.contents[0].text)).toEqual(['x', 'y']);
    expect((await read(bob)).map(({ error }) => error)).toEqual([
      { code: 403, message: 'Forbidden', data: { scopes: ['read', 'write'] } },
      { code: 403, message: 'Forbidden', data: { scopes: ['write'] } },
    ]);
  });

  matrix('and who may know of it, by visible', {}, async ({ connect, revision }) => {
    const { server } = createServer();
    const visible = (principal: Principal | undefined) => principal?.id === 'ada';
    server.resource(uri, { visible }, () => 'secret');
    server.resource('note:///{id}', { visible, list: () => [{ uri: 'note:///listed', name: 'listed' }] }, () => 'secret');
    server.resource('open:///a', {}, () => 'x');
    for (const principal of [ada, bob]) {
      const link = await connect(server, { principal });
      const { resources } = (await link.request('resources/list')).result;
      const { resourceTemplates } = (await link.request('resources/templates/list')).result;
      const answers = [await link.request('resources/read', { uri }), await link.request('resources/read', { uri: 'note:///b' })];
      expect(resources.map((one: { uri: string }) => one.uri)).toEqual(
        principal === ada ? [uri, 'open:///a', 'note:///listed'] : ['open:///a'],
      );
      expect(resourceTemplates).toHaveLength(principal === ada ? 1 : 0);
      const code = revision === '2026-07-28' ? -32602 : -32002;
      for (const { error } of answers) expect(error?.code).toBe(principal === ada ? undefined : code);
    }
  });

  matrix('depends on what the client can do, by needs', {}, async ({ connect, revision }) => {
    const { server } = createServer();
    server.resource(uri, { needs: ['roots', 'sampling.tools'] }, () => 'x');
    const { error } = await (await connect(server, { capabilities: { roots: {} } })).request('resources/read', { uri });
    if (legacy.includes(revision))
      expect(error).toMatchObject({ code: -32602, data: { details: expect.stringContaining('sampling.tools') } });
    else expect(error).toMatchObject({ code: -32021, data: { requiredCapabilities: { roots: {}, sampling: { tools: {} } } } });
    // Before 2025-11-25 there is no way to ask for it, whatever a client declares.
    if (revision < '2025-11-25') return;
    const able = await connect(server, { capabilities: { roots: {}, sampling: { tools: {} } } });
    expect((await able.request('resources/read', { uri })).result.contents[0].text).toBe('x');
  });
});
