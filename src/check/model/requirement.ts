// What the specification demands of a server or a client: one requirement as data, and the questions asked of it.
import type { Revision } from '../../protocol/revision.ts';
import type { RequirementId } from './requirement-id.ts';
import { isModern, revisions } from './revision.ts';

export type Level = 'MUST' | 'MUST NOT' | 'SHOULD' | 'SHOULD NOT' | 'MAY';

/** Who has to do it. */
export type Party = 'server' | 'client' | 'both';

/** `sse` is HTTP+SSE of 2024-11-05, `http` Streamable HTTP. */
export type Transport = 'stdio' | 'http' | 'sse';

/**
 * How a run finds out: by asking for it (`probe`), by watching all that is sent (`rule`), or not at all, because no byte of the
 * server or client under test shows it.
 */
export type Judged = 'probe' | 'rule' | { readonly unobservable: string };

export interface Requirement {
  /** Path-like, and never changed; the first part is its section: `lifecycle/initialize/first`. */
  readonly id: RequirementId;
  readonly level: Level;
  /** Where a revision has another word than `level`. */
  readonly levels?: Readonly<Partial<Record<Revision, Level>>>;
  readonly party: Party;
  /** Where a revision asks it of another: from 2026-07-28 on only clients send requests, and only servers answer. */
  readonly parties?: Readonly<Partial<Record<Revision, Party>>>;
  /** Those in which it holds. */
  readonly revisions: readonly Revision[];
  /** Those on which it can be met or broken; all when absent. */
  readonly transports?: readonly Transport[];
  /**
   * The capability without which it does not apply: one of the server (`resources.subscribe`), or, in the sections of the
   * features of clients, one of the client (`sampling.tools`).
   */
  readonly capability?: string;
  /** One sentence in our own words. */
  readonly text: string;
  /** Page and heading, below the folder of the revision: `basic/transports#stdio`. */
  readonly page: string;
  /** Where a revision has it on another page or under another heading. */
  readonly pages?: Readonly<Partial<Record<Revision, string>>>;
  /** Where it is said if not in a sentence with a keyword: in the schema, by JSON-RPC itself, or in words without one. */
  readonly basis?: 'schema' | 'json-rpc' | 'prose';
  readonly judged: Judged;
  /** What is asked of both may show in one party only: why it does not in the other. */
  readonly hidden?: Readonly<Partial<Record<Exclude<Party, 'both'>, string>>>;
}

export const all: readonly Revision[] = revisions;
/** Those that begin with a handshake. */
export const legacy: readonly Revision[] = all.filter((revision) => !isModern(revision));
export const since = (from: Revision): readonly Revision[] => all.slice(all.indexOf(from));

export function levelIn(requirement: Requirement, revision: Revision): Level {
  return requirement.levels?.[revision] ?? requirement.level;
}

export function partyIn(requirement: Requirement, revision: Revision): Party {
  return requirement.parties?.[revision] ?? requirement.party;
}

export function sectionOf({ id }: Requirement): string {
  return id.slice(0, id.indexOf('/'));
}

/** How it is judged when that party is under test. */
export function judgedIn({ judged, hidden }: Requirement, party: Exclude<Party, 'both'>): Judged {
  const reason = hidden?.[party];
  return reason === undefined ? judged : { unobservable: reason };
}

/** In that party, or in any. */
export function isObservable(requirement: Requirement, party?: Exclude<Party, 'both'>): boolean {
  return typeof (party === undefined ? requirement.judged : judgedIn(requirement, party)) === 'string';
}

/** The page and heading that say it: `basic/transports#stdio`. */
export function pageIn(requirement: Requirement, revision: Revision): string {
  return requirement.pages?.[revision] ?? requirement.page;
}

export function addressOf(requirement: Requirement, revision: Revision): string {
  const page = pageIn(requirement, revision);
  return `https://modelcontextprotocol.io/${page.startsWith('tutorials/') ? 'docs' : 'specification'}/${revision}/${page}`;
}

/** A MUST is also one of `must`; each level holds those above it. */
export type Strictness = 'must' | 'should' | 'may';

const strength: Readonly<Record<Level, number>> = { MUST: 3, 'MUST NOT': 3, SHOULD: 2, 'SHOULD NOT': 2, MAY: 1 };
const least: Readonly<Record<Strictness, number>> = { must: 3, should: 2, may: 1 };

export function isAtLeast(level: Level, strictness: Strictness): boolean {
  return strength[level] >= least[strictness];
}
