// A whole run: what the server offers, each revision of it examined, and the report.

import type { Revision } from '../../protocol/revision.ts';
import { qualityOf } from '../advice/advise.ts';
import { choose, requirement } from '../catalogue/catalogue.ts';
import type { CheckOptions } from '../model/options.ts';
import { joinOutcomes, type Outcome, outcomesOf } from '../model/outcome.ts';
import { since } from '../model/requirement.ts';
import { isModern } from '../model/revision.ts';
import type { Surface } from '../model/surface.ts';
import { weightiest } from '../model/verdict.ts';
import { refusalsInWords } from '../report/refusals.ts';
import { type Report, type RevisionReport, revisionReport } from '../report/report.ts';
import { createPace } from '../wire/pace.ts';
import { examine } from './examine.ts';
import { findOffers, isUnauthorized, type Offer, type Offers, presentationOf, type RunOptions } from './offered-revisions.ts';
import { reproduction } from './reproduce.ts';
import { beginAt, type CheckTarget, labelOf } from './target.ts';

/** Judges a server. Never rejects because of what the server does, and never waits without end. */
export async function runCheck(target: CheckTarget, given: CheckOptions = {}): Promise<Report> {
  const options: RunOptions = { ...given, pace: createPace(given.rateLimit) };
  const began = performance.now();
  options.onProgress?.({ revision: undefined, step: 'revisions', done: 0, of: 1 });
  const found = await findOffers(target, options);
  const { problem } = problemOf(found);
  const runs: RevisionReport[] = [];
  let surface: Surface | undefined;
  const onSurface = (one: Surface): void => {
    surface ??= one;
    options.onSurface?.(one);
  };
  for (const offer of found.offers) {
    if (options.signal?.aborted === true) break;
    const report = await runRevision(target, offer, { ...options, onSurface });
    runs.push(await repeated(target, offer, report, options));
    if (options.bail === true && runs.some(({ tally }) => tally.failed > 0)) break;
  }
  await Promise.all(found.offers.map(({ peer }) => peer.close()));
  if (problem?.kind === 'unauthorized') runs.push(await runClosed(target, found, options));
  const [first] = found.offers;
  const { name, version } = first?.peer.greeting.info ?? {};
  return {
    tool: 'vivarium check',
    target: labelOf(target),
    party: 'server',
    server: { name: typeof name === 'string' ? name : '', version: typeof version === 'string' ? version : '' },
    offered: found.offers.map(({ revision }) => revision),
    refused: found.refusals.map(({ revision, transport, reason }) => ({ revision, transport, reason })),
    ...(problem !== undefined && { problem }),
    runs,
    ...(surface !== undefined && { quality: qualityOf(surface, options, first?.peer) }),
    durationMs: Math.round(performance.now() - began),
  };
}

const unauthorized = 'the server asks for authorization: give --token-env or --header';

/**
 * A server that refuses every request without a token. It does not say which revision it speaks: unless the user does, only what
 * every revision with this kind of authorization demands is held against it.
 */
async function runClosed(target: CheckTarget, { refusals }: Offers, options: RunOptions): Promise<RevisionReport> {
  const { revision: wanted = 'auto' } = options;
  const isTold = wanted !== 'auto' && wanted !== 'all';
  const asked = refusals.filter(({ peer }) => isUnauthorized(peer)).map((one) => one.revision);
  const revision = isTold
    ? wanted
    : (asked
        .filter((one) => !isModern(one))
        .sort()
        .at(-1) ?? (asked[0] as Revision));
  const peer = beginAt(target, presentationOf(options, revision, 'main'));
  const report = await runRevision(target, { transport: 'http', revision, peer }, options, unauthorized);
  if (isTold) return report;
  const isCommon = (id: string) => withMetadata.every((each) => requirement(id)?.revisions.includes(each));
  const outcomes = report.outcomes.map((one): Outcome => {
    if ((one.verdict !== 'failed' && one.verdict !== 'warned') || isCommon(one.id)) return one;
    const { reproduce: _, ...rest } = one;
    return { ...rest, verdict: 'not-verified', message: `${unauthorized}; not every revision asks for it`, evidence: [], times: 0 };
  });
  return revisionReport(report, outcomes);
}

const withMetadata = since('2025-06-18');

async function repeated(target: CheckTarget, { revision }: Offer, first: RevisionReport, options: RunOptions): Promise<RevisionReport> {
  let report = first;
  const isOver = () => options.signal?.aborted === true || (options.bail === true && report.tally.failed > 0);
  for (let count = 1; count < (options.repeat ?? 1) && !isOver(); count += 1) {
    const { offers, refusals } = await findOffers(target, { ...options, revision });
    const [again] = offers;
    const next = again === undefined ? unrepeated(report, refusalsInWords(refusals)) : await runRevision(target, again, options);
    const { requests, durationMs, transport } = report;
    const sums = { revision, transport, requests: requests + next.requests, durationMs: durationMs + next.durationMs };
    const uncalled = report.withSideEffects !== undefined || next.withSideEffects !== undefined;
    report = revisionReport(sums, joinOutcomes(report.outcomes, next.outcomes), { uncalled });
  }
  return report;
}

/** Of a server that could not be reached this time: every time counts, so nothing of it was verified. */
function unrepeated(
  { outcomes }: RevisionReport,
  why: string,
): Pick<RevisionReport, 'outcomes' | 'requests' | 'durationMs' | 'withSideEffects'> {
  const message = `in one of the runs the server was not reached: ${why}`;
  const open = outcomes.map(
    (one): Outcome => (one.verdict === 'passed' ? { ...one, verdict: 'not-verified', message, evidence: [] } : one),
  );
  return { outcomes: open, requests: 0, durationMs: 0 };
}

async function runRevision(target: CheckTarget, offer: Offer, options: RunOptions, obstacle?: string): Promise<RevisionReport> {
  const began = performance.now();
  const { revision, transport, peer } = offer;
  const { level = 'may', only, skip } = options;
  const chosen = choose({ revision, party: 'server', level, ...(only && { only }), ...(skip && { skip }) });
  const { findings, peers, exercised, neverAsks } = await examine(target, offer, chosen, options, obstacle !== undefined);
  const conversations = peers.map(({ conversation }) => conversation);
  const circumstances = { revision, transport, capabilities: peer.greeting.capabilities, exercised, neverAsks, obstacle };
  const outcomes = outcomesOf(chosen, findings, circumstances).map((outcome) => {
    if (outcome.verdict !== 'failed' && outcome.verdict !== 'warned') return outcome;
    const finding = weightiest(findings.filter(({ id }) => id === outcome.id));
    const reproduce = finding === undefined ? undefined : reproduction(finding, target, revision, conversations);
    return reproduce === undefined ? outcome : { ...outcome, reproduce };
  });
  const requests = conversations.flatMap(({ messages }) => messages).filter(({ direction }) => direction === 'sent').length;
  const uncalled = !exercised && options.allowSideEffects !== true;
  return revisionReport({ revision, transport, requests, durationMs: Math.round(performance.now() - began) }, outcomes, { uncalled });
}

function problemOf({ offers, refusals }: Offers): Pick<Report, 'problem'> {
  if (offers.length > 0) return {};
  const unauthorized = refusals.find(({ peer }) => isUnauthorized(peer));
  const stderr = refusals.map(({ peer }) => peer.conversation.stderr).find((text) => text !== '') ?? '';
  if (unauthorized !== undefined) {
    return { problem: { kind: 'unauthorized', message: 'the server asks for authorization (HTTP 401)', stderr } };
  }
  // npx asks before it installs a package, and here it has no terminal.
  const cure = /npx canceled due to missing packages/.test(stderr) ? '; give npx -y to install it' : '';
  return { problem: { kind: 'unreachable', message: `${refusalsInWords(refusals)}${cure}`, stderr: stderr.slice(-2_000) } };
}
