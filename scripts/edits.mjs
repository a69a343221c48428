// npm run edits [-- --seed 1 --count 2000]: edits that are made up, for longer than in the gate, or from another start. Prints each lie made small.
import { spawnSync } from 'node:child_process';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { parseArgs } from 'node:util';

const { values } = parseArgs({ options: { seed: { type: 'string' }, count: { type: 'string', default: '2000' } } });
const seed = values.seed ?? String(Date.now() % 1_000_000_000);
for (const [name, value] of Object.entries({ seed, count: values.count })) {
  if (!Number.isSafeInteger(Number(value))) throw new Error(`--${name} takes a whole number, not ${value}`);
}
console.log(`${values.count} edits from ${seed} on. To repeat: npm run edits -- --seed ${seed} --count ${values.count}`);
const vitest = join(dirname(createRequire(import.meta.url).resolve('vitest/package.json')), 'vitest.mjs');
const env = { ...process.env, VIVARIUM_EDITS: values.count, VIVARIUM_EDITS_FROM: seed };
const file = 'test/live/languages/javascript/reload/reload/made.test.ts';
const { status } = spawnSync(process.execPath, [vitest, 'run', '--project', 'unit', file], { stdio: 'inherit', env });
process.exitCode = status ?? 1;
