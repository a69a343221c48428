// Every mutant there is.
import { askingMutants } from './asking.ts';
import { baseMutants } from './base.ts';
import { beginningMutants } from './beginning.ts';
import { featureMutants } from './features.ts';
import { listMutants } from './lists.ts';
import type { Mutant } from './mutant.ts';
import { recommendedMutants } from './recommended.ts';

export const mutants: readonly Mutant[] = [
  ...baseMutants,
  ...beginningMutants,
  ...featureMutants,
  ...listMutants,
  ...askingMutants,
  ...recommendedMutants,
];
