import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { isManifest, npmPackage, readManifest } from '../../../src/cli/target/package-target.ts';
import { vivarium } from '../vivarium.ts';

const folder = mkdtempSync(join(tmpdir(), 'vivarium-manifest-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
const file = join(folder, 'server.json');

function manifest(value: unknown, given: Readonly<Record<string, string>> = {}) {
  writeFileSync(file, typeof value === 'string' ? value : JSON.stringify(value));
  return readManifest(file, given);
}

describe('a package of npm', () => {
  it.each([
    ['@scope/server', '@scope/server'],
    ['@scope/server@1.2.3', '@scope/server@1.2.3'],
    ['npm:server', 'server'],
    ['npm:@scope/server@latest', '@scope/server@latest'],
  ])('is named by %s', (word, name) => {
    expect(npmPackage(word)).toBe(name);
  });

  it.each(['server', '@scope', '@scope/a/b', 'npm:', 'npm:a b', 'npm:--flag', '@-x/../y;z', 'npm:../x'])('is not named by %s', (word) => {
    expect(npmPackage(word)).toBeUndefined();
  });
});

describe('a server.json', () => {
  it('that names a package of npm is started by npx, with its version, arguments and variables', () => {
    const packages = [
      {
        registryType: 'npm',
        identifier: '@scope/notes',
        version: '1.2.3',
        transport: { type: 'stdio' },
        packageArguments: [
          { type: 'positional', value: 'serve' },
          { type: 'named', name: '--level', default: 3 },
          { type: 'named', name: '--unset' },
        ],
        environmentVariables: [
          { name: 'NOTES_KEY', isRequired: true, isSecret: true },
          { name: 'LEVEL', default: 'low' },
          { name: 'MORE' },
        ],
      },
    ];
    expect(manifest({ name: 'io.github.me/notes', packages }, { NOTES_KEY: 'k' })).toEqual({
      name: 'notes',
      entry: { command: 'npx', args: ['-y', '@scope/notes@1.2.3', 'serve', '--level', '3'], env: { NOTES_KEY: 'k', LEVEL: 'low' } },
    });
    expect(() => manifest({ name: 'a/b', packages })).toThrow(/wants the variable NOTES_KEY/);
  });

  it('may name a package of PyPI or an image', () => {
    const one = (given: object) => manifest({ name: 'a/b', packages: [given] }).entry;
    expect(one({ registryType: 'pypi', identifier: 'notes', version: '1' })).toMatchObject({ command: 'uvx', args: ['notes@1'] });
    expect(
      one({ registryType: 'oci', identifier: 'ghcr.io/me/notes', version: '2', environmentVariables: [{ name: 'A', value: 'b' }] }),
    ).toEqual({
      command: 'docker',
      args: ['run', '-i', '--rm', '-e', 'A', 'ghcr.io/me/notes:2'],
      env: { A: 'b' },
    });
  });

  it('may name a server at a URL', () => {
    expect(manifest({ name: 'a/b', remotes: [{ type: 'streamable-http', url: 'https://a.example/mcp' }] }).entry).toEqual({
      url: 'https://a.example/mcp',
      headers: {},
      sse: false,
    });
    const remotes = [{ type: 'sse', url: 'https://a.example/sse', headers: [{ name: 'X-Key', value: '{key}', isRequired: true }] }];
    expect(() => manifest({ name: 'a/b', remotes })).toThrow(/wants the header X-Key/);
  });

  it.each([
    ['{', /is not JSON/],
    ['[]', /describes no package/],
    [{ packages: [{ registryType: 'npm', identifier: '--eval=x' }] }, /without a proper identifier/],
    [{ packages: [{ registryType: 'mcpb', identifier: 'x' }] }, /describes no package/],
    [{ remotes: [{ url: 'file:///etc/passwd' }] }, /without a plain URL/],
    [{ remotes: [{ url: 'https://{host}/mcp' }] }, /without a plain URL/],
    [{ packages: 'x', remotes: [null, 1, 'x'] }, /describes no package/],
  ])('%j is refused', (value, why) => {
    expect(() => manifest(value)).toThrow(why);
  });

  it('is started only once somebody has seen what it says', async () => {
    manifest({ name: 'a/b', packages: [{ registryType: 'npm', identifier: 'no-such-package-of-vivarium' }] });
    expect(isManifest('server.json', folder)).toBe(true);
    const { code, stderr } = await vivarium(['list', 'server.json'], { cwd: folder });
    expect([code, stderr]).toEqual([2, expect.stringContaining('Start it?')]);
    expect(stderr).toContain('npx -y no-such-package-of-vivarium');
  });
});
