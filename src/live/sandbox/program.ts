// What a program needs to run in a sandbox beside the system's own files: itself, its libraries, and what comes with it. No more:
// the folder above it may be one that holds everything of the user, such as ~/.local.
import { spawnSync } from 'node:child_process';
import { closeSync, existsSync, openSync, readdirSync, readFileSync, readlinkSync, readSync, realpathSync } from 'node:fs';
import { homedir } from 'node:os';
import { basename, delimiter, dirname, isAbsolute, join } from 'node:path';
import { packageFolder } from '../package-files.ts';
import { isSystem } from './mounts.ts';
import { contains } from './paths.ts';

export interface Program {
  /** By its real name. */
  readonly command: string;
  readonly reads: readonly string[];
  /** Names under which programs that come with it are found, and where they lead. */
  readonly links: readonly (readonly [at: string, to: string])[];
}

interface Surroundings {
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
}

const askMs = 20_000;
/** What Node's own installers put beside it, and what people add there to install with. */
const managers = ['npm', 'corepack', 'pnpm', 'yarn'];
const known = new Map<string, Program>();

export function programOf(command: string, { cwd, env }: Surroundings): Program {
  const file = isAbsolute(command) ? command : onPath(command, env['PATH'] ?? '');
  if (file === undefined || !existsSync(file)) return { command, reads: [], links: [] };
  // What the project brings is seen with it, and must not be run outside of the sandbox, not even to ask it something.
  if (contains(realpathSync(cwd), realpathSync(file))) return { command: file, reads: [file], links: [] };
  const key = JSON.stringify([file, realpathSync(file), cwd]);
  let program = known.get(key);
  // A version manager may have taken it away since.
  if (program === undefined || !existsSync(program.command)) {
    program = basename(file).startsWith('sbcl') ? sbclAt(file, { cwd, env }) : nodeAt(file, { cwd, env });
    known.set(key, program);
  }
  return program;
}

function nodeAt(file: string, around: Surroundings): Program {
  const [asked] = isStandIn(file) ? ask(file, ['-p', 'process.execPath'], around) : [file];
  const command = realpathSync(asked ?? file);
  if (isSystem(command)) return { command, reads: [], links: [] };
  const bin = dirname(command);
  const packages = managers.map((name) => join(dirname(bin), 'lib/node_modules', name)).filter((folder) => existsSync(folder));
  const links = readdirSync(bin, { withFileTypes: true }).flatMap((entry): Program['links'] => {
    const at = join(bin, entry.name);
    const leadsThere =
      entry.isSymbolicLink() && existsSync(at) && packages.some((folder) => contains(realpathSync(folder), realpathSync(at)));
    return leadsThere ? [[at, readlinkSync(at)]] : [];
  });
  return { command, reads: [command, ...librariesOf(command), ...packages], links };
}

/** With the core and the modules it was installed with. */
function sbclAt(file: string, around: Surroundings): Program {
  if (isSystem(realpathSync(file))) return { command: file, reads: [], links: [] };
  const places = '(list sb-ext:*runtime-pathname* sb-ext:*core-pathname* (sb-int:sbcl-homedir-pathname))';
  const code = `(dolist (place (remove nil ${places})) (write-line (sb-ext:native-namestring place)))`;
  const [runtime = file, ...beside] = ask(
    file,
    ['--noinform', '--no-sysinit', '--no-userinit', '--non-interactive', '--eval', code],
    around,
  );
  const command = realpathSync(runtime);
  const reads = [command, ...librariesOf(command), ...beside].map((path) => path.replace(/(?<=.)\/$/, ''));
  return { command, reads: reads.filter((path) => !isSystem(path)), links: [] };
}

/** Paths, one a line. */
function ask(command: string, args: readonly string[], { env }: Surroundings): string[] {
  // Not in the project, whose files could lead a version manager to a program of the project's own.
  const { stdout, status } = spawnSync(command, args, {
    cwd: homedir(),
    env,
    encoding: 'utf8',
    timeout: askMs,
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  return status === 0 ? stdout.split('\n').filter((line) => isAbsolute(line) && existsSync(line)) : [];
}

/** A script, or the one program that a version manager has for all: it looks which version is meant, and runs that. */
function isStandIn(file: string): boolean {
  const isNode = /^node/;
  if (!isNode.test(basename(file))) return false;
  if (!isNode.test(basename(realpathSync(file)))) return true;
  const head = Buffer.alloc(2);
  const opened = openSync(file, 'r');
  try {
    readSync(opened, head);
  } finally {
    closeSync(opened);
  }
  return head.toString('latin1') === '#!';
}

/** Those in unusual places, such as a libnode beside the program. */
function librariesOf(file: string): string[] {
  const { stdout } = spawnSync('/usr/bin/ldd', [file], { encoding: 'utf8', timeout: askMs, env: {} });
  const found = [...(stdout ?? '').matchAll(/(?:^[\t ]+|=> )(\/\S+)(?= \(0x)/gm)].map(([, path]) => path as string);
  return found.filter((path) => !isSystem(path) && existsSync(path));
}

function onPath(name: string, path: string): string | undefined {
  const folders = path.split(delimiter).filter((folder) => isAbsolute(folder));
  return folders.map((folder) => join(folder, name)).find((file) => existsSync(file));
}

/** Of this package what images load, and the packages it depends on, wherever they were installed. */
export function ownFiles(): string[] {
  const own = packageFolder();
  return [join(own, 'package.json'), join(own, 'dist'), ...dependenciesOf(own, new Set())];
}

function dependenciesOf(folder: string, seen: Set<string>): string[] {
  const { dependencies = {}, optionalDependencies = {} } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as Dependencies;
  for (const name of Object.keys({ ...dependencies, ...optionalDependencies })) {
    const found = packageAbove(folder, name);
    if (found === undefined || seen.has(found)) continue;
    seen.add(found);
    dependenciesOf(found, seen);
  }
  return [...seen];
}

interface Dependencies {
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
}

function packageAbove(folder: string, name: string): string | undefined {
  for (let at = folder; ; at = dirname(at)) {
    const found = join(at, 'node_modules', name);
    if (existsSync(join(found, 'package.json'))) return realpathSync(found);
    if (dirname(at) === at) return undefined;
  }
}
