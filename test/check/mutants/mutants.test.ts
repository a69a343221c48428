// The judge on trial: servers that break one requirement each are found out, and nothing else is held against them.

import { afterAll, describe, expect, it } from 'vitest';
import { catalogue, runCheck } from 'vivarium/check';
import { isAtLeast, judgedIn, levelIn, partyIn, type Strictness } from '../../../src/check/requirement.ts';
import { pipeTarget } from '../pipe-target.ts';
import { createHonest } from './honest.ts';
import type { Mutant } from './mutant.ts';
import { mutants } from './table.ts';

const killed = new Set<string>();

async function wrongs(target: ReturnType<typeof pipeTarget>, revision: Mutant['revision'] | 'all'): Promise<string[]> {
  const { runs } = await runCheck(target, { revision, timeout: 1_000, level: 'should' });
  return runs.flatMap(({ outcomes }) => outcomes.filter(({ verdict }) => verdict === 'failed' || verdict === 'warned').map(({ id }) => id));
}

it('the honest server breaks nothing in any revision', async () => {
  expect(await wrongs(pipeTarget(createHonest), 'all')).toEqual([]);
});

it('every mutant breaks a requirement that the catalogue has in its revision', () => {
  const known = new Map(catalogue.map((one) => [one.id, one]));
  expect(mutants.filter(({ id, revision }) => known.get(id)?.revisions.includes(revision) !== true).map(({ id }) => id)).toEqual([]);
});

// Most of the time goes by in waiting for what does not come.
describe.concurrent.each(mutants)('a server that $does', ({ id, revision, twins = [], also = [], meddle }) => {
  it(`breaks ${id} of ${revision}, and nothing unrelated`, async ({ expect }) => {
    const found = await wrongs(pipeTarget(createHonest, meddle), revision);
    expect(found).toEqual(expect.arrayContaining([id, ...twins]));
    const allowed = new Set([id, ...twins, ...also]);
    expect(found.filter((one) => !allowed.has(one) && isMust(one, revision))).toEqual([]);
    for (const one of [id, ...twins]) killed.add(one);
  });
});

afterAll(() => {
  const observable = catalogue.filter((one) => typeof judgedIn(one, 'server') === 'string');
  const strongest = (one: (typeof catalogue)[number], level: Strictness) =>
    one.revisions.some((each) => partyIn(one, each) !== 'client' && isAtLeast(levelIn(one, each), level));
  const musts = observable.filter((one) => strongest(one, 'must'));
  const shoulds = observable.filter((one) => strongest(one, 'should') && !musts.includes(one));
  const rate = (list: typeof musts) => `${list.filter(({ id }) => killed.has(id)).length} of ${list.length}`;
  console.log(`${mutants.length} mutants; of what can be observed of a server they kill ${rate(musts)} MUSTs, ${rate(shoulds)} SHOULDs`);
  const left = [...musts, ...shoulds].filter(({ id }) => !killed.has(id));
  console.log(`without one:\n${left.map(({ id }) => `  ${id}`).join('\n')}`);
});

function isMust(id: string, revision: Mutant['revision']): boolean {
  const one = catalogue.find((each) => each.id === id);
  return one !== undefined && isAtLeast(levelIn(one, revision), 'must');
}
