// What the catalogue knows of a requirement.
import { type Revision, revisions } from 'vivarium';

export type Level = 'MUST' | 'MUST NOT' | 'SHOULD' | 'SHOULD NOT' | 'MAY' | 'FACT';

/** Parts of the package that requirements wait for. */
export type Part =
  | 'resources'
  | 'prompts'
  | 'logging'
  | 'completion'
  | 'asking'
  | 'http'
  | 'client'
  | 'lisp'
  | 'smalltalk'
  | 'cases'
  | 'inspect';

/**
 * A statement of a source, by its tag and the statement's own id there: `list` is the 2024-11-05 requirement list, `pharo` the
 * Pharo guide, `python` the Python types page, `lisp` the CL-MCP-Server reference.
 */
export type Row = `${'list' | 'pharo' | 'python' | 'lisp'} ${string}`;

interface Statement {
  /** Path-like, and never changed: `tools/call/by-name`. */
  readonly id: string;
  readonly says: string;
  /** Of several rows, the strongest. */
  readonly level: Level;
  readonly party: 'client' | 'server' | 'both';
  /** Those for which at least one row holds. */
  readonly revisions: readonly Revision[];
  readonly rows: readonly Row[];
}

/** Tests that fail when it does not hold, as `file > part of a title`. */
interface Proved {
  readonly proof: readonly string[];
  /** The other half, which cannot be shown before this part is there. */
  readonly remains?: Part;
}

/** Why there is nothing to test. */
interface Waived {
  readonly waived: string;
}

/** The part of the package without which it cannot hold. */
interface Later {
  readonly later: Part;
}

export type Requirement = Statement & (Proved | Waived | Later);

export const all: readonly Revision[] = revisions;
export const legacy: readonly Revision[] = revisions.slice(0, 4);
export const first: readonly Revision[] = revisions.slice(0, 1);
/** A defect or a limit of the source: it holds in no revision. */
export const none: readonly Revision[] = [];
export const since = (from: Revision): readonly Revision[] => revisions.slice(revisions.indexOf(from));
