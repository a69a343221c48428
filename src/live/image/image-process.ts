// What an image lives in: a process of ours, with a group of its own, or a program that was there before and is only visited.
import { type ChildProcess, spawn } from 'node:child_process';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { dirname } from 'node:path';
import type { Duplex, Readable } from 'node:stream';
import { mustBeOwn, ownFolder } from '../../node/own-folder.ts';
import { type ConnectBack, listenForImage, portVariable, tokenVariable } from './connect-back.ts';
import type { EndReason, Launch } from './engine.ts';

export interface ImageProcess {
  /** The private channel. */
  readonly wire: Duplex;
  readonly pid: number | undefined;
  /** It may be ended, and is watched. */
  readonly ours: boolean;
  readonly closed: Promise<void>;
  /** Ends it with everything it started that did not leave its group; a program that is visited is only left. */
  kill(): void;
}

export interface ImageProcessEvents {
  printed(stream: 'out' | 'err', text: string): void;
  /** Called once; `text` is for people. */
  ended(text: string, reason: EndReason): void;
}

/** So long the last words of a process that has ended are waited for. */
const drainMs = 100;
/** So long one whose channel has closed may take to end: some have much to put away. */
const hungUpMs = 1_000;

export function spawnProcess(launch: Launch, events: ImageProcessEvents): ImageProcess {
  let hungUp = false;
  const ended: ImageProcessEvents['ended'] = (text, reason) => {
    if (hungUp && reason === 'signalled') events.ended('its private channel was closed', 'disconnected');
    else events.ended(text, reason);
  };
  const { child, closed, kill } = spawned(launch, { printed: events.printed, ended }, true);
  const wire = child.stdio[3] as Duplex;
  // Of a process that ends, the channel closes first. Of one that goes on, nobody could reach it any more.
  wire.once('close', () => {
    setTimeout(() => {
      if (child.exitCode !== null || child.signalCode !== null) return;
      hungUp = true;
      kill();
    }, hungUpMs).unref();
  });
  return { wire, pid: child.pid, ours: true, closed, kill };
}

/** A child that connects back; without a command it is a person's own, which is only visited. */
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
      // Nobody could reach it any more.
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

/** Where it is waited for stands in a file that only its owner can read. */
function visitorProcess(calling: ConnectBack, file: string | undefined, { ended }: ImageProcessEvents): ImageProcess {
  const closed = new Promise<void>((resolve) => {
    let over = false;
    const end: ImageProcessEvents['ended'] = (text, reason) => {
      // Whoever is cut off hangs up afterwards, too; by then somebody else may be waited for.
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
        // Of one that ended without a farewell; written anew, so that it is nobody else's.
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

/** It may be that of another session by now. */
function standsIn(file: string, token: string): boolean {
  try {
    return readFileSync(file, 'utf8').includes(token);
  } catch {
    return false;
  }
}

/** With pipes for what it prints, the wire on fd 3, and what is handed to it on fd 4 and 5; a group of its own. */
export function startChild({ command, args, cwd, env, handed, filter }: Launch, withWire: boolean): ChildProcess {
  const gifts = [handed, filter].filter((gift) => gift !== undefined);
  const wire = withWire ? ['pipe' as const] : handed === undefined ? [] : ['ignore' as const];
  const stdio = ['ignore', 'pipe', 'pipe', ...wire, ...gifts.map(() => 'pipe' as const)] as const;
  const child = spawn(command, args, { cwd, env, stdio: [...stdio], detached: true });
  // One that could not be started takes nothing, which is told otherwise.
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
  // Native code and children of the user's code write there; what the image itself prints comes over the wire.
  for (const [stream, name] of [
    [child.stdout, 'out'],
    [child.stderr, 'err'],
  ] as const) {
    (stream as Readable).setEncoding('utf8').on('data', (text: string) => printed(name, text));
  }
  const kill = (): void => {
    if (child.pid === undefined) return;
    try {
      process.kill(-child.pid, 'SIGKILL');
    } catch {
      child.kill('SIGKILL');
    }
  };
  child.once('error', (error) => ended(`it could not be started: ${error.message}`, 'not-started'));
  child.once('exit', (code, signal) => {
    // What it left behind in its group.
    kill();
    if (signal === null) ended(`it exited with code ${code}`, 'exited');
    else ended(`it was ended by ${signal}`, 'signalled');
  });
  const closed = new Promise<void>((resolve) => {
    child.once('close', () => resolve()).once('error', () => resolve());
    // Something it started may hold its output open for ever.
    child.once('exit', () => {
      setTimeout(() => {
        for (const stream of child.stdio) stream?.destroy();
        resolve();
      }, drainMs).unref();
    });
  });
  return { child, closed, kill };
}

/** Throws where the socket is under the control of other users. */
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
