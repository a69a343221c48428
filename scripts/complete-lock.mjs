// Adds to package-lock.json the packages of other platforms. npm leaves out an optional package that the registry at hand does
// not offer, and `npm ci` then refuses the file everywhere. Run it after every `npm install` that changes a dependency.
import { readFileSync, writeFileSync } from 'node:fs';

const path = process.argv[2] ?? 'package-lock.json';
const lock = JSON.parse(readFileSync(path, 'utf8'));
const { packages } = lock;

const systems = ['aix', 'android', 'darwin', 'freebsd', 'linux', 'netbsd', 'openbsd', 'openharmony', 'sunos', 'win32'];
const processors = ['arm', 'arm64', 'ia32', 'ppc64', 'riscv64', 's390x', 'x64', 'wasm32'];

const added = {};
for (const [place, { optionalDependencies = {} }] of Object.entries(packages)) {
  for (const [name, version] of Object.entries(optionalDependencies)) {
    if (!isLocked(place, name)) added[`node_modules/${name}`] = entryOf(name, version);
  }
}
const all = Object.entries({ ...packages, ...added }).sort(([a], [b]) => (a < b ? -1 : 1));
lock.packages = Object.fromEntries(all);
writeFileSync(path, `${JSON.stringify(lock, null, 2)}\n`);
process.stdout.write(`${Object.keys(added).length} added\n`);

/** Found from a folder as Node would find it: its own node_modules, then those above it. */
function isLocked(place, name) {
  const folders = place.split('/node_modules/');
  return (
    folders.some((_, depth) => {
      const above = folders.slice(0, folders.length - depth).join('/node_modules/');
      return packages[`${above === '' ? '' : `${above}/`}node_modules/${name}`] !== undefined;
    }) || packages[`node_modules/${name}`] !== undefined
  );
}

/** Such packages say in their name what they are for: os, processor and, on Linux, the C library. */
function entryOf(name, version) {
  const words = name.split('/').at(-1).split('-');
  const cpu = words.find((word) => processors.includes(word));
  const os = words.find((word) => systems.includes(word));
  const glibc = os === 'linux' && (words.includes('gnu') || name.startsWith('@biomejs/'));
  const libc = words.some((word) => word.startsWith('musl')) ? 'musl' : glibc ? 'glibc' : undefined;
  if (cpu === undefined) throw new Error(`${name} does not say in its name which processor it is for: add it by hand`);
  return { version, cpu: [cpu], dev: true, ...(libc && { libc: [libc] }), optional: true, ...(os && { os: [os] }) };
}
