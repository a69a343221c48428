// `npm run graph`: draws the imports of src/ into docs/architecture.md. `-- --check` writes nothing and fails if they are drawn otherwise.
import { readFileSync, writeFileSync } from 'node:fs';
import process, { argv, chdir, stderr } from 'node:process';
import { fileURLToPath } from 'node:url';
import { diagrams } from './house/diagrams.mjs';
import { readSources } from './house/sources.mjs';

chdir(fileURLToPath(new URL('..', import.meta.url)));
const page = 'docs/architecture.md';
const [begin, end] = ['<!-- graph: begin, written by npm run graph -->', '<!-- graph: end -->'];

const text = readFileSync(page, 'utf8');
const [head, rest] = text.split(begin);
const drawn = `${head}${begin}\n\n${diagrams(readSources('.'))}\n\n${end}${rest.split(end)[1]}`;
if (!argv.includes('--check')) writeFileSync(page, drawn);
else if (drawn !== text) {
  stderr.write(`${page} does not show the imports as they are: npm run graph\n`);
  process.exitCode = 1;
}
