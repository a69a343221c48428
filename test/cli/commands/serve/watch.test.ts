import { mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Client as OfficialClient } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { ToolListChangedNotificationSchema } from '@modelcontextprotocol/sdk/types.js';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { type Client, connect, type Revision } from 'vivarium';
import { Started } from '../../started.ts';
import { root } from '../../vivarium.ts';

let folder: string;
const main = join(root, 'dist/cli/main.js');

beforeAll(() => {
  mkdirSync(join(root, '.cache'), { recursive: true });
  folder = mkdtempSync(join(root, '.cache', 'watch-'));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function write(name: string, said: string, more = ''): void {
  writeFileSync(join(folder, name, 'word.mjs'), `export const word = ${JSON.stringify(said)};\n`);
  writeFileSync(
    join(folder, name, 'server.mjs'),
    `import { Server } from 'vivarium/server';
import { word } from './word.mjs';
const server = new Server({ name: 'watched', version: '1' });
server.tool('say', {}, () => word);
server.tool('slow', {}, () => new Promise((resolve) => setTimeout(() => resolve(word), 700)));
${more}
export default server;
`,
  );
}

async function start(name: string, revision: Revision): Promise<{ client: Client; changes: () => Promise<void> }> {
  mkdirSync(join(folder, name), { recursive: true });
  write(name, 'first');
  const client = await connect(
    { command: process.execPath, args: [main, 'serve', 'server.mjs', '--watch'], cwd: join(folder, name) },
    { revision },
  );
  onTestFinished(() => client.close());
  let told: () => void = () => undefined;
  let waiting = new Promise<void>((resolve) => {
    told = resolve;
  });
  client.on('listChanged', ({ of }) => of === 'tools' && told());
  const changes = async (): Promise<void> => {
    await waiting;
    waiting = new Promise((resolve) => {
      told = resolve;
    });
  };
  return { client, changes };
}

const said = async (client: Client, tool = 'say'): Promise<unknown> => (await client.callTool(tool)).content[0];

describe.each(['2024-11-05', '2025-11-25', '2026-07-28'] as const)('vivarium serve --watch, with a client of %s', (revision) => {
  it('serves what was saved to the same connection, and says that the lists have changed', async () => {
    const { client, changes } = await start(`plain-${revision}`, revision);
    expect(await said(client)).toMatchObject({ text: 'first' });
    expect((await client.listTools()).map(({ name }) => name)).toEqual(['say', 'slow']);
    write(`plain-${revision}`, 'second', "server.tool('more', {}, () => 'more');");
    await changes();
    expect(await said(client)).toMatchObject({ text: 'second' });
    expect((await client.listTools()).map(({ name }) => name)).toEqual(['say', 'slow', 'more']);
    write(`plain-${revision}`, 'third');
    await changes();
    expect(await said(client)).toMatchObject({ text: 'third' });
  });

  it('lets a call that runs come to its end', async () => {
    const { client, changes } = await start(`slow-${revision}`, revision);
    await said(client);
    const slow = said(client, 'slow');
    write(`slow-${revision}`, 'second');
    await changes();
    expect(await said(client)).toMatchObject({ text: 'second' });
    expect(await slow).toMatchObject({ text: 'first' });
  });
});

describe('vivarium serve --watch', () => {
  it('goes on with the version before when the new one does not start', async () => {
    const { client, changes } = await start('broken', '2025-11-25');
    await said(client);
    writeFileSync(join(folder, 'broken', 'server.mjs'), 'this is not JavaScript');
    // Whatever it does about it, it answers as before.
    expect(await said(client, 'slow')).toMatchObject({ text: 'first' });
    expect(await said(client, 'slow')).toMatchObject({ text: 'first' });
    write('broken', 'mended');
    await changes();
    expect(await said(client)).toMatchObject({ text: 'mended' });
  });

  it('says what became of a version that does not start, with and without one before it', async () => {
    const at = join(folder, 'told');
    mkdirSync(at);
    writeFileSync(join(at, 'server.mjs'), 'this is not JavaScript');
    const served = new Started(['serve', 'server.mjs', '--watch'], { cwd: at });
    const params = { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'one', version: '1' } };
    const ask = (id: number): void =>
      void served.process.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', id, method: 'initialize', params })}\n`);
    ask(1);
    await served.until('stdout', /"id":1,.*"The server ended before it answered"/);
    await served.until('stderr', /it is started again when a file changes/);
    write('told', 'mended');
    ask(2);
    await served.until('stdout', /"id":2,"result"/);
    writeFileSync(join(at, 'server.mjs'), 'nor is this');
    await served.until('stderr', /The new version did not start; the one before goes on/);
  });

  it('sees every file that an editor puts in the place of the one before, and files in folders that are new', async () => {
    const { client, changes } = await start('replaced', '2025-11-25');
    const at = (...names: string[]): string => join(folder, 'replaced', ...names);
    for (const text of ['second', 'third', 'fourth']) {
      writeFileSync(at('word.mjs~'), `export const word = '${text}';\n`);
      renameSync(at('word.mjs~'), at('word.mjs'));
      await changes();
      expect(await said(client)).toMatchObject({ text });
    }
    mkdirSync(at('deep', 'down'), { recursive: true });
    writeFileSync(at('deep', 'down', 'word.mjs'), "export const word = 'deep';\n");
    await changes();
    writeFileSync(at('word.mjs'), "export * from './deep/down/word.mjs';\n");
    await changes();
    writeFileSync(at('deep', 'down', 'word.mjs'), "export const word = 'deeper';\n");
    await changes();
    expect(await said(client)).toMatchObject({ text: 'deeper' });
  });

  describe.each(['2025-03-26', '2025-11-25', '2026-07-28'] as const)('over HTTP, with a client of %s', (revision) => {
    it('keeps the session and its streams, says that the lists have changed, and lets a call that runs come to its end', async () => {
      const name = `http-${revision}`;
      mkdirSync(join(folder, name), { recursive: true });
      write(name, 'first');
      const served = new Started(['serve', 'server.mjs', '--watch', '--http', '0'], { cwd: join(folder, name) });
      const [, url = ''] = await served.until('stderr', /served at (\S+)/);
      const begun: object[] = [];
      const tap = ({ message }: { message: object }): unknown =>
        'method' in message && message.method === 'initialize' && begun.push(message);
      const client = await connect(url, { revision, tap });
      onTestFinished(() => client.close());
      const changed = new Promise<void>((resolve) => client.on('listChanged', ({ of }) => of === 'tools' && resolve()));
      expect((await client.listTools()).map((tool) => tool.name)).toEqual(['say', 'slow']);
      const slow = said(client, 'slow');
      write(name, 'second', "server.tool('more', {}, () => 'more');");
      await changed;
      expect(await said(client)).toMatchObject({ text: 'second' });
      expect((await client.listTools()).map((tool) => tool.name)).toEqual(['say', 'slow', 'more']);
      expect(await slow).toMatchObject({ text: 'first' });
      served.process.kill('SIGTERM');
      expect(await served.ended).toBe(0);
      expect(begun).toHaveLength(revision === '2026-07-28' ? 0 : 1);
      expect(served.stderr.match(/claude mcp add/g)).toHaveLength(1);
    });
  });

  it('goes on with the version before when the new one does not start, over HTTP', async () => {
    mkdirSync(join(folder, 'broken-http'), { recursive: true });
    write('broken-http', 'first');
    const served = new Started(['serve', 'server.mjs', '--watch', '--http', '0'], { cwd: join(folder, 'broken-http') });
    const [, url = ''] = await served.until('stderr', /served at (\S+)/);
    const client = await connect(url);
    onTestFinished(() => client.close());
    writeFileSync(join(folder, 'broken-http', 'server.mjs'), 'this is not JavaScript');
    await served.until('stderr', /the one before goes on/);
    expect(await said(client)).toMatchObject({ text: 'first' });
    write('broken-http', 'mended');
    await served.until('stderr', /The new version serves/);
    expect(await said(client)).toMatchObject({ text: 'mended' });
  });

  it('keeps the session of an official client over HTTP', async () => {
    mkdirSync(join(folder, 'official'), { recursive: true });
    write('official', 'first');
    const served = new Started(['serve', 'server.mjs', '--watch', '--http', '0'], { cwd: join(folder, 'official') });
    const [, url = ''] = await served.until('stderr', /served at (\S+)/);
    const client = new OfficialClient({ name: 'official', version: '1' });
    const changed = new Promise<void>((resolve) => client.setNotificationHandler(ToolListChangedNotificationSchema, () => resolve()));
    const transport = new StreamableHTTPClientTransport(new URL(url));
    await client.connect(transport as Parameters<typeof client.connect>[0]);
    onTestFinished(() => client.close());
    const session = transport.sessionId;
    expect((await client.callTool({ name: 'say' })).content).toMatchObject([{ text: 'first' }]);
    write('official', 'second');
    await changed;
    expect((await client.callTool({ name: 'say' })).content).toMatchObject([{ text: 'second' }]);
    expect(transport.sessionId).toBe(session);
  });
});

it('says what it serves on stdio, once, unless it is to be quiet', async () => {
  mkdirSync(join(folder, 'greeting'), { recursive: true });
  write('greeting', 'first');
  const cwd = join(folder, 'greeting');
  const started = new Started(['serve', 'server.mjs', '--watch'], { cwd });
  await started.until('stderr', /server\.mjs is served on stdio, and restarted when a file changes\n/);
  started.process.stdin.end();
  await started.ended;
  expect(started.stderr.match(/is served on stdio/g)).toHaveLength(1);
  const quiet = new Started(['serve', 'server.mjs', '--watch', '--quiet'], { cwd });
  quiet.process.stdin.end('{"jsonrpc":"2.0","id":1,"method":"ping"}\n');
  await quiet.ended;
  expect(quiet.stderr).toBe('');
});
