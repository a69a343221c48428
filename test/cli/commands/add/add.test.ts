import { chmodSync, existsSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { onTerminal } from '../../on-terminal.ts';
import { fixture } from '../../vivarium.ts';
import { emptyHome } from './home.ts';

const server = ['--', ...fixture];
const written = '{\n\t// mine\n\t"mcpServers": {\n\t\t"old": { "command": "x" } // keep\n\t}\n}\n';

describe('vivarium add', () => {
  it('starts the server, shows it with the diff and what comes next, and writes the entry alone', async () => {
    const home = emptyHome();
    home.put('project/.mcp.json', written);
    const { code, stdout, stderr } = await home.run('add', '--client', 'claude-code', '--name', 'demo', '--yes', ...server);
    expect(code, stderr).toBe(0);
    expect(stdout).toContain('Started as Claude Code would: everything 1.0.0');
    expect(stdout).toContain('13 tools: echo, add,');
    expect(stdout).toContain('  + \t\t"demo": {');
    expect(stdout).toContain('It asks each user once whether to trust the servers of .mcp.json');
    expect(home.read('project/.mcp.json')).toBe(
      written.replace(
        ' } // keep\n',
        ` }, // keep\n\t\t"demo": {\n\t\t\t"type": "stdio",\n\t\t\t"command": ${JSON.stringify(fixture[0])},\n\t\t\t"args": [${JSON.stringify(fixture[1])}]\n\t\t}\n`,
      ),
    );
  });

  it('writes nothing with --dry-run, and says the same to a program', async () => {
    const home = emptyHome();
    const { code, stdout } = await home.run(
      'add',
      '--client',
      'cursor,codex',
      '--name',
      'demo',
      '--dry-run',
      '--format',
      'json',
      ...server,
    );
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({
      // An editor takes the PATH of the login shell, which may be another.
      trials: expect.arrayContaining([expect.objectContaining({ server: { name: 'everything', version: '1.0.0' } })]),
      findings: [],
      changes: [
        { client: 'cursor', scope: 'project', changes: true },
        { client: 'codex', changes: true },
      ],
    });
    expect(readdirSync(home.project)).toEqual([]);
  });

  it('does not write without a word from somebody', async () => {
    const home = emptyHome();
    const { code, stderr } = await home.run('add', '--client', 'cursor', '--name', 'demo', ...server);
    expect([code, stderr]).toEqual([2, expect.stringContaining('pass --yes')]);
    expect(readdirSync(home.project)).toEqual([]);
  });

  it('does not write what does not start, unless told so', async () => {
    const home = emptyHome();
    const broken = ['add', '--client', 'cursor', '--name', 'demo', '--yes'];
    const { code, stderr } = await home.run(...broken, '--', 'node', '-e', 'process.exit(3)');
    expect([code, stderr]).toEqual([4, expect.stringContaining('Nothing was written')]);
    expect(stderr).toContain('--no-verify');
    expect(readdirSync(home.project)).toEqual([]);
    expect((await home.run(...broken, '--no-verify', '--', 'node', '-e', 'process.exit(3)')).code).toBe(0);
    expect(home.read('project/.cursor/mcp.json')).toContain('process.exit(3)');
  });

  it('changes nothing when it is added again, and refuses another of that name', async () => {
    const home = emptyHome();
    const add = ['add', '--client', 'cursor', '--name', 'demo', '--yes', '--no-verify'];
    await home.run(...add, ...server);
    const once = home.read('project/.cursor/mcp.json');
    expect((await home.run(...add, ...server)).stdout).toContain('has it already');
    const { code, stderr } = await home.run(...add, '--', 'node', 'other.js');
    expect([code, stderr]).toEqual([1, expect.stringContaining('Another server is called "demo" there')]);
    expect(home.read('project/.cursor/mcp.json')).toBe(once);
    expect((await home.run(...add, '--replace', '--', 'node', 'other.js')).code).toBe(0);
    expect(home.read('project/.cursor/mcp.json')).toContain('other.js');
    expect((await home.run('add', '--undo', '--yes')).code).toBe(0);
    expect(home.read('project/.cursor/mcp.json')).toBe(once);
  });

  it('names a secret instead of writing it, in the way of each client', async () => {
    const home = emptyHome();
    const clients = 'claude-code,cursor,vscode,codex,gemini,opencode,goose,zed';
    const { stdout } = await home.runWith(
      { API_KEY: 'correct-horse' },
      'add',
      '--client',
      clients,
      '--scope',
      'user',
      '--name',
      'demo',
      '--env',
      'API_KEY',
      '--yes',
      ...server,
    );
    const read = (path: string): string => home.read(path);
    expect(read('.claude.json')).toContain(`"API_KEY": "\${API_KEY}"`);
    expect(read('.cursor/mcp.json')).toContain(`"API_KEY": "\${env:API_KEY}"`);
    expect(JSON.parse(read('.config/Code/User/mcp.json'))).toMatchObject({
      inputs: [{ type: 'promptString', id: 'API_KEY', password: true }],
      servers: { demo: { env: { API_KEY: `\${input:API_KEY}` } } },
    });
    expect(read('.codex/config.toml')).toContain('env_vars = ["API_KEY"]');
    expect(read('.gemini/settings.json')).toContain(`\${API_KEY}`);
    expect(read('.config/opencode/opencode.jsonc')).toContain('{env:API_KEY}');
    expect(read('.config/goose/config.yaml')).toContain('env_keys:');
    expect(stdout).toContain('Set API_KEY where Cursor is started');
    // Zed has no way, and its user is told. Nothing that is printed has the value.
    expect(read('.config/zed/settings.json')).toContain('correct-horse');
    expect(stdout).toContain('The value of API_KEY lies in clear text in the file: Zed has no way to name a variable');
    expect(stdout).not.toContain('correct-horse');
    expect(statSync(join(home.path, '.config/zed/settings.json')).mode & 0o077).toBe(0);
    for (const file of ['.claude.json', '.codex/config.toml', '.config/goose/config.yaml'])
      expect(read(file)).not.toContain('correct-horse');
  });

  it('takes the variable of a header from the one that holds its value', async () => {
    const home = emptyHome();
    const token = 'a-very-secret-token';
    await home.runWith(
      { MY_TOKEN: token },
      'add',
      'https://notes.example/mcp',
      '--client',
      'codex,cursor',
      '--header',
      `Authorization: Bearer ${token}`,
      '--no-verify',
      '--yes',
    );
    expect(home.read('project/.codex/config.toml')).toContain(
      '[mcp_servers.notes]\nurl = "https://notes.example/mcp"\nbearer_token_env_var = "MY_TOKEN"\n',
    );
    expect(home.read('project/.cursor/mcp.json')).toContain(`Bearer \${env:MY_TOKEN}`);
  });

  it('writes the path of a program that the desktop does not find', async () => {
    const home = emptyHome();
    home.put('bin/only-here', `#!/bin/sh\nexec ${fixture.join(' ')}\n`);
    chmodSync(join(home.path, 'bin/only-here'), 0o755);
    const path = `${join(home.path, 'bin')}:${process.env['PATH']}`;
    const { code, stdout, stderr } = await home.runWith(
      { PATH: path },
      'add',
      '--client',
      'claude-desktop',
      '--name',
      'demo',
      '--yes',
      '--',
      'only-here',
    );
    expect(code, stderr).toBe(0);
    expect(stdout).toContain('Claude Desktop does not find "only-here" by itself');
    expect(JSON.parse(home.read('.config/Claude/claude_desktop_config.json')).mcpServers.demo).toMatchObject({
      command: join(home.path, 'bin/only-here'),
      env: { PATH: expect.stringContaining(join(home.path, 'bin')) },
    });
  });

  it('writes files of a command line by their whole paths, where a client may start it anywhere', async () => {
    const home = emptyHome();
    home.put('project/server.mjs', `await import(${JSON.stringify(fixture[1])});`);
    const { code, stderr } = await home.run(
      'add',
      '--client',
      'cursor',
      '--scope',
      'user',
      '--name',
      'demo',
      '--yes',
      '--',
      'node',
      './server.mjs',
    );
    expect(code, stderr).toBe(0);
    expect(JSON.parse(home.read('.cursor/mcp.json')).mcpServers.demo.args).toEqual([join(home.project, 'server.mjs')]);
  });

  it('leaves a damaged file as it is, with the place and the reason', async () => {
    const home = emptyHome();
    const files: readonly (readonly [string, string, string])[] = [
      ['cursor', 'project/.cursor/mcp.json', '{\n  "mcpServers": {\n'],
      ['codex', 'project/.codex/config.toml', 'a = 1\na = 2\n'],
      ['goose', '.config/goose/config.yaml', 'extensions:\n  a: [\n'],
      ['zed', 'project/.zed/settings.json', '{"context_servers": []}'],
      ['kiro', 'project/.kiro/settings/mcp.json', '{"mcpServers": {}, "mcpServers": {}}'],
    ];
    for (const [client, file, text] of files) {
      home.put(file, text);
      const { code, stderr } = await home.run('add', '--client', client, '--name', 'demo', '--no-verify', '--yes', ...server);
      expect([client, code]).toEqual([client, 2]);
      expect(stderr).toMatch(/is left as it is: .*(?:line \d|not an object)/);
      expect(home.read(file)).toBe(text);
    }
  });

  it('takes the name of the server where the file has none that says something, and says what changed since a lock', async () => {
    const home = emptyHome();
    const surface = {
      tools: [{ name: 'echo', description: 'another', inputSchema: { type: 'object' } }],
      resources: [],
      templates: [],
      prompts: [],
    };
    home.put('project/lock.json', JSON.stringify({ version: 1, surface }));
    home.put('project/server.mjs', `await import(${JSON.stringify(fixture[1])});`);
    const { code, stdout, stderr } = await home.run(
      'add',
      '--client',
      'cursor',
      '--lock',
      'lock.json',
      '--yes',
      '--',
      'node',
      'server.mjs',
    );
    expect(code, stderr).toBe(0);
    expect(stdout).toContain('tool echo /description is');
    expect(stdout).toMatch(/tool add\b.* is new since the lock/);
    expect(Object.keys(JSON.parse(home.read('project/.cursor/mcp.json')).mcpServers)).toEqual(['everything']);
  });

  it('goes on with --undo where another program has written since', async () => {
    const home = emptyHome();
    home.put('project/.mcp.json', written);
    await home.run('add', '--client', 'claude-code', '--name', 'demo', '--no-verify', '--yes', ...server);
    home.put('project/.mcp.json', home.read('project/.mcp.json').replace('// mine', '// mine, and theirs'));
    expect((await home.run('add', '--undo', '--yes')).code).toBe(0);
    expect(home.read('project/.mcp.json')).toBe(written.replace('// mine', '// mine, and theirs'));
    const again = await home.run('add', '--undo', '--yes');
    expect([again.code, again.stderr]).toEqual([1, expect.stringContaining('nothing to undo')]);
  });

  it('shows both where somebody has changed the entry itself, and changes nothing', async () => {
    const home = emptyHome();
    await home.run('add', '--client', 'cursor', '--name', 'demo', '--no-verify', '--yes', '--', 'node', 'a.js');
    home.put('project/.cursor/mcp.json', home.read('project/.cursor/mcp.json').replace('a.js', 'b.js'));
    const { code, stderr } = await home.run('add', '--undo', '--yes');
    expect(code).not.toBe(0);
    expect(stderr).toContain('a.js');
    expect(stderr).toContain('b.js');
    expect(home.read('project/.cursor/mcp.json')).toContain('b.js');
  });

  it('asks which client, and knows a mistyped one', async () => {
    const home = emptyHome();
    expect((await home.run('add', '--name', 'demo', ...server)).stderr).toContain('No client was found');
    home.put('.cursor/x', '');
    home.put('.kiro/x', '');
    expect((await home.run('add', '--name', 'demo', ...server)).stderr).toContain('Which client? Installed are cursor, kiro');
    expect((await home.run('add', '--client', 'cursr', ...server)).stderr).toContain('Did you mean cursor?');
    expect((await home.run('add', '--client', 'windsurf', '--scope', 'project', ...server)).stderr).toContain(
      'no file for the scope project',
    );
  });

  it('adds to every client that is installed with --all, and once to a file that two of them read', async () => {
    const home = emptyHome();
    for (const mark of ['.claude/x', '.copilot/x', '.cursor/x']) home.put(mark, '');
    const { stdout } = await home.run('add', '--all', '--name', 'demo', '--no-verify', '--yes', ...server);
    expect(stdout).toContain('also read by Copilot CLI');
    expect(existsSync(join(home.project, '.mcp.json')) && existsSync(join(home.project, '.cursor/mcp.json'))).toBe(true);
    expect((await home.run('add', '--list')).stdout.trim().split('\n')).toHaveLength(2);
  });

  it('asks on a terminal, and takes no for an answer', async () => {
    const home = emptyHome();
    const args = ['add', '--client', 'kimi', '--name', 'demo', ...server];
    const { code, text } = await onTerminal(args, /Write this\? \[y\/N\]/, 'n\n', { cwd: home.project, env: { HOME: home.path } });
    expect([code, text]).toEqual([130, expect.stringContaining('Nothing was written')]);
    expect(readdirSync(home.project)).toEqual([]);
  });
});
