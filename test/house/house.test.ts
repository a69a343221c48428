// What `npm run house` counts in a source file.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { readSources } from '../../scripts/house/sources.mjs';

const folder = mkdtempSync(join(tmpdir(), 'house-test-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const wordings = [
  '/gone/.test(error.message)',
  "error.message.includes('gone')",
  "why?.startsWith('x')",
  '/^no answer within/.test(text)',
  "text === 'closed by the client'",
];
const dates = ["revision === '2025-06-18'", "revision < '2025-06-18'", "['2024-11-05'].includes(revision)"];
const neither = [
  "reason === 'gone'",
  '/^\\d+$/.test(text)',
  "const table = { '2025-06-18': true }",
  "list.includes('tools')",
  "const text = 'no answer within'",
];

mkdirSync(join(folder, 'src/room'), { recursive: true });
writeFileSync(join(folder, 'src/decisions.ts'), [...wordings, ...dates, ...neither].map((line) => `${line};\n`).join(''));
writeFileSync(
  join(folder, 'src/room/imports.ts'),
  "import type { A } from '../a.ts';\nimport { type B } from '../b.ts';\nimport { c, type C } from '../c.ts';\nexport * from '../d.ts';\n" +
    "const e = await import('../e.ts');\ntype F = import('../f.ts').F;\nimport 'node:fs';\n" +
    'export const [one, two] = [1, 2] as const, three = 3;\nexport interface Four {}\nexport function five() {}\nconst hidden = 1;\n',
);
for (const name of 'abcdef') writeFileSync(join(folder, `src/${name}.ts`), '');
const found = new Map(readSources(folder).map((source) => [source.path, source]));

describe('a source', () => {
  it('has its lines counted, and its nodes', () => {
    expect(found.get('room/imports.ts')).toMatchObject({ lines: 11 });
    expect(found.get('a.ts')).toMatchObject({ lines: 0, imports: [] });
  });

  it('is read for imports of files, of types and at run time', () => {
    const imports = found.get('room/imports.ts')?.imports.map(({ to, typeOnly }) => `${to}${typeOnly ? ' types' : ''}`);
    expect(imports).toEqual(['a.ts types', 'b.ts types', 'c.ts', 'd.ts', 'e.ts', 'f.ts types']);
  });

  it('is read for the names it declares and exports', () => {
    expect([...(found.get('room/imports.ts')?.exported ?? [])]).toEqual(['three', 'Four', 'five']);
  });

  it('is read for decisions by wording and by date, and for nothing like them', () => {
    const { wordings: byWording = [], dates: byDate = [] } = found.get('decisions.ts') ?? {};
    expect(byWording).toEqual(wordings.map((_, at) => at + 1));
    expect(byDate).toEqual(dates.map((_, at) => wordings.length + at + 1));
  });
});
