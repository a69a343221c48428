// The records of the audit log.
import type { Caller } from './caller.ts';

/** Before it runs: who asks for what, where. */
export interface AuditStart extends Partial<Caller> {
  readonly event: 'start';
  /** The same in the record of its end. */
  readonly id: string;
  readonly time: string;
  /** Handle of the session; absent for tests that run in a process of their own. */
  readonly session?: string;
  readonly generation?: number;
  readonly language: string;
  /** What the image is asked to do: `evaluate`, `debug`, `reload`, `inspect` … */
  readonly operation: string;
  /** Of the whole text, in UTF-8. */
  readonly sha256: string;
  /** The code as it was sent, or the request as JSON where it is more than code. */
  readonly text: string;
  /** Records that follow with the rest of the text, where it is longer than a record may be. */
  readonly more?: number;
}

/** The next part of a long text. */
export interface AuditText {
  readonly event: 'text';
  readonly id: string;
  /** From 1 to `more`. */
  readonly part: number;
  readonly text: string;
}

export interface AuditEnd {
  readonly event: 'end';
  readonly id: string;
  readonly time: string;
  readonly ms: number;
  readonly outcome: AuditOutcome;
  /** The first line of what came of it. */
  readonly line: string;
}

/** `lost`: the image ended under it. `refused`: it never reached an image. */
export type AuditOutcome = 'ok' | 'error' | 'interrupted' | 'lost' | 'refused';

/** Lines of the file itself: it was opened, at the start or because it was moved away. */
export interface AuditOpened {
  readonly event: 'opened';
  readonly time: string;
  readonly pid: number;
  readonly why: 'start' | 'moved' | 'deleted';
}

export type AuditRecord = AuditStart | AuditText | AuditEnd | AuditOpened;

/** Throws where the record cannot be kept. Synchronous: when it returns, the record must be safe from the end of this process. */
export type AuditSink = (record: AuditRecord) => void;
