// Rules, probes and scenarios name requirements of the catalogue, or do not compile.
import { expectTypeOf, it } from 'vitest';
import type { Scenario } from '../../src/check/clients/scenario.ts';
import type { Requirement } from '../../src/check/model/requirement.ts';
import type { RequirementId } from '../../src/check/model/requirement-id.ts';
import type { Rule } from '../../src/check/model/rule.ts';
import type { Judge } from '../../src/check/model/verdict.ts';
import type { Probe } from '../../src/check/servers/probe.ts';

it('an id is one of the catalogue', () => {
  expectTypeOf<'ping/answered'>().toExtend<RequirementId>();
  expectTypeOf<'ping/anwsered'>().not.toExtend<RequirementId>();
  expectTypeOf<string>().not.toExtend<RequirementId>();
});

it('whatever judges names such ids alone', () => {
  expectTypeOf<(Probe | Rule | Scenario)['judges'][number]>().toEqualTypeOf<RequirementId>();
  expectTypeOf<Requirement['id']>().toEqualTypeOf<RequirementId>();
  // @ts-expect-error there is no such requirement
  const rule: Rule = { judges: ['ping/anwsered'], apply: () => undefined };
  // @ts-expect-error nor this one
  const judging = (judge: Judge): void => judge.broken('ping/anwsered', 'it is not answered');
  expectTypeOf(rule).toEqualTypeOf<Rule>();
  expectTypeOf(judging).toBeFunction();
});
