// Puts the pinned peers into bench/node_modules when they are not there, and links the package under test beside them.
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync, symlinkSync } from 'node:fs';
import path from 'node:path';
import { bench, ours } from './targets.mjs';

const modules = path.join(bench, 'node_modules');

export const pins = JSON.parse(readFileSync(path.join(bench, 'package.json'), 'utf8')).dependencies;

export function installPeers(say) {
  const missing = Object.entries(pins).filter(([name, version]) => installedVersion(name) !== version);
  if (missing.length > 0) {
    say(`installing the peers into bench/node_modules (${missing.map(([name]) => name).join(', ')}) …\n`);
    const { status } = spawnSync('npm', ['ci', '--prefer-offline', '--no-audit', '--no-fund', '--ignore-scripts'], {
      cwd: bench,
      stdio: ['ignore', 2, 2],
    });
    if (status !== 0) throw new Error('npm ci in bench/ failed: the peers cannot be measured');
  }
  // bench/ has a package.json of its own, so the public name reaches the repository through a link, as it would for a user.
  const link = path.join(modules, ours);
  if (!existsSync(link)) symlinkSync(path.join('..', '..'), link, 'dir');
}

function installedVersion(name) {
  try {
    return JSON.parse(readFileSync(path.join(modules, name, 'package.json'), 'utf8')).version;
  } catch {
    return undefined;
  }
}
