// The public names of each subpath, so that every change to them is a visible difference. UPDATE_EXPORTS=1 writes the list anew.
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { describe, expect, it } from 'vitest';
import { file, packageJson, root, subpaths } from './tree.ts';

const listPath = join(root, 'test/house/exports.json');

if (process.env['UPDATE_EXPORTS']) {
  const list: Record<string, string[]> = {};
  for (const [key, source] of subpaths) list[key] = await namesOf(source);
  writeFileSync(listPath, `${JSON.stringify(list, null, 2)}\n`);
}

const list: Record<string, string[]> = existsSync(listPath) ? JSON.parse(readFileSync(listPath, 'utf8')) : {};

describe.each(subpaths)('%s', (key, source) => {
  it('exists', () => {
    expect(existsSync(join(root, source)), `${source} is missing`).toBe(true);
  });

  it('is built from its source, with types', () => {
    const file = source.replace('src/', './dist/').replace(/\.ts$/, '');
    expect(packageJson.exports[key]).toEqual({ '@vivarium/source': `./${source}`, types: `${file}.d.ts`, default: `${file}.js` });
  });

  it('has the names of exports.json', async () => {
    expect(await namesOf(source), 'if this change is intended: UPDATE_EXPORTS=1 npx vitest run test/house/exports.test.ts').toEqual(
      list[key],
    );
  });

  it('is in the README', () => {
    const name = key.replace('.', 'vivarium');
    expect(file('README.md').text).toMatch(new RegExp(`['"\`]${name}['"\`]`));
  });
});

it('exports.json has no other subpath', () => {
  expect(Object.keys(list)).toEqual(subpaths.map(([key]) => key));
});

async function namesOf(source: string): Promise<string[]> {
  return Object.keys(await import(pathToFileURL(join(root, source)).href)).sort();
}
