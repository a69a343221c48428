// `npm run watch -- serve`: runs the tests of one room, or of a folder of it, and again after each change of what they import.
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import process, { argv, chdir, execPath, stderr } from 'node:process';
import { fileURLToPath } from 'node:url';

chdir(fileURLToPath(new URL('..', import.meta.url)));
const [room = '', ...options] = argv.slice(2);
const folder = join('test', room);
if (room === '' || !existsSync(folder)) {
  stderr.write(`usage: npm run watch -- <room>, such as serve or live/session${room === '' ? '' : `; there is no ${folder}`}\n`);
  process.exit(2);
}
const vitest = join(dirname(createRequire(import.meta.url).resolve('vitest/package.json')), 'vitest.mjs');
// The slash keeps `serve` from matching `server`.
const child = spawn(
  execPath,
  [vitest, 'watch', '--project', 'unit', '--project', 'alone', '--project', 'long', '--project', 'house', `${folder}/`, ...options],
  { stdio: 'inherit' },
);
child.on('exit', (code) => process.exit(code ?? 1));
