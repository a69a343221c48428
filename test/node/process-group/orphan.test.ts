import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { pathToFileURL } from 'node:url';
import { build } from 'esbuild';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import type { Command } from '../../../src/connect/stdio.ts';
import { children, fixture, throughShell, tree } from '../../connect/stdio-fixture.ts';
import { isAlive, readProc } from '../../serve/child.ts';

describe('the end of this process', { concurrent: true }, () => {
  let folder = '';
  let bundle = '';
  const parents = new Set<ChildProcess>();

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'stdio-'));
    const outfile = join(folder, 'stdio.mjs');
    await build({ entryPoints: ['src/connect/stdio.ts'], bundle: true, platform: 'node', format: 'esm', outfile });
    bundle = pathToFileURL(outfile).href;
    writeFileSync(join(folder, 'package.json'), JSON.stringify({ name: 'tree', version: '1.0.0', bin: 'tree.mjs' }));
    writeFileSync(
      join(folder, 'tree.mjs'),
      `#!/usr/bin/env node\nawait import(${JSON.stringify(pathToFileURL(fixture('tree')).href)});\n`,
      { mode: 0o755 },
    );
  });

  afterAll(() => {
    for (const parent of parents) parent.kill('SIGKILL');
    rmSync(folder, { recursive: true });
  });

  /** A program with a channel: its process, those of the server, and those that watch. */
  async function program(command: Command) {
    const parent = spawn(process.execPath, [fixture('parent'), bundle, JSON.stringify(command)], {
      stdio: ['pipe', 'pipe', 'ignore'],
      detached: true,
    });
    parents.add(parent);
    const [line] = await once(createInterface({ input: parent.stdout }), 'line');
    expect(line).toContain('pids');
    const watchdogs = children(parent.pid).filter((pid) => readProc(pid, 'cmdline').includes('vivarium-watchdog'));
    expect(watchdogs).toHaveLength(1);
    return { parent, pids: JSON.parse(line).pids as number[], watchdogs };
  }

  /** With a cache of its own: two that fill the same one get in each other's way. */
  function byNpx(settings: object = {}): Command {
    const env = { npm_config_cache: mkdtempSync(join(folder, 'cache-')) };
    return { command: 'npx', args: ['--yes', '--offline', folder, JSON.stringify(settings)], env };
  }

  const ways: readonly [string, (settings?: object) => Command][] = [
    ['directly', tree],
    ['through a shell', throughShell],
    ['by npx', byNpx],
  ];

  it.each(ways)('by SIGKILL ends a server with a timer and a child, started %s', async (_, command) => {
    const { parent, pids, watchdogs } = await program(command());
    parent.kill('SIGKILL');
    await vanish([...pids, ...watchdogs]);
  });

  it.each(ways)('by SIGKILL ends a server that ignores everything, started %s', async (_, command) => {
    const { parent, pids, watchdogs } = await program(command({ stubborn: true }));
    parent.kill('SIGKILL');
    await vanish([...pids, ...watchdogs]);
  });

  it('with all processes of its group ends the server', async () => {
    const { parent, pids, watchdogs } = await program(tree({ stubborn: true }));
    process.kill(-(parent.pid as number), 'SIGKILL');
    await vanish([...pids, ...watchdogs]);
  });

  it.each(['SIGINT', 'SIGTERM', 'SIGHUP'] as const)('by %s ends the server', async (signal) => {
    const { parent, pids, watchdogs } = await program(tree({ stubborn: true }));
    parent.kill(signal);
    await vanish([...pids, ...watchdogs]);
  });

  it.each(['exit', 'throw', 'close'])('by %s ends the server', async (how) => {
    const { parent, pids, watchdogs } = await program(tree({ stubborn: true }));
    parent.stdin?.write(`${how}\n`);
    await once(parent, 'exit');
    if (how === 'close') expect([...pids, ...watchdogs].map(isAlive)).toEqual([false, false, false]);
    await vanish([...pids, ...watchdogs]);
  });

  it('leaves no watchdog to a child that ended before', async () => {
    const { parent, pids, watchdogs } = await program(tree());
    process.kill(pids[0] as number, 'SIGKILL');
    await vanish([...pids, ...watchdogs]);
    expect(isAlive(parent.pid as number)).toBe(true);
    // Neither as a zombie.
    await vi.waitFor(() => expect(children(parent.pid)).toEqual([]), { timeout: 60_000, interval: 20 });
  });
});

async function vanish(pids: readonly number[]): Promise<void> {
  await vi.waitFor(() => expect(pids.filter(isAlive)).toEqual([]), { timeout: 60_000, interval: 20 });
}
