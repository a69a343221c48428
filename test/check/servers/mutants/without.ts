// What can be observed of a server and has no mutant, each with the reason: what the kill rate leaves out is said here.
import type { RequirementId } from '../../../../src/check/model/requirement-id.ts';

const otherTokens = 'a run has one token at most, and it would take another: it is never verified';

export const without: ReadonlyMap<RequirementId, string> = new Map<RequirementId, string>([
  ['authorization/resource/case', otherTokens],
  ['http/localhost', 'a server that others can reach is not started in a test'],
]);
