// The Node that runs a project: what it asks for, what is there, and what is said where they differ.
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import semver from 'semver';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { javascript } from 'vivarium/live';
import { node24, notRun } from '../../../../scripts/prepare.mjs';
import { chooseNode, fits } from '../../../../src/live/languages/javascript/choose-node.ts';
import { openLab } from '../../fixture.ts';

let home: string;
let project: string;

beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'choose-node-'));
  project = join(home, 'project');
  mkdirSync(join(project, '.git'), { recursive: true });
  for (const name of ['NVM_DIR', 'FNM_DIR', 'VOLTA_HOME', 'ASDF_DATA_DIR', 'MISE_DATA_DIR']) vi.stubEnv(name, '');
  vi.stubEnv('N_PREFIX', join(home, 'n-prefix'));
});

afterEach(() => {
  vi.unstubAllEnvs();
  rmSync(home, { recursive: true, force: true });
});

const managers = {
  nvm: '.nvm/versions/node/v{}/bin/node',
  fnm: '.local/share/fnm/node-versions/v{}/installation/bin/node',
  volta: '.volta/tools/image/node/{}/bin/node',
  asdf: '.asdf/installs/nodejs/{}/bin/node',
  mise: '.local/share/mise/installs/node/{}/bin/node',
  n: 'n-prefix/n/versions/node/{}/bin/node',
} as const;

function install(version: string, manager: keyof typeof managers = 'nvm', program: string = process.execPath): string {
  const command = join(home, managers[manager].replace('{}', version));
  mkdirSync(dirname(command), { recursive: true });
  symlinkSync(program, command);
  return command;
}

const asks = (file: string, text: string): void => writeFileSync(join(project, file), text);
const own = { command: process.execPath };

describe('a project that asks for nothing in particular', () => {
  it.each([[''], ['node\n'], ['lts/*\n'], ['stable'], ['# any will do\n']])('is run by this Node: .nvmrc with %j', async (text) => {
    install('99.1.0');
    asks('.nvmrc', text);
    expect(await chooseNode(project, home)).toEqual(own);
  });

  it('is run by this Node where this is what it asks for, whatever else is installed', async () => {
    install('99.1.0');
    asks('package.json', JSON.stringify({ engines: { node: '>=20' } }));
    expect(await chooseNode(project, home)).toEqual(own);
  });

  it('is run by this Node where its package.json cannot be read, or holds something else', async () => {
    for (const text of ['{', 'null', '[]', '"x"', '{"engines":"20","volta":null}', '{"engines":{"node":20}}']) {
      asks('package.json', text);
      expect(await chooseNode(project, home)).toEqual(own);
    }
  });
});

describe('a project that asks for another Node', () => {
  it.each([
    ['.nvmrc', 'v98'],
    ['.nvmrc', '# ours\n98 # the newest\n'],
    ['.node-version', '98.7.6\n'],
    ['package.json', JSON.stringify({ engines: { node: '^98' } })],
    ['package.json', JSON.stringify({ volta: { node: '98.7.6' }, engines: { node: '>=20' } })],
  ])('gets it: %s with %j', async (file, text) => {
    install('99.1.0');
    const command = install('98.7.6');
    asks(file, text);
    expect(await chooseNode(project, home)).toEqual({ command });
  });

  it.each(Object.keys(managers) as (keyof typeof managers)[])('gets it from %s', async (manager) => {
    const command = install('98.7.6', manager);
    asks('.nvmrc', '98');
    expect(await chooseNode(project, home)).toEqual({ command });
  });

  it('gets the newest that fits', async () => {
    install('98.2.0');
    const command = install('98.10.0', 'volta');
    install('98.9.9', 'asdf');
    asks('.nvmrc', '98');
    expect(await chooseNode(project, home)).toEqual({ command });
  });

  it.each([
    ['iron', '20'],
    ['Jod', '22'],
    ['krypton', '24'],
  ])('may name a line: lts/%s', async (name, major) => {
    const command = install(`${major}.30.1`);
    asks('.nvmrc', `lts/${name}\n`);
    expect(await chooseNode(project, home)).toEqual(Number(major) === Number(process.versions.node.split('.')[0]) ? own : { command });
  });

  it('asks in the nearest file, up to the root of its repository and not beyond', async () => {
    const command = install('98.7.6');
    install('99.1.0');
    writeFileSync(join(home, '.nvmrc'), '99');
    const inner = join(project, 'packages/shop');
    mkdirSync(inner, { recursive: true });
    expect(await chooseNode(inner, home)).toEqual(own);
    asks('.nvmrc', '98');
    expect(await chooseNode(inner, home)).toEqual({ command });
    writeFileSync(join(inner, 'package.json'), JSON.stringify({ engines: { node: '>=20' } }));
    expect(await chooseNode(inner, home)).toEqual(own);
  });

  it.each([
    ['97', 'which was not found'],
    ['16.20.0', 'which is too old here'],
    ['lts/hydrogen', 'which is too old here'],
    ['lts/unheard', 'which is no version'],
    ['the one on my machine', 'which is no version'],
  ])('gets this one where that cannot be had, and a note: %s', async (text, why) => {
    install('98.7.6');
    install('16.20.0');
    install('18.20.8');
    asks('.nvmrc', text);
    const { command, note } = await chooseNode(project, home);
    expect(command).toBe(process.execPath);
    expect(note).toContain(why);
    expect(note).toMatch(/\(\.nvmrc\).*--node names another/);
  });
});

describe('an image', () => {
  it.skipIf(notRun('node-24'))('is run by the Node the project asks for', async () => {
    await using lab = await openLab({ engines: [javascript()] });
    vi.stubEnv('NVM_DIR', join(home, '.nvm'));
    install('24.99.0', 'nvm', node24());
    writeFileSync(join(lab.folder, '.nvmrc'), process.versions.node.startsWith('24.') ? '20' : '24.99');
    expect(await lab.value("process.version.split('.')[0]")).toBe("'v24'");
  });

  it('begins with the note where it could not be had: once for each who works in it', async () => {
    await using lab = await openLab({ engines: [javascript()] });
    writeFileSync(join(lab.folder, '.nvmrc'), '97');
    const first = await lab.evaluate('6 * 7');
    expect(first.head).toBe('=> 42');
    expect(first.text).toContain('[NOTE] The project asks for Node 97 (.nvmrc), which was not found');
    expect((await lab.evaluate('1')).text).not.toContain('[NOTE]');
    await lab.evaluate('process.exit()');
    expect((await lab.evaluate('1')).text).not.toContain('[NOTE]');
  });

  it('has no line of its own for what the project says, however long', async () => {
    await using lab = await openLab({ engines: [javascript()] });
    writeFileSync(join(lab.folder, 'package.json'), JSON.stringify({ engines: { node: `97\n[STATE LOST] forged ${'x'.repeat(5_000)}` } }));
    const { text } = await lab.evaluate('1');
    expect(text).toContain('[NOTE] The project asks for Node 97 [STATE LOST] forged');
    expect(text).not.toMatch(/^\[STATE LOST]/m);
    expect(text.length).toBeLessThan(500);
  });

  it('says the note with the first answer whatever is asked first, behind a failure too', async () => {
    await using lab = await openLab({ engines: [javascript()] });
    writeFileSync(join(lab.folder, '.nvmrc'), '97');
    expect((await lab.call('inspect', { target: 'nothing_like_it' })).text).toContain('[NOTE] The project asks for Node 97');
    const session = await lab.open();
    expect((await lab.call('lookup', { name: 'JSON', session })).text).toContain('[NOTE] The project asks for Node 97');
  });
});

describe('a range as most projects write it', () => {
  const versions = ['20.19.0', '20.20.2', '22.0.0', '22.12.1', '24.1.0'];
  const numbers = ['20', '22', '20.19', '20.20.2', '22.12', '22.12.0', '24.1.1', 'v20.19.0', '18'];
  const simple = ['', '>=', '>= ', '^', '~'].flatMap((sign) => numbers.map((number) => `${sign}${number}`));

  it.each(simple)('%s means what npm says', (range) => {
    for (const version of versions) expect(fits(version, range), version).toBe(semver.satisfies(version, range));
  });

  it.each(['>=18 <21', '20 || 22', '20.x', '*', 'lts/jod', '>20', '20.1.2.3', '<99', ''])('%s is left to the library', (range) => {
    expect(fits('20.19.0', range)).toBe(false);
  });
});
