// The script that makes a machine ready: what it says, what it installs, and when that is a failure.
import { spawnSync } from 'node:child_process';
import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type Component, installLine, missing, node24, notRun } from '../../scripts/prepare.mjs';
import { root } from './tree.ts';

const here: Component = { name: 'node', debian: 'nodejs', probe: [process.execPath, '--version'] };
const absent: Component = { name: 'absent', debian: 'absent-tool', probe: ['vivarium-absent-tool', '--version'] };

const asRootOnDebian = process.getuid?.() === 0 && existsSync('/etc/debian_version');

describe('missing', () => {
  it('names the components whose probe fails', () => {
    expect(missing([here, absent])).toEqual([absent]);
  });

  it('finds nothing in an empty table', () => {
    expect(missing([])).toEqual([]);
  });
});

describe('notRun', () => {
  it('lets the tests of a missing component be left out, but not with CI set', () => {
    expect(notRun('absent', [here, absent])).toBe(!process.env['CI']);
    expect(notRun('node', [here, absent])).toBe(false);
  });

  it('knows Node 24', () => {
    expect(notRun('node-24')).toBe(!process.env['CI'] && node24() === undefined);
  });
});

it('the second Node is a Node 24', ({ skip }) => {
  skip(notRun('node-24'), 'Node 24 is not fetched');
  expect(spawnSync(node24() ?? 'node-24', ['--version'], { encoding: 'utf8' }).stdout).toMatch(/^v24\./);
});

it('the line that installs names each package once', () => {
  expect(installLine([absent, { ...absent, name: 'other' }])).toBe('apt-get install --yes --no-install-recommends absent-tool');
});

describe('prepareComponents', () => {
  let folder: string;

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'prepare-'));
  });

  afterEach(() => {
    rmSync(folder, { recursive: true });
  });

  it('prints nothing when there is nothing to do', () => {
    expect(prepare([here], {})).toEqual({ ready: true, said: '' });
  });

  it('prints the line that installs', () => {
    const { ready, said } = prepare([absent], {});
    expect(ready).toBe(false);
    expect(said).toContain('sudo apt-get install --yes --no-install-recommends absent-tool');
  });

  it.runIf(asRootOnDebian)('installs as root on Debian with CI set, updating once', () => {
    const { ready } = prepare([absent], { CI: 'true' });
    expect(ready).toBe(true);
    expect(readFileSync(join(folder, 'calls'), 'utf8')).toBe(
      '-o Acquire::Retries=3 update\n-o Acquire::Retries=3 install --yes --no-install-recommends absent-tool\n',
    );
  });

  it.runIf(asRootOnDebian)('fails with CI set when the component is still missing afterwards', () => {
    const { ready, said } = prepare([{ ...absent, probe: ['vivarium-never'] }], { CI: 'true' });
    expect(ready).toBe(false);
    expect(said).toContain('Could not install absent');
  });

  /** Runs it in a process of its own, where apt-get only notes how it was called and installs the absent tool. */
  function prepare(list: readonly Component[], environment: Readonly<Record<string, string>>): { ready: boolean; said: string } {
    command('apt-get', `echo "$@" >>'${folder}/calls'; [ "$3" = update ] || cp '${folder}/tool' '${folder}/vivarium-absent-tool'`);
    command('tool', 'exit 0');
    const { CI: _, ...inherited } = process.env;
    const code = `import(${JSON.stringify(pathToFileURL(join(root, 'scripts/prepare.mjs')))}).then(({ prepareComponents }) => process.exit(prepareComponents(${JSON.stringify(list)}) ? 0 : 1))`;
    const env = { ...inherited, ...environment, PATH: `${folder}${delimiter}${inherited['PATH']}` };
    const { status, stderr } = spawnSync(process.execPath, ['--eval', code], { encoding: 'utf8', env });
    return { ready: status === 0, said: stderr };
  }

  function command(name: string, script: string): void {
    writeFileSync(join(folder, name), `#!/bin/sh\n${script}\n`);
    chmodSync(join(folder, name), 0o755);
  }
});
