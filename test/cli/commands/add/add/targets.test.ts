// What can be added, and what is said where it cannot.
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { root } from '../../../vivarium.ts';
import { emptyHome } from '../home.ts';

async function refusing(challenge: string): Promise<string> {
  const server = createServer((request, response) => {
    request.resume();
    response.writeHead(request.method === 'POST' ? 401 : 404, { 'www-authenticate': challenge }).end();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`;
}

describe('a target', () => {
  it('that is a module is written so that it works in any folder, where it is for all of them', async () => {
    const home = emptyHome();
    home.put(
      'project/notes.mjs',
      `import { Server } from ${JSON.stringify(join(root, 'dist/index.js'))};\nexport default new Server({ name: 'notes', version: '1.0.0' });\n`,
    );
    home.put('project/node_modules/.bin/vivarium', '');
    const { code, stdout, stderr } = await home.run('add', 'notes.mjs', '--client', 'cursor', '--scope', 'user', '--yes');
    expect(code, stderr).toBe(0);
    expect(stdout).toContain('Started as Cursor would: notes 1.0.0');
    const { args } = JSON.parse(home.read('.cursor/mcp.json')).mcpServers.notes;
    expect(args).toEqual([join(root, 'dist/cli/main.js'), 'serve', join(home.project, 'notes.mjs')]);
  });

  it('that wants a token, and names nobody who gives one, is not said to want a login', async () => {
    const home = emptyHome();
    const url = await refusing('Bearer realm="mcp"');
    const { code, stdout, stderr } = await home.run('add', url, '--client', 'cursor', '--name', 'x', '--yes');
    expect([code, stderr]).toEqual([3, expect.stringContaining('--token-env NAME')]);
    expect(stdout).not.toContain('login');
    const refused = await home.runWith(
      { T: 'abcdefgh-wrong' },
      'add',
      url,
      '--client',
      'cursor',
      '--name',
      'x',
      '--token-env',
      'T',
      '--yes',
    );
    expect(refused.stderr).toContain('It refuses this token');
    expect(refused.stderr).not.toContain('abcdefgh-wrong');
  });

  it('that does not answer is said to have been waited for', async () => {
    const { code, stderr } = await emptyHome().run('add', '--client', 'cursor', '--connect-timeout', '2s', '--yes', '--', 'sleep', '60');
    expect([code, stderr]).toEqual([4, expect.stringContaining('It was waited for 2s: --connect-timeout gives it longer')]);
  });

  it('that another client has is found, with the line that works', async () => {
    const home = emptyHome();
    home.put('.cursor/mcp.json', '{"mcpServers":{"fs":{"command":"node","args":["x.js"]}}}');
    const { stderr } = await home.run('add', 'fs', '--client', 'codex');
    expect(stderr).toContain(`--config ${join(home.path, '.cursor/mcp.json')}`);
    const removed = await home.run('remove', 'fs', '--client', 'codex', '--yes');
    expect(removed.stderr).toContain('--client cursor --scope user');
    expect((await home.run('add', 'nothing', '--client', 'codex')).stderr).toContain('npm:nothing');
    expect((await home.run('add', '@scope/server', '/tmp', '--client', 'codex')).stderr).toContain('-- npx -y @scope/server /tmp');
    const shown = await home.run(
      'add',
      'fs',
      '--config',
      join(home.path, '.cursor/mcp.json'),
      '--client',
      'codex',
      '--no-verify',
      '--dry-run',
    );
    expect([shown.code, shown.stdout]).toEqual([0, expect.stringContaining('[mcp_servers.fs]')]);
  });

  it('at a URL that a client cannot be given is said to be left out, and what has to be set is said last', async () => {
    const home = emptyHome();
    for (const mark of ['.config/Claude/x', '.cursor/x']) home.put(mark, '');
    const { stdout, stderr } = await home.run(
      'add',
      'https://notes.example/mcp',
      '--all',
      '--scope',
      'user',
      '--header',
      'X-Api-Key: Bearer abc',
      '--no-verify',
      '--yes',
    );
    expect(stderr).toContain('Claude Desktop cannot be given a server at a URL in its file, and is left out');
    expect(stdout).toMatch(/Set NOTES_X_API_KEY where Cursor is started; --inline-secrets writes the values instead\nTo take it back/);
    expect(stdout).toContain('Set NOTES_X_API_KEY to the whole value of the header');
  });

  it('is refused in one file of several with the word that nothing was written, and a comment is told where a client may not read it', async () => {
    const home = emptyHome();
    home.put('project/.codex/config.toml', 'a = 1\na = 2\n');
    const add = ['add', '--name', 'x', '--no-verify', '--yes', '--client'];
    expect((await home.run(...add, 'cursor,codex', '--', 'node', 'x.js')).stderr).toContain('Nothing was written anywhere');
    home.put('project/.kiro/settings/mcp.json', '{\n  // mine\n}\n');
    expect((await home.run(...add, 'kiro', '--', 'node', 'x.js')).stdout).toContain('Kiro may not read it');
  });
});
