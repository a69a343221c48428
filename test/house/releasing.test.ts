// docs/releasing.md names commands that exist and fields that are really missing; the bill of materials lists what is installed.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { file, packageJson, root } from './tree.ts';

/** What every published package should say of itself, and what a person has to decide. */
const fields = ['repository', 'homepage', 'bugs', 'author'];

describe('docs/releasing.md', () => {
  const { text } = file('docs/releasing.md');
  const { scripts } = JSON.parse(file('package.json').text) as { scripts: Readonly<Record<string, string>> };

  it('names scripts that package.json has', () => {
    const named = [...text.matchAll(/\bnpm (?:run (\w+)|(test))\b/g)].map(([, run, test]) => run ?? test ?? '');
    expect(named).toContain('sbom');
    expect(named.filter((name) => scripts[name] === undefined)).toEqual([]);
  });

  it('lists exactly the fields that are still to be filled in', () => {
    const listed = toBeFilledIn(text);
    const missing = fields.filter((name) => !(name in packageJson));
    const contact = /to be filled in/.test(file('SECURITY.md').text) ? ['security contact'] : [];
    expect(listed).toEqual([...missing, ...contact]);
  });

  it('lists what npm packs', () => {
    const packed = spawnSync('npm', ['pack', '--dry-run', '--json', '--ignore-scripts'], { cwd: root, encoding: 'utf8' });
    const [{ files }] = JSON.parse(packed.stdout) as [{ files: readonly { path: string }[] }];
    const tops = [...new Set(files.map(({ path }) => path.split('/', 1)[0] ?? ''))].sort();
    const [, sentence = ''] = /npm pack --dry-run`\. It is (.*?)\. There/.exec(text) ?? [];
    expect([...sentence.matchAll(/`([^`]+)`/g)].map(([, name = '']) => name).sort()).toEqual(tops);
  });
});

describe('the bill of materials', () => {
  it('lists the dependencies of package.json and theirs, with hashes, and nothing of development', () => {
    const folder = mkdtempSync(join(tmpdir(), 'sbom-'));
    try {
      const target = join(folder, 'bill.json');
      const run = spawnSync(process.execPath, [join(root, 'scripts/sbom.mjs'), target], { encoding: 'utf8' });
      expect(run.status, run.stderr).toBe(0);
      const bill = JSON.parse(readFileSync(target, 'utf8')) as Bill;
      expect(bill).toMatchObject({ bomFormat: 'CycloneDX', specVersion: '1.5', metadata: { component: { name: 'vivarium' } } });
      const { dependencies = {}, optionalDependencies = {} } = packageJson;
      const direct = Object.entries({ ...dependencies, ...optionalDependencies }).map(([name, version]) => `${name}@${version}`);
      expect(bill.dependencies[0]?.dependsOn.toSorted()).toEqual(direct.toSorted());
      expect(bill.components.map((one) => one['bom-ref']).toSorted()).toEqual(installed(direct).toSorted());
      for (const { purl, hashes } of bill.components) {
        expect(purl).toMatch(/^pkg:npm\/\S+@\d/);
        expect(hashes?.[0]?.content, purl).toMatch(/^[\da-f]{128}$/);
      }
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  });
});

interface Bill {
  readonly components: readonly { 'bom-ref': string; purl: string; hashes?: readonly { content: string }[] }[];
  readonly dependencies: readonly { ref: string; dependsOn: readonly string[] }[];
}

/** By the lockfile, which npm's own list is not made from. None of them is nested today, so names are enough to find them. */
function installed(direct: readonly string[]): string[] {
  const { packages } = JSON.parse(file('package-lock.json').text) as {
    packages: Readonly<Record<string, { version: string; dependencies?: Readonly<Record<string, string>> }>>;
  };
  const found = new Set<string>();
  for (const queue = direct.map((one) => one.slice(0, one.lastIndexOf('@'))); queue.length > 0; ) {
    const name = queue.pop() ?? '';
    const { version, dependencies = {} } = packages[`node_modules/${name}`] ?? { version: 'missing' };
    if (found.has(`${name}@${version}`)) continue;
    found.add(`${name}@${version}`);
    queue.push(...Object.keys(dependencies));
  }
  return [...found];
}

/** The first column of the table. */
function toBeFilledIn(text: string): string[] {
  const [, section = ''] = /^## To be filled in\n([\s\S]*?)^## /m.exec(text) ?? [];
  return [...section.matchAll(/^\| (?!what |---)`?([\w ]+?)`? \|/gm)].map(([, name = '']) => name);
}
