// docs/threat-model.md promises nothing without a test: each row names tests that exist, each section has its folder of attacks.
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { codeOnly, file, root, type SourceFile, sources } from './tree.ts';

/** Attackers, by heading, with the folder of their attacks. */
const sections: Readonly<Record<string, string>> = {
  'Hostile repository': 'hostile-repository',
  'Hostile server': 'hostile-server',
  'Hostile web page': 'hostile-page',
  'Other local user': 'other-user',
  'Other principal': 'other-principal',
  'Evaluated code': 'evaluated-code',
};
/** Of test/threats, but no attacker's: it makes attacks. */
const generator = 'generator';

it('docs/threat-model.md names a test that exists for every row, and has a section for every folder of attacks', () => {
  const threats = join(root, 'test/threats');
  const folders = existsSync(threats) ? readdirSync(threats, { withFileTypes: true }).filter((one) => one.isDirectory()) : [];
  const filled = folders.filter(({ name }) => readdirSync(join(threats, name)).length > 0).map(({ name }) => name);
  expect(complaints(file('docs/threat-model.md').text, sources('test/threats'), filled)).toEqual([]);
});

describe('the checker', () => {
  const path = 'test/threats/evaluated-code/a.test.ts';
  const tests = (text: string): SourceFile[] => [{ path, text }];
  const row = (entry: string): string => `## Evaluated code\n\n| promise | test |\n|---|---|\n| It holds | ${entry} |\n`;
  const found = (entry: string, text = "it('holds', () => {});"): string[] => complaints(row(entry), tests(text), ['evaluated-code']);

  it('accepts a row whose test is there, and several of them', () => {
    expect(found(`\`${path}: "holds"\``)).toEqual([]);
    expect(found(`${path}: "holds"<br>${path}: "also"`, "it('holds', f);\nit(\n  `also`,\n  f,\n);")).toEqual([]);
  });

  it.each([
    "it.skipIf(notRun('bubblewrap'))('holds', f);",
    "it.each([\n  ['a (b', 1],\n  [f('c'), 2],\n])('holds', f);",
    "test.concurrent('holds', f);",
    'it("holds", f);',
  ])('finds the title in %j', (text) => {
    expect(found(`${path}: "holds"`, text)).toEqual([]);
  });

  it.each([
    "it('holds water', f);",
    "describe('holds', f);",
    "describe.each([1])('holds', f);",
    "it.skip('holds', f);",
    "it.todo('holds');",
    "// it('holds', f);",
    "expect(f()).toBe('holds');",
  ])('does not take %j for it', (text) => {
    expect(found(`${path}: "holds"`, text)).toEqual([`Evaluated code, "It holds": ${path} has no test "holds"`]);
  });

  it('reads titles with quotes and bars as the document must write them', () => {
    expect(found(`${path}: "says \\"a\\" \\| b"`, 'it(\'says "a" | b\', f);')).toEqual([]);
    expect(found(`${path}: "it's"`, "it('it\\'s', f);")).toEqual([]);
  });

  it('sees a row without a test, and a file that is not there', () => {
    expect(found('')).toEqual(['Evaluated code, "It holds": no test']);
    expect(found('by inspection')).toEqual(['Evaluated code, "It holds": no test']);
    expect(found('test/threats/evaluated-code/b.test.ts: "holds"')).toEqual([
      'Evaluated code, "It holds": there is no test/threats/evaluated-code/b.test.ts',
    ]);
  });

  it('sees a table without the column, and a section without rows', () => {
    const text = '## Evaluated code\n\n| promise | how |\n|---|---|\n| It holds | well |\n';
    expect(complaints(text, [], ['evaluated-code'])).toEqual(['Evaluated code: a table has no column "test"']);
    expect(complaints('## Evaluated code\n\nWords.\n', [], ['evaluated-code'])).toEqual(['Evaluated code: no rows']);
  });

  it('sees a folder without a section, and a section without a folder', () => {
    expect(complaints('', [], ['evaluated-code', 'generator'])).toEqual(['test/threats/evaluated-code has no section']);
    expect(complaints(row(`${path}: "holds"`), tests("it('holds', f);"), [])).toEqual([
      'Evaluated code: there is no test/threats/evaluated-code',
    ]);
    expect(complaints('', [], ['moon'])).toEqual(['test/threats/moon has no section']);
  });

  it('leaves other sections alone', () => {
    expect(complaints('## Who the attackers are\n\n| who | why |\n|---|---|\n| all | none |\n', [], [])).toEqual([]);
  });
});

function complaints(document: string, tests: readonly SourceFile[], folders: readonly string[]): string[] {
  const parts = [...document.matchAll(/^## (.+)\n([\s\S]*?)(?=^## |(?![\s\S]))/gm)].map(([, title = '', body = '']) => ({ title, body }));
  const known = parts.filter(({ title }) => sections[title] !== undefined);
  const titled = known.map(({ title }) => sections[title]);
  return [
    ...folders.filter((name) => name !== generator && !titled.includes(name)).map((name) => `test/threats/${name} has no section`),
    ...known.flatMap(({ title, body }) => sectionComplaints(title, body, tests, folders)),
  ];
}

function sectionComplaints(title: string, body: string, tests: readonly SourceFile[], folders: readonly string[]): string[] {
  const folder = sections[title] ?? '';
  if (!folders.includes(folder)) return [`${title}: there is no test/threats/${folder}`];
  const tables = [...body.matchAll(/(?:^\|.*\n?)+/gm)].map(([text]) => text.trimEnd().split('\n').map(cells));
  if (tables.every((rows) => rows.length < 3)) return [`${title}: no rows`];
  return tables.flatMap(([head = [], , ...rows]) => {
    const column = head.findIndex((name) => /^tests?$/i.test(name));
    if (column < 0) return [`${title}: a table has no column "test"`];
    return rows.flatMap((row) => rowComplaints(row[column] ?? '', tests).map((problem) => `${title}, "${row[0]}": ${problem}`));
  });
}

function rowComplaints(cell: string, tests: readonly SourceFile[]): string[] {
  const entries = [...cell.matchAll(/(test\/threats\/[\w-]+\/[\w.-]+\.test\.ts): "((?:[^"\\]|\\.)+)"/g)];
  if (entries.length === 0) return ['no test'];
  return entries.flatMap(([, path = '', title = '']) => {
    const source = tests.find((one) => one.path === path);
    if (source === undefined) return [`there is no ${path}`];
    const plain = title.replace(/\\(.)/g, '$1');
    return titlesIn(source.text).includes(plain) ? [] : [`${path} has no test "${plain}"`];
  });
}

/** Of a row of a table; a bar that is escaped is none. */
function cells(row: string): string[] {
  return row
    .replace(/^\||\|$/g, '')
    .split(/(?<!\\)\|/)
    .map((cell) => cell.trim().replaceAll('\\|', '|'));
}

/** Titles of tests that run. */
function titlesIn(text: string): string[] {
  const code = codeOnly(text);
  return [...text.matchAll(/\(\s*(['"`])((?:\\.|(?!\1)[^\\])*)\1\s*,/g)].flatMap((match) => {
    const callee = code[match.index] === '(' ? calleeBefore(code, match.index) : '';
    const isTest = /^(?:it|test)\b/.test(callee) && !/\.(?:skip|todo|fails)\b/.test(callee);
    return isTest ? [(match[2] ?? '').replace(/\\(.)/g, '$1')] : [];
  });
}

/** What is called at `end`, such as `it` or `it.each(…)`: back over calls, whatever is in their parentheses. */
function calleeBefore(code: string, end: number): string {
  let at = end;
  while (code[at - 1] === ')') at = openingOf(code, at - 1);
  return /[\w.]*$/.exec(code.slice(0, at))?.[0] ?? '';
}

/** Of the parenthesis that closes at `end`. */
function openingOf(code: string, end: number): number {
  let depth = 0;
  for (let at = end; at >= 0; at--) {
    if (code[at] === ')') depth++;
    else if (code[at] === '(' && --depth === 0) return at;
  }
  return 0;
}
