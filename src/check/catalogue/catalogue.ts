// Every requirement under its id, and the ways to choose among them.
import type { Revision } from '../../protocol/revision.ts';
import {
  isAtLeast,
  isObservable,
  levelIn,
  type Party,
  partyIn,
  type Requirement,
  type Strictness,
  sectionOf,
  type Transport,
} from '../model/requirement.ts';
import { sections } from './sections.ts';

/** What to choose; a member that is absent chooses everything. */
export interface Choice {
  readonly revision?: Revision;
  /** Those that concern it; what is asked of both is asked of each. */
  readonly party?: Exclude<Party, 'both'>;
  readonly transport?: Transport;
  readonly level?: Strictness;
  readonly section?: string;
  readonly observable?: boolean;
  /** Ids, beginnings of ids as whole parts (`tools/call`), or patterns in which `*` is any text. */
  readonly only?: readonly string[];
  readonly skip?: readonly string[];
}

export const catalogue: readonly Requirement[] = joined(sections);

const byId: ReadonlyMap<string, Requirement> = new Map(catalogue.map((requirement) => [requirement.id, requirement]));

export function requirement(id: string): Requirement | undefined {
  return byId.get(id);
}

export function choose(choice: Choice = {}, from: readonly Requirement[] = catalogue): readonly Requirement[] {
  return from.filter((one) => isChosen(one, choice));
}

/** Whether `pattern` means the requirement `id`. */
export function isNamedBy(id: string, pattern: string): boolean {
  if (!pattern.includes('*')) return id === pattern || id.startsWith(`${pattern}/`);
  // Piece by piece and from left to right, so that no pattern can make it slow.
  const [start = '', ...rest] = pattern.split('*');
  const end = rest.pop() ?? '';
  if (!id.startsWith(start) || !id.endsWith(end) || id.length < start.length + end.length) return false;
  let at = start.length;
  for (const piece of rest) {
    const found = id.indexOf(piece, at);
    if (found < 0) return false;
    at = found + piece.length;
  }
  return at <= id.length - end.length;
}

/** Refuses an id that is there twice: two sentences would share one verdict. */
export function joined(lists: readonly (readonly Requirement[])[]): readonly Requirement[] {
  const all = lists.flat();
  const seen = new Set<string>();
  for (const { id } of all) {
    if (seen.has(id)) throw new Error(`two requirements have the id ${id}`);
    seen.add(id);
  }
  return all;
}

function isChosen(one: Requirement, { revision, party, transport, level, section, observable, only, skip }: Choice): boolean {
  if (revision !== undefined && !one.revisions.includes(revision)) return false;
  if (party !== undefined && !concerns(one, party, revision)) return false;
  if (transport !== undefined && one.transports !== undefined && !one.transports.includes(transport)) return false;
  if (level !== undefined && !isAtLeast(strongest(one, revision), level)) return false;
  if (section !== undefined && sectionOf(one) !== section) return false;
  if (observable !== undefined && isObservable(one, party) !== observable) return false;
  if (only !== undefined && !only.some((pattern) => isNamedBy(one.id, pattern))) return false;
  return skip === undefined || !skip.some((pattern) => isNamedBy(one.id, pattern));
}

function concerns(one: Requirement, party: Exclude<Party, 'both'>, revision: Revision | undefined): boolean {
  const asked = revision === undefined ? one.party : partyIn(one, revision);
  return asked === party || asked === 'both';
}

function strongest(one: Requirement, revision: Revision | undefined): Requirement['level'] {
  if (revision !== undefined) return levelIn(one, revision);
  const levels = one.revisions.map((each) => levelIn(one, each));
  return levels.find((level) => isAtLeast(level, 'must')) ?? levels.find((level) => isAtLeast(level, 'should')) ?? one.level;
}
