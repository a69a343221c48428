// vivarium new: a folder with a server in it, ready to be tested, checked and given to an agent.
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { basename, dirname, join, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type Command, CommandError, exitCodes } from '../../args/command.ts';
import { orRefuse } from '../../terminal/output.ts';
import { printable, quote } from '../../terminal/terminal.ts';
import { filesOf } from './files.ts';

export const create: Command = {
  name: 'new',
  summary: 'Begin a server: typed, with a test and a check',
  usage: 'new <folder> [options]',
  flags: {
    name: { type: 'string', value: 'name', help: "The server's name (default: that of the folder)" },
  },
  examples: [['vivarium new notes', 'then: cd notes && npm install && npm test && npm run check']],
  async run({ positionals, values }) {
    const [folder, ...more] = positionals;
    if (folder === undefined || more.length > 0)
      throw new CommandError(exitCodes.usage, 'new takes one folder', { hint: 'vivarium new notes' });
    const target = resolve(folder);
    const name = (values['name'] as string | undefined) ?? nameFrom(basename(target));
    if (!/^(?!node_modules$|favicon\.ico$)[a-z0-9][a-z0-9._-]{0,100}$/.test(name))
      throw new CommandError(exitCodes.usage, `"${name}" is no name of a package`, {
        hint: 'Small letters, digits, dots and dashes: --name my-server',
      });
    refuseOccupied(target);
    const files = filesOf({ name, vivarium: versionFor(target) });
    for (const [path, text] of files) {
      orRefuse(join(target, path), () => {
        mkdirSync(dirname(join(target, path)), { recursive: true });
        writeFileSync(join(target, path), text, { flag: 'wx' });
      });
    }
    process.stdout.write(
      [...[...files.keys()].map((path) => `  ${join(folder, path)}`), '', ...nextSteps(folder, target, name), ''].map(printable).join('\n'),
    );
    return exitCodes.ok;
  },
};

function nextSteps(folder: string, target: string, name: string): string[] {
  return [
    'Next:',
    `  cd ${quote(folder)} && npm install && npm test && npm run check`,
    'To give it to Claude Code:',
    `  claude mcp add ${quote(name)} -- ${quote(join(target, 'node_modules/.bin/vivarium'))} serve ${quote(join(target, 'src/server.ts'))}`,
  ];
}

function nameFrom(folder: string): string {
  return folder
    .toLowerCase()
    .replaceAll(/[^a-z0-9._-]+/g, '-')
    .replace(/^[^a-z0-9]+/, '');
}

/** Nothing that is there is written over. */
function refuseOccupied(target: string): void {
  const found = existsSync(target) ? statSync(target) : undefined;
  if (found === undefined) return;
  if (!found.isDirectory()) throw new CommandError(exitCodes.usage, `${target} is a file`);
  if (readdirSync(target).some((entry) => entry !== '.git')) throw new CommandError(exitCodes.usage, `${target} is not empty`);
}

/** The released one; out of a checkout, the checkout itself; where it was installed from a file, that file. */
function versionFor(target: string): string {
  const own = fileURLToPath(new URL('../../', import.meta.url));
  const isInstalled = /[\\/]node_modules[\\/]/.test(own);
  const from = isInstalled ? installedFrom(own) : own;
  if (from === undefined) return `^${JSON.parse(readFileSync(join(own, 'package.json'), 'utf8')).version}`;
  return `file:${relative(target, from).replaceAll('\\', '/')}`;
}

/** As npm has written it down beside the package; undefined where it came from a registry. */
function installedFrom(own: string): string | undefined {
  const modules = dirname(own);
  try {
    const { packages } = JSON.parse(readFileSync(join(modules, '.package-lock.json'), 'utf8'));
    const { resolved } = packages[`node_modules/${basename(own)}`];
    const file = typeof resolved === 'string' && resolved.startsWith('file:') ? resolve(dirname(modules), resolved.slice(5)) : undefined;
    return file !== undefined && existsSync(file) ? file : undefined;
  } catch {
    return undefined;
  }
}
