import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { emptyHome } from '../add/home.ts';

const add = ['add', '--name', 'demo', '--no-verify', '--yes', '--client'];
const program = ['--', 'node', 'server.js'];

describe('vivarium remove', () => {
  it('restores what add has changed byte for byte, and takes away what it has made', async () => {
    const home = emptyHome();
    const before = '\uFEFF{\r\n  "mcpServers": {} // empty\r\n}';
    home.put('project/.cursor/mcp.json', before);
    await home.run(...add, 'cursor,codex', ...program);
    expect((await home.run('remove', 'demo', '--yes')).code).toBe(0);
    expect(home.read('project/.cursor/mcp.json')).toBe(before);
    expect(existsSync(join(home.project, '.codex'))).toBe(false);
  });

  it('removes an entry that somebody wrote by hand, and nothing else', async () => {
    const home = emptyHome();
    home.put('project/.codex/config.toml', '# a\n[mcp_servers.demo]\ncommand = "x" # mine\n\n[mcp_servers.other]\ncommand = "y"\n');
    await home.run('remove', 'demo', '--yes', '--client', 'codex');
    expect(home.read('project/.codex/config.toml')).toBe('# a\n\n[mcp_servers.other]\ncommand = "y"\n');
  });

  it('removes from the chosen client and scope alone', async () => {
    const home = emptyHome();
    await home.run(...add, 'cursor', ...program);
    await home.run(...add, 'cursor', '--scope', 'user', ...program);
    await home.run('remove', 'demo', '--yes', '--scope', 'user');
    expect(home.read('project/.cursor/mcp.json')).toContain('demo');
    expect(existsSync(join(home.path, '.cursor/mcp.json'))).toBe(false);
  });

  it('can be undone', async () => {
    const home = emptyHome();
    const text = '{"mcpServers":{"demo":{"command":"x"},"b":{"command":"y"}}}\n';
    home.put('project/.cursor/mcp.json', text);
    await home.run('remove', 'demo', '--yes');
    expect(home.read('project/.cursor/mcp.json')).toBe('{"mcpServers":{"b":{"command":"y"}}}\n');
    await home.run('add', '--undo', '--yes');
    expect(home.read('project/.cursor/mcp.json')).toBe(text);
  });

  it('says that nobody has it', async () => {
    const { code, stderr } = await emptyHome().run('remove', 'nobody', '--yes');
    expect([code, stderr]).toEqual([1, expect.stringContaining('No client has a server called "nobody"')]);
  });
});
