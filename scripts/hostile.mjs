// npm run hostile [-- --seconds 600 --from <number>]: the generator of hostile input for longer than in the gate, or from another start.
import { spawnSync } from 'node:child_process';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { parseArgs } from 'node:util';

const { values } = parseArgs({ options: { seconds: { type: 'string', default: '60' }, from: { type: 'string' } } });
const from = values.from ?? String(Date.now() % 1_000_000_000);
for (const [name, value] of Object.entries({ seconds: values.seconds, from })) {
  if (!Number.isSafeInteger(Number(value))) throw new Error(`--${name} takes a whole number, not ${value}`);
}
console.log(
  `Hostile input for ${values.seconds} s, starting from ${from}. To repeat: npm run hostile -- --seconds ${values.seconds} --from ${from}`,
);
const vitest = join(dirname(createRequire(import.meta.url).resolve('vitest/package.json')), 'vitest.mjs');
const env = { ...process.env, VIVARIUM_HOSTILE_SECONDS: values.seconds, VIVARIUM_HOSTILE_FROM: from };
const { status } = spawnSync(process.execPath, [vitest, 'run', '--project', 'unit', 'test/threats/generator'], { stdio: 'inherit', env });
process.exitCode = status ?? 1;
