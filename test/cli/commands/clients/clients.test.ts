import { chmodSync, linkSync, mkdirSync, readdirSync, symlinkSync } from 'node:fs';
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
      gone: 'the program no-such-program is not found in PATH here; Cursor asks your login shell for its own',
      script: 'there is no file /no/such/server.js',
      unset: 'the variable NOT_SET_ANYWHERE is not set here: set it where Cursor is started',
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

  it('starts nothing, not even the login shell', async () => {
    const home = emptyHome();
    home.put('.cursor/mcp.json', JSON.stringify({ mcpServers: { gone: { command: 'no-such-program' } } }));
    home.put('shell', '#!/bin/sh\ntouch "$HOME/started"\n');
    chmodSync(join(home.path, 'shell'), 0o755);
    const { stdout } = await home.runWith({ SHELL: join(home.path, 'shell') }, 'clients');
    expect(stdout).toContain('no-such-program is not found');
    expect(() => home.read('started')).toThrow('ENOENT');
  });

  it('reads files that must not be written: with several names, or read-only', async () => {
    const home = emptyHome();
    const text = JSON.stringify({ mcpServers: { here: { url: 'https://x.example/mcp' } } });
    home.put('.cursor/mcp.json', text);
    linkSync(join(home.path, '.cursor/mcp.json'), join(home.path, 'again.json'));
    home.put('.kiro/settings/mcp.json', text);
    chmodSync(join(home.path, '.kiro/settings/mcp.json'), 0o444);
    const { stdout } = await home.run('clients');
    expect(stdout.match(/^ {4}here {2}https:\/\/x\.example\/mcp$/gm)).toHaveLength(2);
  });

  it('goes on behind a file that cannot be read, and says why it cannot', async () => {
    const home = emptyHome();
    for (const [folder, target] of [
      ['.cursor', 'mcp.json'],
      ['.mcporter', 'nowhere'],
    ] as const) {
      mkdirSync(join(home.path, folder));
      symlinkSync(target, join(home.path, folder, folder === '.cursor' ? 'mcp.json' : 'mcporter.json'));
    }
    mkdirSync(join(home.path, '.kiro/settings/mcp.json'), { recursive: true });
    home.put('.codeium/windsurf', 'no folder');
    symlinkSync('.pi', join(home.path, '.pi'));
    home.put('.grok/config.toml', '[mcp_servers.here]\nurl = "https://x.example/mcp"\n');
    const { code, stdout, stderr } = await home.run('clients');
    expect(code, stderr).toBe(0);
    expect(stdout).toContain('~/.cursor/mcp.json: It is a symbolic link that leads to itself');
    expect(stdout).toContain('~/.mcporter/mcporter.json: It is a symbolic link that leads nowhere');
    expect(stdout).toContain('~/.kiro/settings/mcp.json: It is no regular file');
    expect(stdout).toContain('    here  https://x.example/mcp');
    expect(stderr).toBe('');
  });

  it('lists the servers that Claude Code keeps for this repository and this user alone', async () => {
    const home = emptyHome();
    const local = (name: string): object => ({ mcpServers: { [name]: { type: 'http', url: `https://${name}.example/mcp` } } });
    home.put('.claude.json', JSON.stringify({ projects: { [home.path]: local('mine'), '/elsewhere': local('theirs') } }));
    mkdirSync(join(home.path, '.git'));
    const { stdout } = await home.run('clients');
    expect(stdout).toMatch(/^ {2}local {4}~\/\.claude\.json\n {4}mine {2}https:\/\/mine\.example\/mcp$/m);
    expect(stdout).not.toContain('theirs');
  });

  it('says which variables are not set, however a client names them', async () => {
    const home = emptyHome();
    home.put(
      '.codex/config.toml',
      '[mcp_servers.a]\ncommand = "node"\nenv_vars = ["UNSET_A"]\n[mcp_servers.b]\nurl = "https://x.example"\nenv_http_headers = { X-Key = "UNSET_B" }\n',
    );
    home.put(
      '.config/opencode/opencode.json',
      JSON.stringify({ mcp: { c: { type: 'local', command: ['node'], environment: { K: '{env:UNSET_C}' } } } }),
    );
    home.put(
      '.config/Code/User/mcp.json',
      JSON.stringify({ servers: { d: { command: 'node', env: { K: `\${env:UNSET_D}`, I: `\${input:KEY}` } } } }),
    );
    home.put('.kiro/settings/mcp.json', JSON.stringify({ mcpServers: { e: { command: 'node', env: { K: `\${UNSET_E}` } } } }));
    const { stdout } = await home.run('clients');
    const told = [...stdout.matchAll(/the variable (\w+) is not set here: set it where (.+) is started$/gm)].map(([, ...one]) =>
      one.join(' '),
    );
    expect(told).toEqual(['UNSET_D VS Code', 'UNSET_A Codex', 'UNSET_B Codex', 'UNSET_C opencode', 'UNSET_E Kiro']);
  });

  it('lists the first 1,000 servers of a file in a moment, and says how many more there are', async () => {
    const home = emptyHome();
    const servers = Array.from({ length: 100_000 }, (_, at) => [`s${at}`, { command: `no-${at}`, args: ['a'], env: { K: `\${V${at}}` } }]);
    home.put('.cursor/mcp.json', JSON.stringify({ mcpServers: Object.fromEntries(servers) }));
    const { code, stdout } = await home.run('clients');
    expect(code).toBe(0);
    expect(stdout.match(/^ {4}s\d+ /gm)).toHaveLength(1_000);
    expect(stdout).toContain('    and 99000 more\n');
  });
});
