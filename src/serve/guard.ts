// Keeps everything but the protocol off stdout, and knows the children of this process.
import childProcess, { type ChildProcess } from 'node:child_process';
import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';

export interface ProcessGuard {
  /** Children of this process that are still there. */
  readonly children: ReadonlySet<ChildProcess>;
  /** The real stdout, for the protocol alone. */
  readonly write: NodeJS.WriteStream['write'];
  /** Whether a server is being served on these streams. */
  serving: boolean;
  release(): void;
}

type Patched = Record<string, (...args: never[]) => unknown>;

/** On the process, not in this module: the program may have a copy of this package of its own. */
const slot = Symbol.for('vivarium.guard.1');
const holder = process as unknown as Record<symbol, ProcessGuard | undefined>;

/** The guard that is in place, if any. */
export function currentGuard(): ProcessGuard | undefined {
  return holder[slot];
}

/**
 * Node cannot move a file descriptor, so every door that leads to fd 1 is redirected to stderr: console and
 * process.stdout, fs writes, and children that would inherit it. Writes by native code get past; `vivarium serve --guard`
 * closes that door too. Once in place it stays: a second call gives back the first guard.
 */
export function guardProcess(redirect: boolean): ProcessGuard {
  const current = holder[slot];
  if (current !== undefined) return current;
  const children = new Set<ChildProcess>();
  const write = process.stdout.write.bind(process.stdout);
  const undo: (() => void)[] = [patchSpawn(children, redirect)];
  if (redirect) undo.push(...patchWrites(), ...patchSyncSpawns());
  // Named imports of builtins are copies; this refreshes them, in modules that are loaded already too.
  syncBuiltinESMExports();
  const guard: ProcessGuard = {
    children,
    write,
    serving: false,
    release() {
      for (const one of undo.splice(0).reverse()) one();
      syncBuiltinESMExports();
      holder[slot] = undefined;
    },
  };
  holder[slot] = guard;
  return guard;
}

function patchSpawn(children: Set<ChildProcess>, redirect: boolean): () => void {
  const prototype = childProcess.ChildProcess.prototype as unknown as { spawn: (options: { stdio?: unknown }) => unknown };
  const original = prototype.spawn;
  prototype.spawn = function spawn(this: ChildProcess, options) {
    const result = original.call(this, redirect ? withoutStdout(options) : options);
    if (this.pid === undefined) return result;
    children.add(this);
    // Only its end is its end: an error event may be no more than an abort that the child ignores.
    this.once('exit', () => children.delete(this));
    return result;
  };
  return () => {
    prototype.spawn = original;
  };
}

function patchSyncSpawns(): (() => void)[] {
  const module = childProcess as unknown as Patched;
  return ['spawnSync', 'execSync', 'execFileSync'].map((name) =>
    patch(module, name, (original) => (...args: unknown[]) => {
      const last = args.length - 1;
      const options = args[last];
      if (last > 0 && typeof options === 'object' && options !== null && !Array.isArray(options)) args[last] = withoutStdout(options);
      return original(...args);
    }),
  );
}

function patchWrites(): (() => void)[] {
  const module = fs as unknown as Patched;
  const names = ['write', 'writeSync', 'writev', 'writevSync', 'writeFile', 'writeFileSync', 'appendFile', 'appendFileSync'];
  const undo = names.map((name) =>
    patch(module, name, (original) => (...args: unknown[]) => {
      if (args[0] === 1) {
        warn();
        args[0] = 2;
      }
      return original(...args);
    }),
  );
  const original = process.stdout.write;
  process.stdout.write = ((...args: Parameters<typeof process.stderr.write>) => {
    warn();
    return process.stderr.write(...args);
  }) as typeof process.stdout.write;
  const { end } = process.stdout;
  process.stdout.end = ((...args: unknown[]) => {
    // The stream stays open: the protocol still needs it.
    if (args[0] !== undefined && typeof args[0] !== 'function') process.stdout.write(args[0] as string);
    const done = args.find((arg) => typeof arg === 'function') as (() => void) | undefined;
    if (done !== undefined) process.nextTick(done);
    return process.stdout;
  }) as typeof process.stdout.end;
  // A pipeline that fails destroys its last stream, and the protocol needs this one; only the system may take it away.
  const { destroy } = process.stdout;
  process.stdout.destroy = (error?: Error & { syscall?: string }) =>
    error?.syscall === undefined ? process.stdout : destroy.call(process.stdout, error);
  undo.push(() => {
    process.stdout.write = original;
    process.stdout.end = end;
    process.stdout.destroy = destroy;
  });
  return undo;
}

function patch(module: Patched, name: string, wrap: (original: (...args: unknown[]) => unknown) => unknown): () => void {
  const original = module[name];
  if (original === undefined) return () => undefined;
  const wrapped = wrap(original as unknown as (...args: unknown[]) => unknown);
  // Keeps what hangs on the function, such as the promisified form of fs.write.
  module[name] = Object.defineProperties(wrapped, Object.getOwnPropertyDescriptors(original)) as never;
  return () => {
    module[name] = original;
  };
}

function withoutStdout<T extends { stdio?: unknown }>(options: T): T {
  const { stdio } = options;
  if (stdio === 'inherit') {
    warn();
    return { ...options, stdio: ['inherit', 2, 'inherit'] };
  }
  if (!Array.isArray(stdio)) return options;
  const leads = (entry: unknown, index: number): boolean =>
    entry === 1 || (entry === 'inherit' && index === 1) || (entry as { fd?: unknown } | null)?.fd === 1;
  if (!stdio.some(leads)) return options;
  warn();
  return { ...options, stdio: stdio.map((entry: unknown, index) => (leads(entry, index) ? 2 : entry)) };
}

let warned = false;

function warn(): void {
  if (warned) return;
  warned = true;
  const stack = new Error().stack?.split('\n').slice(1) ?? [];
  const caller = stack.find((frame) => !frame.includes('node:') && !frame.includes(import.meta.url) && !frame.includes('<anonymous>'));
  const where = caller === undefined ? '' : `, first by ${caller.trim().replace(/^at /, '')}`;
  process.stderr.write(`vivarium: stdout carries the protocol, so what the program prints goes to stderr${where}\n`);
}
