// What a server is told when it is made.
import type { Revision } from '../protocol/revision.ts';
import type { TextFormat } from '../protocol/text.ts';
import type { Icon } from '../protocol/types.ts';
import type { ToJsonSchema } from '../schema/schema.ts';

/** How much a model is given of a result; the rest is kept for ten minutes under an address it is told. */
export interface Budget {
  /** Of the text of a result. */
  readonly maxBytes?: number;
  /** Counted as three bytes each, which is on the safe side for English and for JSON. */
  readonly maxTokens?: number;
}

export interface ServerOptions extends Budget {
  readonly name: string;
  readonly version: string;
  readonly title?: string;
  readonly description?: string;
  readonly websiteUrl?: string;
  readonly icons?: readonly Icon[];
  /** For the model: how to use this server. */
  readonly instructions?: string;
  /** Default: all five. */
  readonly revisions?: readonly Revision[];
  /** How structured results are written as text. Default: json. */
  readonly text?: TextFormat;
  /** Entries per page of every list. Default: 100. */
  readonly pageSize?: number;
  /** How long clients of 2026-07-28 may keep lists. Default: not at all, privately. */
  readonly cache?: { readonly ttlMs?: number; readonly scope?: 'public' | 'private' };
  /** `message` (default): the message of an unexpected error reaches the model, never its stack. `masked`: only a reference does. */
  readonly errors?: 'message' | 'masked';
  /**
   * Where an error of the protocol has its details. `data` (default): in `data`, as `{ details }` where a parameter is wrong and as a
   * string otherwise. `text`: in `data`, always as a string. `message`: after the message, as in "Method not found: x", and no `data`.
   */
  readonly errorDetails?: ErrorDetails;
  /**
   * A connection's requests are worked on one at a time and answered in their order; only a ping is answered at once, and a
   * cancellation is heard. Default: false.
   */
  readonly sequential?: boolean;
  /**
   * Whether clients are told what they did not ask for: changed lists, updated resources, log messages. `false`: never, and none
   * of it is declared. `'denied'`: never, and the capabilities say `false` for each. Default: true.
   */
  readonly announces?: boolean | 'denied';
  /** Told of every unexpected throw. Default: one line on stderr. */
  readonly onError?: (error: unknown, info: ErrorInfo) => void;
  readonly asking?: AskingOptions;
  /** Also offers these as tools, for clients that know only tools. */
  readonly expose?: { readonly resources?: boolean; readonly prompts?: boolean };
  /** JSON Schema for schema libraries that do not bring their own, such as bare valibot. */
  readonly toJsonSchema?: ToJsonSchema;
}

export type ErrorDetails = 'data' | 'text' | 'message';

/** How questions to the client are kept and bounded. */
export interface AskingOptions {
  /** 32 bytes, or several with the newest first. Default: random for each process, or the store's. */
  readonly key?: Uint8Array | readonly Uint8Array[];
  /** How long an answer may take. Default: 600,000. */
  readonly ttlMs?: number;
  /** Default: 10. */
  readonly maxRounds?: number;
  /** What is kept between rounds travels with the client up to this size, and in the store above it. Default: 8,192. */
  readonly inlineBytes?: number;
  /** Default: 262,144. */
  readonly maxBytes?: number;
}

export interface ErrorInfo {
  readonly method: string;
  readonly name?: string;
  /** What a masked error showed to the client. */
  readonly ref?: string;
}
