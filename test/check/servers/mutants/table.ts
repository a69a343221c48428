// Every mutant there is.
import { askingMutants } from './asking.ts';
import { authorizationMutants } from './authorization.ts';
import { baseMutants } from './base.ts';
import { beginningMutants } from './beginning.ts';
import { changeMutants } from './changes.ts';
import { endingMutants } from './ending.ts';
import { featureMutants } from './features.ts';
import { givingUpMutants } from './giving-up.ts';
import { httpMutants } from './http.ts';
import type { HttpMutant } from './http-mutant.ts';
import { listMutants } from './lists.ts';
import { modernHttpMutants } from './modern-http.ts';
import type { Mutant } from './mutant.ts';
import { recommendedMutants } from './recommended.ts';
import { streamMutants } from './streams.ts';
import { taskMutants, webTaskMutants } from './tasks.ts';
import { requestingMutants } from './tasks-of-client.ts';

export const pipeMutants: readonly Mutant[] = [
  ...baseMutants,
  ...beginningMutants,
  ...endingMutants,
  ...featureMutants,
  ...listMutants,
  ...askingMutants,
  ...recommendedMutants,
  ...changeMutants,
  ...givingUpMutants,
  ...taskMutants,
  ...requestingMutants,
];

export const webMutants: readonly HttpMutant[] = [
  ...httpMutants,
  ...streamMutants,
  ...modernHttpMutants,
  ...webTaskMutants,
  ...authorizationMutants,
];
