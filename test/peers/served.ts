// Fixtures that are served over HTTP by a real process, on the built package, and what a client fetched from them.
import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface, type Interface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { afterAll, expect } from 'vitest';

export interface Served {
  readonly url: string;
  /** Ends it; settles when it has let go of everything. */
  end(): Promise<void>;
}

export interface ServedOptions {
  readonly server?: object;
  readonly endpoint?: object;
  /** A file to write the wire to. */
  readonly log?: string;
}

interface House {
  readonly child: ChildProcessWithoutNullStreams;
  readonly lines: Interface;
  readonly exited: Promise<number | null>;
}

const fixture = fileURLToPath(new URL('../fixtures/http.mjs', import.meta.url));
let house: House | undefined;
let tail: Promise<unknown> = Promise.resolve();

// One process for all servers of a test file, and nothing may have gone wrong in it.
afterAll(async () => {
  house?.child.stdin.end();
  expect((await house?.exited) ?? 0).toBe(0);
});

function open(): House {
  const child = spawn(process.execPath, [fixture], { stdio: 'pipe' });
  child.stderr.pipe(process.stderr);
  return { child, lines: createInterface({ input: child.stdout }), exited: once(child, 'exit').then(([code]) => code as number | null) };
}

/** Tells the house, and waits for its line: one after the other. */
function tell(what: object): Promise<string> {
  house ??= open();
  const { child, lines, exited } = house;
  const told = tail.then(async () => {
    child.stdin.write(`${JSON.stringify(what)}\n`);
    const gone = exited.then((code) => Promise.reject(new Error(`The server has ended with ${code}`)));
    const [line] = await Promise.race([once(lines, 'line'), gone]);
    return line as string;
  });
  tail = told.catch(() => undefined);
  return told;
}

export async function serveFixture(which: 'features' | 'peer' | 'streams' | 'tour', options: ServedOptions = {}): Promise<Served> {
  const url = await tell({ which, server: {}, endpoint: {}, ...options });
  return {
    url,
    async end() {
      expect(await tell({ end: url })).toBe(url);
    },
  };
}

export interface Fetched {
  readonly method: string;
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
}

/** A fetch that writes down what it fetched. */
export interface Watch {
  readonly fetch: typeof fetch;
  readonly fetched: Fetched[];
  /** Settles when the stream for what the server says by itself is open. */
  readonly listening: Promise<void>;
  /** Cuts that stream; it cannot be opened again before the function given back is called. */
  cut(): () => void;
}

export function watchFetch(): Watch {
  const fetched: Fetched[] = [];
  let opened: () => void = () => undefined;
  const listening = new Promise<void>((resolve) => {
    opened = resolve;
  });
  let cutter = new AbortController();
  let barred: Promise<void> | undefined;
  const watched: typeof fetch = async (input, init) => {
    const method = init?.method ?? 'GET';
    if (method === 'GET') await barred;
    const signal = AbortSignal.any([...(init?.signal ? [init.signal] : []), ...(method === 'GET' ? [cutter.signal] : [])]);
    const answer = await fetch(input, { ...init, signal });
    fetched.push({ method, status: answer.status, headers: Object.fromEntries(new Headers(init?.headers)) });
    if (method === 'GET' && answer.status === 200) opened();
    return answer;
  };
  const cut = (): (() => void) => {
    let release: () => void = () => undefined;
    barred = new Promise((resolve) => {
      release = resolve;
    });
    cutter.abort(new Error('The connection is cut'));
    cutter = new AbortController();
    return release;
  };
  return { fetch: watched, fetched, listening, cut };
}
