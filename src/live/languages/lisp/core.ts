// A core with the bridge in it, so that an image is there at once: built on first use, in the background, and kept.

import { spawn, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { closeSync, existsSync, openSync, readdirSync, readFileSync, readSync, realpathSync, rmSync, statSync } from 'node:fs';
import { basename, join } from 'node:path';
import { ownFolder, ownProblem } from '../../../node/own-folder.ts';
import { signalGroup } from '../../../node/process-group.ts';
import { cacheFolder } from '../../../node/user-folders.ts';
import type { EndReason } from '../../image/engine.ts';
import { bridgeFile, bridgeFolder } from './bridge-files.ts';

export interface Core {
  readonly file?: string;
  /** Where there is none yet. */
  readonly note?: string;
}

const building = new Map<string, Promise<string | undefined>>();
const keys = new Map<string, string>();
const buildMs = 120_000;
const askMs = 5_000;
/** That of images with the default heap: begun with a space of another size, SBCL changes all its code first, which doubles the start. */
const usualSpace = '4096MB';
/**
 * What is built goes on when the server ends, which ends its own children: whoever only ever asks one thing would have no core
 * otherwise, and a draft of 40 MB each time.
 */
const keep = `umask 077; file=$1; shift
{ if "$@" 2>"$0.log"; then mv -f "$0" "$file" && rm -f "$0.log"; else code=$?; rm -f "$0"; exit $code; fi; } & wait $!`;

/** The core, where it is built already and nobody else could have written it: it is run. */
export function coreFile(sbcl: string, folder: string = cacheFolder()): string | undefined {
  const file = corePath(sbcl, folder);
  return existsSync(file) && ownProblem(file, 'file') === undefined ? file : undefined;
}

/** Where it is, or will be. */
export function corePath(sbcl: string, folder: string): string {
  return join(folder, `sbcl-${keyOf(sbcl)}.core`);
}

/** What there is now: nobody waits for a core that is being built. */
export async function readyCore(sbcl: string, folder: string = cacheFolder()): Promise<Core> {
  const file = coreFile(sbcl, folder);
  if (file !== undefined) return { file };
  const failed = await Promise.race([buildCore(sbcl, folder), undefined]);
  return {
    note:
      failed === undefined
        ? 'A core with the bridge is being built once, in the background; until it is there, an image takes some seconds to start.'
        : `A core for an instant start could not be built (${failed}); an image takes some seconds to start.`,
  };
}

/** A core with which an image ended before it was ready would end the next one too; images that we ended say nothing about it. */
export function discardCore(file: string, reason: EndReason): string | undefined {
  if (reason !== 'exited' && reason !== 'signalled') return undefined;
  rmSync(file, { force: true });
  return '. The core it began with was thrown away, and the next image begins without it: try again';
}

/** Why it could not be built; undefined when it is there. */
function buildCore(sbcl: string, folder: string): Promise<string | undefined> {
  const file = corePath(sbcl, folder);
  const problem = ownProblem(file, 'file');
  if (problem !== undefined || existsSync(file)) return Promise.resolve(problem);
  let running = building.get(file);
  if (running === undefined) {
    running = build(sbcl, folder, file);
    building.set(file, running);
    void running.then((why) => why === undefined && building.delete(file));
  }
  return running;
}

async function build(sbcl: string, folder: string, file: string): Promise<string | undefined> {
  try {
    ownFolder(folder);
  } catch (error) {
    return (error as Error).message;
  }
  // Several servers may build at once: each its own, and the last one stays.
  const draft = `${file}.${process.pid}`;
  const args = [
    '--noinform',
    '--dynamic-space-size',
    usualSpace,
    '--no-sysinit',
    '--no-userinit',
    '--disable-debugger',
    '--load',
    bridgeFile('build.lisp'),
    draft,
  ];
  const child = spawn('/bin/sh', ['-c', keep, draft, file, sbcl, ...args], { stdio: 'ignore', detached: true });
  // It must never be what keeps a server alive.
  child.unref();
  const late = setTimeout(() => signalGroup(child.pid, 'SIGKILL'), buildMs);
  late.unref();
  const code = await new Promise<number | string | null>((resolve) => {
    child.once('error', (error) => resolve(error.message)).once('exit', (status, signal) => resolve(status ?? signal));
  });
  clearTimeout(late);
  try {
    if (code !== 0 || !existsSync(file)) {
      // By a signal only the one that waits has ended.
      if (typeof code !== 'number') return `it was ended by ${code}`;
      const said = existsSync(`${draft}.log`) ? readFileSync(`${draft}.log`, 'utf8') : '';
      rmSync(`${draft}.log`, { force: true });
      return `it ended with ${code}: ${said.trim().slice(-300)}`;
    }
    rmSync(`${draft}.log`, { force: true });
    forgetOthers(folder, file);
  } catch (error) {
    return (error as Error).message;
  }
  return undefined;
}

/** Cores of other versions that nobody has begun with for a month, and what was left half written. */
function forgetOthers(folder: string, file: string): void {
  const month = 30 * 24 * 3_600_000;
  for (const name of readdirSync(folder)) {
    const other = join(folder, name);
    const whole = name.endsWith('.core');
    if (!/^sbcl-.*\.core/.test(name) || other === file) continue;
    const used = statSync(other, { throwIfNoEntry: false })?.[whole ? 'atimeMs' : 'mtimeMs'] ?? Date.now();
    if (Date.now() - used > (whole ? month : 10 * buildMs)) rmSync(other, { force: true });
  }
}

/** A core fits only the program that wrote it, and our bridge as it is now. */
function keyOf(sbcl: string): string {
  const file = realpathSync(sbcl);
  const { mtimeMs, size } = statSync(file);
  const known = `${sbcl} ${file} ${mtimeMs} ${size}`;
  let key = keys.get(known);
  if (key === undefined) {
    const hash = createHash('sha256').update(known).update(usualSpace);
    // It may run another one tomorrow without having changed; to ask takes as long as to start.
    if (isStandIn(file)) hash.update(spawnSync(sbcl, ['--version'], { encoding: 'utf8', timeout: askMs }).stdout ?? '');
    for (const name of readdirSync(bridgeFolder()).sort()) hash.update(name).update(readFileSync(bridgeFile(name)));
    key = hash.digest('hex').slice(0, 16);
    keys.set(known, key);
  }
  return key;
}

/** A script, or the one program that a version manager has for all: its links have the names, and it looks which version is meant. */
function isStandIn(file: string): boolean {
  if (!/^\.?sbcl/.test(basename(file))) return true;
  const head = Buffer.alloc(2);
  try {
    const opened = openSync(file, 'r');
    try {
      readSync(opened, head);
    } finally {
      closeSync(opened);
    }
  } catch {
    // What may be run need not be readable.
    return true;
  }
  return head.toString('latin1') === '#!';
}
