import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { root, vivarium } from '../vivarium.ts';

const imports = "import { Server } from 'vivarium/server';\n";
const made = "new Server({ name: 'a', version: '1' })";

/** Modules that cannot be served, each with what is said of it and what to do. */
const broken: readonly (readonly [name: string, text: string, exitCode: number, message: string, hint: string])[] = [
  ['named.ts', `${imports}export const notes = ${made};\n`, 2, 'named.ts has no export "default"', 'It does export named.ts:notes'],
  [
    'number.mjs',
    'export default 7;\n',
    2,
    'number.mjs exports "default", which is not a Server',
    'Write: export default server, with server = ',
  ],
  ['made.ts', `${imports}export default () => ${made};\n`, 2, 'which is not a Server', 'It is a function or a class. Export what it makes'],
  [
    'promised.ts',
    `${imports}export default Promise.resolve(${made});\n`,
    2,
    'which is not a Server',
    'It is a promise. Write: export default await',
  ],
  ['foreign.mjs', 'export default { connect() {} };\n', 2, 'which is not a Server', 'vivarium list -- node foreign.mjs'],
  [
    'schema.ts',
    `${imports}const server = ${made};\nserver.tool('x', { input: 5 as never }, () => 'a');\nexport default server;\n`,
    4,
    'schema.ts could not be loaded (schema.ts:3:8): VivariumError [ERR_SCHEMA]: Tool "x", input: ',
    '',
  ],
  [
    'package.ts',
    "import 'no-such-package/deep';\n",
    4,
    "(package.ts): Error [ERR_MODULE_NOT_FOUND]: Cannot find package 'no-such-package'",
    'If it is a package: npm install no-such-package. If it is an alias, see "paths" in tsconfig.json',
  ],
  [
    'absent.ts',
    "import './gone.js';\n",
    4,
    'absent.ts could not be loaded (absent.ts): Error [ERR_MODULE_NOT_FOUND]: ',
    'There is no file gone.js; check the import in absent.ts',
  ],
  [
    'unlinked.ts',
    "import { nothing } from './named.js';\nexport default nothing;\n",
    4,
    "unlinked.ts could not be loaded (unlinked.ts:1): SyntaxError: The requested module './named.js' does not provide an export named 'nothing'",
    '',
  ],
  ['object.mjs', 'throw { code: 5 };\n', 4, 'object.mjs could not be loaded: it threw { code: 5 }', ''],
  ['nothing.mjs', 'throw undefined;\n', 4, 'nothing.mjs could not be loaded: it threw undefined', ''],
  ['waits.mjs', 'await new Promise(() => undefined);\n', 4, 'waits.mjs never finishes loading: ', ''],
];

let folder: string;

beforeAll(() => {
  // Inside the checkout, so that the modules find the package by its own name.
  mkdirSync(join(root, '.cache'), { recursive: true });
  folder = mkdtempSync(join(root, '.cache', 'broken-'));
  for (const [name, text] of broken) writeFileSync(join(folder, name), text);
});

afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe('a module that cannot be served', () => {
  it.each(broken)('is explained by serve, list and doctor alike: %s', async (name, _, exitCode, message, hint) => {
    const served = await vivarium(['serve', name], { cwd: folder });
    const [first = '', ...below] = served.stderr.trimEnd().split('\n');
    expect([served.code, served.stdout]).toEqual([exitCode, '']);
    expect(first).toMatch(/^vivarium: /);
    expect(first).toContain(message);
    expect(below.filter((line) => /^ {2}\S/.test(line)).join('\n')).toContain(hint);
    // Frames of Node and of this package help nobody.
    expect(served.stderr).not.toMatch(/node:internal|[\\/]dist[\\/]/);
    expect(await vivarium(['list', name], { cwd: folder })).toEqual(served);
    const { code, stdout } = await vivarium(['doctor', name], { cwd: folder });
    expect(code).toBe(4);
    expect(stdout).toContain(`✗ module          ${first.slice('vivarium: '.length)}\n`);
    expect(stdout).toContain(hint);
  });
});
