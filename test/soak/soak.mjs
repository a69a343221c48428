// `npm run soak`: the checks of memory with a million calls, which take minutes; prints figures and fails when one is too large.
import { execFileSync } from 'node:child_process';
import { exit, stdout } from 'node:process';
import { fileURLToPath } from 'node:url';

const fixture = fileURLToPath(new URL('../fixtures/http-leaks.mjs', import.meta.url));
const flat = ({ before, after }) => after < before * 1.1;

const checks = [
  ['calls', 1_000_000, 'a million calls in one session', flat],
  ['progress', 100_000, 'calls with progress in one session', flat],
  ['gone', 20_000, 'times four streams whose reader hangs up', flat],
  ['abandoned', 200_000, 'abandoned handshakes, after they expired', flat],
  ['idle', 50_000, 'sessions that are open and not used', ({ each }) => each <= 6 * 1024],
];

const megabytes = (bytes) => `${(bytes / 1024 / 1024).toFixed(1)} MB`;
let failed = false;
for (const [name, count, what, holds] of checks) {
  const start = performance.now();
  const figures = JSON.parse(execFileSync(process.execPath, ['--expose-gc', fixture, name, `${count}`], { encoding: 'utf8' }));
  const seconds = (performance.now() - start) / 1_000;
  const ok = holds(figures);
  failed ||= !ok;
  const rate = `${Math.round(count / seconds)}/s`;
  const each = figures.each === undefined ? '' : `, ${figures.each} bytes each`;
  const heap = `heap ${megabytes(figures.before)} → ${megabytes(figures.after)}${each}`;
  stdout.write(`${ok ? 'ok    ' : 'FAILED'} ${count} ${what}: ${heap}; ${seconds.toFixed(1)} s, ${rate}\n`);
}
exit(failed ? 1 : 0);
