// The room of check from outside: src/cli comes in by its doors, so that the build can ship it once.
import { expect, it } from 'vitest';
import { importsOf } from './imports.ts';
import { type SourceFile, sources } from './tree.ts';

const doors = ['src/check/cli.ts', 'src/check/index.ts'];

it('cli imports check through its doors alone', () => {
  expect(throughWalls(sources('src/cli'))).toEqual([]);
});

it('an import of another file of check is found', () => {
  const text = "import { rules } from '../check/rules/server/index.ts';\nimport { runCheck } from '../check/cli.ts';";
  expect(throughWalls([{ path: 'src/cli/bad.ts', text }])).toEqual(['src/cli/bad.ts -> src/check/rules/server/index.ts']);
});

function throughWalls(files: readonly SourceFile[]): string[] {
  return files
    .flatMap(importsOf)
    .filter(({ to }) => to.startsWith('src/check/') && !doors.includes(to))
    .map(({ from, to }) => `${from} -> ${to}`);
}
