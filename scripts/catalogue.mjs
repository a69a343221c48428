// `npm run catalogue -- <folder>`: compares the catalogue of `vivarium check` with the specification, whose repository is checked
// out in <folder>. Prints which sentences with a keyword are not mapped to requirements, every disagreement about level, revision or
// page, and what part is mapped. `--page <name>` shows the sentences of one page with their hashes and ids; `--write` writes
// test/check/catalogue/keywords.json, by which the tests know the sentences without the specification.
import { writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { catalogue } from '../src/check/catalogue/catalogue.ts';
import { pageIn, all as revisions } from '../src/check/model/requirement.ts';
import { disagreements, idsOf, keywordsFile, readMaps, shareOf } from '../test/check/agreement.ts';
import { pagesOf } from '../test/check/catalogue/pages.ts';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { page: { type: 'string', multiple: true }, write: { type: 'boolean' } },
});
const [folder] = positionals;
if (folder === undefined) {
  process.stderr.write('usage: npm run catalogue -- <folder of the specification> [--page <name>]... [--write]\n');
  process.exit(2);
}

const least = 0.95;
const maps = readMaps();
const pages = new Map(revisions.map((revision) => [revision, pagesOf(folder, revision)]));
const sentences = gathered();
if (values.write) writeFileSync(keywordsFile, `${JSON.stringify(keywordsOf(), undefined, 2)}\n`);
print();

/** Each sentence once for its page, with the revisions and the places it was found in. */
function gathered() {
  const found = new Map();
  for (const [revision, list] of pages) {
    for (const page of list) {
      for (const { text, hash, levels, anchor } of page.sentences) {
        const key = `${page.name} ${hash}`;
        const one = found.get(key) ?? { page: page.name, hash, text, levels, revisions: [], places: new Set() };
        if (!one.revisions.includes(revision)) one.revisions.push(revision);
        one.places.add(anchor === '' ? page.path : `${page.path}#${anchor}`);
        found.set(key, one);
      }
    }
  }
  return [...found.values()];
}

function keywordsOf() {
  const keywords = {};
  for (const { page, hash, levels, revisions: within } of sentences) {
    keywords[page] ??= {};
    keywords[page][hash] = `${levels.join(', ')}: ${within.join(' ')}`;
  }
  return keywords;
}

function pageComplaints(one) {
  return one.revisions.flatMap((revision) => {
    const [path, anchor] = pageIn(one, revision).split('#');
    const page = pages.get(revision).find((each) => each.path === path || each.path === `${path}/index`);
    if (page === undefined) return [`${one.id}: ${revision} has no page ${path}`];
    // schema.mdx is made from schema.ts, with the names in lower case.
    const known = anchor === undefined || page.headings.some((heading) => heading.toLowerCase().replace('.', '-') === anchor);
    return known ? [] : [`${one.id}: ${path} of ${revision} has no heading ${anchor}`];
  });
}

function print() {
  const out = [];
  for (const one of sentences) {
    const ids = idsOf(one, maps);
    if (values.page === undefined ? ids !== undefined : !values.page.includes(one.page)) continue;
    out.push(`${one.page} ${one.hash}  ${one.revisions.join(' ')}  ${[...one.places].join(' ')}`, `    ${one.text}`);
    if (ids !== undefined) out.push(`    = ${ids.join(' ')}`);
  }
  const complaints = [...disagreements(catalogue, sentences, maps), ...catalogue.flatMap(pageComplaints)];
  out.push(...complaints.sort().map((complaint) => `! ${complaint}`));
  let enough = true;
  for (const revision of revisions) {
    const { count, mapped } = shareOf(revision, sentences, maps);
    enough &&= mapped / count >= least;
    out.push(`${revision}  ${mapped} of ${count} sentences mapped, ${((100 * mapped) / count).toFixed(1)} %`);
  }
  out.push(`${catalogue.length} requirements, ${complaints.length} disagreements`);
  process.stdout.write(`${out.join('\n')}\n`);
  process.exitCode = enough && complaints.length === 0 ? 0 : 1;
}
