import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { root, vivarium } from '../../vivarium.ts';

let folder: string;

beforeAll(() => {
  mkdirSync(join(root, '.cache'), { recursive: true });
  // Inside the checkout: what the new package asks for is found in the folders above, as if it had been installed.
  folder = mkdtempSync(join(root, '.cache', 'new-'));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function npm(script: string): { status: number | null; text: string } {
  const { status, stdout, stderr } = spawnSync('npm', ['run', script], { cwd: join(folder, 'ferns'), encoding: 'utf8' });
  return { status, text: `${stdout}${stderr}` };
}

describe('vivarium new', () => {
  it('writes a server that passes its test and its check at once', { timeout: 120_000 }, async () => {
    const { code, stdout } = await vivarium(['new', 'ferns'], { cwd: folder });
    expect(code).toBe(0);
    expect(stdout).toContain('claude mcp add ferns --');
    const modules = join(folder, 'ferns/node_modules');
    mkdirSync(join(modules, '.bin'), { recursive: true });
    symlinkSync(root, join(modules, 'vivarium'));
    symlinkSync(join(root, 'dist/cli/main.js'), join(modules, '.bin/vivarium'));
    const test = npm('test');
    expect(test.text).toContain('# pass 2');
    expect(test.status).toBe(0);
    const check = npm('check');
    expect(check.text).toContain('CONFORMANT to 2026-07-28');
    expect(check.text).toContain('score 100.0');
    expect(check.status).toBe(0);
    const called = await vivarium(['call', 'src/server.ts', 'note_get', 'id=welcome'], { cwd: join(folder, 'ferns') });
    expect(called.stdout).toContain('Water the ferns');
  });

  it('asks for the checkout where it runs from one, and names the package after the folder', async () => {
    await vivarium(['new', 'My Server'], { cwd: folder });
    const { name, dependencies } = JSON.parse(readFileSync(join(folder, 'My Server/package.json'), 'utf8'));
    expect([name, dependencies.vivarium]).toEqual(['my-server', 'file:../../..']);
  });

  it('asks for the file it was installed from, where it came from no registry', async () => {
    const home = join(folder, 'installed');
    const own = join(home, 'node_modules/vivarium');
    mkdirSync(own, { recursive: true });
    for (const name of ['dist', 'package.json']) cpSync(join(root, name), join(own, name), { recursive: true });
    writeFileSync(join(home, 'vivarium-0.1.0.tgz'), '');
    const packages = { 'node_modules/vivarium': { resolved: 'file:vivarium-0.1.0.tgz' } };
    writeFileSync(join(home, 'node_modules/.package-lock.json'), JSON.stringify({ packages }));
    const { status } = spawnSync(process.execPath, [join(own, 'dist/cli/main.js'), 'new', 'moss'], { cwd: folder });
    expect(status).toBe(0);
    const { dependencies } = JSON.parse(readFileSync(join(folder, 'moss/package.json'), 'utf8'));
    expect(dependencies.vivarium).toBe('file:../installed/vivarium-0.1.0.tgz');
  });

  it.each([
    [['new'], 'takes one folder'],
    [['new', 'full'], 'is not empty'],
    [['new', 'file'], 'is a file'],
    [['new', 'file/below'], 'cannot be written'],
    [['new', 'x', '--name', 'node_modules'], 'is no name of a package'],
    [['new', 'x', '--name', '../up'], 'is no name of a package'],
  ])('%j is refused, and nothing is written', async (args, said) => {
    mkdirSync(join(folder, 'full'), { recursive: true });
    writeFileSync(join(folder, 'full/mine.txt'), 'mine');
    writeFileSync(join(folder, 'file'), '');
    const { code, stderr } = await vivarium(args, { cwd: folder });
    expect([code, stderr.includes(said)]).toEqual([2, true]);
    expect(existsSync(join(folder, 'x'))).toBe(false);
  });
});
