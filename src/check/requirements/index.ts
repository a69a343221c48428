// The sections of the catalogue, in the order of the specification.
import type { Requirement } from '../requirement.ts';
import { stdioRequirements } from './stdio.ts';

export const sections: readonly (readonly Requirement[])[] = [stdioRequirements];
