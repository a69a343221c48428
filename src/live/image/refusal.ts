// A request that an image refuses, and why, where callers decide by it.

const reasons = ['missing-ref'] as const;

/** `missing-ref`: there is no value under that number, or not any more. */
export type RefusalReason = (typeof reasons)[number];

export class Refused extends Error {
  readonly reason: RefusalReason | undefined;

  constructor(message: string, reason?: RefusalReason) {
    super(message);
    this.reason = reason;
  }
}

/** Undefined for a reason the host does not know. */
export function asRefusalReason(said: unknown): RefusalReason | undefined {
  return reasons.find((reason) => reason === said);
}
