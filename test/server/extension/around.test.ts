// What an extension wraps: one method, with the traits it made itself, and result types only for those who know them.
import { describe, expect, it } from 'vitest';
import { type ExtensionCall, type ExtensionHost, Server, type Trait } from 'vivarium/server';
import { createWire } from 'vivarium/testing';
import { ask, createServer, modern, openWire, text } from '../fixture.ts';

const id = 'com.example/stars';
const declaring = modern({ extensions: { [id]: {} } });
const trait = (extension: string, settings: unknown): Trait => ({ extension, settings });

function createWrapped(method: 'tools/call' | 'prompts/get' | 'resources/read') {
  const { server } = createServer();
  const seen: ExtensionCall[] = [];
  const install = (host: ExtensionHost) =>
    host.around(method, (call, next) => {
      seen.push(call);
      return next();
    });
  server.use({ id, install });
  server.use({ id: 'com.example/other', install: () => undefined });
  const mine = { with: [trait('com.example/other', 'theirs'), trait(id, 'mine'), trait(id, 'mine too')] };
  server.tool('marked', mine, () => 'done');
  server.tool('plain', {}, () => 'done');
  server.prompt('marked', mine, () => 'done');
  server.resource('note:///marked', mine, () => 'done');
  server.resource('note:///of/{id}', mine, () => 'done');
  server.tool('hidden', { ...mine, visible: () => false }, () => 'done');
  return { server, seen };
}

const mine = [trait(id, 'mine'), trait(id, 'mine too')];

describe('a wrapper of an extension', () => {
  it.each([
    ['tools/call', { name: 'marked' }, mine],
    ['tools/call', { name: 'plain' }, []],
    ['tools/call', { name: 'hidden' }, []],
    ['tools/call', { name: 'unheard-of' }, []],
    ['prompts/get', { name: 'marked' }, mine],
    ['resources/read', { uri: 'note:///marked' }, mine],
    ['resources/read', { uri: 'note:///of/a' }, mine],
    ['resources/read', { uri: 'note:///none' }, []],
  ] as const)('sees its own traits and no others: %s %j', async (method, params, traits) => {
    const { server, seen } = createWrapped(method);
    const wire = await openWire(server);
    await ask(wire, method, params);
    expect(seen.map((call) => [call.method, call.traits])).toEqual([[method, traits]]);
    expect(seen[0]).toMatchObject({ name: Object.values(params)[0], params, ctx: { era: 'legacy' } });
    await wire.close();
  });

  it('sees no other method', async () => {
    const { server, seen } = createWrapped('prompts/get');
    const wire = await openWire(server);
    for (const method of ['tools/list', 'prompts/list', 'resources/list']) await ask(wire, method);
    await ask(wire, 'tools/call', { name: 'marked' });
    expect(seen).toEqual([]);
    await wire.close();
  });

  it('sees the traits that an update has given', async () => {
    const { server, seen } = createWrapped('tools/call');
    const tool = server.tool('later', {}, () => 'done');
    tool.update({ with: [trait(id, 'new')] });
    const wire = await openWire(server);
    await ask(wire, 'tools/call', { name: 'later' });
    expect(seen[0]?.traits).toEqual([trait(id, 'new')]);
    await wire.close();
  });
});

describe('a result type', () => {
  function createTyped(permit: boolean) {
    const { server, told } = createServer();
    const install = (host: ExtensionHost) => {
      if (permit) host.resultType('star');
      host.around('tools/call', async () => ({ resultType: 'star', star: 1 }));
    };
    server.use({ id, install });
    server.tool('hello', {}, () => 'Hello');
    return { server, told };
  }

  it('goes to clients that declared the extension', async () => {
    const wire = createWire(createTyped(true).server);
    expect((await ask(wire, 'tools/call', { name: 'hello', _meta: declaring })).result).toMatchObject({ resultType: 'star', star: 1 });
    await wire.close();
  });

  it.each([
    ['was not permitted', false, declaring],
    ['is unknown to the client', true, modern()],
  ])('is an internal error where it %s, and its author is told', async (_what, permit, _meta) => {
    const { server, told } = createTyped(permit);
    const wire = createWire(server);
    expect((await ask(wire, 'tools/call', { name: 'hello', _meta })).error.code).toBe(-32603);
    expect(told).toMatchObject([{ error: { code: 'ERR_CONFIG' } }]);
    await wire.close();
  });
});

describe('two extensions', () => {
  it('wrap in the order in which they are used, together with the wrappers of the author', async () => {
    const steps: string[] = [];
    const server = new Server({ name: 'tested', version: '1.0.0' });
    const wrapping = (name: string) => ({
      id: `com.example/${name}`,
      install: (host: ExtensionHost) =>
        host.around('tools/call', (_call, next) => {
          steps.push(name);
          return next();
        }),
    });
    server.use(wrapping('a'));
    server.around((_call, next) => {
      steps.push('author');
      return next();
    });
    server.use(wrapping('b'));
    server.tool('hello', {}, () => 'Hello');
    const wire = createWire(server);
    expect((await ask(wire, 'tools/call', { name: 'hello', _meta: modern() })).result.content).toEqual([text('Hello')]);
    expect(steps).toEqual(['a', 'author', 'b']);
    await wire.close();
  });
});
