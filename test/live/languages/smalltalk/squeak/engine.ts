// Debian's Squeak as an engine: the adapter and the wire on a real virtual machine with a real image.
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Engine } from 'vivarium/live';
import { writeImage } from './image.ts';

const system = '/usr/lib/squeak';
const scratch = '/usr/share/scratch/Scratch.image';

/** The image with the bridge in it, in `folder`: sessions read it, none writes it. */
export function writeBridged(folder: string): string {
  const bridge = join(folder, 'bridge.st');
  // The image has the line ends of its time.
  writeFileSync(bridge, readFileSync(fileURLToPath(new URL('./bridge.st', import.meta.url)), 'latin1').replace(/\n/g, '\r'), 'latin1');
  const image = join(folder, 'bridged.image');
  writeImage(scratch, `(StandardFileStream new open: '${bridge}' forWrite: false) fileIn`, image);
  return image;
}

export function squeakOn(image: string): Engine {
  const vm = join(system, readdirSync(system)[0] as string, 'squeakvm');
  return {
    language: 'smalltalk',
    title: 'Squeak',
    features: {
      interrupt: 'keep',
      readOnly: false,
      debug: true,
      restarts: true,
      reload: false,
      lookup: true,
      packages: false,
      scopes: false,
      save: 'journal',
    },
    hint: 'Smalltalk: variables you assign stay.',
    readsInImage: true,
    launch: ({ cwd, env, heapMb }) => ({
      command: vm,
      args: ['-vm-display-null', '-vm-sound-null', '-memory', `${heapMb}m`, image],
      env,
      cwd,
      callsBack: {},
      terms: {},
    }),
    open: () => ({
      prepare: (code) => ({
        fields: { code, names: [...code.matchAll(/\b([a-z]\w*)\s*:=/g)].map(([, name]) => name as string) },
        declares: [],
      }),
    }),
    loadCode: () => undefined,
  };
}
