import { chownSync, lchownSync, mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { readConfigFile } from '../../src/install/config-file.ts';
import { Refusal } from '../../src/install/edit/refusal.ts';

const isRoot = process.geteuid?.() === 0;

function folder(): string {
  const made = realpathSync(mkdtempSync(join(tmpdir(), 'vivarium-links-')));
  onTestFinished(() => rmSync(made, { recursive: true, force: true }));
  mkdirSync(join(made, 'home/.cursor'), { recursive: true });
  mkdirSync(join(made, 'project'));
  writeFileSync(join(made, 'home/.cursor/mcp.json'), '{}');
  return made;
}

describe.skipIf(process.platform === 'win32')('links on the way to a file', () => {
  it('are followed in folders too', () => {
    const made = folder();
    symlinkSync('../home/.cursor', join(made, 'project/.cursor'));
    expect(readConfigFile(join(made, 'project/.cursor/mcp.json')).target).toBe(join(made, 'home/.cursor/mcp.json'));
  });

  it('that lead to each other are refused', () => {
    const made = folder();
    symlinkSync('b', join(made, 'a'));
    symlinkSync('a', join(made, 'b'));
    expect(() => readConfigFile(join(made, 'a/mcp.json'))).toThrow(Refusal);
  });

  it('that are files in the place of folders are refused with the reason', () => {
    const made = folder();
    expect(() => readConfigFile(join(made, 'home/.cursor/mcp.json/x'))).toThrow(/a file stands where a folder should be/);
  });

  it.runIf(isRoot)('of another user, in a folder, are refused, and so is a folder of another user', () => {
    const made = folder();
    const link = join(made, 'project/.cursor');
    symlinkSync('../home/.cursor', link);
    lchownSync(link, 12_345, 12_345);
    expect(() => readConfigFile(join(link, 'mcp.json'))).toThrow(/belongs to another user/);
    chownSync(join(made, 'home/.cursor'), 12_345, 12_345);
    expect(() => readConfigFile(join(made, 'home/.cursor/mcp.json'))).toThrow(/belongs to another user/);
  });
});
