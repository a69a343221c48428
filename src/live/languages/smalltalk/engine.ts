// Smalltalk on Amber, inside a child like that of JavaScript: interrupts, memory and the wire are the same.
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import type { Engine, Launch, LaunchOptions, Notebook, Prepared } from '../../image/engine.ts';
import { packageFile } from '../../package-files.ts';
import { chooseNode } from '../javascript/choose-node.ts';
import { declaredIn } from './cell.ts';
import { smalltalkFacts } from './facts.ts';

export interface SmalltalkOptions {
  /** The Node that runs it; 20 or newer. Default: the one the project asks for, where that is installed, otherwise this one. */
  readonly node?: string;
  /** Where Amber is looked for first. Default: the working folder. */
  readonly folder?: string;
}

const amberVersion = '0.30.0';

export function smalltalk({ node, folder = process.cwd() }: SmalltalkOptions = {}): Engine {
  return {
    language: smalltalkFacts.language,
    aliases: smalltalkFacts.aliases,
    title: 'Smalltalk (Amber)',
    slow: true,
    features: {
      interrupt: 'keep',
      readOnly: false,
      debug: true,
      restarts: true,
      reload: true,
      lookup: true,
      packages: false,
      scopes: false,
      save: 'journal',
    },
    hint: "Smalltalk: self fileIn: 'src/Counter.st' brings a file in; it and err stand for _ and _err; lookup knows Counter, Counter>>add:, #add: (callers: its senders) and packages.",
    problem: () => (amberIn(folder) === undefined ? missing : undefined),
    readsInImage: true,
    kinds: ['method', 'package'],
    async launch({ cwd, env, heapMb }: LaunchOptions): Promise<Launch> {
      const amber = amberIn(cwd) ?? amberIn(folder);
      if (amber === undefined) throw new Error(missing);
      const chosen = node === undefined ? await chooseNode(cwd) : { command: node };
      // With some room: what fills the memory is to be stopped before the engine gives up.
      const args = [`--max-old-space-size=${heapMb + 64}`, packageFile('live/languages/smalltalk/amber/boot.js'), amber];
      return { ...chosen, args, env, cwd, terms: { heapMb }, reads: [dirname(amber)] };
    },
    open: () => new SmalltalkNotebook(),
    loadCode: (file) => (smalltalkFacts.files.test(file) ? `self fileIn: ${quoted(file)}` : undefined),
    testsCode: ({ name = '' }) => `self runTests: ${quoted(name)}`,
    methodsCode: (on, source) => `${on} compile: ${quoted(source)} protocol: 'as yet unclassified'`,
  };
}

const missing = `Amber is not installed: npm install --save-dev @ambers/lang@${amberVersion}`;

class SmalltalkNotebook implements Notebook {
  prepare(code: string, number: number): Prepared {
    // A value that is a promise is waited for: a cell has no other way to.
    const call = `__vivarium_cell(async () => __vivarium_smalltalk(${JSON.stringify(code)}))\n//# sourceURL=cell-${number}`;
    return { fields: { code: call, functions: '', awaits: true, fresh: [] }, declares: declaredIn(code) };
  }
}

/** The project's own, otherwise the one beside this package. */
function amberIn(folder: string): string | undefined {
  for (const from of [join(folder, 'package.json'), import.meta.url]) {
    const require = createRequire(from);
    try {
      const file = require.resolve('@ambers/lang/package.json');
      // A link in a project may lead to any folder of the user's, which a sandbox would then show.
      if ((JSON.parse(readFileSync(file, 'utf8')) as { readonly name?: unknown }).name === '@ambers/lang') return file;
    } catch {
      // Not here.
    }
  }
  return undefined;
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", "''")}'`;
}
