// The judge on trial: clients that break one requirement each are found out, and nothing else is held against them.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { catalogue } from 'vivarium/check';
import { runClientCheck } from '../../../../src/check/clients/run.ts';
import { scenarios } from '../../../../src/check/clients/scenarios/index.ts';
import { isAtLeast, judgedIn, levelIn, partyIn, type Strictness } from '../../../../src/check/model/requirement.ts';
import { clientRules } from '../../../../src/check/rules/client/index.ts';
import type { Hands } from '../model/hands.ts';
import { launcher } from '../model/model.ts';
import { askings } from './asking.ts';
import { authorizations } from './authorization.ts';
import { http } from './http.ts';
import { lifecycle } from './lifecycle.ts';
import { messages } from './messages.ts';
import type { Mutant } from './mutant.ts';
import { taskMutants } from './tasks.ts';
import { without } from './without.ts';

const mutants: readonly Mutant[] = [...messages, ...lifecycle, ...askings, ...taskMutants, ...http, ...authorizations];
const isAuthorization = (name: string): boolean => name.startsWith('authorization');
/** How many mutants are tried at once: most of the time goes by in waiting for what does not come. */
const beside = 16;

interface Trial {
  readonly revision: Mutant['revision'] | 'all';
  readonly transport: 'stdio' | 'http' | 'sse';
  readonly isPlayed?: (scenario: string) => boolean;
}

async function wrongs(hands: () => Hands, { revision, transport, isPlayed = () => true }: Trial, of?: string): Promise<string[]> {
  // Each start of the client is a mutant of its own.
  const client: Parameters<typeof runClientCheck>[0] = (door, told) => launcher(hands())(door, told);
  const { runs, problem } = await runClientCheck(client, {
    revision,
    transports: [transport],
    timeout: 3_000,
    beside: 4,
    isPlayed,
    level: 'should',
  });
  if (problem !== undefined) return [problem.message];
  return runs
    .filter((run) => of === undefined || run.revision === of)
    .flatMap(({ outcomes }) => outcomes.filter(({ verdict }) => verdict === 'failed' || verdict === 'warned').map(({ id }) => id));
}

function trialOf({ revision, transport, everywhere, id }: Mutant): Trial {
  const isOfAuthorization = isAuthorization(id);
  const isPlayed = (name: string): boolean => everywhere?.includes(name) ?? isAuthorization(name) === isOfAuthorization;
  return { revision: everywhere === undefined ? revision : 'all', transport: transport ?? 'stdio', isPlayed };
}

describe('an honest client', () => {
  it.each([
    ['that can do everything', undefined],
    ['that can do nothing', {}],
    ['without tools, pages and tasks', { roots: {}, sampling: {}, elicitation: {} }],
  ] as const)('%s breaks nothing in any revision on any transport', { timeout: 300_000 }, async (_, capabilities) => {
    const hands = (): Hands => (capabilities === undefined ? {} : { capabilities });
    const found = await Promise.all((['stdio', 'http', 'sse'] as const).map((transport) => wrongs(hands, { revision: 'all', transport })));
    expect(found.flat()).toEqual([]);
  });
});

describe('a client that breaks one requirement', () => {
  const found = new Map<Mutant, string[]>();
  const killed = new Set<string>();
  beforeAll(async () => {
    const queue = [...mutants];
    const lane = async (): Promise<void> => {
      for (let one = queue.shift(); one !== undefined; one = queue.shift()) {
        found.set(one, await wrongs(one.hands, trialOf(one), one.revision));
      }
    };
    await Promise.all(Array.from({ length: beside }, lane));
    // Some show by the time that goes by, which a busy machine may hide: these are tried again, each alone.
    for (const one of mutants.filter((each) => faultsOf(each, found.get(each)) !== '')) {
      found.set(one, await wrongs(one.hands, trialOf(one), one.revision));
    }
  }, 900_000);

  it.each(mutants.map((mutant) => ({ ...mutant, mutant })))('$does: $id of $revision, and nothing unrelated', ({ mutant }) => {
    expect(faultsOf(mutant, found.get(mutant))).toBe('');
    for (const one of [mutant.id, ...(mutant.twins ?? [])]) killed.add(one);
  });

  const observable = catalogue.filter((one) => typeof judgedIn(one, 'client') === 'string');
  const musts = observable.filter((one) => isEver(one, 'must'));
  const shoulds = observable.filter((one) => isEver(one, 'should') && !musts.includes(one));

  it('is judged by a rule or a scenario in all that can be observed', () => {
    const judged = new Set([...clientRules, ...scenarios].flatMap(({ judges }) => judges));
    expect(observable.filter((one) => isEver(one, 'may') && !judged.has(one.id)).map(({ id }) => id)).toEqual([]);
  });

  it('has a mutant for all that can be observed, or a reason why there is none', () => {
    const has = new Set(mutants.flatMap(({ id, twins = [] }) => [id, ...twins]));
    expect([...musts, ...shoulds].map(({ id }) => id).filter((id) => has.has(id) === without.has(id))).toEqual([]);
  });

  afterAll(() => {
    const rate = (list: typeof musts) => `${list.filter(({ id }) => killed.has(id)).length} of ${list.length}`;
    const seen = observable.filter((one) => isEver(one, 'may')).length;
    console.log(`${seen} requirements can be observed of a client; each has a rule or a scenario`);
    console.log(
      `${mutants.length} mutants; of what can be observed of a client they kill ${rate(musts)} MUSTs and ${rate(shoulds)} SHOULDs`,
    );
    console.log(['without one:', ...[...without].map(([id, reason]) => `  ${id}: ${reason}`)].join('\n'));
  });
});

function faultsOf({ id, twins = [], also = [], revision }: Mutant, seen: readonly string[] = []): string {
  const wanted: readonly string[] = [id, ...twins];
  const missed = wanted.filter((one) => !seen.includes(one));
  const unrelated = seen.filter((one) => !wanted.includes(one) && !also.some((other) => other === one) && isMust(one, revision));
  return missed.length + unrelated.length === 0 ? '' : `missed: ${missed.join(' ')}; unrelated: ${unrelated.join(' ')}`;
}

function isEver(one: (typeof catalogue)[number], level: Strictness): boolean {
  return one.revisions.some((each) => partyIn(one, each) !== 'server' && isAtLeast(levelIn(one, each), level));
}

function isMust(id: string, revision: Mutant['revision']): boolean {
  const one = catalogue.find((each) => each.id === id);
  return one === undefined || isAtLeast(levelIn(one, revision), 'must');
}
