// Another user of the machine has put a configuration file, or a link to one, where a client of ours reads it.
import { chownSync, lchownSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { vivarium } from '../../cli/vivarium.ts';

const stranger = 65534;
const text = '{"mcpServers":{}}';
let home: string;

beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'client-files-'));
  mkdirSync(join(home, '.cursor'));
  onTestFinished(() => rmSync(home, { recursive: true, force: true }));
});

const add = (env: Readonly<Record<string, string>> = {}) =>
  vivarium(['add', '--client', 'cursor', '--scope', 'user', '--name', 'demo', '--no-verify', '--yes', '--', 'node', 'x.js'], {
    cwd: home,
    env: { HOME: home, XDG_STATE_HOME: '', ...env },
  });

describe.skipIf(process.getuid?.() !== 0)('a configuration file of another user', () => {
  it('is left as it is by vivarium add', async () => {
    const file = join(home, '.cursor', 'mcp.json');
    writeFileSync(file, text);
    chownSync(file, stranger, stranger);
    const { code, stderr } = await add();
    expect([code, stderr]).toEqual([2, expect.stringContaining('belongs to another user')]);
    expect(readFileSync(file, 'utf8')).toBe(text);
  });

  it('is not followed where it is a link of theirs', async () => {
    const victim = join(home, 'mine.json');
    writeFileSync(victim, text);
    symlinkSync(victim, join(home, '.cursor', 'mcp.json'));
    lchownSync(join(home, '.cursor', 'mcp.json'), stranger, stranger);
    const { code, stderr } = await add();
    expect([code, stderr]).toEqual([2, expect.stringContaining('belongs to another user')]);
    expect(readFileSync(victim, 'utf8')).toBe(text);
  });

  it('is not believed where it is the journal', async () => {
    const journal = join(home, '.local/state/vivarium/installs');
    mkdirSync(journal, { recursive: true });
    chownSync(journal, stranger, stranger);
    const { code, stderr } = await add();
    expect([code, stderr]).toEqual([expect.any(Number), expect.stringContaining('belongs to another user')]);
    expect(code).not.toBe(0);
    expect(readdirSync(join(home, '.cursor'))).toEqual([]);
  });
});
