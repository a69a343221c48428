// What every porch gives back, and what may watch it.

/** Something that is being served. */
export interface Serving {
  /** Settles when serving has ended, for whatever reason. */
  readonly closed: Promise<void>;
  /** Lets running calls finish for a while, aborts the rest, releases everything. Calling it again changes nothing. */
  close(): Promise<void>;
  [Symbol.asyncDispose](): Promise<void>;
}

/** A message on its way, as text. */
export interface TapEvent {
  readonly direction: 'in' | 'out';
  readonly text: string;
}
