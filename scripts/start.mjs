// `npm start`: builds, and serves this checkout as a living program at a URL on this machine. What follows `--` is for `vivarium live`.
import { spawnSync } from 'node:child_process';
import { createServer } from 'node:net';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const firstPort = 4100;
const mostTries = 100;

process.stderr.write('Building …\n');
const built = spawnSync(process.execPath, [`${root}scripts/build.mjs`], { cwd: root, stdio: ['ignore', 2, 2] });
if (built.status !== 0) process.exit(built.status ?? 1);

const given = process.argv.slice(2);
const placed = given.some((word) => word === '--http' || word.startsWith('--http='));
const where = placed ? [] : ['--http', String(await freePort())];
process.argv.splice(1, Number.POSITIVE_INFINITY, `${root}dist/cli/main.js`, 'live', ...where, ...given);
await import('../dist/cli/main.js');

/** The first that nobody has, so that the address is mostly the same and clients need not be told again. */
async function freePort() {
  for (let port = firstPort; port < firstPort + mostTries; port++) if (await isFree(port)) return port;
  return 0;
}

function isFree(port) {
  return new Promise((resolve) => {
    const probe = createServer();
    probe.once('error', () => resolve(false));
    probe.listen(port, '127.0.0.1', () => probe.close(() => resolve(true)));
  });
}
