// `npm run catalogue -- <folder>`: compares the catalogue of `vivarium check` with the specification, whose repository is checked
// out in <folder>. Prints what part of the sentences with a keyword is mapped to requirements, which are not, and every
// disagreement about level, revision or page. `--page <name>` shows the sentences of one page with their hashes and ids.
import { readdirSync, readFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { catalogue, requirement } from '../src/check/catalogue.ts';
import { levelIn, pageIn, all as revisions } from '../src/check/requirement.ts';
import { pagesOf } from './sentences.mjs';

const { values, positionals } = parseArgs({ allowPositionals: true, options: { page: { type: 'string', multiple: true } } });
const [folder] = positionals;
if (folder === undefined) {
  process.stderr.write('usage: npm run catalogue -- <folder of the specification> [--page <name>]...\n');
  process.exit(2);
}

const least = 0.95;
const maps = readMaps(new URL('../test/check/sentences/', import.meta.url));
const complaints = new Set();
/** By revision and id, the levels of the sentences that were found. */
const said = new Map(revisions.map((revision) => [revision, new Map()]));
const lines = new Map();
const figures = [];

for (const revision of revisions) {
  const pages = pagesOf(folder, revision);
  let count = 0;
  let mapped = 0;
  for (const page of pages) {
    for (const sentence of page.sentences) {
      const ids = maps.get(page.name)?.[sentence.hash];
      count += 1;
      if (ids !== undefined) {
        mapped += 1;
        for (const id of [ids].flat()) compare(id, sentence, revision, page);
      }
      note(page, sentence, revision, ids);
    }
  }
  figures.push({ revision, count, mapped });
  for (const one of catalogue.filter((each) => each.revisions.includes(revision))) checkPage(one, revision, pages);
}

for (const one of catalogue) for (const revision of one.revisions) checkLevel(one, revision);

print();

function compare(id, { text, hash, levels }, revision, page) {
  if (id.startsWith('waived:')) return;
  const where = `${page.name} ${hash} (${revision})`;
  const found = requirement(id);
  if (found === undefined) complaints.add(`${where}: no requirement ${id}`);
  else if (!found.revisions.includes(revision)) complaints.add(`${id}: does not hold in ${revision}, but ${where} says so: ${text}`);
  else {
    const before = said.get(revision).get(id) ?? [];
    said.get(revision).set(id, [...before, ...levels]);
    // A sentence may say as a prohibition what another says as a demand, but not with more or less force.
    const force = levelIn(found, revision).replace(' NOT', '');
    if (!levels.some((level) => level.replace(' NOT', '') === force)) complaints.add(`${id}: ${where} says ${levels.join(', ')}: ${text}`);
  }
}

/** In every revision some sentence has the word that the catalogue has; what comes from elsewhere needs no sentence. */
function checkLevel(one, revision) {
  const levels = said.get(revision).get(one.id);
  const level = levelIn(one, revision);
  if (levels === undefined && one.basis === undefined) complaints.add(`${one.id}: no sentence of ${revision} says so`);
  if (levels !== undefined && !levels.includes(level))
    complaints.add(`${one.id}: ${revision} says ${[...new Set(levels)].join(', ')}, not ${level}`);
}

function checkPage(one, revision, pages) {
  const [path, anchor] = pageIn(one, revision).split('#');
  const page = pages.find((each) => each.path === path || each.path === `${path}/index`);
  if (page === undefined) complaints.add(`${one.id}: ${revision} has no page ${path}`);
  // schema.mdx is made from schema.ts, with the names in lower case.
  else if (anchor !== undefined && !page.headings.some((heading) => heading.toLowerCase().replace('.', '-') === anchor)) {
    complaints.add(`${one.id}: ${path} of ${revision} has no heading ${anchor}`);
  }
}

function note(page, sentence, revision, ids) {
  const wanted = values.page === undefined ? ids === undefined : values.page.includes(page.name);
  if (!wanted) return;
  const key = `${page.name} ${sentence.hash}`;
  const line = lines.get(key) ?? { ...sentence, name: page.name, ids, places: new Set(), revisions: new Set() };
  line.places.add(`${page.path}#${sentence.anchor}`);
  line.revisions.add(revision);
  lines.set(key, line);
}

function print() {
  const out = [];
  for (const { name, hash, text, ids, places, revisions: within } of lines.values()) {
    out.push(`${name} ${hash}  ${[...within].join(' ')}  ${[...places].join(' ')}`, `    ${text}`);
    if (ids !== undefined) out.push(`    = ${[ids].flat().join(' ')}`);
  }
  for (const complaint of [...complaints].sort()) out.push(`! ${complaint}`);
  let enough = true;
  for (const { revision, count, mapped } of figures) {
    enough &&= mapped / count >= least;
    out.push(`${revision}  ${mapped} of ${count} sentences mapped, ${((100 * mapped) / count).toFixed(1)} %`);
  }
  out.push(`${catalogue.length} requirements, ${complaints.size} disagreements`);
  process.stdout.write(`${out.join('\n')}\n`);
  process.exitCode = enough && complaints.size === 0 ? 0 : 1;
}

function readMaps(url) {
  const files = readdirSync(url).filter((name) => name.endsWith('.json'));
  return new Map(files.map((name) => [name.slice(0, -'.json'.length), JSON.parse(readFileSync(new URL(name, url), 'utf8'))]));
}
