import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { node24, notRun } from '../../../scripts/prepare.mjs';
import { root, vivarium } from '../vivarium.ts';

const imports = "import { Server } from 'vivarium/server';\n";

/** A project as its authors write it: what a compiler would make of it is what it imports. */
const project: Readonly<Record<string, string>> = {
  'tsconfig.json': '{ "compilerOptions": { "module": "nodenext", "paths": { "@lib/*": ["./lib/*"] } } }',
  'server.ts': `${imports}import { name } from './lib.js';
import { kind } from './lib/kind.mjs';
import { page } from './page.jsx';
import { far } from '@lib/far.js';
enum Words { One = 'one' }
const server = new Server({ name, version: '1' });
server.tool('say', {}, () => [Words.One, kind, page, far].join(' '));
export default server;
`,
  'lib.ts': "export const name: string = 'next';\n",
  'lib/kind.mts': "export const kind: string = 'two';\n",
  'lib/far.ts': "export const far: string = 'four';\n",
  'page.tsx': "const h = (tag: string): string => tag === 'p' ? 'three' : '';\n/** @jsx h */\nexport const page = <p />;\n",
  'whole.tsx': "import server from './server.js';\nexport default server;\n",
  'thrown.ts':
    "enum Kind { One }\ninterface Far {\n  one: string;\n}\n\nfunction fail(): never {\n  throw new Error('no ' + Kind.One);\n}\nfail();\n",
  // As esbuild wrote it, with its map beside it.
  'built.mjs': "function f(a) {\n  throw new Error('mapped ' + a);\n}\nf('x');\n//# sourceMappingURL=built.mjs.map\n",
  'built.mjs.map': JSON.stringify({
    version: 3,
    sources: ['source.ts'],
    names: [],
    mappings: 'AAGA,SAAS,EAAE,GAAM;AACf,QAAM,IAAI,MAAM,YAAY,CAAC;AAC/B;AACA,EAAE,GAAG;',
  }),
};

let folder: string;

beforeAll(() => {
  // Inside the checkout, so that the modules find the package and a compiler.
  mkdirSync(join(root, '.cache'), { recursive: true });
  folder = mkdtempSync(join(root, '.cache', 'module-'));
  for (const [name, text] of Object.entries(project)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), text);
  }
});

afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe('a TypeScript module that imports what a compiler would write', () => {
  it.each(['server.ts', 'whole.tsx'])('is listed and called: %s', async (module) => {
    const { code, stdout, stderr } = await vivarium(['list', module], { cwd: folder });
    expect([code, stderr]).toEqual([0, '']);
    expect(stdout).toContain('next 1');
    expect(await vivarium(['call', module, 'say'], { cwd: folder })).toEqual({ code: 0, stdout: 'one two three four\n', stderr: '' });
  });

  it('is served on stdio and checked', async () => {
    const ping = '{"jsonrpc":"2.0","id":1,"method":"ping"}\n';
    expect(await vivarium(['serve', 'server.ts'], { cwd: folder, input: ping })).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/"id":1/),
    });
    const { code, stdout, stderr } = await vivarium(['check', 'server.ts', '--only', 'tools/list'], { cwd: folder });
    expect([code, stderr]).toEqual([0, expect.any(String)]);
    expect(stdout).toContain('server.ts');
  });

  it.skipIf(notRun('node-24'))('is called on a Node that strips types by itself', async () => {
    const main = join(root, 'dist/cli/main.js');
    const { execFile } = await import('node:child_process');
    const said = await new Promise<string>((resolve, reject) => {
      execFile(node24() as string, [main, 'call', 'server.ts', 'say'], { cwd: folder }, (error, stdout) =>
        error ? reject(error) : resolve(stdout),
      );
    });
    expect(said).toBe('one two three four\n');
  });

  it('fails where its author wrote the mistake, not where a compiler moved it', async () => {
    const { code, stderr } = await vivarium(['serve', 'thrown.ts'], { cwd: folder });
    expect(code).toBe(4);
    expect(stderr).toContain('thrown.ts could not be loaded (thrown.ts:7:9): Error: no 0\n    at fail (');
    expect(stderr).toContain('thrown.ts:9:1)');
    const mapped = await vivarium(['serve', 'built.mjs'], { cwd: folder });
    expect(mapped.stderr).toContain('built.mjs could not be loaded (source.ts:5:9): Error: mapped x\n    at f (');
  });

  it('needs a compiler for decorators, and says which to install', async () => {
    const bare = mkdtempSync(join(tmpdir(), 'vivarium-decorated-'));
    try {
      writeFileSync(join(bare, 'decorated.ts'), 'class A { @log show(): void {} }\n');
      const { code, stderr } = await vivarium(['serve', 'decorated.ts'], { cwd: bare });
      expect(code).toBe(4);
      expect(stderr).toContain('needs a compiler for decorators: npm install --save-dev esbuild');
    } finally {
      rmSync(bare, { recursive: true, force: true });
    }
  });
});

describe('a module that ends the process itself', () => {
  it('is not said to wait, whatever number it ends with', async () => {
    for (const [name, text] of [
      ['ends.mjs', 'process.exit(13);\n'],
      ['ends-later.mjs', 'await new Promise(() => setTimeout(() => process.exit(13), 1));\n'],
      [
        'ends-after.mjs',
        "process.once('beforeExit', () => setTimeout(() => process.exit(13), 50));\nawait new Promise(() => undefined);\n",
      ],
    ] as const) {
      writeFileSync(join(folder, name), text);
      expect(await vivarium(['serve', name], { cwd: folder })).toEqual({ code: 13, stdout: '', stderr: '' });
    }
  });
});
