// npm run steady [-- <runs> [revision]]: judges the fixture again and again, and names every verdict that was not the same each time.
import { fileURLToPath } from 'node:url';
import { runCheck } from '../dist/check/index.js';

const [runs = '10', only = 'all'] = process.argv.slice(2);
const target = {
  kind: 'command',
  command: process.execPath,
  args: [fileURLToPath(new URL('../test/fixtures/stdio.mjs', import.meta.url))],
};
const seen = new Map();
let verdicts = 0;
for (let run = 0; run < Number(runs); run += 1) {
  const report = await runCheck(target, { revision: only, allowSideEffects: true, timeout: 2_000 });
  for (const { revision, outcomes } of report.runs) {
    verdicts += outcomes.length;
    for (const { id, verdict, message } of outcomes) {
      const key = `${id}@${revision}`;
      seen.set(key, new Map([...(seen.get(key) ?? []), [verdict, message]]));
    }
  }
  process.stderr.write('.');
}
process.stderr.write('\n');
const unsteady = [...seen].filter(([, found]) => found.size > 1);
for (const [key, found] of unsteady) console.log(`${key}: ${[...found].map(([verdict, message]) => `${verdict} (${message})`).join(', ')}`);
console.log(
  `${runs} runs, ${seen.size} requirements in all revisions, ${verdicts} verdicts, ${unsteady.length} that were not the same each time`,
);
process.exitCode = unsteady.length > 0 || seen.size === 0 ? 1 : 0;
