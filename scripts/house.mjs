// `npm run house`: src/ and the package in figures. `-- --against <commit>` prints an older state beside them, `-- --list` names what was counted.
import { chdir, exit, stderr, stdout } from 'node:process';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { measure, measureCommit } from './house/measure.mjs';
import { renderFindings, renderTable } from './house/render.mjs';

chdir(fileURLToPath(new URL('..', import.meta.url)));
const usage = 'usage: npm run house -- [--against <commit>] [--list]\n';
let values;
try {
  ({ values } = parseArgs({ options: { against: { type: 'string' }, list: { type: 'boolean' }, help: { type: 'boolean' } } }));
} catch (error) {
  stderr.write(`${error.message}\n${usage}`);
  exit(2);
}
if (values.help) {
  stdout.write(usage);
  exit(0);
}
const columns = [['now', measure('.')]];
if (values.against !== undefined) columns.unshift([values.against, measureCommit('.', values.against)]);
stdout.write(renderTable(columns));
if (values.list) stdout.write(renderFindings(columns.at(-1)[1]));
