import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { repositoryOf } from '../../src/install/repository.ts';

function folderWith(...folders: readonly string[]): string {
  const root = realpathSync(mkdtempSync(join(tmpdir(), 'vivarium-repository-')));
  onTestFinished(() => rmSync(root, { recursive: true, force: true }));
  for (const one of folders) mkdirSync(join(root, one), { recursive: true });
  return root;
}

describe('the repository of a folder', () => {
  it('is the nearest above that git keeps', () => {
    const root = folderWith('.git', 'a/b');
    expect(repositoryOf(join(root, 'a/b'))).toBe(root);
  });

  it('is that which a worktree belongs to', () => {
    const root = folderWith('main/.git/worktrees/tree', 'tree/a');
    writeFileSync(join(root, 'tree/.git'), `gitdir: ${join(root, 'main/.git/worktrees/tree')}\n`);
    expect(repositoryOf(join(root, 'tree/a'))).toBe(join(root, 'main'));
  });

  it('is the submodule itself, and the folder itself where there is none', () => {
    const root = folderWith('sub', 'none');
    writeFileSync(join(root, 'sub/.git'), 'gitdir: ../.git/modules/sub\n');
    expect(repositoryOf(join(root, 'sub'))).toBe(join(root, 'sub'));
    expect(repositoryOf(join(root, 'none'))).toBe(join(root, 'none'));
  });
});
