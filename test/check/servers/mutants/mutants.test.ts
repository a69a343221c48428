// The judge on trial: servers that break one requirement each are found out, and nothing else is held against them.

import { afterAll, describe, expect, it } from 'vitest';
import { type CheckTarget, catalogue, runCheck } from 'vivarium/check';
import { isAtLeast, judgedIn, levelIn, partyIn, type Strictness } from '../../../../src/check/model/requirement.ts';
import { httpTarget } from '../../http-target.ts';
import { pipeTarget } from '../../pipe-target.ts';
import { guardHeaders, guardTokens, honestGuard } from './authorization.ts';
import { createHonest } from './honest.ts';
import type { HttpMutant } from './http-mutant.ts';
import type { Mutant } from './mutant.ts';
import { pipeMutants, webMutants } from './table.ts';
import { honestKeeper, honestWebKeeper } from './tasks.ts';
import { honestRequester } from './tasks-of-client.ts';
import { without } from './without.ts';

const mutants = [...pipeMutants, ...webMutants];
const killed = new Set<string>();

interface Patience {
  readonly tokens?: HttpMutant['tokens'];
  /** How many times as long as usual an answer may take. */
  readonly times?: number;
}

async function wrongs(
  target: CheckTarget,
  revision: Mutant['revision'] | 'all',
  { tokens = {}, times = 1 }: Patience = {},
): Promise<string[]> {
  // On a busy machine an answer may take a while, and a hundred at once over HTTP more than that.
  const timeout = times * (target.kind === 'url' ? 10_000 : 2_000);
  const { runs } = await runCheck(target, { revision, timeout, level: 'should', tokens });
  return runs.flatMap(({ outcomes }) => outcomes.filter(({ verdict }) => verdict === 'failed' || verdict === 'warned').map(({ id }) => id));
}

it('the honest server breaks nothing in any revision', async () => {
  expect(await wrongs(pipeTarget(createHonest), 'all')).toEqual([]);
});

it('every mutant breaks a requirement that the catalogue has in its revision', () => {
  const known = new Map(catalogue.map((one) => [one.id, one]));
  expect(mutants.filter(({ id, revision }) => known.get(id)?.revisions.includes(revision) !== true).map(({ id }) => id)).toEqual([]);
});

it('the honest keeper of tasks breaks nothing', async () => {
  expect(await wrongs(pipeTarget(createHonest, honestKeeper), '2025-11-25')).toEqual([]);
});

it('the honest keeper of tasks breaks nothing over HTTP, but that everybody may use it', async () => {
  const { target, close } = await httpTarget(createHonest, { around: honestWebKeeper() });
  expect(new Set(await wrongs(target, '2025-11-25'))).toEqual(new Set(['http/authentication', 'security/local/http-restricted']));
  await close();
});

it('the honest server that has tasks done by its client breaks nothing', async () => {
  expect(await wrongs(pipeTarget(createHonest, honestRequester), '2025-11-25')).toEqual([]);
});

it('the honest server breaks nothing over HTTP, but that everybody may use it', async () => {
  const { target, close } = await httpTarget(createHonest);
  expect(new Set(await wrongs(target, 'all'))).toEqual(new Set(['http/authentication', 'security/local/http-restricted']));
  await close();
});

it('the honest server breaks nothing over HTTP+SSE', async () => {
  const { target, close } = await httpTarget(createHonest, { transport: 'sse' });
  expect(await wrongs(target, '2024-11-05')).toEqual([]);
  await close();
});

it.each(['2025-03-26', '2025-06-18', '2025-11-25', '2026-07-28'] as const)(
  'the honest protected server breaks nothing in %s',
  async (revision) => {
    const { target, close } = await httpTarget(createHonest, { around: honestGuard(), headers: guardHeaders });
    expect(await wrongs(target, revision, { tokens: guardTokens })).toEqual([]);
    await close();
  },
);

// Most of the time goes by in waiting for what does not come.
describe.concurrent.each(pipeMutants)('a server that $does', { timeout: 600_000 }, (mutant) => {
  it(`breaks ${mutant.id} of ${mutant.revision}, and nothing unrelated`, async ({ expect }) => {
    expect(await tried(mutant, (times) => wrongs(pipeTarget(createHonest, mutant.meddle), mutant.revision, { times }))).toBe('');
  });
});

describe.concurrent.each(webMutants)('a server over HTTP that $does', { timeout: 600_000 }, (mutant) => {
  it(`breaks ${mutant.id} of ${mutant.revision}, and nothing unrelated`, async ({ expect }) => {
    const { around, rules = {}, transport = 'http', headers = {}, revision, tokens } = mutant;
    const find = async (times: number): Promise<string[]> => {
      const { target, close } = await httpTarget(createHonest, { around: around(), rules, transport, headers });
      const found = await wrongs(target, revision, { tokens, times });
      await close();
      return found;
    };
    expect(await tried(mutant, find)).toBe('');
  });
});

type Any = Pick<Mutant, 'id' | 'twins' | 'also' | 'revision'>;

/** Some show by the time that goes by, which a busy machine may hide: these are tried again with more of it. */
async function tried(mutant: Any, find: (times: number) => Promise<string[]>): Promise<string> {
  return verdictOn(mutant, await find(1)) && verdictOn(mutant, await find(4));
}

function verdictOn({ id, twins = [], also = [], revision }: Any, found: readonly string[]): string {
  const wanted: readonly string[] = [id, ...twins];
  const missed = wanted.filter((one) => !found.includes(one));
  const unrelated = found.filter((one) => !wanted.includes(one) && !also.some((other) => other === one) && isMust(one, revision));
  if (missed.length + unrelated.length > 0) return `missed: ${missed.join(' ')}; unrelated: ${unrelated.join(' ')}`;
  for (const one of wanted) killed.add(one);
  return '';
}

const observable = catalogue.filter((one) => typeof judgedIn(one, 'server') === 'string');
const musts = observable.filter((one) => isEver(one, 'must'));
const shoulds = observable.filter((one) => isEver(one, 'should') && !musts.includes(one));

function isEver(one: (typeof catalogue)[number], level: Strictness): boolean {
  return one.revisions.some((each) => partyIn(one, each) !== 'client' && isAtLeast(levelIn(one, each), level));
}

it('what can be observed has a mutant, or a reason why there is none', () => {
  const has = new Set(mutants.flatMap(({ id, twins = [] }) => [id, ...twins]));
  expect([...musts, ...shoulds].map(({ id }) => id).filter((id) => has.has(id) === without.has(id))).toEqual([]);
});

afterAll(() => {
  const rate = (list: typeof musts) => `${list.filter(({ id }) => killed.has(id)).length} of ${list.length}`;
  console.log(`${mutants.length} mutants; of what can be observed of a server they kill ${rate(musts)} MUSTs and ${rate(shoulds)} SHOULDs`);
  console.log(['without one:', ...[...without].map(([id, reason]) => `  ${id}: ${reason}`)].join('\n'));
});

function isMust(id: string, revision: Mutant['revision']): boolean {
  const one = catalogue.find((each) => each.id === id);
  return one !== undefined && isAtLeast(levelIn(one, revision), 'must');
}
