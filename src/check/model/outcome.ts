// The verdict on each requirement, and the sums of them.
import type { Revision } from '../../protocol/revision.ts';
import { describeEvidence, type EvidenceLine } from './evidence.ts';
import {
  addressOf,
  isAtLeast,
  judgedIn,
  type Level,
  levelIn,
  type Party,
  pageIn,
  type Requirement,
  sectionOf,
  type Transport,
} from './requirement.ts';
import type { Json } from './value.ts';
import { at } from './value.ts';
import { type Finding, type UnverifiedReason, uncallable, type Verdict, weightiest } from './verdict.ts';

export interface Outcome {
  readonly id: string;
  readonly level: Level;
  readonly section: string;
  /** The requirement in our words. */
  readonly text: string;
  readonly page: string;
  readonly url: string;
  readonly verdict: Verdict;
  /** Why, unless it passed. */
  readonly message: string;
  /** The same for programs, where something depends on it. */
  readonly reason?: UnverifiedReason;
  readonly evidence: readonly EvidenceLine[];
  /** How often it was seen broken. */
  readonly times: number;
  /** A line for a shell that shows it again. */
  readonly reproduce?: string;
  /** It failed, and the user said that it would. */
  readonly expected?: true;
}

export interface Tally {
  readonly passed: number;
  readonly failed: number;
  readonly warned: number;
  readonly notVerified: number;
  readonly notApplicable: number;
  readonly unobservable: number;
}

export interface Circumstances {
  /** Who is judged; a server unless it is said. */
  readonly party?: Exclude<Party, 'both'>;
  readonly revision: Revision;
  readonly transport: Transport;
  readonly capabilities: Json;
  /** Every tool was called: what shows only in passing had its occasion. */
  readonly exercised: boolean;
  /** Each of them was answered, too, and the server asked nothing of its client. */
  readonly neverAsks?: boolean;
  /** Why nothing more could be asked. */
  readonly obstacle?: string | undefined;
}

export function outcomesOf(chosen: readonly Requirement[], findings: readonly Finding[], circumstances: Circumstances): Outcome[] {
  const byId = grouped(findings);
  return chosen.map((requirement) => outcomeOf(requirement, byId.get(requirement.id) ?? [], circumstances));
}

function outcomeOf(requirement: Requirement, findings: readonly Finding[], circumstances: Circumstances): Outcome {
  const { revision } = circumstances;
  const level = levelIn(requirement, revision);
  const { verdict, message, reason, finding } = judged(requirement, level, findings, circumstances);
  return {
    id: requirement.id,
    level,
    section: sectionOf(requirement),
    text: requirement.text,
    page: pageIn(requirement, revision),
    url: addressOf(requirement, revision),
    verdict,
    message,
    ...(reason !== undefined && { reason }),
    evidence: (finding?.evidence ?? []).flatMap(describeEvidence),
    times: findings.filter(({ kind }) => kind === 'broken').length,
  };
}

interface Judged {
  readonly verdict: Verdict;
  readonly message: string;
  readonly reason?: UnverifiedReason;
  readonly finding?: Finding;
}

function judged(
  requirement: Requirement,
  level: Level,
  findings: readonly Finding[],
  { transport, capabilities, exercised, neverAsks = false, obstacle, party = 'server' }: Circumstances,
): Judged {
  const { transports, capability } = requirement;
  const way = judgedIn(requirement, party);
  if (transports !== undefined && !transports.includes(transport)) return { verdict: 'not-applicable', message: `not on ${transport}` };
  const finding = weightiest(findings);
  if (finding?.kind === 'broken') {
    // What one MAY do cannot be broken.
    const verdict = isAtLeast(level, 'must') ? 'failed' : isAtLeast(level, 'should') ? 'warned' : 'not-applicable';
    return { verdict, message: finding.message, finding };
  }
  if (finding?.kind === 'kept') return { verdict: 'passed', message: '', finding };
  if (typeof way !== 'string') return { verdict: 'unobservable', message: way.unobservable };
  if (obstacle !== undefined && finding === undefined) return { verdict: 'not-verified', message: obstacle };
  const isOwn =
    ofClient.has(sectionOf(requirement)) === (party === 'client') || (party === 'client' && capability?.startsWith('tasks') === true);
  if (capability !== undefined && isOwn && isMissing(capabilities, capability)) {
    return { verdict: 'not-applicable', message: `the ${party} does not offer ${capability}` };
  }
  if (finding?.kind === 'inapplicable') return { verdict: 'not-applicable', message: finding.message };
  if (neverAsks && ofQuestions.has(sectionOf(requirement)))
    return { verdict: 'not-applicable', message: 'the server asks nothing, with every tool called' };
  if (finding?.kind === 'unsure') {
    const { message, reason } = finding;
    return { verdict: 'not-verified', message, ...(reason !== undefined && { reason }) };
  }
  // A permission that was not used is not a gap.
  if (level === 'MAY') return { verdict: 'not-applicable', message: 'not used' };
  if (party === 'client') return { verdict: 'not-verified', message: 'the client did nothing that could show it' };
  if (way === 'probe') return { verdict: 'not-verified', message: 'nothing that was asked could show it' };
  if (exercised) return { verdict: 'not-applicable', message: 'no occasion for it arose, with every tool called' };
  return { verdict: 'not-verified', ...uncallable('no occasion for it arose; not every tool may be called') };
}

/** Sections whose capabilities are the client's; our client declares all of them. */
const ofClient: ReadonlySet<string> = new Set(['sampling', 'elicitation', 'roots']);

/** Sections on what a server asks, and on what it does with the answers. */
const ofQuestions: ReadonlySet<string> = new Set(['elicitation', 'input']);

function isMissing(capabilities: Json, path: string): boolean {
  const value = at(capabilities, ...path.split('.'));
  return value === undefined || value === false;
}

export function tallyOf(outcomes: readonly Outcome[]): Tally {
  const count = (verdict: Verdict) => outcomes.filter((one) => one.verdict === verdict).length;
  return {
    passed: count('passed'),
    failed: count('failed'),
    warned: count('warned'),
    notVerified: count('not-verified'),
    notApplicable: count('not-applicable'),
    unobservable: count('unobservable'),
  };
}

/** Verified MUSTs over applicable ones: what was not verified counts as nothing. */
export function scoreOf(outcomes: readonly Outcome[]): number {
  const applicable = outcomes.filter(
    ({ level, verdict }) => isAtLeast(level, 'must') && verdict !== 'not-applicable' && verdict !== 'unobservable',
  );
  if (applicable.length === 0) return 0;
  const passed = applicable.filter(({ verdict }) => verdict === 'passed').length;
  return Math.round((1000 * passed) / applicable.length) / 10;
}

/** The same requirement in two runs: what went wrong in either, and verified only if it was in both. */
export function joinOutcomes(one: readonly Outcome[], other: readonly Outcome[]): Outcome[] {
  const order: readonly Verdict[] = ['failed', 'warned', 'not-verified', 'passed', 'not-applicable', 'unobservable'];
  const rank = ({ verdict }: Outcome) => order.indexOf(verdict);
  const byId = new Map(other.map((each) => [each.id, each]));
  return one.map((each) => {
    const twin = byId.get(each.id);
    return twin !== undefined && rank(twin) < rank(each) ? twin : each;
  });
}

function grouped(findings: readonly Finding[]): Map<string, Finding[]> {
  const groups = new Map<string, Finding[]>();
  for (const finding of findings) {
    const group = groups.get(finding.id);
    if (group === undefined) groups.set(finding.id, [finding]);
    else group.push(finding);
  }
  return groups;
}
