import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { type Client, connect, type Revision } from 'vivarium';
import { Started } from './started.ts';
import { root } from './vivarium.ts';

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

  it('serves at the same URL again', async () => {
    mkdirSync(join(folder, 'http'), { recursive: true });
    write('http', 'first');
    const port = String(20_000 + (process.pid % 20_000));
    const served = new Started(['serve', 'server.mjs', '--watch', '--http', port], { cwd: join(folder, 'http') });
    const [, url = ''] = await served.until('stderr', /served at (\S+)/);
    const client = await connect(url);
    onTestFinished(() => client.close());
    expect(await said(client)).toMatchObject({ text: 'first' });
    served.stderr = '';
    write('http', 'second');
    await served.until('stderr', /served at (\S+)/);
    expect(await said(client)).toMatchObject({ text: 'second' });
    served.process.kill('SIGTERM');
    expect(await served.ended).toBe(0);
  });
});
