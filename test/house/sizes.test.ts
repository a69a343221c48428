// The size, the names and the manner of source files.
import { basename } from 'node:path';
import { describe, expect, it } from 'vitest';
import { codeOnly, file, paths, type SourceFile, sources } from './tree.ts';

const folders = ['src', 'test', 'scripts', 'bench', 'examples'];
const maxLines = 400;
/** A class with one lifetime may be longer, where splitting it only made satellites with callbacks into it. */
const maxClassLines = 600;
const longClasses: ReadonlyMap<string, string> = new Map([
  ['src/client/conversation.ts', 'a conversation, its recovery and what it is notified of share one connection and one end'],
]);
const maxReadmeLines = 150;

const kebab = /^[a-z0-9]+(?:-[a-z0-9]+)*$/;
const vague = /^(?:utils?|helpers?|common|shared|misc|managers?)$/;

const unwanted: readonly (readonly [name: string, pattern: RegExp])[] = [
  ['an enum', /^[ \t]*(?:export\s+)?(?:declare\s+)?(?:const\s+)?enum\s/m],
  ['a default export', /^[ \t]*export\s+default\b|\bas\s+default\b/m],
  ['any', /[:<|&,(]\s*any\b(?!\s*[:(?])|\b(?:as|satisfies|extends)\s+any\b|\bany\[\]/],
];

describe('source files', () => {
  it(`have at most ${maxLines} lines`, () => {
    expect(
      sources(...folders)
        .filter(({ path, text }) => lines(text) > (longClasses.has(path) ? maxClassLines : maxLines))
        .map(({ path, text }) => `${path}: ${lines(text)}`),
    ).toEqual([]);
  });

  it('that may be longer need it', () => {
    const long = sources(...folders).filter(({ text }) => lines(text) > maxLines);
    expect([...longClasses.keys()].filter((path) => !long.some((one) => one.path === path))).toEqual([]);
  });

  it('have names in kebab-case that say something', () => {
    expect(folders.flatMap(paths).flatMap(nameComplaint)).toEqual([]);
  });

  it('postpone nothing in src', () => {
    const postponed = sources('src').filter(({ text }) => /\b(?:TODO|FIXME|XXX)\b/.test(text));
    expect(
      postponed.map(({ path }) => path),
      'an entry in docs/rough-edges.md instead',
    ).toEqual([]);
  });

  it('have no enum, no default export and no any in src', () => {
    expect(sources('src').flatMap(mannerComplaints)).toEqual([]);
  });
});

it(`README.md has at most ${maxReadmeLines} lines`, () => {
  expect(lines(file('README.md').text)).toBeLessThanOrEqual(maxReadmeLines);
});

describe('the checks', () => {
  const found = (text: string) => mannerComplaints({ path: 'src/x.ts', text });

  it.each(['src/server/utils.ts', 'src/common/', 'test/server/helpers.ts', 'src/server/sessionManager.ts', 'src/Server.ts', 'bench/Load/'])(
    'refuse the name %s',
    (path) => {
      expect(nameComplaint(path)).toHaveLength(1);
    },
  );

  it.each([
    'src/server/tool-options.ts',
    'test/server/tools.test.ts',
    'test/types/tools.test-d.ts',
    'src/check/requirements/',
    'scripts/prepare.d.mts',
  ])('accept the name %s', (path) => {
    expect(nameComplaint(path)).toEqual([]);
  });

  it.each([
    'export enum Level { Low }',
    'const enum Level { Low }',
    'export default run;',
    'export { run as default };',
    'function f(x: any) {}',
    'const x = y as any;',
    'const x: Array<any> = [];',
    'let x: string | any;',
    'function f(x: Map<string, any>) {}',
  ])('refuse %s', (text) => {
    expect(found(text)).toHaveLength(1);
  });

  it.each([
    '// any: any of them',
    "const text = 'export default: any';",
    'const any = 1;',
    'type Enum = { enum: string[] };',
    'AbortSignal.any([a])',
  ])('accept %s', (text) => {
    expect(found(text)).toEqual([]);
  });
});

function lines(text: string): number {
  return text.replace(/\n$/, '').split('\n').length;
}

function nameComplaint(path: string): string[] {
  const isSource = /\.(?:[cm]?[jt]sx?)$/.test(path);
  if (!path.endsWith('/') && !isSource) return [];
  const name = basename(path).replace(isSource ? /(?:\.(?:test|test-d|d|config|bench))?\.[cm]?[jt]sx?$/ : '', '');
  return kebab.test(name) && !vague.test(name) ? [] : [path];
}

function mannerComplaints({ path, text }: SourceFile): string[] {
  const code = codeOnly(text);
  return unwanted.filter(([, pattern]) => pattern.test(code)).map(([name]) => `${path} has ${name}`);
}
