// Where Smalltalk can be had, and what is said where it cannot.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { pharo, smalltalk } from 'vivarium/live';
import { notRun } from '../../../../scripts/prepare.mjs';
import { openLab } from '../../fixture.ts';

const command = fileURLToPath(new URL('../../../../dist/cli/main.js', import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'live-had-'));

function run(...args: readonly string[]): { readonly status: number | null; readonly stderr: string } {
  return spawnSync(process.execPath, args, { encoding: 'utf8', input: '', timeout: 60_000 });
}

describe('the command', () => {
  it('names the line that installs Amber where it is not there', () => {
    const hide = join(folder, 'hide.cjs');
    // As if nobody had installed it.
    writeFileSync(
      hide,
      `const modules = require('node:module'); const find = modules._resolveFilename;
       modules._resolveFilename = (name, ...rest) => { if (name.startsWith('@ambers/')) throw new Error('hidden'); return find(name, ...rest); };`,
    );
    const { status, stderr } = run('--require', hide, command, 'live', '--language', 'smalltalk', '--cwd', folder);
    expect(status).toBe(0);
    expect(stderr).toContain('Smalltalk (Amber) cannot be had here: Amber is not installed: npm install --save-dev @ambers/lang@0.30.0');
  });

  it.each([
    [['--image', '/nowhere/Pharo.image'], 'There is no image /nowhere/Pharo.image'],
    [['--vm', 'pharo'], '--vm is for --image'],
    [['--image', command, '--vm', '/nowhere/pharo'], '/nowhere/pharo cannot be run'],
    [['--own-image', '--image', 'x'], 'choose one'],
  ])('refuses %j in words', (flags, words) => {
    const { status, stderr } = run(command, 'live', '--cwd', folder, ...flags);
    expect(status).toBe(2);
    expect(stderr).toContain(words);
  });

  it('says in its help that Pharo has not been run', () => {
    expect(spawnSync(process.execPath, [command, 'live', '--help'], { encoding: 'utf8' }).stdout.replace(/\s+/g, ' ')).toContain(
      'its bridge has not been run on Pharo yet',
    );
  });
});

describe.skipIf(notRun('bubblewrap'))('in a sandbox', () => {
  it('Amber works, and is interrupted', async () => {
    await using lab = await openLab({ engines: [smalltalk()], sandbox: true });
    expect(await lab.value('x := 3 + 4')).toBe('7');
    expect((await lab.evaluate('[ true ] whileTrue', { timeout_ms: 300 })).head).toMatch(/^\[INTERRUPTED\]/);
    expect(await lab.value('x')).toBe('7');
  });

  it('an image that has to connect back is refused, and the reason is said', async () => {
    const image = join(folder, 'Pharo.image');
    writeFileSync(image, '[]');
    await using lab = await openLab({ engines: [pharo({ image, vm: process.execPath })], sandbox: true });
    expect((await lab.evaluate('3 + 4')).text).toContain('could not connect back: leave --sandbox out');
  });
});
