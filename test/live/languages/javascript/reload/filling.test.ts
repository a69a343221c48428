// Files that get much shorter, with classes in them: the engine looks for the text of a class where it stood at first.
import { expect, it } from 'vitest';
import { tailBody } from '../../../../../src/live/languages/javascript/loader/transform.ts';
import { canShrink } from '../../../../../src/live/languages/javascript/reload/filling.ts';
import { asFreshlyStarted, type Row } from '../../../fresh-start.ts';

const long = (lines: number, value = 1): string =>
  `export function f(x) {\n${'  x += 1;\n'.repeat(lines)}  return x;\n}\nexport class A {\n  m() { return ${value}; }\n}\n`;

const row = (edit: string, texts: readonly string[]): Row => ({
  edit,
  files: { 'a.js': long(300) },
  load: "import { f, A } from './a.js'; let state = new A(); 0",
  saved: texts.map((one) => ({ 'a.js': one })),
  says: /^swapped a\.js: f\b/,
  look: '[f(1), typeof String(A), typeof A.toString(), state.m(), state instanceof A]',
});

asFreshlyStarted([
  [
    'a class can be shown',
    [
      row('where the file lost most of its text above it', [long(1)]),
      row('where the file grew and shrank', [long(1), long(400), long(2), long(300), long(0, 5)]),
    ],
  ],
]);

it.each([
  ['a file without classes', 10, 'f()', true],
  ['a file of ours', 1_000, `class A {}\n${tailBody}`, true],
  ['a file that grows', 5, 'class A {}', true],
  ['a file that something else loaded, with a class', 11, 'class A {}', false],
])('%s may get shorter or not', (_, length, text, can) => {
  expect(canShrink(length, text)).toBe(can);
});
