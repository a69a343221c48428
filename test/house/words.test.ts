// Words that have no place in a file: paths of one machine, hosts of package registries, and working names.
import { describe, expect, it } from 'vitest';
import { file, paths, type SourceFile } from './tree.ts';

// Put together from pieces, because this file is read too.
const machinePath = new RegExp(`(?<![\\w.~-])/(?:${['work', 'root', 'tmp'].join('|')})/`);
const registry = new RegExp(`${['registry', '(?:npmjs|yarnpkg|npmmirror)'].join('\\.')}|${['npm', 'pkg', 'github'].join('\\.')}`);
const workingName = new RegExp(['se', 'ed'].join(''), 'i');

const textName = /(?:^|\/)(?:LICENSE|run|\.[\w-]+|[\w.-]+\.(?:md|ts|mts|js|mjs|cjs|json|jsonc|txt|html|css|ya?ml|toml|sh|lisp|st))$/;
const product = /^(?:src|docs|examples)\/|^README\.md$/;

const texts = paths()
  .filter((path) => textName.test(path))
  .map(file);

it('no file names a path of one machine', () => {
  expect(texts.flatMap(machinePaths)).toEqual([]);
});

it('no file names the host of a package registry', () => {
  expect(texts.flatMap((text) => found(text, registry))).toEqual([]);
});

it('the product says nothing of how it came about', () => {
  expect(texts.filter(({ path }) => product.test(path)).flatMap((text) => found(text, workingName))).toEqual([]);
});

describe('the checks', () => {
  it('see a machine path wherever it stands', () => {
    const path = 'docs/x.md';
    expect(machinePaths({ path, text: `see ${'/work'}/main\nand file://${'/root'}/x` })).toEqual([`${path}:1`, `${path}:2`]);
    expect(machinePaths({ path, text: 'src/work/x, ../tmp/y, https://host.example/tmp/x' })).toEqual([]);
  });

  it('let a test speak of the folder for temporary files only if it makes one', () => {
    const text = `'${'/tmp'}/x'`;
    expect(machinePaths({ path: 'test/x.test.ts', text })).toHaveLength(1);
    expect(machinePaths({ path: 'test/x.test.ts', text: `mkdtemp(${text})` })).toEqual([]);
    expect(machinePaths({ path: 'src/x.ts', text: `mkdtemp(${text})` })).toHaveLength(1);
  });

  it('see a registry in a lockfile', () => {
    const text = `"resolved": "https://${['registry', 'npmjs', 'org'].join('.')}/ajv/-/ajv-8.20.0.tgz"`;
    expect(found({ path: 'package-lock.json', text }, registry)).toHaveLength(1);
  });
});

function machinePaths(text: SourceFile): string[] {
  const makesFolders = text.path.startsWith('test/') && /\b(?:mkdtemp|tmpdir)/.test(text.text);
  return found(makesFolders ? { ...text, text: text.text.replaceAll(`${'/tmp'}/`, '') } : text, machinePath);
}

function found({ path, text }: SourceFile, pattern: RegExp): string[] {
  return text.split('\n').flatMap((line, index) => (pattern.test(line) ? [`${path}:${index + 1}`] : []));
}
