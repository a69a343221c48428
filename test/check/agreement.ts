// Holds the catalogue against the sentences of the specification: what is mapped, and where level or revision differ. The sentences
// are known by their hashes; keywords.json has the words and the revisions of each, as `npm run catalogue -- <folder> --write` found them.
import { readdirSync, readFileSync } from 'node:fs';
import { requirement } from '../../src/check/catalogue/catalogue.ts';
import { type all, type Level, levelIn, type Requirement } from '../../src/check/model/requirement.ts';

type Revision = (typeof all)[number];

export interface Sentence {
  /** The name of the page, which is that of its map. */
  readonly page: string;
  readonly hash: string;
  readonly levels: readonly Level[];
  readonly revisions: readonly Revision[];
}

/** By page and hash, the ids of requirements, or a reason that begins with `waived:`. */
export type SentenceMaps = ReadonlyMap<string, Readonly<Record<string, string | readonly string[]>>>;

/** By page and hash, the levels and the revisions of a sentence: `MUST, MAY: 2025-06-18 2025-11-25`. */
export type Keywords = Readonly<Record<string, Readonly<Record<string, string>>>>;

const mapsFolder = new URL('./catalogue/sentences/', import.meta.url);
export const keywordsFile: URL = new URL('./catalogue/keywords.json', import.meta.url);

export function readMaps(): SentenceMaps {
  const files = readdirSync(mapsFolder).filter((name) => name.endsWith('.json'));
  return new Map(files.map((name) => [name.slice(0, -'.json'.length), JSON.parse(readFileSync(new URL(name, mapsFolder), 'utf8'))]));
}

export function readSentences(): Sentence[] {
  const keywords: Keywords = JSON.parse(readFileSync(keywordsFile, 'utf8'));
  return Object.entries(keywords).flatMap(([page, sentences]) =>
    Object.entries(sentences).map(([hash, found]) => {
      const [levels = '', revisions = ''] = found.split(': ');
      return { page, hash, levels: levels.split(', ') as Level[], revisions: revisions.split(' ') as Revision[] };
    }),
  );
}

export function idsOf({ page, hash }: Sentence, maps: SentenceMaps): readonly string[] | undefined {
  const ids = maps.get(page)?.[hash];
  return typeof ids === 'string' ? [ids] : ids;
}

export function shareOf(revision: Revision, sentences: readonly Sentence[], maps: SentenceMaps): { count: number; mapped: number } {
  const own = sentences.filter(({ revisions }) => revisions.includes(revision));
  return { count: own.length, mapped: own.filter((one) => idsOf(one, maps) !== undefined).length };
}

export function disagreements(catalogue: readonly Requirement[], sentences: readonly Sentence[], maps: SentenceMaps): string[] {
  const said = new Map<string, Level[]>();
  const about = sentences.flatMap((sentence) =>
    (idsOf(sentence, maps) ?? []).flatMap((id) => (id.startsWith('waived:') ? [] : sentenceComplaints(id, sentence, said))),
  );
  return [...about, ...catalogue.flatMap((one) => levelComplaints(one, said)), ...staleEntries(sentences, maps)];
}

function sentenceComplaints(id: string, { page, hash, levels, revisions }: Sentence, said: Map<string, Level[]>): string[] {
  const found = requirement(id);
  const where = `${page} ${hash}`;
  if (found === undefined) return [`${where}: no requirement ${id}`];
  return revisions.flatMap((revision) => {
    if (!found.revisions.includes(revision)) return [`${id}: does not hold in ${revision}, but ${where} says so`];
    const key = `${id} ${revision}`;
    said.set(key, [...(said.get(key) ?? []), ...levels]);
    // A sentence may say as a prohibition what another says as a demand, but not with more or less force.
    const force = forceOf(levelIn(found, revision));
    return levels.some((level) => forceOf(level) === force)
      ? []
      : [`${id}: is ${levelIn(found, revision)}, but ${where} says ${levels.join(', ')}`];
  });
}

/** In every revision some sentence has the word that the catalogue has; what comes from elsewhere needs no sentence. */
function levelComplaints(one: Requirement, said: ReadonlyMap<string, readonly Level[]>): string[] {
  return one.revisions.flatMap((revision) => {
    const levels = said.get(`${one.id} ${revision}`);
    if (levels === undefined) return one.basis === undefined ? [`${one.id}: no sentence of ${revision} says so`] : [];
    const level = levelIn(one, revision);
    return levels.includes(level) ? [] : [`${one.id}: is ${level}, but ${revision} says ${[...new Set(levels)].join(', ')}`];
  });
}

function staleEntries(sentences: readonly Sentence[], maps: SentenceMaps): string[] {
  const known = new Set(sentences.map(({ page, hash }) => `${page} ${hash}`));
  return [...maps].flatMap(([page, map]) =>
    Object.keys(map).flatMap((hash) => (known.has(`${page} ${hash}`) ? [] : [`${page} ${hash}: no such sentence`])),
  );
}

function forceOf(level: Level): string {
  return level.replace(' NOT', '');
}
