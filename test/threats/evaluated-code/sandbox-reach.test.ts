// Code in a sandbox tries what is left to it: the machine's memory, its keys, other processes, and the files that show it its limits.
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { smalltalk } from 'vivarium/live';
import { notRun } from '../../../scripts/prepare.mjs';
import { callFilter } from '../../../src/live/sandbox/seccomp.ts';
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

  it.skipIf(process.arch !== 'x64' || (!process.env['CI'] && !existsSync('/usr/bin/perl')))(
    'does not get at keys in the keyring of the kernel',
    async () => {
      await using lab = await openLab({ sandbox: true });
      const x32 = 0x4000_0000;
      // add_key, request_key and keyctl, to ask for the keyring of the session; getppid is there as ever.
      const calls = ['248, $a, $a, $a, 1, -3', '249, $a, $a, 0, 0', '250, 0, -3, 0', `${x32 + 250}, 0, -3, 0`, '110'];
      const script = `my $a = "user"; ${calls.map((call) => `print syscall(${call}) < 0 ? $! + 0 : "did it", " ";`).join(' ')}`;
      const code = `require('node:child_process').execFileSync('/usr/bin/perl', ['-e', ${JSON.stringify(script)}]).toString()`;
      expect(await lab.value(code)).toBe("'1 1 1 1 did it '");
    },
  );

  it('is kept from keys by a filter with an answer for every way through it', () => {
    const bytes = callFilter();
    const run = (architecture: number, call: number): number => {
      for (let at = 0, value = 0; ; at++) {
        const [code, then, otherwise, k] = [
          bytes.readUInt16LE(at * 8),
          bytes[at * 8 + 2]!,
          bytes[at * 8 + 3]!,
          bytes.readUInt32LE(at * 8 + 4),
        ];
        if (code === 0x06) return k;
        if (code === 0x20) value = k === 4 ? architecture : call;
        else at += (code === 0x15 ? value === k : value >= k) ? then : otherwise;
      }
    };
    const [x64, i386, arm64, other] = [0xc000_003e, 0x4000_0003, 0xc000_00b7, 0x8000_0016];
    const denied = [
      [x64, 248],
      [x64, 249],
      [x64, 250],
      [x64, 0x4000_0000],
      [i386, 286],
      [i386, 288],
      [arm64, 217],
      [arm64, 219],
    ] as const;
    for (const [architecture, call] of denied) expect(run(architecture, call)).toBe(0x0005_0001);
    const allowed = [
      [x64, 0],
      [x64, 247],
      [x64, 251],
      [i386, 250],
      [i386, 289],
      [arm64, 216],
      [arm64, 220],
      [other, 250],
    ] as const;
    for (const [architecture, call] of allowed) expect(run(architecture, call)).toBe(0x7fff_0000);
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
