// Every dependency has a written reason, an exact version, and rooms of its own.
import { describe, expect, it } from 'vitest';
import { importsOf, packageOf } from './imports.ts';
import { type Reason, reasons } from './reasons.ts';
import { file, packageJson, sources } from './tree.ts';

const { dependencies = {}, optionalDependencies = {}, peerDependencies = {}, devDependencies = {} } = packageJson;
const runtime = { ...dependencies, ...optionalDependencies, ...peerDependencies };

describe('docs/dependencies.md', () => {
  it('has a row for each dependency, and no other', () => {
    expect(reasons().map(name).sort()).toEqual(Object.keys(runtime).sort());
  });

  it('has a row for each development dependency, and no other', () => {
    expect(reasons('Development').map(name).sort()).toEqual(Object.keys(devDependencies).sort());
  });

  it('gives each a reason', () => {
    const unreasoned = [...reasons(), ...reasons('Development')].filter(({ why }) => why.length < 10);
    expect(unreasoned.map(name)).toEqual([]);
  });

  it('names rooms that use the package', () => {
    const used = new Set(
      sources('src').flatMap((source) => importsOf(source).map(({ from, to }) => `${from.split('/')[1]} ${packageOf(to)}`)),
    );
    const claimed = reasons().flatMap(({ name, rooms }) => rooms.map((room) => `${room} ${name}`));
    expect(claimed.filter((claim) => !used.has(claim))).toEqual([]);
  });
});

describe('package.json', () => {
  it('pins exact versions', () => {
    const loose = Object.entries({ ...dependencies, ...optionalDependencies, ...devDependencies }).filter(
      ([, version]) => !/^\d+\.\d+\.\d+(?:-[\w.]+)?$/.test(version),
    );
    expect(loose).toEqual([]);
  });
});

describe('package-lock.json', () => {
  it('holds every package it speaks of, those of other platforms too', () => {
    // npm leaves out an optional package that the registry did not offer, and `npm ci` then refuses the whole file.
    expect(leftOut(JSON.parse(file('package-lock.json').text))).toEqual([]);
  });

  it('is checked from the inside of nested packages outwards', () => {
    const packages = {
      '': { dependencies: { a: '1.0.0' } },
      'node_modules/a': { dependencies: { b: '1.0.0' }, optionalDependencies: { c: '1.0.0' } },
      'node_modules/a/node_modules/b': { dependencies: { a: '1.0.0' } },
    };
    expect(leftOut({ packages })).toEqual(['node_modules/a needs c']);
  });
});

type Entry = { readonly [kind in 'dependencies' | 'optionalDependencies']?: Readonly<Record<string, string>> };

function leftOut({ packages }: { readonly packages: Readonly<Record<string, Entry>> }): string[] {
  return Object.entries(packages).flatMap(([where, entry]) =>
    Object.keys({ ...entry.dependencies, ...entry.optionalDependencies })
      .filter((needed) => !folders(where).some((folder) => packages[`${folder}node_modules/${needed}`] !== undefined))
      .map((needed) => `${where || 'package.json'} needs ${needed}`),
  );
}

/** Where Node would look from `where`: its own folder, then those around it. */
function folders(where: string): string[] {
  const around = where.split('node_modules/').slice(0, -1);
  return ['', ...around.map((_, index) => around.slice(0, index + 1).join('node_modules/')), `${where}/`];
}

function name(reason: Reason): string {
  return reason.name;
}
