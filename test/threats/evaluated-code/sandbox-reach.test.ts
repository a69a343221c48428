// Code in a sandbox tries what is left to it: the machine's memory, its keys, other processes, and the files that show it its limits.
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { smalltalk } from 'vivarium/live';
import { notRun } from '../../../scripts/prepare.mjs';
import { openLab } from '../../live/fixture.ts';

const run = (command: string): string => `require('node:child_process').spawnSync('sh', ['-c', ${JSON.stringify(command)}]).status`;
const read = (file: string): string => `require('node:fs').readFileSync(${JSON.stringify(file)}, 'utf8')`;

let root: string;

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'reach-'));
  onTestFinished(() => rmSync(root, { recursive: true, force: true }));
});

describe.skipIf(notRun('bubblewrap'))('code in a sandbox', () => {
  it('can fill no file system in memory without a limit', async () => {
    await using lab = await openLab({ sandbox: { tmpMb: 1, write: true } });
    const mounts = JSON.parse(
      (await lab.value(`JSON.stringify(${read('/proc/self/mounts')})`)).slice(1, -1).replaceAll('\\\\', '\\'),
    ) as string;
    const inMemory = mounts
      .split('\n')
      .map((line) => line.split(' '))
      .filter(([, , kind]) => kind === 'tmpfs');
    expect(inMemory.map(([, at]) => at)).toEqual(expect.arrayContaining(['/', '/dev', '/dev/shm', '/tmp']));
    // Devices are single files of the host's.
    const open = inMemory.filter(([, at = '', , options = '']) => !/^ro,|,ro,/.test(options) && !/^\/dev\/(?!shm)/.test(at));
    expect(open.map(([, at, , options = '']) => [at, /size=(\d+)k/.exec(options)?.[1]])).toEqual([
      ['/dev/shm', '1024'],
      ['/tmp', '1024'],
    ]);
    for (const folder of ['/', '/dev', join(lab.folder, '.vivarium')])
      expect((await lab.evaluate(`require('node:fs').writeFileSync(${JSON.stringify(join(folder, 'x'))}, '')`)).text).toContain('EROFS');
    for (const folder of ['/tmp', '/dev/shm'])
      expect((await lab.evaluate(`require('node:fs').writeFileSync('${folder}/x', Buffer.alloc(2 ** 21))`)).text).toContain('ENOSPC');
  });

  it('sees certificates, but no private keys of the machine', async () => {
    await using lab = await openLab({ sandbox: true });
    expect(await lab.value("require('node:fs').existsSync('/etc/ssl/private')")).toBe('false');
    expect(await lab.value("require('node:fs').readdirSync('/etc').join()")).not.toMatch(/passwd|shadow|ssh/);
  });

  it('gets values of --env that no argument of a process shows', async () => {
    const value = `value-${process.pid}-${Date.now()}`;
    await using lab = await openLab({ sandbox: true, env: { API_KEY: value } });
    expect(await lab.value(`process.env.API_KEY === ${JSON.stringify(value)}`)).toBe('true');
    const lines = readdirSync('/proc').flatMap((pid) => {
      try {
        return /^\d+$/.test(pid) ? [readFileSync(`/proc/${pid}/cmdline`, 'utf8')] : [];
      } catch {
        return [];
      }
    });
    expect(lines.filter((line) => line.includes('bwrap')).length).toBeGreaterThan(0);
    expect(lines.filter((line) => line.includes(value))).toEqual([]);
  });

  it('has nothing in its environment that it was not given', async () => {
    await using lab = await openLab({ sandbox: true, env: { GIVEN: '1', TMPDIR: root } });
    expect(await lab.value("require('node:os').tmpdir()")).toBe("'/tmp'");
    const names = await lab.value('Object.keys(process.env).sort().join()');
    const usual = 'GIVEN HOME LANG LC_ALL LC_CTYPE LOGNAME NODE_EXTRA_CA_CERTS PATH PWD SHELL TERM TZ USER'.split(' ');
    expect(
      names
        .slice(1, -1)
        .split(',')
        .filter((name) => !usual.includes(name)),
    ).toEqual([]);
    expect(await lab.value(`${read('/proc/1/environ')}.length`)).toBe('0');
  });

  it('has no rights with which it could take away what hides files', async () => {
    await using lab = await openLab({ sandbox: true });
    const status = await lab.value(`${read('/proc/self/status')}.match(/^Cap.*/gm).map((line) => line.slice(-16)).join()`);
    expect(status).toBe(`'${Array(5).fill('0'.repeat(16)).join()}'`);
    expect(await lab.value(run(`umount ${join(lab.folder, 'state')}`))).not.toBe('0');
    // With a user namespace of its own it could, were the mounts not locked together.
    expect(await lab.value(run(`unshare --user --map-root-user --mount umount ${join(lab.folder, 'state')}`))).not.toBe('0');
  });

  it('reaches no socket of the host that has a name but no file', async () => {
    const name = `\0sandbox-reach-${process.pid}`;
    let came = 0;
    const server = createServer(() => came++).listen(name);
    onTestFinished(() => void server.close());
    await new Promise((resolve) => server.once('listening', resolve));
    await using lab = await openLab({ sandbox: true });
    const code = `await new Promise((resolve) => require('node:net').connect(${JSON.stringify(name)}, () => resolve('in')).on('error', (error) => resolve(error.code)))`;
    expect([await lab.value(code), came]).toEqual(["'ECONNREFUSED'", 0]);
  });

  it('has no open files but its own', async () => {
    await using lab = await openLab({ sandbox: true });
    const code =
      "require('node:fs').readdirSync('/proc/self/fd').map((fd) => { try { return require('node:fs').readlinkSync('/proc/self/fd/' + fd) } catch { return '' } }).filter((to) => to.startsWith('/') && !to.startsWith('/proc/') && !to.startsWith('/dev/')).join()";
    expect(await lab.value(code)).toBe("''");
  });

  it('sees no folder because a link of the project calls it a package', async () => {
    const secret = join(root, 'other');
    mkdirSync(secret);
    writeFileSync(join(secret, 'package.json'), '{ "name": "other" }');
    const project = join(root, 'project');
    mkdirSync(join(project, 'node_modules/@ambers'), { recursive: true });
    symlinkSync(secret, join(project, 'node_modules/@ambers/lang'));
    const launch = await smalltalk({ folder: project, node: process.execPath }).launch({ cwd: project, env: {}, heapMb: 64 });
    expect(launch.reads).not.toContain(secret);
  });
});
