// A process by its number: whether it may be asked to open its inspector, and how it is asked. Linux only, because only /proc tells.
import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { basename } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { handledSignals } from './handled-signals.ts';

const openMs = 5_000;
const sigusr1 = 10;
const usualPort = 9_229;

/** Host and port of its inspector; it is asked to open one where there is none. Throws in words, and has then done nothing to it. */
export async function inspectorOf(pid: number): Promise<{ readonly host: string; readonly opened: boolean }> {
  checkProcess(pid);
  const port = portOf(pid);
  const before = heldBy(pid);
  const open = before.find((one) => one.port === port);
  if (open !== undefined) return { host: hostOf(open), opened: false };
  checkSignal(pid, port);
  process.kill(pid, 'SIGUSR1');
  for (const until = performance.now() + openMs; performance.now() < until; await sleep(20)) {
    const fresh = heldBy(pid).find((one) => (port === 0 ? before.every(({ inode }) => inode !== one.inode) : one.port === port));
    if (fresh !== undefined) return { host: hostOf(fresh), opened: true };
  }
  throw new Error(`The process ${pid} was asked to open its inspector and has not done so`);
}

/** Whose it is, and what: nothing that is not a Node of this user's, and none that we depend on. */
export function checkProcess(pid: number): void {
  if (process.platform !== 'linux')
    throw new Error(
      'A process can be attached to by its number on Linux only: start it with --inspect and give the address, or with --import vivarium/here',
    );
  const status = read(`/proc/${pid}/status`);
  if (field(status, 'Tgid') !== String(pid)) throw new Error(`There is no process ${pid}`);
  if (ancestors().includes(pid))
    throw new Error(`The process ${pid} is the one this server runs in, or one that started it: to stop in it would be to stop for ever`);
  if (/^[ZXT]/i.test(field(status, 'State') ?? '')) throw new Error(`The process ${pid} is stopped, or has ended`);
  const uid = process.getuid?.();
  const owners = (field(status, 'Uid') ?? '').split(/\s+/);
  if (!owners.every((one) => Number(one) === uid)) throw new Error(`The process ${pid} belongs to another user`);
  const program = link(`/proc/${pid}/exe`);
  if (!/^node(?:js)?(?:-?[\d.]+)?$/.test(basename(program.replace(/ \(deleted\)$/, ''))))
    throw new Error(
      `The process ${pid} is not Node${program === '' ? '' : ` but ${basename(program)}`}: the signal that opens an inspector would end it`,
    );
  if (link(`/proc/${pid}/ns/net`) !== link('/proc/self/ns/net'))
    throw new Error(`The process ${pid} has a network of its own, such as a container's: its inspector could not be reached`);
}

/** The signal is sent only where it is proved that Node itself takes it, and that the port is free. */
function checkSignal(pid: number, port: number): void {
  const otherwise = 'Start it with --inspect and attach to the address, or with --import vivarium/here';
  const caught = BigInt(`0x${field(read(`/proc/${pid}/status`), 'SigCgt') ?? '0'}`);
  if (((caught >> BigInt(sigusr1 - 1)) & 1n) === 0n)
    throw new Error(`The process ${pid} does not take the signal that opens an inspector, which would end it. ${otherwise}`);
  const handled = handledSignals(pid);
  if (handled === undefined) {
    throw new Error(
      `It cannot be told whether the process ${pid} has a handler of its own for SIGUSR1, the signal that opens an inspector. ${otherwise}; or, if you know that it has none, run kill -USR1 ${pid} yourself and attach to 127.0.0.1:${usualPort}`,
    );
  }
  if (handled.has(sigusr1))
    throw new Error(`The process ${pid} has a handler of its own for SIGUSR1, the signal that opens an inspector. ${otherwise}`);
  if (port !== 0 && listeners().some((one) => one.port === port))
    throw new Error(
      `Port ${port}, where the inspector of process ${pid} would listen, is taken by another process. ${otherwise.replace('--inspect', '--inspect=0')}`,
    );
}

/** Where it would open one: by its own flags, and those in its environment. */
function portOf(pid: number): number {
  const words = `${
    read(`/proc/${pid}/environ`)
      .split('\0')
      .find((one) => one.startsWith('NODE_OPTIONS='))
      ?.slice('NODE_OPTIONS='.length) ?? ''
  } ${read(`/proc/${pid}/cmdline`).replaceAll('\0', ' ')}`;
  const said = [...words.matchAll(/--(?:inspect(?:-brk|-wait|-port)?|debug-port)[= ](?:\S{0,255}:)?(\d+)(?= |$)/g)].at(-1)?.[1];
  return said === undefined ? usualPort : Number(said);
}

/** What it listens on itself. */
function heldBy(pid: number): Listener[] {
  const sockets = new Set(names(`/proc/${pid}/fd`).flatMap((name) => /^socket:\[(\d+)]$/.exec(link(`/proc/${pid}/fd/${name}`))?.[1] ?? []));
  return sockets.size === 0 ? [] : listeners().filter(({ inode }) => sockets.has(inode));
}

function hostOf({ host, port }: Listener): string {
  return `${host}:${port}`;
}

interface Listener {
  readonly host: string;
  readonly port: number;
  readonly inode: string;
}

/** All of this machine, in this network. */
function listeners(): Listener[] {
  return ['tcp', 'tcp6'].flatMap((name) =>
    read(`/proc/self/net/${name}`)
      .split('\n')
      .slice(1)
      .flatMap((line) => {
        const [, address = '', , state, , , , , , inode = ''] = line.trim().split(/\s+/);
        const [, port] = address.split(':');
        if (state !== '0A' || port === undefined) return [];
        return [{ host: name === 'tcp' ? '127.0.0.1' : '[::1]', port: Number.parseInt(port, 16), inode }];
      }),
  );
}

function ancestors(): number[] {
  const found: number[] = [];
  for (let pid = process.pid; pid > 0 && found.length < 100; pid = Number(field(read(`/proc/${pid}/status`), 'PPid') ?? 0)) found.push(pid);
  return found;
}

function field(status: string, name: string): string | undefined {
  return new RegExp(`^${name}:\\s*(.*)$`, 'm').exec(status)?.[1];
}

function names(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    // It has just ended, or is not ours.
    return [];
  }
}

function link(path: string): string {
  try {
    return readlinkSync(path);
  } catch {
    return '';
  }
}

function read(file: string): string {
  try {
    return readFileSync(file, 'latin1');
  } catch {
    return '';
  }
}
