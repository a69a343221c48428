// How a run is to be made.
import type { Revision } from '../../protocol/revision.ts';
import type { Strictness } from './requirement.ts';
import type { Lock, Surface } from './surface.ts';
import type { Json } from './value.ts';

export interface CheckOptions {
  /** The newest revision the server offers, every one it offers, or one alone. */
  readonly revision?: 'auto' | 'all' | Revision;
  readonly level?: Strictness;
  /** Ids, beginnings of ids (`tools/call`), or patterns with `*`. */
  readonly only?: readonly string[];
  readonly skip?: readonly string[];
  /** Arguments by the name of the tool: such a tool is called. */
  readonly arguments?: ReadonlyMap<string, Json>;
  /** Calls tools that do not say that they are read-only, with arguments made from their schemas. */
  readonly allowSideEffects?: boolean;
  /** Ends a run at the first broken MUST. */
  readonly bail?: boolean;
  /** How often the whole run is made; a requirement must be kept each time. */
  readonly repeat?: number;
  /** Requests a minute, on all connections together. */
  readonly rateLimit?: number;
  /** Milliseconds for an answer. */
  readonly timeout?: number;
  /** Milliseconds for the first answer. */
  readonly startTimeout?: number;
  readonly headers?: Readonly<Record<string, string>>;
  /** Tokens that must not do what the one in `headers` does: a good one for another server, and one of another user. */
  readonly tokens?: { readonly foreign?: string; readonly other?: string };
  /** What the server offered before: the report says what has changed. */
  readonly lock?: Lock;
  /** Told of what the server offers in each revision. */
  readonly onSurface?: (surface: Surface) => void;
  /** Told of each step. */
  readonly onProgress?: (progress: Progress) => void;
  readonly signal?: AbortSignal;
}

export interface Progress {
  readonly revision: Revision | undefined;
  readonly step: string;
  readonly done: number;
  readonly of: number;
}
