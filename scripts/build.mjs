// The build: tsc checks and compiles, then esbuild joins the neutral rooms into a few files, because every file costs a starting
// server about a millisecond. Not minified, so that a user can step into it. Each subpath is a short file that names what it exports.
import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, posix, relative } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { build } from 'esbuild';

const root = fileURLToPath(new URL('..', import.meta.url));
const compiled = join(root, '.cache/build');
const dist = join(root, 'dist');
// Its build information outlives a deleted dist: then it would emit nothing.
const force = existsSync(dist) ? [] : ['--force'];
const tsc = spawnSync(process.execPath, [join(root, 'node_modules/typescript/bin/tsc'), '-b', 'src', ...force, ...process.argv.slice(2)], {
  cwd: root,
  stdio: ['ignore', 2, 2],
});
if (tsc.status !== 0) process.exit(tsc.status ?? 1);
// tsc leaves the output of deleted sources behind: it would be joined with the rest, and published.
prune(compiled, '.js');
prune(dist, '.d.ts');

const { exports, dependencies, optionalDependencies, peerDependencies } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
/** Files that need Node, or a package at once: they are joined into the few that users or the command line import. */
const apart =
  /^(?:serve\/(?:stdio|guard|node(?:\/.*)?|signals)|connect\/(?:stdio.*|http|sse|node-.*)|auth\/node\/.*|schema\/ajv|cli\/.*|otel\/.*|node\/.*|install\/.*|live\/.*|check\/.*)\.js$/;
const entries = [
  'serve/stdio',
  'serve/node',
  'connect/stdio',
  'connect/http',
  'connect/sse',
  'auth/node/index',
  'otel/index',
  'live/index',
  'check/index',
  'live/languages/javascript/boot',
  'live/languages/javascript/monitor',
  'live/languages/javascript/hooks',
  'live/languages/javascript/here',
  'live/languages/javascript/project-loader',
  'live/languages/smalltalk/amber/boot',
  'live/languages/smalltalk/amber/monitor',
  'schema/ajv',
  'cli/base',
  'cli/main',
].map((name) => `${name}.js`);
const parts = ['start', 'rest', 'http', 'auth', 'client'];
const together = filesIn(compiled).filter((file) => !apart.test(file) && !file.startsWith('parts/'));

const names = new Map();
for (const file of together) names.set(file, Object.keys(await import(pathToFileURL(join(compiled, file)).href)));
const rooms = together.filter((file) => names.get(file).length > 0);
/** As a part exports it: two rooms may have the same name for different things. */
const nameIn = (file, name) => `${name}_${rooms.indexOf(file)}`;

// What runs from here meanwhile must not find files missing: what is no longer made goes last.
const before = filesIn(dist);
const made = new Set();
const checkCopies = new Map();
const shared = { absWorkingDir: root, bundle: true, format: 'esm', platform: 'node', target: 'node20', logLevel: 'error', metafile: true };
const external = Object.keys({ ...dependencies, ...optionalDependencies, ...peerDependencies });

/**
 * What a server loads before its first answer is one file, and what is loaded later imports from it. The rest are a few files, with
 * what they share beside them.
 */
const early = new Set(reachable(['server/index.js', 'serve/pipe.js']));
const partOf = (file) => {
  if (early.has(file)) return 'start';
  if (file.startsWith('auth/')) return 'auth';
  if (/^(?:client|connect)\//.test(file)) return 'client';
  return /^serve\/(?!memory)/.test(file) ? 'http' : 'rest';
};
const listed = (file, each) =>
  `{ ${names
    .get(file)
    .map((name) => each(name, nameIn(file, name)))
    .join(', ')} }`;
const facade = (file, from) => `export ${listed(file, (name, whole) => `${whole} as ${name}`)} from '${from}';\n`;
mkdirSync(join(compiled, 'parts'), { recursive: true });
for (const part of parts) {
  const own = rooms.filter((file) => partOf(file) === part);
  const lines = own.map((file) => `export ${listed(file, (name, whole) => `${name} as ${whole}`)} from '../${file}';\n`);
  writeFileSync(join(compiled, 'parts', `${part}.js`), lines.join(''));
}
/** Rooms that the start imports when they are needed, by the names of their files. */
const later = new Map();
const partsPlugin = (isStart) => ({
  name: 'parts',
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /^\.\.?\// }, ({ path, resolveDir, kind }) => {
      const inside = relative(compiled, join(resolveDir, path)).split('\\').join('/');
      if (entries.includes(inside)) return { path: `../${inside}`, external: true };
      if (!isStart && early.has(inside)) return { path: inside, namespace: 'room' };
      if (!isStart || kind !== 'dynamic-import') return undefined;
      const file = inside.split('/').join('-');
      later.set(file, inside);
      return { path: `./${file}`, external: true };
    });
    onResolve({ filter: /^\.\/start\.js$/, namespace: 'room' }, ({ path }) => ({ path, external: true }));
    onLoad({ filter: /.*/, namespace: 'room' }, ({ path }) => ({ contents: facade(path, './start.js') }));
  },
});
const asPart = { ...shared, external, splitting: true, outdir: join(dist, 'parts'), chunkNames: '[name]-[hash]' };
note(await build({ ...asPart, entryPoints: [join(compiled, 'parts/start.js')], plugins: [partsPlugin(true)] }));
const rest = parts.filter((part) => part !== 'start').map((part) => [part, `parts/${part}.js`]);
const entryPoints = [...rest, ...[...later].map(([file, inside]) => [file.replace(/\.js$/, ''), inside])];
note(
  await build({
    ...asPart,
    entryPoints: entryPoints.map(([out, file]) => ({ out, in: join(compiled, file) })),
    plugins: [partsPlugin(false)],
  }),
);

for (const target of Object.values(exports)) {
  const file = typeof target === 'string' ? '' : target.default.replace('./dist/', '');
  if (!rooms.includes(file)) continue;
  mkdirSync(dirname(join(dist, file)), { recursive: true });
  made.add(file);
  writeFileSync(
    join(dist, file),
    facade(file, posix.join(posix.relative(posix.dirname(file), '.') || '.', `parts/${partOf(file)}.js`).replace(/^(?!\.)/, './')),
  );
}

// Those apart import what is together from that one file: there is one copy of everything.
// What every command begins with is one file; left to the splitting, it would be one for each set of commands that shares a part of it.
const base = [
  'cli/args/command',
  'cli/terminal/terminal',
  'cli/terminal/failure-report',
  'cli/args/flag-values',
  'cli/args/http-flags',
  'cli/module/import-module',
  'jsonrpc/error',
].map((name) => `${name}.js`);
writeFileSync(join(compiled, 'cli/base.js'), base.map((file) => `export * from '../${file}';\n`).join(''));

/** Files that other files import as they are shipped. The guard keeps its state on the process, so it may be in two of them. */
const shipped = new Set(
  ['serve/stdio', 'serve/node', 'connect/stdio', 'connect/http', 'connect/sse', 'live/index', 'check/index', 'check/cli'].map(
    (name) => `${name}.js`,
  ),
);
/** Entries built together: what they share is in a file between them, so that there is one copy. */
const withPartner = { 'check/index.js': ['check/cli.js'] };
/** What an image begins with, as CommonJS: its two threads are ready a sixth sooner without the loader of ES modules. */
const scripts = ['live/languages/javascript/boot.js', 'live/languages/javascript/monitor.js', 'live/languages/smalltalk/amber/monitor.js'];
const asScript = (file) => ({
  format: 'cjs',
  outfile: join(dist, file.replace(/\.js$/, '.cjs')),
  define: { 'import.meta.url': 'importMetaUrl' },
  banner: { js: "const importMetaUrl = require('node:url').pathToFileURL(__filename).href;" },
});
for (const file of entries) {
  const up = posix.relative(posix.dirname(file), '.');
  const own = [file, ...(withPartner[file] ?? [])];
  note(
    await build({
      ...shared,
      external,
      entryPoints: own.map((one) => join(compiled, one)),
      // A command loads what it needs itself, and nothing of the others.
      ...(file === 'cli/main.js' || own.length > 1
        ? { splitting: true, outdir: join(dist, posix.dirname(file)) }
        : { outfile: join(dist, file) }),
      ...(scripts.includes(file) && asScript(file)),
      plugins: [
        {
          name: 'neutral stays together',
          setup({ onResolve, onLoad }) {
            onResolve({ filter: /^\.\.?\// }, ({ path, resolveDir }) => {
              const inside = relative(compiled, join(resolveDir, path)).split('\\').join('/');
              if (file === 'cli/main.js' && base.includes(inside)) return { path: './base.js', external: true };
              if (shipped.has(inside) && !own.includes(inside)) return { path: `${up}/${inside}`, external: true };
              return rooms.includes(inside) ? { path: inside, namespace: 'room' } : undefined;
            });
            onResolve({ filter: new RegExp(`^(${parts.join('|')})$`) }, ({ path }) => ({ path: `${up}/parts/${path}.js`, external: true }));
            onLoad({ filter: /.*/, namespace: 'room' }, ({ path }) => ({ contents: facade(path, partOf(path)), resolveDir: compiled }));
          },
        },
      ],
    }),
  );
}

// What the user's own compiler reads goes along as it is.
for (const folder of ['live/languages/lisp/bridge', 'live/languages/smalltalk/pharo']) {
  const [bridge, shipped] = [join(root, 'src', folder), join(dist, folder)];
  cpSync(bridge, shipped, { recursive: true });
  for (const name of readdirSync(shipped)) if (!readdirSync(bridge).includes(name)) rmSync(join(shipped, name));
}

for (const file of before) if (!made.has(file)) rmSync(join(dist, file));

function prune(folder, extension) {
  for (const file of readdirSync(folder, { recursive: true }).map(String)) {
    const source = join(root, 'src', file.slice(0, -extension.length));
    if (file.endsWith(extension) && !existsSync(`${source}.ts`)) rmSync(join(folder, file));
  }
}

function note({ metafile: { outputs } }) {
  for (const [output, { inputs }] of Object.entries(outputs)) {
    made.add(relative(dist, join(root, output)).split('\\').join('/'));
    // The largest room ships once: src/cli reaches it through check/cli.ts alone.
    for (const input of Object.keys(inputs).filter((path) => path.startsWith('.cache/build/check/'))) {
      if (checkCopies.has(input)) throw new Error(`${input} is shipped twice: in ${checkCopies.get(input)} and in ${output}`);
      checkCopies.set(input, output);
    }
  }
}

/** By static imports alone. */
function reachable(from) {
  const found = new Set();
  for (const file of from) {
    if (found.has(file)) continue;
    found.add(file);
    const text = readFileSync(join(compiled, file), 'utf8');
    for (const [, path] of text.matchAll(/^(?:import|export)[^'"]*from ['"](\.[^'"]+)['"]/gm))
      from.push(posix.join(posix.dirname(file), path));
  }
  return found;
}

function filesIn(folder) {
  const all = readdirSync(folder, { recursive: true }).map((name) => String(name).split('\\').join('/'));
  return all.filter((name) => name.endsWith('.js')).sort();
}
