import { chmodSync, existsSync, linkSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { emptyHome } from '../add/home.ts';

describe('vivarium clients', () => {
  it('lists who is installed, which files are read, and which servers are broken', async () => {
    const home = emptyHome();
    home.put(
      '.cursor/mcp.json',
      JSON.stringify({
        mcpServers: {
          fine: { command: 'node', args: ['-v'] },
          gone: { command: 'no-such-program' },
          script: { command: 'node', args: ['/no/such/server.js'] },
          unset: { command: 'node', env: { KEY: `\${env:NOT_SET_ANYWHERE}` } },
          odd: { url: 'ftp://x.example' },
          empty: {},
          secret: { url: 'https://x.example/mcp?api_key=abcdefghijklmnop' },
        },
      }),
    );
    home.put('.kiro/settings/mcp.json', '{');
    const { code, stdout } = await home.run('clients', '--format', 'json');
    expect(code).toBe(0);
    expect(stdout).not.toContain('abcdefghijklmnop');
    const found = JSON.parse(stdout) as {
      id: string;
      files: { scope: string; problem?: string; servers: { name: string; problem?: string }[] }[];
    }[];
    expect(found.map(({ id }) => id)).toEqual(['cursor', 'kiro']);
    const problems = Object.fromEntries((found[0]?.files[1]?.servers ?? []).map(({ name, problem }) => [name, problem]));
    expect(problems).toEqual({
      fine: undefined,
      gone: 'the program no-such-program is not found by Cursor',
      script: 'there is no file /no/such/server.js',
      unset: 'the variable NOT_SET_ANYWHERE is not set here',
      odd: 'its URL is not http or https',
      empty: expect.stringContaining('neither a command nor a URL'),
      secret: undefined,
    });
    expect(found[1]?.files[1]?.problem).toMatch(/line 1/);
  });

  it('says the same to people, and lists every client with --all', async () => {
    const home = emptyHome();
    home.put('.config/goose/config.yaml', 'extensions:\n  dev:\n    type: builtin\n  far:\n    type: stdio\n    cmd: nothing-here\n');
    expect((await home.run('clients')).stdout).toMatch(
      /^Goose \(goose\)\n {2}user {5}~\/.config\/goose\/config.yaml\n {4}far {2}nothing-here {2}BROKEN: the program/,
    );
    expect((await home.run('clients', '--all')).stdout.match(/^\S.*not installed$/gm)?.length).toBeGreaterThan(18);
  });

  it('has nothing to repair where nothing was interrupted', async () => {
    expect((await emptyHome().run('clients', '--repair')).stdout).toBe('There is nothing to repair\n');
  });

  it('lists and removes what Claude Code keeps for one folder, and adds to it', async () => {
    const home = emptyHome();
    const text = JSON.stringify({ projects: { [home.project]: { mcpServers: { mine: { command: 'node' } } } } });
    home.put('.claude.json', text);
    expect((await home.run('clients')).stdout).toMatch(/local +~\/\.claude\.json\n +mine/);
    const added = await home.run(
      'add',
      '--client',
      'claude-code',
      '--scope',
      'local',
      '--name',
      'b',
      '--no-verify',
      '--yes',
      '--',
      'node',
      'x.js',
    );
    expect(added.code, added.stderr).toBe(0);
    expect(Object.keys(JSON.parse(home.read('.claude.json')).projects[home.project].mcpServers)).toEqual(['mine', 'b']);
    await home.run('remove', 'b', '--yes');
    expect(home.read('.claude.json')).toBe(text);
    await home.run('remove', 'mine', '--yes');
    expect(home.read('.claude.json')).not.toContain('mine');
  });

  it('starts nothing, and lists files that could not be written', async () => {
    const home = emptyHome();
    home.put('shell', '#!/bin/sh\ntouch "$HOME/started"\n');
    chmodSync(join(home.path, 'shell'), 0o755);
    home.put('.cursor/mcp.json', '{"mcpServers":{"a":{"command":"no-such-program"}}}');
    linkSync(join(home.path, '.cursor/mcp.json'), join(home.path, 'second-name'));
    const { stdout } = await home.runWith({ SHELL: join(home.path, 'shell') }, 'clients');
    expect(stdout).toContain('BROKEN: the program no-such-program is not found');
    expect(existsSync(join(home.path, 'started'))).toBe(false);
  });

  it('repairs what can be repaired where one record cannot', async () => {
    const home = emptyHome();
    await home.run('add', '--client', 'cursor,kiro', '--name', 'a', '--no-verify', '--yes', '--', 'node', 'x.js');
    const folder = '.local/state/vivarium/installs';
    for (const name of readdirSync(join(home.path, folder)).filter((one) => one.endsWith('.json'))) {
      const record = JSON.parse(home.read(`${folder}/${name}`));
      const isKiro = record.client === 'kiro';
      const draft = isKiro ? { draft: join(home.project, '.kiro/settings/.mcp.json.0123456789ab.vivarium') } : {};
      home.put(`${folder}/${name}`, JSON.stringify({ ...record, ...draft, state: 'planned' }));
    }
    home.put('project/.kiro/settings/.mcp.json.0123456789ab.vivarium', '{}');
    linkSync(join(home.project, '.kiro/settings/mcp.json'), join(home.path, 'second-name'));
    home.put(`${folder}/000-odd.json`, '{"version":1,"id":"000-odd","state":"planned"}');
    const { code, stdout } = await home.run('clients', '--repair');
    expect([code, stdout]).toEqual([1, expect.stringMatching(/cursor.*it was done/)]);
    expect(stdout).toMatch(/kiro.*left as it is/);
  });
});
