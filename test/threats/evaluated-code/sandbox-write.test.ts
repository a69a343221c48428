// Code that may write to the project renames folders, to replace what runs outside of the sandbox or to uncover what is hidden from it.
import { chmodSync, cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, realpathSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { connect } from 'vivarium/client';
import { stdio } from 'vivarium/connect/stdio';
import { createLive } from 'vivarium/live';
import { notRun } from '../../../scripts/prepare.mjs';
import { mountsOf } from '../../../src/live/sandbox/mounts.ts';
import { keptFrom } from '../../../src/live/sandbox/write.ts';
import { openLab } from '../../live/fixture.ts';

const repository = fileURLToPath(new URL('../../../', import.meta.url));
const refused = (message: string): unknown => expect.objectContaining({ code: 'ERR_CONFIG', message: expect.stringContaining(message) });

let root: string;
let project: string;

beforeEach(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), 'sandbox-write-')));
  project = join(root, 'project');
  mkdirSync(project);
  onTestFinished(() => rmSync(root, { recursive: true, force: true }));
});

/** With this package in it, as npm installs it. */
function install(): string {
  const packages = join(project, 'node_modules');
  mkdirSync(packages);
  for (const name of readdirSync(join(repository, 'node_modules')).filter((one) => !one.startsWith('.') && one !== '@swc'))
    symlinkSync(join(repository, 'node_modules', name), join(packages, name));
  for (const name of ['package.json', 'dist']) cpSync(join(repository, name), join(packages, 'vivarium', name), { recursive: true });
  return join(packages, 'vivarium/dist/cli/main.js');
}

describe.skipIf(notRun('bubblewrap'))('code that may write to the project', () => {
  it('cannot have a package of its own loaded outside, where Vivarium is in the project', async () => {
    const command = [install(), 'live', '--sandbox-write', '--state', join(root, 'state'), '--cwd', project];
    const client = await connect(stdio({ command: process.execPath, args: command, cwd: project }));
    onTestFinished(() => client.close());
    const evaluate = async (code: string): Promise<string> => JSON.stringify((await client.callTool('evaluate', { code })).content);
    const attempt = (code: string): Promise<string> =>
      evaluate(`(() => { const fs = require('node:fs'); try { ${code}; return 'did it' } catch (error) { return error.code } })()`);
    expect(await attempt("fs.writeFileSync('made', '')")).toContain('did it');
    expect(await attempt("fs.renameSync('node_modules', 'moved')")).toContain('EBUSY');
    expect(await attempt("fs.renameSync('node_modules/vivarium', 'node_modules/moved')")).toContain('EROFS');
    for (const folder of ['node_modules/@swc', 'node_modules/vivarium/node_modules', 'node_modules/vivarium/dist/node_modules'])
      expect(await attempt(`fs.mkdirSync('${folder}')`)).toContain('EROFS');
    expect(await attempt("fs.writeFileSync('node_modules/vivarium/package.json', '')")).toContain('EROFS');
    await evaluate('const typed: number = 5; typed');
    expect([existsSync(join(project, 'made')), existsSync(join(project, 'node_modules/vivarium'))]).toEqual([true, true]);
  });

  it('has nothing of Vivarium in reach, where that is in the project but not in its node_modules', () => {
    const own = join(project, 'packages/vivarium/dist');
    mkdirSync(own, { recursive: true });
    expect(() => keptFrom({ project, own: [own], secret: [] })).toThrow(`Vivarium itself runs ${own}`);
    mkdirSync(join(project, 'node_modules'));
    expect(keptFrom({ project, own: [join(project, 'node_modules')], secret: [] })).toEqual([join(project, 'node_modules')]);
    expect(keptFrom({ project, own: [repository], secret: [] })).toEqual([]);
  });

  it('cannot rename what hides the state and the sockets directly in the project', async () => {
    await using lab = await openLab({ cwd: project, stateFolder: join(project, 'state'), sandbox: { write: true } });
    for (const name of ['state', '.vivarium', '../project']) {
      const code = `try { require('node:fs').renameSync('${name}', '${name}-moved'); 'did it' } catch (error) { error.code }`;
      expect(await lab.value(code)).toMatch(/EBUSY|EROFS/);
    }
    expect(await lab.value("require('node:fs').readdirSync('state').length")).toBe('0');
  });

  it.each(['packages/api', 'node_modules/api', '.git/api'])('gets no image where sockets of programs are in %s', async (folder) => {
    await using lab = await openLab({ cwd: project, stateFolder: join(root, 'state'), sandbox: { write: true } });
    expect(await lab.value('1')).toBe('1');
    const sockets = join(project, folder, '.vivarium');
    mkdirSync(sockets, { recursive: true });
    expect(() => createLive({ cwd: project, sandbox: { write: true } })).toThrow(refused(`${sockets} holds sockets`));
    await lab.call('sessions', { action: 'reset' });
    expect(await lab.evaluate('2')).toMatchObject({ isError: true, text: expect.stringContaining(`remove ${sockets}`) });
    rmSync(sockets, { recursive: true });
    expect(await lab.value('3')).toBe('3');
  });

  it('is refused where there are too many folders to look for sockets in, or one that cannot be read', () => {
    for (const name of ['a', 'b', 'c/d']) mkdirSync(join(project, name), { recursive: true });
    expect(() => keptFrom({ project, own: [], secret: [] }, 4)).toThrow('has more than 4 folders');
    expect(keptFrom({ project, own: [], secret: [] }, 5)).toEqual([]);
    // Root reads it all the same.
    if (process.geteuid?.() === 0) return;
    chmodSync(join(project, 'c'), 0);
    onTestFinished(() => chmodSync(join(project, 'c'), 0o700));
    expect(() => keptFrom({ project, own: [], secret: [] })).toThrow(`${join(project, 'c')} cannot be read`);
  });

  it('is refused where the state is below a folder of the project, or behind a link in it', () => {
    mkdirSync(join(project, 'real'));
    symlinkSync('real', join(project, 'link'));
    symlinkSync(root, join(project, 'out'));
    for (const state of ['var/state', 'link', 'link/state', 'out/state'])
      expect(() => createLive({ cwd: project, stateFolder: join(project, state), sandbox: { write: true } })).toThrow(
        refused(`${join(project, state)} holds files of Vivarium's own`),
      );
  });

  it('cannot have a folder mounted by putting a link in the place of a package that is read', () => {
    const secret = join(root, 'secret');
    mkdirSync(secret);
    symlinkSync(secret, join(project, 'package'));
    const args = mountsOf({ project, write: true, own: [], reads: [join(project, 'package')], writes: [], links: [], hidden: [] });
    expect(args).not.toContain(secret);
  });
});
