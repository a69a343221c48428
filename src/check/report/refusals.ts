// Why a revision was not judged, in words.
import type { Report } from './report.ts';

/** Each reason once, with the revisions it holds for where there are several. */
export function refusalsInWords(refusals: Report['refused']): string {
  const byReason = new Map<string, typeof refusals>();
  for (const one of refusals) byReason.set(one.reason, [...(byReason.get(one.reason) ?? []), one]);
  if (byReason.size === 1 && refusals.length > 1) return refusals[0]?.reason ?? '';
  return [...byReason]
    .map(([reason, held]) => `${held.map(({ revision, transport }) => `${revision} on ${transport}`).join(', ')}: ${reason}`)
    .join('; ');
}
