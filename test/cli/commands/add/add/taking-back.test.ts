// add, add --replace, add --undo and remove one after the other: what each says is what each does.
import { existsSync, readdirSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { emptyHome, type Home } from '../home.ts';

const add = (home: Home, version: number, ...more: readonly string[]) =>
  home.run(
    'add',
    '--client',
    'cursor',
    '--name',
    'weather',
    '--no-verify',
    '--yes',
    '--env',
    `U=${version}`,
    ...more,
    '--',
    'node',
    's.js',
  );
const file = 'project/.cursor/mcp.json';

describe('taking back', () => {
  it('removes the entry after it was replaced several times, and brings back the file of before', async () => {
    const home = emptyHome();
    const before = '{\n  // mine\n  "mcpServers": {}\n}\n';
    home.put(file, before);
    await add(home, 0);
    for (const version of [1, 2, 3]) expect((await add(home, version, '--replace')).stdout).toContain('Replaced in Cursor');
    expect((await home.run('remove', 'weather', '--dry-run')).stdout).toContain('-         "U": "3"');
    const { code, stdout } = await home.run('remove', 'weather', '--yes');
    expect([code, stdout]).toEqual([0, expect.stringMatching(/Removed from Cursor[\s\S]*To take it back: vivarium add --undo/)]);
    expect(stdout).not.toContain('Another program');
    expect(home.read(file)).toBe(before);
    const undone = await home.run('add', '--undo', '--yes');
    expect(undone.stdout).toContain('Restored in Cursor');
    expect(undone.stdout).not.toContain('To take it back');
    expect(home.read(file)).toContain('"U": "3"');
    await home.run('add', '--undo', '--yes');
    expect(home.read(file)).toContain('"U": "2"');
  });

  it('removes an entry that somebody wrote by hand and add has replaced', async () => {
    const home = emptyHome();
    const others = '{ "mcpServers": { "a": { "command": "a" }, "weather": { "command": "mine" } } }\n';
    home.put(file, others);
    await add(home, 1, '--replace');
    const { stdout } = await home.run('remove', 'weather', '--yes');
    expect(stdout).toContain('Removed from Cursor');
    expect(stdout).not.toContain('"command": "mine"');
    expect(stdout).not.toContain('Another program');
    expect(home.read(file)).toBe('{ "mcpServers": { "a": { "command": "a" } } }\n');
  });

  it('leaves nothing behind after add, replace, undo and remove', async () => {
    const home = emptyHome();
    home.put('.codeium/windsurf/mcp_config.json', '');
    const clients = ['--client', 'vscode,zed,windsurf,opencode', '--scope', 'user', '--name', 'demo', '--no-verify', '--yes'];
    const run = (key: string, ...more: readonly string[]) =>
      home.run('add', ...clients, '--env', `${key}=correct-horse`, ...more, '--', 'node', 's.js');
    await run('A_TOKEN');
    await run('B_TOKEN', '--replace');
    await home.run('add', '--undo', '--yes');
    expect((await home.run('remove', 'demo', '--yes')).code).toBe(0);
    expect(home.read('.codeium/windsurf/mcp_config.json')).toBe('');
    expect(existsSync(join(home.path, '.config'))).toBe(false);
  });

  it('takes back one command after the other, also where one of them was a removal', async () => {
    const home = emptyHome();
    const named = (name: string) => home.run('add', '--client', 'cursor', '--name', name, '--no-verify', '--yes', '--', 'node', 's.js');
    const names = (): string[] => Object.keys(JSON.parse(home.read(file)).mcpServers);
    await named('a');
    await named('b');
    await home.run('remove', 'b', '--yes');
    await home.run('add', '--undo', '--yes');
    expect(names()).toEqual(['a', 'b']);
    const { stdout } = await home.run('add', '--undo', '--yes');
    expect(stdout).toContain('Taken back: "b" was added on');
    expect(names()).toEqual(['a']);
  });

  it('goes on to the command before where somebody took the entry out by hand', async () => {
    const home = emptyHome();
    await add(home, 1);
    await home.run('add', '--client', 'cursor', '--name', 'b', '--no-verify', '--yes', '--', 'node', 's.js');
    home.put(file, '{"mcpServers":{"weather":{"command":"node","args":["s.js"],"env":{"U":"1"}}}}');
    expect((await home.run('add', '--undo', '--yes')).stdout).toContain('is without that change already');
    expect((await home.run('add', '--undo', '--yes')).stdout).toContain('"weather" was added on');
    expect(home.read(file)).not.toContain('weather');
  });

  it('writes nothing with --dry-run, the journal included', async () => {
    const home = emptyHome();
    await add(home, 1);
    rmSync(join(home.path, file));
    const journal = join(home.path, '.local/state/vivarium/installs');
    const all = (): string[] => readdirSync(journal).map((name) => readFileSync(join(journal, name), 'utf8'));
    const before = all();
    await home.run('add', '--undo', '--dry-run');
    expect(all()).toEqual(before);
  });

  it.runIf(process.platform === 'linux')('does not offer to take back what it has not done, and goes on to the next client', async () => {
    const home = emptyHome();
    await add(home, 1);
    symlinkSync('/proc/no-such-folder', join(home.project, '.kiro'));
    const { code, stdout, stderr } = await home.run('add', '--client', 'kiro', '--name', 'x', '--no-verify', '--yes', '--', 'node', 's.js');
    expect(code).not.toBe(0);
    expect(stdout + stderr).not.toContain('To take it back');
    expect(stdout).toContain('Not changed: Kiro.');
    const both = await home.run('add', '--client', 'kiro,kimi', '--name', 'x', '--no-verify', '--yes', '--', 'node', 's.js');
    expect([both.code, both.stdout]).toEqual([
      1,
      expect.stringMatching(/Not changed: Kiro[\s\S]*Added to Kimi Code[\s\S]*To take it back/),
    ]);
  });
});
