// `npm test`: every check in order, the tests last; the first that fails ends the run with its output and exit code.
import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { chdir, execPath, exit, stderr, stdout } from 'node:process';
import { fileURLToPath } from 'node:url';

chdir(fileURLToPath(new URL('..', import.meta.url)));

step('prepare', [join('scripts', 'prepare.mjs')]);
pruneDist();
// --force: the build information may outlive a deleted dist, and then nothing would be built.
step('build', [join('scripts', 'build.mjs'), '--force']);
step('types', [bin('typescript', 'tsc'), '-b']);
step('biome', [bin('@biomejs/biome', 'biome'), 'ci', '--error-on-warnings']);
step('knip', [bin('knip', 'knip')]);
step('publint', [bin('publint', 'publint'), '--strict']);
step('attw', [bin('@arethetypeswrong/cli', 'attw'), '--pack', '--profile', 'esm-only']);

const tests = spawnSync(execPath, [bin('vitest', 'vitest'), 'run'], { stdio: 'inherit' });
exit(tests.status ?? 1);

function step(name, args) {
  const start = performance.now();
  const { status, stdout: out, stderr: err, error } = spawnSync(execPath, args, { encoding: 'utf8', maxBuffer: 1 << 26 });
  const seconds = ((performance.now() - start) / 1000).toFixed(1);
  if (status === 0) {
    stdout.write(`${name.padEnd(8)} ${seconds.padStart(5)} s\n`);
    if (name === 'prepare') stderr.write(err);
    return;
  }
  stdout.write(`${name.padEnd(8)} ${seconds.padStart(5)} s  failed\n${out}`);
  stderr.write(error ? `${err}${error}\n` : err);
  exit(status || 1);
}

function bin(name, command) {
  const folder = join('node_modules', name);
  const { bin: table } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
  return join(folder, typeof table === 'string' ? table : table[command]);
}

// tsc leaves the output of deleted sources behind, and it would be published.
function pruneDist() {
  if (!existsSync('dist')) return;
  for (const entry of readdirSync('dist', { recursive: true, withFileTypes: true })) {
    const path = join(entry.parentPath, entry.name);
    const source = path.replace(/^dist/, 'src').replace(/\.d\.ts$/, '.ts');
    if (entry.isFile() && source.endsWith('.ts') && !existsSync(source)) rmSync(path);
  }
}
