// Cases for a whole server: made from its lists, or run against it on a connection of their own.
import { findOffers, refusalsInWords } from '../offers.ts';
import type { CheckOptions } from '../options.ts';
import type { Peer } from '../peer/peer.ts';
import { readSurface } from '../surface.ts';
import type { Target } from '../target.ts';
import { createPace } from '../wire/pace.ts';
import type { Case } from './case.ts';
import { generateCases } from './generate.ts';
import { type CaseResult, runCases } from './run-cases.ts';

/** Why nothing could be asked of the server. */
export interface Unreached {
  readonly problem: string;
}

/** Nothing is called: the lists are enough. */
export function generateSuite(target: Target, options: CheckOptions = {}): Promise<readonly Case[] | Unreached> {
  return withServer(target, options, async (peer) => {
    const { tools } = await readSurface(peer);
    const cases: Case[] = [];
    for (const tool of tools) cases.push(...(await generateCases(tool)));
    return cases;
  });
}

export function runSuite(target: Target, cases: readonly Case[], options: CheckOptions = {}): Promise<readonly CaseResult[] | Unreached> {
  const terms = { arguments: new Map(), allowSideEffects: options.allowSideEffects ?? false };
  return withServer(target, options, async (peer) => runCases(peer, await readSurface(peer), cases, terms));
}

async function withServer<T>(target: Target, options: CheckOptions, work: (peer: Peer) => Promise<T>): Promise<T | Unreached> {
  const { offers, refusals } = await findOffers(target, { ...options, pace: createPace(options.rateLimit) });
  const [first] = offers;
  try {
    if (first !== undefined) return await work(first.peer);
  } finally {
    await Promise.all(offers.map(({ peer }) => peer.close()));
  }
  return { problem: refusalsInWords(refusals) };
}
