// Pharo: an image of the user's own on its own virtual machine, with a bridge of ours filed in, that connects back.
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import type { Engine, Features, Launch, LaunchOptions } from '../../image/engine.ts';
import { packageFile } from '../../package-files.ts';
import { ImageNotebook } from './cell.ts';
import { smalltalkFacts } from './facts.ts';

export interface PharoOptions {
  /** The file of the image. It is not changed: what is done in a session is kept only by `save`, in another file. */
  readonly image: string;
  /** The virtual machine. Default: `pharo` on the path. */
  readonly vm?: string;
}

const features: Features = {
  interrupt: 'keep',
  readOnly: false,
  debug: true,
  restarts: true,
  reload: false,
  lookup: true,
  packages: false,
  scopes: false,
  save: 'image',
};

/** In the order in which they are filed in. */
const bridge = ['bridge.st', 'debugger.st', 'tools.st'] as const;

export function pharo({ image, vm = 'pharo' }: PharoOptions): Engine {
  const file = resolve(image);
  return {
    ...common,
    title: 'Smalltalk (Pharo)',
    features,
    problem() {
      if (!existsSync(file)) return `There is no image ${file}`;
      return spawnSync(vm, ['--version'], { stdio: 'ignore' }).error === undefined
        ? undefined
        : `${vm} cannot be run: give --vm the path of a Pharo VM (get.pharo.org has one for every image)`;
    },
    launch: ({ cwd, env, image: saved }: LaunchOptions): Launch => ({
      command: vm,
      args: ['--headless', saved ?? file, '--no-default-preferences', 'st', '--no-quit', '--no-source', ...bridgeFiles()],
      env,
      cwd,
      callsBack: {},
      terms: {},
      reads: [dirname(file)],
    }),
  };
}

/** An image that a person has started, and that stays theirs: it is only visited. */
export function ownImage(): Engine {
  return {
    ...common,
    title: 'Smalltalk (your image)',
    foreign: true,
    features: { ...features, save: 'journal' },
    launch: ({ cwd, env }): Launch => ({
      command: '',
      args: [],
      env,
      cwd,
      callsBack: {
        file: join(cwd, '.vivarium', 'image.json'),
        hint: `In your image, file in ${bridgeFiles().join(', ')} once, then evaluate VivariumBridge connectIn: ${quoted(cwd)}, and try again`,
      },
      terms: {},
    }),
  };
}

const common: Omit<Engine, 'title' | 'features' | 'launch'> = {
  language: smalltalkFacts.language,
  aliases: ['st', 'pharo'],
  hint: 'Smalltalk: variables you assign stay; lookup knows Counter, Counter>>add: and add: (callers: its senders); on_error: "pause" keeps the stack and offers restarts.',
  readsInImage: true,
  kinds: ['method'],
  open: () => new ImageNotebook(),
  loadCode: (path) => (smalltalkFacts.files.test(path) ? `${quoted(path)} asFileReference fileIn` : undefined),
  methodsCode: (on, source) => `${on} compile: ${quoted(source)} classified: 'as yet unclassified'`,
  testsCode: ({ name = '' }) => `VivariumBridge tests: ${quoted(name)}`,
};

/** What to file in, in an image of one's own. */
function bridgeFiles(): string[] {
  return bridge.map((name) => packageFile(`live/languages/smalltalk/pharo/${name}`));
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", "''")}'`;
}
