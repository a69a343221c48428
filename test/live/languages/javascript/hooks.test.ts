// Files of real kinds of projects, imported and run in a session on each Node.
import { symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { javascript } from 'vivarium/live';
import * as projects from '../../../fixtures/live/projects.ts';
import { type Files, link, nativeAddon, writeProject } from '../../../fixtures/live/projects.ts';
import { type Lab, type LabOptions, onEachNode, openLab } from '../../fixture.ts';

async function project(files: Files, options: LabOptions = {}): Promise<Lab> {
  const lab = await openLab(options);
  writeProject(lab.folder, files);
  return lab;
}

onEachNode((node) => {
  it('imports ES modules', async () => {
    await using lab = await project(projects.esm, { node });
    expect(await lab.value("import { total } from './src/cart.js'\ntotal([1, 2])")).toBe('6');
    expect(await lab.value("import Tax, { tax } from './src/tax'\n[typeof Tax, tax]")).toBe("[ 'function', 2 ]");
  });

  it('imports and requires CommonJS, with and without types', async () => {
    await using lab = await project(projects.commonjs, { node });
    expect(await lab.value("import { total } from './cart.js'\ntotal([1])")).toBe('[ 3 ]');
    expect(await lab.value("require('./cart') === (await import('./cart.js')).default")).toBe('true');
    expect(await lab.value("require('./typed.cts').twice(1)")).toBe('6');
    expect(await lab.value("require('./named').named(1)")).toBe("'n1'");
    expect(await lab.value("import { named } from './named.ts'\nnamed(2)")).toBe("'n2'");
  });

  it('follows the paths of tsconfig.json, and runs enums and parameter properties', async () => {
    await using lab = await project(projects.paths, { node });
    expect(await lab.value("import { size, Shape } from './src/main.ts'\n[size(2), Shape.Square, Shape[4]]")).toBe("[ 40, 4, 'Square' ]");
    expect(await lab.value("import { scale } from '~config'\nscale")).toBe('10');
  });

  it('finds files without their extension, by the name a compiler would give them, and in folders', async () => {
    await using lab = await project(projects.extensionless, { node });
    expect(await lab.value("import { all, folder } from './src/main'\n[all, folder === process.cwd() + '/src']")).toBe(
      '[ [ 1, 2, 3 ], true ]',
    );
    expect(await lab.value("require('./src/main').all")).toBe('[ 1, 2, 3 ]');
  });

  it('imports packages of a workspace whose main is TypeScript', async () => {
    await using lab = await project(projects.monorepo, { node });
    for (const name of ['core', 'app']) link(lab.folder, `@shop/${name}`, join(lab.folder, 'packages', name));
    expect(await lab.value("import { label } from '@shop/app'\nimport { foot } from '@shop/app/foot'\n[label(250), foot]")).toBe(
      "[ 'costs 2.5 EUR', 'foot' ]",
    );
  });

  it('imports JSON with and without attributes', async () => {
    await using lab = await project(projects.json, { node });
    const code = "import { answer } from './with.js'\nimport { answer as other } from './without'\nimport data from './data.json'\n";
    expect(await lab.value(`${code}[answer, other, data.answer]`)).toBe('[ 42, 43, 42 ]');
    expect(await lab.value("(await import('./data.json', { with: { type: 'json' } })).default.answer + require('./data').answer")).toBe(
      '84',
    );
  });

  it('imports WebAssembly by the names it exports', async () => {
    await using lab = await project(projects.wasm, { node });
    expect(await lab.value("import { sum } from './main'\nsum(20, 22)")).toBe('42');
  });

  it('loads native addons', async () => {
    await using lab = await project(projects.addon, { node });
    symlinkSync(nativeAddon(), join(lab.folder, 'native.node'));
    expect(await lab.value("require('./main.cjs').names.includes('transform')")).toBe('true');
    expect(await lab.value("import { kinds } from './main.mjs'\n[...kinds]")).toBe("[ 'function' ]");
  });

  it('waits for modules that await', async () => {
    await using lab = await project(projects.awaiting, { node });
    expect(await lab.value("import { late, more } from './main.ts'\n[late, more]")).toBe("[ 7, 'more' ]");
  });

  it('compiles JSX and decorators with the esbuild that the tsx of the project brings', async () => {
    await using lab = await project(projects.withTsx, { node });
    link(lab.folder, 'tsx');
    expect(await lab.value("import { page, count } from './src/main'\n[page('Ada'), count()]")).toBe("[ '<p class,x>Ada</p>', 101 ]");
  });

  it('compiles decorators wherever they stand, of TypeScript and of the standard', async () => {
    const parameter = 'const names: string[] = [];\nconst Inject = () => (target: object) => void names.push((target as Function).name);\n';
    const method =
      'const log = (of: any, _: unknown, given?: any) => (given === undefined ? (() => of() + "!") : { value: () => given.value() + "!" });\n';
    const files = {
      'old/tsconfig.json': '{ "compilerOptions": { "experimentalDecorators": true } }',
      'old/property.ts': `${parameter}export class A { constructor(@Inject() private readonly n: number) {} get() { return [names[0], this.n]; } }`,
      'old/parameter.ts': `${parameter}export class B { constructor(@Inject() n: number) {} get() { return names[0]; } }`,
      'old/method.ts': `${method}export class C { constructor(private n: number) {} @log show() { return "old"; } }`,
      'old/commented.ts': `const routes: string[] = ['/api/*'];\n${method}/* one */\nexport class E {\n  @log\n  show() { return routes[0]; }\n}\n/** another */\n`,
      'old/plain.js': 'const seen = [];\nconst log = (of) => void seen.push(of.name);\n@log\nexport class F { show() { return seen; } }',
      'new/tsconfig.json': '{}',
      'new/method.ts': `${method.replace('of()', '(of as Function)()')}export class D { @log show(): string { return "new"; } }`,
      'none.ts': '/** @param a is @given */\nexport const mail = /(@example)|[^@]+@\\w/.test("a@b"), text: string = `(@x`;',
    };
    await using lab = await project(files, { node });
    link(lab.folder, 'tsx');
    expect(await lab.value("import { A } from './old/property'\nnew A(4).get()")).toBe("[ 'A', 4 ]");
    expect(await lab.value("import { B } from './old/parameter'\nnew B(4).get()")).toBe("'B'");
    expect(await lab.value("import { C } from './old/method'\nnew C(4).show()")).toBe("'old!'");
    expect(await lab.value("import { E } from './old/commented'\nnew E().show()")).toBe("'/api/*!'");
    expect(await lab.value("import { F } from './old/plain.js'\nnew F().show()")).toBe("[ 'F' ]");
    expect(await lab.value("import { D } from './new/method'\nnew D().show()")).toBe("'new!'");
    expect(await lab.value("import { mail } from './none'\nmail")).toBe('true');
  });

  it('imports what a project tests with vitest, and its configuration', async () => {
    await using lab = await project(projects.withVitest, { node });
    link(lab.folder, 'vitest');
    expect(await lab.value("import config from './vitest.config'\nimport { sum } from './src/sum'\n[config.test.globals, sum(1, 2)]")).toBe(
      '[ false, 3 ]',
    );
  });

  it("follows a package's imports, its own name, and conditions", async () => {
    const code = "import { kinds } from './src/main'\nkinds";
    await using plain = await project(projects.conditions, { node });
    expect(await plain.value(code)).toBe("[ 'disk', 'one', 'disk' ]");
    await using lab = await project(projects.conditions, { engines: [javascript({ node, nodeArgs: ['--conditions=memory'] })] });
    expect(await lab.value(code)).toBe("[ 'memory', 'one', 'memory' ]");
  });

  it('requires ES modules in TypeScript, or says how to import them', async () => {
    await using lab = await project(projects.extensionless, { node });
    const { text } = await lab.evaluate("require('./src/main').all");
    expect(text).toMatch(/^=> \[ 1, 2, 3 \]|main\.ts is an ES module, .*: use await import\(\) instead/);
    expect(await lab.value("require('./src/one').one")).toBe('1');
  });

  describe('what cannot be loaded is told with its file and line', () => {
    it.each([
      ['TypeScript', 'bad.ts', 'const a: number = 1;\n\nlet b: = 2;\n', /bad\.ts:3:8/],
      ['an ES module', 'bad.mjs', 'const a = 1;\nlet = = 2;\n', /bad\.mjs:2:/],
      ['CommonJS', 'bad.cjs', 'const a = 1;\n\nlet b = ;\n', /bad\.cjs:3/],
      ['a module that is imported by another', 'outer.mjs', "import './inner.mjs';\n", /inner\.mjs:2:/],
      ['an export that is not there', 'missing.mjs', "\nimport { none } from './good.mjs';\n", /missing\.mjs:2/],
      ['JSX', 'bad.tsx', 'export const a = <p />;\n', /bad\.tsx needs a compiler for JSX/],
      ['a decorator', 'bad.ts', 'class A { constructor(@B() c: number) {} }\n', /bad\.ts needs a compiler for decorators/],
    ])('%s', async (_, file, text, told) => {
      await using lab = await project(
        { [file]: text, 'inner.mjs': 'const x = 1;\nconst y = (;\n', 'good.mjs': 'export const a = 1;' },
        { node },
      );
      const { isError, text: said } = await lab.evaluate(`await import('./${file}')`);
      expect([isError, said]).toEqual([true, expect.stringMatching(told)]);
    });

    it('an error at run time, in the line of the source, also where the compiler moved lines', async () => {
      const files = {
        'plain.ts': 'interface A {\n  b: number;\n}\nexport function fail(a: A): never {\n  throw new Error("no " + a.b);\n}\n',
        'moved.ts': 'enum E { A }\n\n\ninterface A {}\nexport function fail(a: A): never {\n  throw new Error("no " + E.A);\n}\n',
      };
      await using lab = await project(files, { node });
      expect((await lab.evaluate("import { fail } from './plain'\nfail({ b: 1 })")).text).toContain('plain.ts:5:');
      expect((await lab.evaluate("import * as moved from './moved'\nmoved.fail({})")).text).toContain('moved.ts:6:');
    });
  });
});
