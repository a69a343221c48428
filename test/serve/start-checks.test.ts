// Scopes need authorization: without it, what has some is not served at all, and what gets some later is refused.
import { describe, expect, it, onTestFinished } from 'vitest';
import { bearer } from 'vivarium/auth';
import { createFetchHandler } from 'vivarium/serve/fetch';
import { createNodeHandler, serveHttp } from 'vivarium/serve/node';
import { defineTool, type Extension, type Server } from 'vivarium/server';
import { createServer, createSmall } from '../server/fixture.ts';
import { call, doors, modern, nodeDoor, openSession } from './http.ts';

const scopes = ['notes:write'];
const token = 'a-token-of-sufficient-length';
const allowedHosts = ['localhost'];

const extension: Extension = {
  id: 'com.example/scoped',
  install: (host) => void host.method('com.example/scoped', { scopes }, () => ({})),
};

const kinds: readonly (readonly [kind: string, name: string, add: (server: Server) => unknown])[] = [
  ['tool', 'save', (server) => server.tool('save', { scopes }, () => 'saved')],
  ['defined tool', 'save', (server) => server.add(defineTool('save', { scopes }, () => 'saved'))],
  ['prompt', 'write', (server) => server.prompt('write', { scopes }, () => 'Write.')],
  ['resource', 'note://1', (server) => server.resource('note://1', { name: 'note', scopes }, () => 'text')],
  ['template', 'note://{id}', (server) => server.resource('note://{id}', { name: 'notes', scopes }, () => 'text')],
  ['method of an extension', 'com.example/scoped', (server) => server.use(extension)],
];

describe.each(kinds)('a %s with scopes', (_, name, add) => {
  it('is not served without authorization, by no porch on HTTP', async () => {
    const server = createSmall();
    add(server);
    const complaint = { code: 'ERR_CONFIG', message: expect.stringContaining(`"${name}" has scopes`) };
    await expect(serveHttp(server, { port: 0 })).rejects.toMatchObject(complaint);
    expect(() => createNodeHandler(server, { allowedHosts })).toThrow(expect.objectContaining(complaint));
    expect(() => createFetchHandler(server, { allowedHosts })).toThrow(expect.objectContaining(complaint));
  });

  it('is served with it', async () => {
    const server = createSmall();
    add(server);
    const auth = bearer([token], { scopes });
    await (await serveHttp(server, { port: 0, signals: false, auth })).close();
    for (const handler of [createNodeHandler(server, { allowedHosts, auth }), createFetchHandler(server, { allowedHosts, auth })]) {
      onTestFinished(() => handler.close());
    }
  });
});

describe.each(doors)('what gets scopes later, at %s without authorization', (_, open) => {
  it('is refused with 403 in either era and does not run', async () => {
    const { server } = createServer();
    const ran: string[] = [];
    server.tool('free', {}, () => 'free');
    const tool = server.tool('changed', {}, () => void ran.push('changed'));
    const door = await open(server);
    const session = await openSession(door);
    server.tool('save', { scopes }, () => void ran.push('save'));
    server.prompt('write', { scopes }, () => 'Write.');
    server.resource('note://1', { name: 'note', scopes }, () => 'text');
    tool.update({ scopes });
    for (const name of ['save', 'changed']) {
      for (const sent of [modern('tools/call', { name }), { headers: session, body: call(1, name) }]) {
        const answer = await door.send(sent);
        expect(answer).toMatchObject({ status: 403, json: { id: 1, error: { code: 403, message: 'Forbidden', data: { scopes } } } });
        // Nobody could be sent for a token.
        expect(answer.headers).not.toHaveProperty('www-authenticate');
      }
    }
    for (const sent of [modern('prompts/get', { name: 'write' }), modern('resources/read', { uri: 'note://1' })]) {
      expect(await door.send(sent)).toMatchObject({ status: 403, code: 403 });
    }
    expect(ran).toEqual([]);
    expect(await door.send(modern('tools/call', { name: 'free' }))).toMatchObject({ status: 200 });
  });
});

describe('a host that others can reach', () => {
  it.each(['0.0.0.0', '::', '192.0.2.1', 'api.example', '127.example', '::ffff:192.0.2.1', ''])(
    'H05: is refused without authorization: %j',
    async (host) => {
      await expect(serveHttp(createSmall(), { host, port: 0 })).rejects.toMatchObject({
        code: 'ERR_CONFIG',
        message: expect.stringContaining("give auth, from 'vivarium/auth'"),
      });
    },
  );

  it('H05: is served with authorization, and insecurely only when told so and under known names', async () => {
    const insecure = { host: '0.0.0.0', insecure: true };
    await expect(serveHttp(createSmall(), { port: 0, ...insecure })).rejects.toMatchObject({
      message: expect.stringContaining('allowedHosts'),
    });
    const named = await nodeDoor(createSmall(), { ...insecure, allowedHosts: ['api.example'] });
    expect(await named.send(modern('tools/call', { name: 'hello' }))).toMatchObject({ status: 403 });
    expect(await named.send(modern('tools/call', { name: 'hello' }, { host: 'api.example' }))).toMatchObject({ status: 200 });
    const door = await nodeDoor(createSmall(), { host: '0.0.0.0', auth: bearer([token]) });
    expect(await door.send(modern('tools/call', { name: 'hello' }, { host: 'any.example' }))).toMatchObject({ status: 401 });
    const authorization = `Bearer ${token}`;
    expect(await door.send(modern('tools/call', { name: 'hello' }, { host: 'any.example', authorization }))).toMatchObject({ status: 200 });
  });

  it('H05: is not where it listens by default', async () => {
    const http = await serveHttp(createSmall(), { port: 0, signals: false });
    onTestFinished(() => http.close());
    expect(new URL(http.url).hostname).toBe('127.0.0.1');
  });
});
