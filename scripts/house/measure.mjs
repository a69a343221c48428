// One checkout in figures.
import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, posix, resolve } from 'node:path';
import { execPath } from 'node:process';
import { cycles } from './digraph.mjs';
import { installedPackages, packedSize } from './package-size.mjs';
import { readSources } from './sources.mjs';

export function measure(root) {
  const sources = readSources(root);
  const lengths = sources.map(({ lines }) => lines).sort((a, b) => a - b);
  const importers = grouped(sources.flatMap(({ path, imports }) => [...new Set(imports.map(({ to }) => to))].map((to) => [to, path])));
  const exporters = grouped(sources.flatMap(({ path, exported }) => [...exported].map((name) => [name, path])));
  const places = (key) => sources.flatMap((source) => source[key].map((line) => `${source.path}:${line}`));
  const values = ({ imports }) => imports.filter(({ typeOnly }) => !typeOnly);
  return {
    sources,
    rooms: grouped(sources.map((source) => [source.path.includes('/') ? source.path.split('/')[0] : 'index.ts', source])),
    p90: lengths[Math.floor(lengths.length * 0.9)],
    longest: sources.reduce((most, source) => (source.lines > most.lines ? source : most)),
    valueCycles: cycles(graphOf(sources, values)),
    typeCycles: cycles(graphOf(sources, ({ imports }) => imports)),
    fanIn: bySize(importers),
    folders: bySize(grouped(sources.map(({ path }) => [posix.dirname(path), path]))),
    sharedNames: [...exporters].filter(([, paths]) => paths.length > 1).sort(([, a], [, b]) => b.length - a.length),
    wordings: places('wordings'),
    dates: places('dates'),
    packed: packedSize(root),
    installed: installedPackages(root),
    gate: gate(root),
  };
}

/** The same for a commit, checked out and built in a temporary folder with the packages that are installed here. */
export function measureCommit(root, commit) {
  const folder = mkdtempSync(join(tmpdir(), 'house-'));
  try {
    const archive = execFileSync('git', ['archive', '--format=tar', commit], { cwd: root, maxBuffer: 1 << 28 });
    execFileSync('tar', ['-xf', '-', '-C', folder], { input: archive });
    symlinkSync(resolve(root, 'node_modules'), join(folder, 'node_modules'));
    execFileSync(execPath, [join('scripts', 'build.mjs')], { cwd: folder, stdio: ['ignore', 'ignore', 'inherit'] });
    return measure(folder);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function graphOf(sources, importsOf) {
  return new Map(sources.map((source) => [source.path, new Set(importsOf(source).map(({ to }) => to))]));
}

function bySize(groups) {
  return [...groups].map(([key, members]) => [key, members.length]).sort((a, b) => b[1] - a[1]);
}

function grouped(pairs) {
  const groups = new Map();
  for (const [key, value] of pairs) groups.set(key, [...(groups.get(key) ?? []), value]);
  return groups;
}

/** What the last runs of the gate left: `{ "test": { "workerSeconds": 1, "passed": 1 }, "test:all": … }`. */
function gate(root) {
  const file = join(root, '.cache/gate.json');
  return existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : {};
}
