// A whole run: what the server offers, each revision of it examined, and the report.
import { choose } from './catalogue.ts';
import { examine } from './examine.ts';
import { findOffers, isUnauthorized, type Offer, type Offers } from './offers.ts';
import type { CheckOptions } from './options.ts';
import { outcomesOf } from './outcome.ts';
import { qualityOf } from './quality/quality.ts';
import { type Report, type RevisionReport, revisionReport } from './report.ts';
import { reproduction } from './reproduce.ts';
import type { Surface } from './surface.ts';
import { labelOf, type Target } from './target.ts';
import { weightiest } from './verdict.ts';

/** Judges a server. Never rejects because of what the server does, and never waits without end. */
export async function runCheck(target: Target, options: CheckOptions = {}): Promise<Report> {
  const began = performance.now();
  options.onProgress?.({ revision: undefined, step: 'revisions', done: 0, of: 1 });
  const found = await findOffers(target, options);
  const runs: RevisionReport[] = [];
  let surface: Surface | undefined;
  const onSurface = (one: Surface): void => {
    surface ??= one;
    options.onSurface?.(one);
  };
  for (const offer of found.offers) {
    if (options.signal?.aborted === true) await offer.peer.close();
    else runs.push(await runRevision(target, offer, { ...options, onSurface }));
    if (options.bail === true && runs.some(({ tally }) => tally.failed > 0)) break;
  }
  await Promise.all(found.offers.map(({ peer }) => peer.close()));
  const [first] = found.offers;
  const { name, version } = first?.peer.greeting.info ?? {};
  return {
    tool: 'vivarium check',
    target: labelOf(target),
    server: { name: typeof name === 'string' ? name : '', version: typeof version === 'string' ? version : '' },
    offered: found.offers.map(({ revision }) => revision),
    refused: found.refusals.map(({ revision, transport, reason }) => ({ revision, transport, reason })),
    ...problemOf(found),
    runs,
    ...(surface !== undefined && { quality: qualityOf(surface, options) }),
    durationMs: Math.round(performance.now() - began),
  };
}

async function runRevision(target: Target, offer: Offer, options: CheckOptions): Promise<RevisionReport> {
  const began = performance.now();
  const { revision, transport, peer } = offer;
  const { level = 'may', only, skip } = options;
  const chosen = choose({ revision, party: 'server', level, ...(only && { only }), ...(skip && { skip }) });
  const { findings, peers, exercised } = await examine(target, offer, chosen, options);
  const circumstances = { revision, transport, capabilities: peer.greeting.capabilities, exercised };
  const outcomes = outcomesOf(chosen, findings, circumstances).map((outcome) => {
    if (outcome.verdict !== 'failed' && outcome.verdict !== 'warned') return outcome;
    const finding = weightiest(findings.filter(({ id }) => id === outcome.id));
    const reproduce = finding === undefined ? undefined : reproduction(finding, target, revision);
    return reproduce === undefined ? outcome : { ...outcome, reproduce };
  });
  const requests = peers.reduce(
    (sum, { conversation }) => sum + conversation.messages.filter(({ direction }) => direction === 'sent').length,
    0,
  );
  return revisionReport({ revision, transport, requests, durationMs: Math.round(performance.now() - began) }, outcomes);
}

function problemOf({ offers, refusals }: Offers): Pick<Report, 'problem'> {
  if (offers.length > 0) return {};
  const unauthorized = refusals.find(({ peer }) => isUnauthorized(peer));
  const said = refusals.map(({ revision, transport, reason }) => `${revision} on ${transport}: ${reason}`);
  const stderr = refusals.map(({ peer }) => peer.conversation.stderr).find((text) => text !== '') ?? '';
  if (unauthorized !== undefined) {
    return { problem: { kind: 'unauthorized', message: 'the server asks for authorization (HTTP 401)', stderr } };
  }
  return { problem: { kind: 'unreachable', message: said.join('; '), stderr: stderr.slice(-2_000) } };
}
