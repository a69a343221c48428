// A child process and everything it starts, as one thing that can be ended, also when this process is not there to do it.

import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { pause } from '../text/timeouts.ts';

/**
 * Waits for this process to go: its end of the pipe is closed by nothing else. Then it ends the group, and itself. A line
 * says that the group has had its SIGTERM. Where sleep takes whole seconds only, one of them has to do.
 */
const script = `read -r told || kill -s TERM -- "-$1" || exit 0
for turn in 1 2 3 4 5 6 7 8 9 10; do
  kill -s 0 -- "-$1" || exit 0
  sleep 0.1 || { sleep 1; break; }
done
kill -s KILL -- "-$1"`;

const minPollMs = 5;
const maxPollMs = 80;
const groups = new Set<ProcessGroup>();

export class ProcessGroup {
  readonly #pid: number;
  readonly #leader: ChildProcess;
  readonly #watchdog: ChildProcess | undefined;
  #gone = false;

  constructor(leader: ChildProcess, pid: number) {
    this.#leader = leader;
    this.#pid = pid;
    this.#watchdog = process.platform === 'win32' ? undefined : watch(pid);
    if (groups.size === 0) process.on('exit', abandonAll);
    groups.add(this);
  }

  /** Once nobody is left the number may become somebody else's: after that it is never used again. */
  get alive(): boolean {
    if (!this.#gone) this.#gone = process.platform === 'win32' ? this.#left : !this.#send(0);
    return !this.#gone;
  }

  signal(signal: 'SIGTERM' | 'SIGKILL'): void {
    if (!this.alive) return;
    if (process.platform !== 'win32') this.#send(signal);
    else spawn('taskkill', treeOf(this.#pid), { stdio: 'ignore', windowsHide: true }).on('error', () => this.#leader.kill());
  }

  /** Whether everybody has gone in this time. Only our own child tells; for what it started one has to look. */
  async goes(withinMs: number): Promise<boolean> {
    const late = performance.now() + withinMs;
    for (let pollMs = minPollMs; this.alive; pollMs = Math.min(2 * pollMs, maxPollMs)) {
      if (this.#left && hasEnded(this.#pid)) return true;
      if (performance.now() >= late) return false;
      await pause(Math.min(pollMs, withinMs));
    }
    return true;
  }

  /** Nobody has to be ended any more. */
  async release(): Promise<void> {
    this.#gone = true;
    if (groups.delete(this) && groups.size === 0) process.off('exit', abandonAll);
    const watchdog = this.#watchdog;
    if (watchdog === undefined || watchdog.exitCode !== null || watchdog.signalCode !== null) return;
    const ended = new Promise((resolve) => watchdog.once('exit', resolve));
    watchdog.ref();
    watchdog.kill('SIGKILL');
    await ended;
  }

  /** This process ends now. */
  abandon(): void {
    if (!this.alive) return;
    if (process.platform === 'win32') spawnSync('taskkill', treeOf(this.#pid), { stdio: 'ignore', windowsHide: true });
    else if (this.#watchdog?.exitCode === null && this.#watchdog.signalCode === null) {
      this.#send('SIGTERM');
      // Small enough to be written at once. Asked twice, some servers leave everything lying.
      this.#watchdog.stdin?.write('\n');
    } else this.#send('SIGKILL');
  }

  get #left(): boolean {
    return this.#leader.exitCode !== null || this.#leader.signalCode !== null;
  }

  #send(signal: NodeJS.Signals | 0): boolean {
    return signalGroup(this.#pid, signal);
  }
}

/** Of a child that was started `detached`, so that its id is that of its group. False when nobody is left, and where there are no groups. */
export function signalGroup(pid: number | undefined, signal: NodeJS.Signals | 0): boolean {
  if (pid === undefined || process.platform === 'win32') return false;
  try {
    return process.kill(-pid, signal);
  } catch {
    return false;
  }
}

function abandonAll(): void {
  for (const group of groups) group.abandon();
}

/** In a container often nobody collects the dead: they stay in the group, where no signal tells them from the living. */
function hasEnded(group: number): boolean {
  if (process.platform !== 'linux') return false;
  try {
    return readdirSync('/proc').every((name) => !/^\d+$/.test(name) || !isMember(name, group));
  } catch {
    return false;
  }
}

function isMember(pid: string, group: number): boolean {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
    // The name before it may contain anything: state, parent, group.
    const [state = '', , own] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return Number(own) === group && !'ZXx'.includes(state);
  } catch {
    return false;
  }
}

/** In a session of its own: what ends this process and its terminal must not end it. */
function watch(pid: number): ChildProcess | undefined {
  try {
    const watchdog = spawn('/bin/sh', ['-c', script, 'vivarium-watchdog', String(pid)], {
      stdio: ['pipe', 'ignore', 'ignore'],
      detached: true,
      cwd: '/',
      env: { PATH: process.env['PATH'] ?? '/usr/bin:/bin' },
    });
    watchdog.on('error', () => undefined);
    watchdog.stdin.on('error', () => undefined);
    if (watchdog.pid === undefined) return undefined;
    watchdog.unref();
    (watchdog.stdin as unknown as { unref(): void }).unref();
    return watchdog;
  } catch {
    return undefined;
  }
}

function treeOf(pid: number): string[] {
  return ['/pid', String(pid), '/t', '/f'];
}
