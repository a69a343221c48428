// The operations in docs/live-wire.md are written from the table: UPDATE_LIVE_WIRE=1 npx vitest run test/house/live-wire.test.ts
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { type ImageKind, operationDocs } from '../../src/live/image/operation-docs.ts';
import type { OperationName } from '../../src/live/image/operations.ts';
import { root } from './tree.ts';

const page = join(root, 'docs/live-wire.md');
const begin = '<!-- operations: written by test/house/live-wire.test.ts -->';
const end = '<!-- end of operations -->';
const names = Object.keys(operationDocs) as OperationName[];

/** Where each kind of image answers. */
const sources: Readonly<Record<ImageKind, readonly string[]>> = {
  javascript: ['js-runtime/monitor-thread.ts', 'languages/javascript/monitor.ts'],
  attached: ['languages/javascript/attached/program.ts'],
  lisp: readdirSync(join(root, 'src/live/languages/lisp/bridge')).map((name) => `languages/lisp/bridge/${name}`),
  amber: ['js-runtime/monitor-thread.ts', 'languages/smalltalk/amber/monitor.ts'],
  pharo: ['languages/smalltalk/pharo/bridge.st'],
};

function table(): string {
  const rows = names.map((name) => {
    const { fields, answer, images } = operationDocs[name];
    return `| \`${name}\` | ${fields} | ${answer} | ${images.length === Object.keys(sources).length ? 'all' : images.join(', ')} |`;
  });
  return ['| op | fields | answer | images |', '|---|---|---|---|', ...rows].join('\n');
}

it('shows the operations of an image as the table has them', () => {
  const text = readFileSync(page, 'utf8');
  const [head = '', rest = ''] = text.split(begin);
  const expected = `${head}${begin}\n\n${table()}\n\n${end}${rest.split(end)[1] ?? ''}`;
  if (process.env['UPDATE_LIVE_WIRE'] !== undefined) writeFileSync(page, expected);
  else expect(text).toBe(expected);
});

it.each(Object.entries(sources))('%s answers exactly the operations that the table gives it', (kind, files) => {
  const text = files.map((file) => readFileSync(join(root, 'src/live', file), 'utf8')).join('\n');
  const answers = (name: string): boolean =>
    [
      new RegExp(`case '${name}':`),
      new RegExp(`^    ${name}(?:: (?:async )?\\(|,$)`, 'm'),
      new RegExp(`"${name}"`),
      new RegExp(`^\\t\\(#\\([\\w ]* ${name} [\\w ]*\\) includes: op\\)$`, 'm'),
    ].some((way) => way.test(text));
  const has = names.filter((name) => operationDocs[name].images.includes(kind as ImageKind));
  // Amber answers `profile` with what to use instead.
  expect(names.filter((name) => answers(name) && !(kind === 'amber' && name === 'profile'))).toEqual(has);
});
