// The documents keep their word: their code compiles, their links lead somewhere, their list of errors is the list in the code.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { basename, dirname, join, posix } from 'node:path';
import { describe, expect, it } from 'vitest';
import { documents, file, root, type SourceFile } from './tree.ts';

const pages = documents().filter(({ path }) => path === 'README.md' || path.startsWith('docs/'));

describe('the code in README and docs', () => {
  it('compiles', () => {
    expect(compile('docs', pages.flatMap(fences))).toEqual([]);
  });
});

describe('the links in README and docs', () => {
  it('lead somewhere', () => {
    expect(pages.flatMap(brokenLinks)).toEqual([]);
  });
});

describe('docs/errors.md', () => {
  it('lists the names and codes that cross the wire, and no other', async () => {
    const { errorCodes } = await import('../../src/protocol/index.ts');
    const listed = errorRows().filter(([name, code]) => /^[a-z]\w*$/i.test(name) && /^-?\d+$/.test(code));
    expect(Object.fromEntries(listed.map(([name, code]) => [name, Number(code)]))).toEqual(errorCodes);
  });

  it('lists the codes of local failures, and no other', async () => {
    const { localErrorCodes } = await import('../../src/jsonrpc/error.ts');
    const listed = errorRows().map(([code]) => code);
    expect(listed.filter((code) => code.startsWith('ERR_')).sort()).toEqual([...localErrorCodes].sort());
  });
});

describe('the checks', () => {
  it('see code that does not compile, in the line of the page', () => {
    const text = 'Words.\n\n```ts\nexport const a: number = 1;\nexport const b: string = a;\n```\n';
    expect(compile('checks', fences({ path: 'docs/page.md', text }))).toEqual([
      "docs/page.md:5: error TS2322: Type 'number' is not assignable to type 'string'.",
    ]);
  });

  it('join a fence that continues the one before', () => {
    const text = '```ts\nconst a: number = 1;\n```\nand\n```ts continued\nexport const b: number = a;\n```\n';
    expect(compile('checks', fences({ path: 'docs/page.md', text }))).toEqual([]);
  });

  it('see a broken link and a missing heading', () => {
    const text = '# Two words\n[a](../package.json) [b](nowhere.md) [c](#two-words) [d](#three-words) [e](https://example.com)\n';
    expect(brokenLinks({ path: 'docs/page.md', text })).toEqual(['docs/page.md -> nowhere.md', 'docs/page.md -> #three-words']);
  });
});

interface Fence {
  /** The page, and the line before its first. */
  readonly path: string;
  readonly line: number;
  readonly code: string;
}

/** The `ts` fences of a page; one marked `ts continued` goes on where the last one ended. */
function fences({ path, text }: SourceFile): Fence[] {
  const found: Fence[] = [];
  for (const match of text.matchAll(/^```ts( continued)?[ \t]*\n([\s\S]*?)^```/gm)) {
    const [, continued, code = ''] = match;
    const line = text.slice(0, match.index).split('\n').length;
    const last = continued === undefined ? undefined : found.pop();
    if (last === undefined) found.push({ path, line, code });
    else found.push({ ...last, code: last.code + '\n'.repeat(line - last.line - last.code.split('\n').length + 1) + code });
  }
  return found;
}

/** One run of the compiler over all fences, in a folder of the package, so that they import it by its name. */
function compile(name: string, found: readonly Fence[]): string[] {
  const folder = join(root, '.cache', name);
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  const fileOf = ({ path, line }: Fence) => `${basename(path, '.md')}-${line}.ts`;
  for (const fence of found) writeFileSync(join(folder, fileOf(fence)), fence.code);
  const compilerOptions = {
    noEmit: true,
    declaration: false,
    isolatedDeclarations: false,
    allowImportingTsExtensions: true,
    customConditions: ['@vivarium/source'],
  };
  const config = { extends: '../../tsconfig.base.json', compilerOptions, files: found.map(fileOf) };
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify(config));
  if (found.length === 0) return [];
  const tsc = join(root, 'node_modules/typescript/bin/tsc');
  const { stdout } = spawnSync(process.execPath, [tsc, '-p', folder, '--pretty', 'false'], { cwd: folder, encoding: 'utf8' });
  return stdout
    .split('\n')
    .filter(Boolean)
    .map((line) => {
      const [, where, row = '', message] = /^([^(]+)\((\d+),\d+\): (.*)$/.exec(line) ?? [];
      const fence = found.find((each) => fileOf(each) === where);
      return fence === undefined ? line : `${fence.path}:${fence.line + Number(row)}: ${message}`;
    });
}

function brokenLinks({ path, text }: SourceFile): string[] {
  const prose = text.replace(/^```[\s\S]*?^```/gm, '').replace(/`[^`\n]*`/g, '');
  const targets = [...prose.matchAll(/\]\(<?([^)\s>]+)>?(?:\s+"[^"]*")?\)/g)].map(([, target = '']) => target);
  return targets
    .filter((target) => !/^[a-z]+:/.test(target) && !leadsSomewhere({ path, text }, target))
    .map((target) => `${path} -> ${target}`);
}

function leadsSomewhere(page: SourceFile, target: string): boolean {
  const [to = '', heading] = decodeURI(target).split('#');
  const path = to === '' ? page.path : posix.join(dirname(page.path), to);
  if (to !== '' && !existsSync(join(root, path))) return false;
  if (heading === undefined || !path.endsWith('.md')) return true;
  return headings(to === '' ? page.text : file(path).text).includes(heading);
}

/** As the forges make them from the text of a heading. */
function headings(text: string): string[] {
  return [...text.matchAll(/^#+ (.*)$/gm)].map(([, title = '']) =>
    title
      .toLowerCase()
      .replace(/[^\p{L}\p{N}\s_-]/gu, '')
      .trim()
      .replace(/\s/g, '-'),
  );
}

/** The first two columns of the tables of docs/errors.md. */
function errorRows(): [string, string][] {
  const rows = file('docs/errors.md')
    .text.split('\n')
    .filter((line) => line.startsWith('|'));
  return rows.map((row) => {
    const [first = '', second = ''] = row
      .split('|')
      .slice(1)
      .map((cell) => cell.replaceAll('`', '').replace('−', '-').trim());
    return [first, second];
  });
}
