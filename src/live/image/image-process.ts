// The process of an image: one we start, in a process group of its own, or a running program that we only attach to.

import { type ChildProcess, spawn } from 'node:child_process';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { dirname } from 'node:path';
import type { Duplex, Readable } from 'node:stream';
import { mustBeOwn, ownFolder } from '../../node/own-folder.ts';
import { signalGroup } from '../../node/process-group.ts';
import { type ConnectBack, listenForImage, portVariable, tokenVariable } from './connect-back.ts';
import type { EndReason, Launch } from './engine.ts';

export interface ImageProcess {
  /** The private channel. */
  readonly wire: Duplex;
  readonly pid: number | undefined;
  /** We started it: it may be killed, and its limits are enforced. */
  readonly ours: boolean;
  readonly closed: Promise<void>;
  /** Kills its process group; of a program that we attached to, only the connection is closed. */
  kill(): void;
}

export interface ImageProcessEvents {
  printed(stream: 'out' | 'err', text: string): void;
  /** Called once; `text` is for people. */
  ended(text: string, reason: EndReason): void;
}

/** How long to wait for buffered output after the process exited. */
const drainMs = 100;
/** How long a process may take to exit after it closed its channel, before it is killed. */
const hungUpMs = 1_000;

export function spawnProcess(launch: Launch, events: ImageProcessEvents): ImageProcess {
  let hungUp = false;
  const ended: ImageProcessEvents['ended'] = (text, reason) => {
    if (hungUp && reason === 'signalled') events.ended('its private channel was closed', 'disconnected');
    else events.ended(text, reason);
  };
  const { child, closed, kill } = spawned(launch, { printed: events.printed, ended }, true);
  const wire = child.stdio[3] as Duplex;
  // A process that exits closes its channel first. One that keeps running without it could never be reached again.
  wire.once('close', () => {
    setTimeout(() => {
      if (child.exitCode !== null || child.signalCode !== null) return;
      hungUp = true;
      kill();
    }, hungUpMs).unref();
  });
  return { wire, pid: child.pid, ours: true, closed, kill };
}

/** An image that connects back. Without a command, a person starts it and we only attach. */
export function connectBackProcess(launch: Launch, events: ImageProcessEvents): ImageProcess {
  const calling = listenForImage();
  if (launch.command === '') return visitorProcess(calling, launch.callsBack?.file, events);
  let born: ReturnType<typeof spawned> | undefined;
  let killed = false;
  const ended: ImageProcessEvents['ended'] = (text, reason) => {
    calling.close();
    events.ended(text, reason);
  };
  const closed = calling.listening.then(
    (at) => {
      if (killed) return ended('it was ended before it began', 'ended-by-host');
      const env = { ...launch.env, [portVariable]: String(at), [tokenVariable]: calling.token };
      const one = spawned({ ...launch, env }, { printed: events.printed, ended }, false);
      born = one;
      // Without its connection it could never be reached again.
      calling.onHangUp = one.kill;
      return one.closed;
    },
    (error: Error) => ended(`there is no port to be had: ${error.message}`, 'not-started'),
  );
  const kill = (): void => {
    killed = true;
    born?.kill();
  };
  return {
    wire: calling.wire,
    get pid() {
      return born?.child.pid;
    },
    ours: true,
    closed,
    kill,
  };
}

/** Port and token are in a file that only its owner can read. */
function visitorProcess(calling: ConnectBack, file: string | undefined, { ended }: ImageProcessEvents): ImageProcess {
  const closed = new Promise<void>((resolve) => {
    let over = false;
    const end: ImageProcessEvents['ended'] = (text, reason) => {
      // Closing the connection triggers onHangUp again; by then another session may have written the file.
      if (over) return;
      over = true;
      calling.close();
      if (file !== undefined && standsIn(file, calling.token)) rmSync(file, { force: true });
      ended(text, reason);
      resolve();
    };
    calling.onHangUp = () => end('the image has hung up', 'disconnected');
    calling.listening
      .then((port) => {
        if (file === undefined) return;
        ownFolder(dirname(file));
        // A crashed server leaves its file behind. Delete it first: `wx` must not follow a link or write into another user's file.
        rmSync(file, { force: true });
        writeFileSync(file, JSON.stringify({ port, token: calling.token }), { mode: 0o600, flag: 'wx' });
      })
      .catch((error: Error) => end(`nobody can connect to it: ${error.message}`, 'not-started'));
  });
  const kill = (): void => {
    calling.close();
    calling.onHangUp();
  };
  return { wire: calling.wire, pid: undefined, ours: false, closed, kill };
}

/** Another session may have replaced the file. */
function standsIn(file: string, token: string): boolean {
  try {
    return readFileSync(file, 'utf8').includes(token);
  } catch {
    return false;
  }
}

/** In a process group of its own: pipes for stdout and stderr, the wire on fd 3, `handed` on fd 4 and `filter` on fd 5. */
export function startChild({ command, args, cwd, env, handed, filter }: Launch, withWire: boolean): ChildProcess {
  const gifts = [handed, filter].filter((gift) => gift !== undefined);
  const wire = withWire ? ['pipe' as const] : handed === undefined ? [] : ['ignore' as const];
  const stdio = ['ignore', 'pipe', 'pipe', ...wire, ...gifts.map(() => 'pipe' as const)] as const;
  const child = spawn(command, args, { cwd, env, stdio: [...stdio], detached: true });
  // Where the spawn failed, writing fails too; the spawn error is reported by 'error'.
  for (const [at, gift] of gifts.entries())
    (child.stdio[4 + at] as Duplex | undefined)
      ?.on('error', () => undefined)
      .resume()
      .end(gift);
  return child;
}

function spawned(
  launch: Launch,
  { printed, ended }: ImageProcessEvents,
  withWire: boolean,
): { readonly child: ChildProcess; readonly closed: Promise<void>; readonly kill: () => void } {
  const child = startChild(launch, withWire);
  // Only native code and child processes write here: the image sends its own output over the wire.
  for (const [stream, name] of [
    [child.stdout, 'out'],
    [child.stderr, 'err'],
  ] as const) {
    (stream as Readable).setEncoding('utf8').on('data', (text: string) => printed(name, text));
  }
  const kill = (): void => {
    if (!signalGroup(child.pid, 'SIGKILL')) child.kill('SIGKILL');
  };
  child.once('error', (error) => ended(`it could not be started: ${error.message}`, 'not-started'));
  child.once('exit', (code, signal) => {
    // Kill what is left of its process group.
    kill();
    if (signal === null) ended(`it exited with code ${code}`, 'exited');
    else ended(`it was ended by ${signal}`, 'signalled');
  });
  const closed = new Promise<void>((resolve) => {
    child.once('close', () => resolve()).once('error', () => resolve());
    // A process it started may keep stdout open for ever.
    child.once('exit', () => {
      setTimeout(() => {
        for (const stream of child.stdio) stream?.destroy();
        resolve();
      }, drainMs).unref();
    });
  });
  return { child, closed, kill };
}

/** Throws where other users control the socket. */
export function visitProcess(way: string | Duplex, { ended }: ImageProcessEvents): ImageProcess {
  if (typeof way === 'string') mustBeOwn(way, 'socket');
  const wire = typeof way === 'string' ? connect(way) : way;
  let failed: string | undefined;
  wire.once('error', (error) => {
    failed = `it cannot be reached: ${error.message}`;
  });
  const closed = new Promise<void>((resolve) =>
    wire.once('close', () => {
      ended(failed ?? 'the program ended, or somebody else works in it', 'disconnected');
      resolve();
    }),
  );
  return { wire, pid: undefined, ours: false, closed, kill: () => void wire.destroy() };
}
