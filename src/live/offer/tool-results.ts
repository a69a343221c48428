// Results of the live tools: text for the model, and structured details that include the text.
import type { ContentBlock } from '../../protocol/types.ts';
import type { Context } from '../../server/context.ts';
import { result, type StructuredResult, ToolError } from '../../server/tool.ts';
import type { FieldsOf, OperationName, ResultOf } from '../image/operations.ts';
import type { Run } from '../session/run.ts';
import type { Session, SessionState } from '../session/session.ts';
import type { NoSession } from '../session/sessions.ts';
import { notesFor, type Report, reportRun } from './report.ts';

/** The text is in both: some clients show a model only the structured part, others only the content. */
export type LiveResult = StructuredResult<ResultDetails & { readonly text: string }>;

/** Part of every tool's description, so it names only what every client needs; the rest of `ResultDetails` is additional. */
const resultSchema = {
  type: 'object',
  properties: {
    status: { type: 'string' },
    text: { type: 'string' },
  },
} as const;

/** Output schema and text of every tool. */
export const resultOptions: { readonly output: typeof resultSchema; text(value: { readonly text?: string }): string } = {
  output: resultSchema,
  text: ({ text = '' }) => text,
};

export interface ResultDetails {
  readonly status: string;
  /** Of an error that callers handle. */
  readonly reason?: NoSession['reason'];
  readonly session?: string;
  readonly generation?: number;
  /** The evaluation it is about. */
  readonly cell?: number;
  readonly refs?: number[];
  readonly truncated?: boolean;
  /** Keys of the members that inspect shows. */
  readonly members?: readonly string[];
  /** Of tests. */
  readonly passed?: number;
  readonly failed?: number;
  readonly skipped?: number;
  /** Of sessions(action: list). */
  readonly sessions?: readonly SessionEntry[];
}

export interface SessionEntry {
  readonly session: string;
  readonly language: string;
  readonly state: SessionState;
  readonly generation: number;
  readonly cells: number;
  /** Evaluations waiting behind the running one. */
  readonly queued: number;
}

export function sessionEntry({ handle, engine, state, generation, entries, queued }: Session): SessionEntry {
  return { session: handle, language: engine.language, state, generation, cells: entries.length, queued };
}

export async function waitFor(session: Session, run: Run, ctx: Context, ms: number, later?: boolean): Promise<Report> {
  await attend(session, run, ctx, ms);
  return reportRun(session, run, listenerOf(ctx), later);
}

/** Sends progress while it waits; cancelling the call stops the evaluation. */
export async function attend(session: Session, run: Run, ctx: Context, ms: number): Promise<void> {
  const stop = (): void => {
    run.cancelled = true;
    void session.stop(run, 'cancelled');
  };
  ctx.signal.addEventListener('abort', stop, { once: true });
  if (ctx.signal.aborted) stop();
  let beats = 0;
  const { mask, unfinished } = session.terms;
  const beat = setInterval(() => ctx.progress(++beats, undefined, mask(run.printed.lastLine(unfinished)).slice(-120) || 'running'), 1_000);
  try {
    await run.settled(ms);
  } finally {
    clearInterval(beat);
    ctx.signal.removeEventListener('abort', stop);
  }
  if (ctx.signal.aborted) throw ctx.signal.reason;
}

/** Identifies who gets notices: the connection, otherwise the principal. */
export function listenerOf({ sessionId, principal }: Pick<Context, 'sessionId' | 'principal'>): string {
  return JSON.stringify([principal?.id ?? null, sessionId ?? null]);
}

/** Appends the notices that this caller has not got yet. */
export function withNotices(session: Session, ctx: Context, words: string): string {
  const listener = listenerOf(ctx);
  const losses = session.losses.take(listener).map((one) => `[STATE LOST] ${one}`);
  return [words, ...losses, ...notesFor(session, listener)].join('\n');
}

export function runResult(session: Session, run: Run, report: Report): LiveResult {
  const pictures = run.pictures.splice(0).map(({ mimeType, data }): ContentBlock => ({ type: 'image', mimeType, data }));
  const more = { cell: run.cell, refs: report.refs, truncated: report.truncated };
  if (report.failed) throw failure(session, report.text, resultDetails(session, report.status, more), pictures);
  return okResult(session, report.status, report.text, more, pictures);
}

export function okResult(
  session: Session,
  status: string,
  words: string,
  more: More = {},
  content: readonly ContentBlock[] = [],
): LiveResult {
  return textResult(resultDetails(session, status, more), session.terms.mask(words), content);
}

export function textResult(about: ResultDetails, text: string, content: readonly ContentBlock[] = []): LiveResult {
  return result({ ...about, text }, { content });
}

export function failure(
  session: Session,
  words: string,
  about: ResultDetails = resultDetails(session, 'error'),
  content: readonly ContentBlock[] = [],
): ToolError {
  const text = session.terms.mask(words);
  return new ToolError(text, { structured: { ...about, text }, content });
}

type More = Pick<ResultDetails, 'cell' | 'truncated' | 'members' | 'sessions' | 'passed' | 'failed' | 'skipped'> & {
  readonly refs?: readonly number[];
};

function resultDetails(session: Session, status: string, { refs = [], truncated = false, ...more }: More = {}): ResultDetails {
  const { handle: name, generation } = session;
  return {
    status,
    session: name,
    generation,
    ...(refs.length > 0 && { refs: refs.slice(0, 50) }),
    ...(truncated && { truncated }),
    ...more,
  };
}

export async function askImage<Name extends OperationName>(
  session: Session,
  op: Name,
  fields: FieldsOf<Name>,
  ctx: Context,
): Promise<ResultOf<Name>> {
  try {
    return await session.ask(op, fields);
  } catch (error) {
    const words = withNotices(session, ctx, error instanceof Error ? error.message : String(error));
    throw failure(session, words);
  }
}
