// A server in a real process, with its streams under the test's control.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { afterAll, describe } from 'vitest';
import { metaKeys } from 'vivarium/protocol';
import { node24, notRun } from '../../scripts/prepare.mjs';
import type { Message } from '../matrix/link.ts';

const fixtures = fileURLToPath(new URL('../fixtures/', import.meta.url));
const started = new Set<Child>();

afterAll(() => {
  for (const child of started) child.kill();
});

/**
 * The same tests on this Node and on the second one, which is started where VIVARIUM_SECOND_NODE is set (`npm run test:all`).
 * With CI set a second Node that is missing fails them.
 */
export function onEachNode(tests: (node: string) => void, options: { readonly concurrent?: boolean } = {}): void {
  if (process.env['VIVARIUM_SECOND_NODE'] !== 'only') describe(`on Node ${process.versions.node}`, options, () => tests(process.execPath));
  else describe.skipIf(notRun('node-24'))('on Node 24', options, () => tests(node24() ?? ''));
}

export interface ChildOptions {
  readonly node: string;
  /** What the fixture reads as JSON from its first argument. */
  readonly settings?: object;
  /** Runs the server as the child of a process of its own, which hands its streams down. */
  readonly behind?: string;
  /** Leaves stdout alone until `read()`. */
  readonly unread?: boolean;
}

interface Exit {
  readonly code: number | null;
  readonly signal: string | null;
  /** As by `performance.now()`. */
  readonly at: number;
}

export class Child {
  readonly process: ChildProcess & { readonly stdin: object; readonly stdout: object; readonly stderr: object };
  readonly exit: Promise<Exit>;
  /** Settles when nobody holds stdout and stderr any more. */
  readonly silent: Promise<number>;
  readonly lines: string[] = [];
  stderr = '';
  readonly #waiting = new Set<() => void>();
  readonly #claimed: number[] = [];
  readonly #answers = new Map<unknown, Message>();
  #numbered = 0;
  #nextId = 1;
  #ended = false;

  constructor(file: string, { node, settings = {}, behind, unread }: ChildOptions) {
    if (node === '') throw new Error('Node 24 is missing; node scripts/prepare.mjs fetches it');
    const target = [`${fixtures}${file}`, JSON.stringify(settings)];
    this.process = spawn(node, behind === undefined ? target : [`${fixtures}${behind}`, ...target], { stdio: 'pipe' });
    if (this.process.pid !== undefined) this.claim(this.process.pid);
    started.add(this);
    this.process.stdin.on('error', () => undefined);
    this.process.stderr.setEncoding('utf8').on('data', (text: string) => {
      this.stderr += text;
      this.#wake();
    });
    if (unread !== true) this.read();
    this.exit = once(this.process, 'exit').then(([code, signal]) => ({ code, signal, at: performance.now() }));
    this.silent = once(this.process, 'close').then(() => {
      this.#ended = true;
      this.#wake();
      return performance.now();
    });
  }

  get pid(): number {
    return this.process.pid as number;
  }

  /** Adds processes of which a test knows only the id to those that must not outlive it. */
  claim(...pids: readonly number[]): void {
    this.#claimed.push(...pids);
  }

  /** Ends what is left. */
  kill(): void {
    for (const pid of this.#claimed) if (isAlive(pid)) process.kill(pid, 'SIGKILL');
  }

  read(): void {
    createInterface({ input: this.process.stdout }).on('line', (line) => {
      this.lines.push(line);
      if (line.startsWith('{')) {
        const message = JSON.parse(line) as Message;
        this.#answers.set(message.id, message);
        if (typeof message.id === 'number') this.#numbered++;
      }
      this.#wake();
    });
  }

  write(text: string | Uint8Array): Promise<void> {
    return new Promise((resolve) => this.process.stdin.write(text, () => resolve()));
  }

  /** Starts a request of 2026-07-28, which needs no handshake, and gives its id. */
  start(method: string, params: object = {}): number {
    const id = this.#nextId++;
    void this.write(`${request(id, method, params)}\n`);
    return id;
  }

  answer(id: number): Promise<Message> {
    return this.#until(`an answer to ${id}`, () => this.#answers.get(id));
  }

  /** Settles when this many ids with a number have been answered. */
  async answered(count: number): Promise<void> {
    await this.#until(`${count} answers`, () => (this.#numbered >= count ? true : undefined));
  }

  request(method: string, params?: object): Promise<Message> {
    return this.answer(this.start(method, params));
  }

  /** Calls a tool and gives its first text. */
  async call(name: string, args: object = {}): Promise<string> {
    const { result } = await this.request('tools/call', { name, arguments: args });
    return result?.content?.[0]?.text;
  }

  printed(line: string): Promise<string> {
    return this.#until(`${line} on stdout`, () => this.lines.find((one) => one === line));
  }

  complained(text: string): Promise<string> {
    return this.#until(`${text} on stderr`, () => (this.stderr.includes(text) ? text : undefined));
  }

  /** How the server ends when stdin does, once everything it wrote has arrived. */
  async end(): Promise<Exit> {
    this.process.stdin.end();
    const exit = await this.exit;
    await this.silent;
    return exit;
  }

  #until<T>(wanted: string, look: () => T | undefined): Promise<T> {
    return new Promise((resolve, reject) => {
      const check = (): void => {
        const found = look();
        if (found === undefined && !this.#ended) return;
        this.#waiting.delete(check);
        if (found !== undefined) resolve(found);
        else reject(new Error(`The server ended without ${wanted}; stdout: ${this.lines.join(' ')}; stderr: ${this.stderr}`));
      };
      this.#waiting.add(check);
      check();
    });
  }

  #wake(): void {
    for (const check of [...this.#waiting]) check();
  }
}

/** One line of 2026-07-28, without its newline. */
export function request(id: number, method: string, params: object = {}): string {
  const _meta = {
    [metaKeys.protocolVersion]: '2026-07-28',
    [metaKeys.clientInfo]: { name: 'test', version: '1' },
    [metaKeys.clientCapabilities]: {},
  };
  return JSON.stringify({ jsonrpc: '2.0', id, method, params: { ...params, _meta } });
}

/** A process that has ended and only waits to be collected counts as gone. */
export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
  } catch {
    return false;
  }
  return process.platform !== 'linux' || !/^\d+ \(.*\) Z/.test(readProc(pid, 'stat'));
}

/** Settles when the process has ended. */
export async function gone(pid: number): Promise<void> {
  const late = performance.now() + 2_000;
  while (isAlive(pid)) {
    if (performance.now() > late) throw new Error(`Process ${pid} is still there`);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

export function readProc(pid: number, file: string): string {
  try {
    return readFileSync(`/proc/${pid}/${file}`, 'utf8');
  } catch {
    return '';
  }
}
