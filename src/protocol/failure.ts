// Why a connection could not be made, or was lost: all that is known, and one line that says it.

export type Phase = 'open' | 'probe' | 'initialize' | 'discover' | 'request' | 'closed';

export interface Failure {
  readonly phase: Phase;
  /** A command line or a URL. */
  readonly target: string;
  /** One line, for people: the cause, not the symptom. */
  readonly cause: string;
  /** What to do about it. */
  readonly hint?: string;
  readonly status?: number;
  readonly exitCode?: number | null;
  readonly exitSignal?: string | null;
  /** The last lines of stderr. */
  readonly stderr?: readonly string[];
  /** The last line that came over the wire. */
  readonly lastLine?: string;
  readonly elapsedMs: number;
  /** Which time limit it was, where it was one. */
  readonly limit?: 'idleMs' | 'totalMs' | 'connectMs';
}
