// Cases for a whole server: made from its lists, or run against it on a connection of their own.

import type { CheckOptions } from '../model/options.ts';
import { refusalsInWords } from '../report/refusals.ts';
import { findOffers } from '../servers/offered-revisions.ts';
import type { Peer } from '../servers/peer/peer.ts';
import { readSurface } from '../servers/surface.ts';
import type { CheckTarget } from '../servers/target.ts';
import { createPace } from '../wire/pace.ts';
import type { Case } from './case.ts';
import { generateCases } from './generate.ts';
import { type CaseResult, runCases } from './run-cases.ts';

/** Why nothing could be asked of the server. */
export interface Unreached {
  readonly problem: string;
}

export interface GeneratedSuite {
  readonly cases: readonly Case[];
  /** Of tools of which not all could be tried. */
  readonly notes: readonly string[];
}

/** Nothing is called: the lists are enough. */
export function generateSuite(target: CheckTarget, options: CheckOptions = {}): Promise<GeneratedSuite | Unreached> {
  return withServer(target, options, async (peer) => {
    const { tools } = await readSurface(peer);
    const all: Case[] = [];
    const notes: string[] = [];
    for (const tool of tools) {
      const { cases, note } = await generateCases(tool);
      for (const one of cases) all.push(one);
      if (note !== undefined) notes.push(`${String(tool['name'])}: ${note}`);
    }
    return { cases: all, notes };
  });
}

export interface SuiteOptions extends CheckOptions {
  /** Take snapshots instead of comparing with them. */
  readonly takesSnapshots?: boolean;
}

export function runSuite(
  target: CheckTarget,
  cases: readonly Case[],
  options: SuiteOptions = {},
): Promise<readonly CaseResult[] | Unreached> {
  const { allowSideEffects = false, takesSnapshots = false, onProgress, signal } = options;
  const watched = { ...(onProgress !== undefined && { onProgress }), ...(signal !== undefined && { signal }) };
  const terms = { arguments: new Map(), allowSideEffects, takesSnapshots, ...watched };
  return withServer(target, options, async (peer) => runCases(peer, await readSurface(peer), cases, terms));
}

/** The cases with what was taken: steady results as snapshots, and none where a result is not the same twice. */
export function withSnapshots(results: readonly CaseResult[]): readonly Case[] {
  return results.map(({ case: one, taken }) => {
    if (taken === undefined) return one;
    const { snapshot: _, ...expect } = one.expect;
    return { ...one, expect: taken === 'unsteady' ? expect : { ...expect, snapshot: taken } };
  });
}

async function withServer<T>(target: CheckTarget, options: CheckOptions, work: (peer: Peer) => Promise<T>): Promise<T | Unreached> {
  const { offers, refusals } = await findOffers(target, { ...options, pace: createPace(options.rateLimit) });
  const [first] = offers;
  try {
    if (first !== undefined) return await work(first.peer);
  } finally {
    await Promise.all(offers.map(({ peer }) => peer.close()));
  }
  return { problem: refusalsInWords(refusals) };
}
