// What add, remove and their undo print: no secret, however it is written.
import { describe, expect, it } from 'vitest';
import { emptyHome } from '../home.ts';

const secrets = ['correct-horse', 'battery-staple', 'hunter-two', 'tr0ubador', 'swordfish'];

describe('what is printed', () => {
  it('has no secret in it: of variables, of flags and of entries that were there before', async () => {
    const home = emptyHome();
    home.put(
      'project/.cursor/mcp.json',
      '{\n  "mcpServers": {\n    "a": { "command": "a", "args": [\n      "--api-key",\n      "swordfish"\n    ] }\n  }\n}\n',
    );
    home.put('project/.codex/config.toml', '[mcp_servers.a]\ncommand = "a"\nargs = ["--token", "swordfish"]\n');
    home.put('.config/goose/config.yaml', 'extensions:\n  a:\n    cmd: a\n    args: [--token, swordfish]\n');
    const env = ['GH_PAT=correct-horse', 'DB_PASS=battery-staple', 'KEY=hunter-two'].flatMap((one) => ['--env', one]);
    const common = ['--name', 'demo', '--no-verify', '--inline-secrets', '--client', 'cursor,codex,goose', ...env];
    const program = ['--', 'node', 's.js', '--api-key', 'tr0ubador'];
    const runs = [
      await home.run('add', ...common, '--dry-run', '--format', 'json', ...program),
      await home.run('add', ...common, '--yes', ...program),
      await home.run('remove', 'demo', '--dry-run'),
    ];
    for (const { stdout, stderr } of runs) for (const secret of secrets) expect(stdout + stderr).not.toContain(secret);
    expect(runs[1]?.stdout).toContain('An argument holds a secret');
    expect(home.read('project/.cursor/mcp.json')).toContain('tr0ubador');
  });

  it('has none where an undo finds another entry, either', async () => {
    const home = emptyHome();
    const file = 'project/.kiro/settings/mcp.json';
    await home.run(
      'add',
      '--client',
      'kiro',
      '--name',
      'demo',
      '--no-verify',
      '--inline-secrets',
      '--yes',
      '--env',
      'API_KEY=correct-horse',
      '--',
      'node',
      'a.js',
    );
    home.put(file, home.read(file).replace('correct-horse', 'battery-staple').replace('a.js', 'b.js'));
    const { code, stderr } = await home.run('add', '--undo', '--yes');
    expect([code, stderr]).toEqual([2, expect.stringMatching(/a\.js.*\*\*\*.*b\.js/)]);
    for (const secret of secrets) expect(stderr).not.toContain(secret);
  });
});
