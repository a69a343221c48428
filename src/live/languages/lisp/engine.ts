// Common Lisp on SBCL: the user's own compiler, with a bridge of ours in the image.
import { isAbsolute, join } from 'node:path';
import type { CellOptions, Engine, Launch, LaunchOptions, Notebook, Prepared } from '../../image/engine.ts';
import { bridgeFile } from './bridge-files.ts';
import { discardCore, readyCore } from './core.ts';
import { lispFacts } from './facts.ts';
import { findSbcl, noSbcl } from './sbcl.ts';
import { lispTests } from './test-runner.ts';

export interface LispOptions {
  /** The SBCL that runs the project. Default: the one on the path. */
  readonly sbcl?: string;
  /** ASDF systems every fresh image begins with. */
  readonly systems?: readonly string[];
  /** Where the core for an instant start is kept. Default: under XDG_CACHE_HOME or ~/.cache. */
  readonly cacheFolder?: string;
}

/** Beside the heap that the program may fill: what the collector needs to move it. */
const roomFactor = 4;
const stackMb = 4;

export function lisp({ sbcl, systems = [], cacheFolder }: LispOptions = {}): Engine {
  return {
    language: lispFacts.language,
    aliases: lispFacts.aliases,
    title: 'Common Lisp (SBCL)',
    features: {
      interrupt: 'keep',
      readOnly: true,
      debug: true,
      restarts: true,
      reload: true,
      lookup: true,
      packages: true,
      scopes: false,
      save: 'image',
    },
    hint: 'Lisp: the folder is in ASDF\'s registry, (asdf:load-system "my-app") loads it; multiple values come one a line; errors list their restarts, and on_error: "pause" lets you choose one.',
    problem: () => (findSbcl(sbcl) === undefined ? noSbcl(sbcl) : undefined),
    readsInImage: true,
    starts: systems.map((name) => ({ what: `the system ${name}`, code: `(asdf:load-system ${quoted(name)})` })),
    async launch({ cwd, env, heapMb, image }: LaunchOptions): Promise<Launch> {
      const command = findSbcl(sbcl);
      if (command === undefined) throw new Error(noSbcl(sbcl));
      const runtime = ['--noinform', '--disable-ldb', '--dynamic-space-size', `${heapMb * roomFactor}MB`];
      const stack = ['--control-stack-size', `${stackMb}MB`];
      const terms = { cwd, heapMb };
      const base = { command, env, cwd, terms };
      if (image !== undefined) return { ...base, args: ['--core', image, ...runtime, ...stack], reads: [image] };
      const core = await readyCore(command, cacheFolder);
      const { file } = core;
      if (file !== undefined)
        return { ...base, args: ['--core', file, ...runtime, ...stack], reads: [file], unfit: (reason) => discardCore(file, reason) };
      const start = ['--end-runtime-options', '--no-sysinit', '--no-userinit', '--disable-debugger', '--load', bridgeFile('start.lisp')];
      return { ...base, args: [...runtime, ...stack, ...start], ...(core.note !== undefined && { note: core.note }) };
    },
    testRunner: (cwd) => {
      const command = findSbcl(sbcl);
      return command === undefined ? undefined : lispTests(cwd, command, cacheFolder);
    },
    open: () => new LispNotebook(),
    loadCode: (file) => (lispFacts.files.test(file) ? loadCode(file) : undefined),
  };
}

/** An image of the user's own that has loaded run-server.lisp. */
export function visitedLisp(socket: string): Engine {
  const { starts: _, problem: __, ...engine } = lisp();
  return {
    ...engine,
    title: 'a running Lisp',
    foreign: true,
    features: { ...engine.features, save: 'journal' },
    launch: ({ cwd, env }) => ({ command: '', args: [], env, cwd, socket, terms: {} }),
  };
}

/** The image reads its language itself. */
class LispNotebook implements Notebook {
  prepare(code: string, _: number, { package: pack }: CellOptions = {}): Prepared {
    return { fields: { code, ...(pack !== undefined && { package: pack }) }, declares: [] };
  }
}

function loadCode(file: string): string {
  const path = isAbsolute(file) ? file : join('.', file);
  return `(vivarium:load-file ${quoted(path)})`;
}

function quoted(text: string): string {
  return `"${text.replace(/[\\"]/g, '\\$&')}"`;
}
