// The judge on trial: servers that break one requirement each are found out, and nothing else is held against them.

import { describe, expect, it } from 'vitest';
import { catalogue, runCheck } from 'vivarium/check';
import { isAtLeast, judgedIn, levelIn } from '../../../src/check/requirement.ts';
import { pipeTarget } from '../pipe-target.ts';
import { baseMutants } from './base.ts';
import { featureMutants } from './features.ts';
import { createHonest } from './honest.ts';
import type { Mutant } from './mutant.ts';

const mutants: readonly Mutant[] = [...baseMutants, ...featureMutants];

async function wrongs(target: ReturnType<typeof pipeTarget>, revision: Mutant['revision'] | 'all'): Promise<string[]> {
  const { runs } = await runCheck(target, { revision, timeout: 500, level: 'should' });
  return runs.flatMap(({ outcomes }) => outcomes.filter(({ verdict }) => verdict === 'failed' || verdict === 'warned').map(({ id }) => id));
}

it('the honest server breaks nothing in any revision', async () => {
  expect(await wrongs(pipeTarget(createHonest), 'all')).toEqual([]);
});

it('every mutant breaks a requirement that the catalogue has in its revision', () => {
  const known = new Map(catalogue.map((one) => [one.id, one]));
  expect(mutants.filter(({ id, revision }) => known.get(id)?.revisions.includes(revision) !== true).map(({ id }) => id)).toEqual([]);
});

describe.each(mutants)('a server that $does', ({ id, revision, also = [], meddle }) => {
  it(`breaks ${id} of ${revision}, and nothing unrelated`, async () => {
    const found = await wrongs(pipeTarget(createHonest, meddle), revision);
    expect(found).toContain(id);
    expect(found.filter((one) => one !== id && !also.includes(one) && isMust(one, revision))).toEqual([]);
  });
});

it('prints how many of the requirements that can be observed have a mutant', () => {
  const observable = catalogue.filter((one) => one.party !== 'client' && typeof judgedIn(one, 'server') === 'string');
  const musts = observable.filter((one) => one.revisions.some((revision) => isAtLeast(levelIn(one, revision), 'must')));
  const killed = new Set(mutants.map(({ id }) => id));
  const has = musts.filter(({ id }) => killed.has(id)).length;
  console.log(`mutants: ${mutants.length}, on stdio; ${has} of ${musts.length} observable MUST and MUST NOT of servers have one`);
  expect(has).toBeGreaterThan(0);
});

function isMust(id: string, revision: Mutant['revision']): boolean {
  const one = catalogue.find((each) => each.id === id);
  return one !== undefined && isAtLeast(levelIn(one, revision), 'must');
}
