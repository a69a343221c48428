// What a passive rule is: a judgement on what was seen anyway, without asking for anything.
import type { Ledger } from './ledger.ts';
import type { RequirementId } from './requirement-id.ts';
import type { Conversation } from './trace.ts';
import type { Json } from './value.ts';
import type { Judge } from './verdict.ts';

export interface Rule {
  readonly judges: readonly RequirementId[];
  /** Pure: the same conversation gives the same findings. */
  apply(seen: Seen, judge: Judge): void;
}

/** What a server said of itself at the beginning. */
export interface Greeting {
  readonly capabilities: Json;
  readonly info: Json;
  readonly instructions: unknown;
  /** The revision that was agreed on. */
  readonly revision: string;
  /** Those the server itself lists; nothing where it cannot. */
  readonly supported: readonly string[] | undefined;
  readonly result: Json;
}

/** One conversation and what both sides said of themselves in it. */
export interface Seen {
  readonly conversation: Conversation;
  readonly ledger: Ledger;
  readonly greeting: Greeting | undefined;
  readonly declared: Json;
}
