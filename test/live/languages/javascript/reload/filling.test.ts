// Files that get much shorter, with classes in them: the engine looks for the text of a class where it stood at first.
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
