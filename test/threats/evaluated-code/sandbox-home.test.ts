// Code in a sandbox looks for the user's files and for sockets of other live servers, wherever Node was installed.
import {
  copyFileSync,
  cpSync,
  existsSync,
  linkSync,
  mkdirSync,
  mkdtempSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import type { Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { javascript, lisp } from 'vivarium/live';
import { notRun } from '../../../scripts/prepare.mjs';
import { openDoor } from '../../../src/live/access/local-socket.ts';
import { keptToken } from '../../../src/live/access/token.ts';
import { runFolder, stateFolder } from '../../../src/node/user-folders.ts';
import { type Lab, type LabOptions, openLab } from '../../live/fixture.ts';

let home: string;
let came: Socket[];
let door: string;

/** A home with a token, a key, and the socket of another live server in it. */
beforeEach(async () => {
  const { HOME, PATH } = process.env;
  home = realpathSync(mkdtempSync(join(tmpdir(), 'sandbox-home-')));
  process.env['HOME'] = home;
  came = [];
  await keptToken(join(stateFolder(), 'live'));
  const opened = await openDoor(home, (socket) => came.push(socket.on('error', () => undefined)), runFolder());
  door = opened.path;
  writeFileSync(join(home, 'key'), 'the private key');
  onTestFinished(async () => {
    await opened.close();
    process.env['HOME'] = HOME;
    process.env['PATH'] = PATH;
    // A core may just be built there.
    rmSync(home, { recursive: true, force: true, maxRetries: 20 });
  });
});

/** A real Node, with an npm beside it as installers put it there. */
function install(prefix: string): string {
  const node = join(prefix, 'bin/node');
  const npm = join(prefix, 'lib/node_modules/npm/bin/npm-cli.js');
  for (const file of [node, npm]) mkdirSync(dirname(file), { recursive: true });
  try {
    linkSync(process.execPath, node);
  } catch {
    copyFileSync(process.execPath, node);
  }
  writeFileSync(npm, "#!/usr/bin/env node\nconsole.log('npm of ' + process.execPath)\n", { mode: 0o755 });
  symlinkSync('../lib/node_modules/npm/bin/npm-cli.js', join(prefix, 'bin/npm'));
  return node;
}

function script(file: string, text: string): string {
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, `#!/bin/sh\n${text}\n`, { mode: 0o755 });
  return file;
}

/** [what is run, what that really is] */
const layouts: Readonly<Record<string, () => readonly [string, string]>> = {
  '~/.local/bin': () => {
    const node = install(join(home, '.local'));
    return [node, node];
  },
  '~/bin, the home itself being the prefix': () => {
    const node = install(home);
    return [node, node];
  },
  nvm: () => {
    const node = install(join(home, '.nvm/versions/node/v20.1.0'));
    return [node, node];
  },
  fnm: () => {
    const node = install(join(home, '.local/share/fnm/node-versions/v20.1.0/installation'));
    return [node, node];
  },
  'a shell of fnm': () => {
    const node = install(join(home, '.local/share/fnm/node-versions/v20.1.0/installation'));
    mkdirSync(join(home, '.local/state/fnm_multishells'), { recursive: true });
    symlinkSync(dirname(dirname(node)), join(home, '.local/state/fnm_multishells/1_2'));
    return [join(home, '.local/state/fnm_multishells/1_2/bin/node'), node];
  },
  Volta: () => {
    const node = install(join(home, '.volta/tools/image/node/20.1.0'));
    return [node, node];
  },
  'a shim of Volta': () => {
    const node = install(join(home, '.volta/tools/image/node/20.1.0'));
    script(join(home, '.volta/bin/volta-shim'), `exec ${node} "$@"`);
    symlinkSync('volta-shim', join(home, '.volta/bin/node'));
    return [join(home, '.volta/bin/node'), node];
  },
  asdf: () => {
    const node = install(join(home, '.asdf/installs/nodejs/20.1.0'));
    return [script(join(home, '.asdf/shims/node'), `exec ${node} "$@"`), node];
  },
  mise: () => {
    const node = install(join(home, '.local/share/mise/installs/node/20.1.0'));
    const mise = script(join(home, '.local/bin/mise'), `exec ${node} "$@"`);
    mkdirSync(join(home, '.local/share/mise/shims'));
    symlinkSync(mise, join(home, '.local/share/mise/shims/node'));
    return [join(home, '.local/share/mise/shims/node'), node];
  },
};

/** Every file it can see below the home. */
async function seen(lab: Lab): Promise<readonly string[]> {
  const code = `JSON.stringify(require('node:fs').existsSync(${q(home)}) ? require('node:fs').readdirSync(${q(home)}, { recursive: true, withFileTypes: true }).filter((one) => !one.isDirectory()).map((one) => require('node:path').join(one.parentPath ?? one.path, one.name)) : [])`;
  const text = await lab.value(code);
  return JSON.parse(text.slice(1, -1)) as string[];
}

/** What becomes of it when it goes to the socket of the other server. */
async function visit(lab: Lab, path: string): Promise<string> {
  return lab.value(
    `await new Promise((resolve) => { const socket = require('node:net').connect(${q(path)}, () => resolve('in')); socket.on('error', (error) => resolve(error.code)); })`,
  );
}

const q = (text: string): string => JSON.stringify(text);

async function enclosed(options: LabOptions = {}): Promise<Lab> {
  return openLab({ sandbox: true, ...options });
}

describe.skipIf(notRun('bubblewrap'))('code in a sandbox', () => {
  it.each(Object.entries(layouts))('sees of the home only Node and what comes with it, where Node is that of %s', async (_, lay) => {
    const [node, real] = lay();
    process.env['PATH'] = `${dirname(node)}${delimiter}${process.env['PATH']}`;
    await using lab = await enclosed({ node });
    expect(await lab.value('process.execPath')).toBe(`'${real}'`);
    const prefix = dirname(dirname(real));
    expect((await seen(lab)).toSorted()).toEqual(
      [join(prefix, 'bin/node'), join(prefix, 'bin/npm'), join(prefix, 'lib/node_modules/npm/bin/npm-cli.js')].toSorted(),
    );
    expect(await visit(lab, door)).toBe("'ENOENT'");
    expect(await lab.value("require('node:child_process').execFileSync('npm', ['--version']).toString()")).toBe(`'npm of ${real}\\n'`);
    expect(came).toEqual([]);
  });

  it('sees nothing of the home where Node is the system’s, whose npm works', async () => {
    await using lab = await enclosed();
    expect(await seen(lab)).toEqual([]);
    expect(await visit(lab, door)).toBe("'ENOENT'");
    if (existsSync('/usr/bin/npm') && process.execPath.startsWith('/usr/'))
      expect(await lab.value("require('node:child_process').execFileSync('npm', ['--version']).toString().trim()")).toMatch(/^'\d+\.\d+/);
  });

  it('sees neither token nor socket where the project is the home, and is told that it sees the rest', async () => {
    mkdirSync(join(home, '.vivarium'), { mode: 0o700 });
    writeFileSync(join(home, '.vivarium/here-1.sock'), '');
    await using lab = await enclosed({ cwd: home });
    const first = await lab.evaluate('1');
    expect(first.text).toContain(`${home} holds your home folder`);
    expect(await seen(lab)).toEqual([join(home, 'key')]);
    expect(await visit(lab, door)).toBe("'ENOENT'");
    expect(came).toEqual([]);
  });

  it('does not get to write to the home, as a project or as a part of one', async () => {
    for (const cwd of [home, dirname(home)]) {
      const started = enclosed({ cwd, sandbox: { write: true }, stateFolder: join(home, 'state') });
      await expect(started).rejects.toThrow(/holds your home folder|cannot be shown in a sandbox/);
    }
  });

  it('sees neither the state folder nor sockets of programs in the project, there from the start or made later', async () => {
    const project = join(home, 'project');
    const state = join(project, 'data/state');
    for (const folder of ['packages/api/.vivarium', 'src']) mkdirSync(join(project, folder), { recursive: true });
    writeFileSync(join(project, 'packages/api/.vivarium/here-2.sock'), '');
    writeFileSync(join(project, 'src/app.js'), '');
    await using lab = await enclosed({ cwd: project, stateFolder: state, sandbox: true });
    await lab.evaluate('1');
    await keptToken(state);
    writeFileSync(join(project, '.vivarium/here-3.sock'), '');
    expect((await seen(lab)).filter((file) => file.startsWith(project))).toEqual([join(project, 'src/app.js')]);
  });

  it('does not follow links of the project to files of the user', async () => {
    const project = join(home, 'project');
    mkdirSync(project);
    symlinkSync(join(home, 'key'), join(project, 'key'));
    symlinkSync(stateFolder(), join(project, '.vivarium'));
    await using lab = await enclosed({ cwd: project, stateFolder: join(home, 'elsewhere') });
    expect((await lab.evaluate("require('node:fs').readFileSync('key', 'utf8')")).text).toContain('ENOENT');
    expect((await lab.evaluate("require('node:fs').readdirSync('.vivarium')")).text).toContain('ENOENT');
  });

  it('has the project under the name it was given, where that is a link', async () => {
    mkdirSync(join(home, 'real/project'), { recursive: true });
    writeFileSync(join(home, 'real/project/own.mjs'), 'export const own = 42;');
    symlinkSync('real', join(home, 'alias'));
    await using lab = await enclosed({ cwd: join(home, 'alias/project'), stateFolder: join(home, 'alias/project/state') });
    expect(await lab.value(`(await import(${q(join(home, 'alias/project/own.mjs'))})).own + (await import('./own.mjs')).own`)).toBe('84');
    expect(await lab.value("require('node:fs').readdirSync('state').length")).toBe('0');
  });

  it.each([
    ['the root', () => '/'],
    ['the folder of temporary files', () => tmpdir()],
  ])('is not started where the project would be %s', async (_, folder) => {
    const started = enclosed({ cwd: folder(), stateFolder: join(home, 'state') });
    await expect(started).rejects.toThrow(/cannot be shown in a sandbox.*start in the project's folder, or pass --cwd/);
  });

  it.skipIf(notRun('sbcl'))(
    'sees of the home only SBCL and what comes with it, where that is in ~/.local',
    async () => {
      cpSync('/usr/lib/sbcl', join(home, '.local/lib/sbcl'), { recursive: true });
      mkdirSync(join(home, '.local/bin'));
      cpSync('/usr/bin/sbcl', join(home, '.local/bin/sbcl'));
      const engines = [lisp({ sbcl: join(home, '.local/bin/sbcl') })];
      await using lab = await enclosed({ engines, limits: { rssMb: 1_024, bootMs: 60_000 } });
      const where = '(progn (require :sb-md5) (sb-ext:native-namestring sb-ext:*runtime-pathname*))';
      expect(await lab.value(where)).toBe(`"${join(home, '.local/bin/sbcl')}"`);
      const files = `(mapcar #'sb-ext:native-namestring (remove nil (directory "${home}/**/*.*" :resolve-symlinks nil) :key #'pathname-name))`;
      expect(Number(await lab.value(`(length ${files})`))).toBeGreaterThan(5);
      expect(await lab.value(`(remove-if (lambda (path) (search "/.local/lib/sbcl/" path)) ${files})`)).toBe(
        `("${join(home, '.local/bin/sbcl')}")`,
      );
    },
    120_000,
  );

  it('is not started where an engine needs a folder that holds the home', async () => {
    const engine = javascript({ node: process.execPath });
    const wide = {
      ...engine,
      launch: async (options: Parameters<typeof engine.launch>[0]) => ({ ...(await engine.launch(options)), reads: [dirname(home)] }),
    };
    await using lab = await enclosed({ engines: [wide] });
    const { isError, text } = await lab.evaluate('1');
    expect([isError, text]).toEqual([true, expect.stringContaining(`would show ${dirname(home)}, which holds ${home}`)]);
  });

  it('sees of this package what it loads, and not what lies beside it', async () => {
    await using lab = await enclosed();
    const own = join(import.meta.dirname, '../../..');
    expect(await lab.value(`require('node:fs').readdirSync(${q(own)}).sort().join()`)).toBe("'dist,node_modules,package.json'");
    expect(await lab.value(`require('node:fs').existsSync(${q(join(own, 'node_modules/vitest'))})`)).toBe('false');
    // Types are taken away by a package of ours.
    expect(await lab.value('const typed: number = 42; typed')).toBe('42');
  });

  it('cannot run a bubblewrap of the project in place of the system’s', async () => {
    const mark = join(home, 'mark');
    script(join(home, 'node_modules/.bin/bwrap'), `touch ${mark}; exec /usr/bin/bwrap "$@"`);
    process.env['PATH'] = `${join(home, 'node_modules/.bin')}${delimiter}${process.env['PATH']}`;
    await using lab = await enclosed();
    expect(await lab.value('1 + 1')).toBe('2');
    expect(existsSync(mark)).toBe(false);
  });
});
