import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { adapted, lastingEntry } from '../../../../src/cli/commands/add/installed-server.ts';
import type { ClientRow } from '../../../../src/install/client.ts';
import { clientById } from '../../../../src/install/clients.ts';

const where = {
  client: clientById('cursor') as ClientRow,
  scope: 'user',
  name: 'demo',
  path: process.env['PATH'] ?? '',
  inline: false,
} as const;

function inProject(): string {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'vivarium-installed-')));
  const before = process.cwd();
  process.chdir(folder);
  onTestFinished(() => {
    process.chdir(before);
    rmSync(folder, { recursive: true, force: true });
  });
  return folder;
}

describe('a server as a client starts it', () => {
  it('is served by the Vivarium that runs, where it is for every folder, and by that of the project in the project', () => {
    const folder = inProject();
    mkdirSync('node_modules/.bin', { recursive: true });
    writeFileSync('node_modules/.bin/vivarium', '');
    const self = join(folder, 'node_modules/vivarium/dist/cli/main.js');
    const entry = { command: process.execPath, args: [self, 'serve', 'server.ts'], env: {} };
    expect(lastingEntry(entry, 'user')).toEqual(entry);
    expect(lastingEntry(entry, 'project')).toMatchObject({ command: 'npx', args: ['vivarium', 'serve', 'server.ts'] });
  });

  it.skipIf(process.platform === 'win32')('is started by the path that was announced, also where that is a link', () => {
    const folder = inProject();
    mkdirSync('.venv/bin', { recursive: true });
    symlinkSync(process.execPath, '.venv/bin/python');
    const { server, notes } = adapted({ command: '.venv/bin/python', args: [], env: {} }, where);
    expect(server).toMatchObject({ command: join(folder, '.venv/bin/python') });
    expect(notes.join()).toContain(join(folder, '.venv/bin/python'));
  });

  it('has whole paths where its folder cannot be named', () => {
    const folder = inProject();
    mkdirSync('notes');
    writeFileSync('notes/server.js', '');
    const { server } = adapted({ command: 'node', args: ['./server.js'], env: {}, cwd: 'notes' }, { ...where, scope: 'project' });
    expect(server).toMatchObject({ args: [join(folder, 'notes/server.js')] });
  });

  it('keeps secrets of every kind out, or says where they lie', () => {
    const names = ['API_KEY_PROD', 'PASSWORD_PROD', 'GH_TOKEN_2', 'TOKENS', 'MYSQL_PWD', 'CREDS', 'AUTH', 'SENTRY_DSN'];
    const env = Object.fromEntries(names.map((name) => [name, 'correct-horse']));
    expect(JSON.stringify(adapted({ command: 'node', args: [], env }, where).server)).not.toContain('correct-horse');
    const url = adapted({ url: 'https://me:secret@a.example/mcp?key=x', headers: { 'X-Auth': 'correct-horse' }, sse: false }, where);
    expect(JSON.stringify(url.server)).not.toContain('correct-horse');
    expect(url.notes.join()).toMatch(/"key" is part of the URL.*name and password are part of the URL/);
  });

  it('needs no second prefix for a header that has the name of the server', () => {
    const entry = { url: 'https://a.example', headers: { DEMO_API_KEY: 'correct-horse' }, sse: false };
    expect(adapted(entry, where).server).toMatchObject({ headers: { DEMO_API_KEY: { variable: 'DEMO_API_KEY' } } });
  });
});
