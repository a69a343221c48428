// What a release of a checkout weighs: the packed files, and the packages that are installed with them.
import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';

/** Undefined if it has not been built. */
export function packedSize(root) {
  if (!existsSync(join(root, 'dist/index.js'))) return undefined;
  const [{ entryCount, unpackedSize, size }] = JSON.parse(npm(root, ['pack', '--dry-run', '--json', '--ignore-scripts']));
  return { files: entryCount, bytes: unpackedSize, packedBytes: size };
}

/** Runtime dependencies, direct and indirect, without the package itself: by the lock file, weighed as they are installed here. */
export function installedPackages(root) {
  const [, ...folders] = npm(root, ['ls', '--package-lock-only', '--omit=dev', '--omit=peer', '--all', '--parseable']).trim().split('\n');
  const installed = folders.filter((folder) => existsSync(folder));
  const [, kilobytes] = /(\d+)\ttotal/.exec(execFileSync('du', ['-skc', '--apparent-size', ...installed], { encoding: 'utf8' }));
  return { packages: folders.length, megabytes: Number(kilobytes) / 1024 };
}

function npm(cwd, args) {
  return execFileSync('npm', args, { cwd, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] });
}
