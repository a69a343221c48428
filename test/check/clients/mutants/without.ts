// What can be observed of a client and has no mutant, each with the reason: what the kill rate leaves out is said here.
import type { RequirementId } from '../../../../src/check/model/requirement-id.ts';

const onlyKept = 'nothing shows it broken: it is seen kept, or not at all';

export const without: ReadonlyMap<RequirementId, string> = new Map<RequirementId, string>([
  ['stdio/supported', 'a client without stdio is not led there'],
  ['authorization/registration/dynamic', onlyKept],
  ['authorization/registration/document', 'a client without a document is not told apart from one that cannot have any'],
]);
