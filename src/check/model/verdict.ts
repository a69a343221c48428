// What was found out about each requirement, and the one verdict that follows from all of it.
import type { RequirementId } from './requirement-id.ts';
import type { Exchange, Message } from './trace.ts';

export type Verdict = 'passed' | 'failed' | 'warned' | 'not-verified' | 'not-applicable' | 'unobservable';

/** What a verdict rests on: messages, exchanges over HTTP, or words. */
export type Evidence = Message | Exchange | string;

/** Why something was not verified, where more than the words of its message depends on it. */
export type UnverifiedReason = 'no-callable-tool';

export interface Unverified {
  readonly reason: UnverifiedReason;
  readonly message: string;
}

/** Not verified for want of a tool that may be called: `--allow-side-effects` would verify it. */
export function uncallable(message: string): Unverified {
  return { reason: 'no-callable-tool', message };
}

export const noCallableTool: Unverified = uncallable('no tool may be called');

export interface Finding {
  readonly id: RequirementId;
  readonly kind: 'kept' | 'broken' | 'unsure' | 'inapplicable';
  readonly message: string;
  readonly reason?: UnverifiedReason;
  readonly evidence: readonly Evidence[];
  /** The connection on which it was seen. */
  readonly conversation?: string;
}

/** Takes down findings; the same id may be judged many times. */
export interface Judge {
  kept(id: RequirementId, evidence?: readonly Evidence[]): void;
  broken(id: RequirementId, message: string, evidence?: readonly Evidence[]): void;
  /** It could not be found out. */
  unsure(id: RequirementId, why: string | Unverified): void;
  /** It does not concern this server. */
  inapplicable(id: RequirementId, reason: string): void;
  /** Kept or broken, by a condition. */
  verdict(id: RequirementId, isKept: boolean, message: string, evidence?: readonly Evidence[]): void;
}

export function createJudge(findings: Finding[], conversation?: string): Judge {
  const kept = new Set<RequirementId>();
  const at = conversation === undefined ? {} : { conversation };
  const add = (id: RequirementId, kind: Finding['kind'], message: string, evidence: readonly Evidence[] = []): void => {
    // The first time speaks for all: a chatty server keeps some of them thousands of times.
    if (kind === 'kept') {
      if (kept.has(id)) return;
      kept.add(id);
    }
    findings.push({ id, kind, message, evidence, ...at });
  };
  const broken: Judge['broken'] = (id, message, evidence) => {
    if (evidence?.some(isPutOff) === true) add(id, 'unsure', 'the server answers HTTP 429 for longer than is waited: give --rate-limit');
    else add(id, 'broken', message, evidence);
  };
  return {
    kept: (id, evidence) => add(id, 'kept', '', evidence),
    broken,
    unsure(id, why) {
      if (typeof why === 'string') add(id, 'unsure', why);
      else findings.push({ id, kind: 'unsure', ...why, evidence: [], ...at });
    },
    inapplicable: (id, reason) => add(id, 'inapplicable', reason),
    verdict: (id, isKept, message, evidence) => (isKept ? add(id, 'kept', '', evidence) : broken(id, message, evidence)),
  };
}

/** Not refused for what it is, but for its time. */
function isPutOff(evidence: Evidence): boolean {
  if (typeof evidence === 'string') return false;
  const exchange = 'request' in evidence ? evidence : evidence.exchange;
  return exchange?.response?.status === 429;
}

const weight: Readonly<Record<Finding['kind'], number>> = { broken: 3, kept: 2, unsure: 1, inapplicable: 0 };

/** One broken time outweighs every kept one; the first of the weightiest speaks. */
export function weightiest(findings: readonly Finding[]): Finding | undefined {
  let chosen: Finding | undefined;
  for (const finding of findings) {
    if (chosen === undefined || weight[finding.kind] > weight[chosen.kind]) chosen = finding;
  }
  return chosen;
}
