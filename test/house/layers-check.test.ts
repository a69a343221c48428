// The room of check: its folders in layers, and from outside the doors by which src/cli comes in, so that the build can ship it once.
import { describe, expect, it } from 'vitest';
import { importsOf } from './imports.ts';
import { type SourceFile, sources } from './tree.ts';

/** A folder imports those of the lines above its own, types included. */
const layers: readonly (readonly string[])[] = [
  ['model'],
  ['catalogue', 'wire', 'schemas'],
  ['rules', 'advice'],
  ['report'],
  ['servers', 'clients', 'recording'],
  ['cases'],
  ['index.ts', 'cli.ts'],
];

const doors = ['src/check/cli.ts', 'src/check/index.ts'];

describe('the folders of check', () => {
  it('import only from the layers below', () => {
    expect(upward(sources('src/check'))).toEqual([]);
  });

  it('are all in a layer', () => {
    expect(sources('src/check').filter(({ path }) => layerOf(path) < 0)).toEqual([]);
  });

  it.each([
    ['src/check/model/bad.ts', '../servers/run.ts'],
    ['src/check/wire/bad.ts', '../schemas/shape.ts'],
    ['src/check/servers/probes/bad.ts', '../../clients/run.ts'],
  ])('%s may not import %s', (path, specifier) => {
    expect(upward([{ path, text: `import type { Bad } from '${specifier}';` }])).toHaveLength(1);
  });

  it('may import what lies below, and each other within a folder', () => {
    const text = "import { at } from '../../model/value.ts';\nimport { callTool } from '../tool-call.ts';";
    expect(upward([{ path: 'src/check/servers/probes/good.ts', text }])).toEqual([]);
  });
});

describe('the doors of check', () => {
  it('are all that cli imports', () => {
    expect(throughWalls(sources('src/cli'))).toEqual([]);
  });

  it('are not walked around', () => {
    const text = "import { rules } from '../check/rules/server/index.ts';\nimport { runCheck } from '../check/cli.ts';";
    expect(throughWalls([{ path: 'src/cli/bad.ts', text }])).toEqual(['src/cli/bad.ts -> src/check/rules/server/index.ts']);
  });
});

function upward(files: readonly SourceFile[]): string[] {
  return files
    .flatMap(importsOf)
    .filter(({ from, to }) => to.startsWith('src/check/') && folderOf(from) !== folderOf(to) && layerOf(to) >= layerOf(from))
    .map(({ from, to }) => `${from} -> ${to}`);
}

function throughWalls(files: readonly SourceFile[]): string[] {
  return files
    .flatMap(importsOf)
    .filter(({ to }) => to.startsWith('src/check/') && !doors.includes(to))
    .map(({ from, to }) => `${from} -> ${to}`);
}

function layerOf(path: string): number {
  return layers.findIndex((folders) => folders.includes(folderOf(path)));
}

function folderOf(path: string): string {
  return path.split('/')[2] ?? '';
}
