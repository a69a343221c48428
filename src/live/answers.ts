// How a tool of the live image answers: in words for the model, with a small part for programs in `_meta`.
import type { ContentBlock } from '../protocol/types.ts';
import type { Context } from '../server/context.ts';
import { ToolError } from '../server/tool.ts';
import { type Report, reportRun } from './report.ts';
import type { Run } from './run.ts';
import type { Session } from './session.ts';

/** Not structured content: Claude Code, Codex and others show a model that alone, and the words, which are the answer, would be lost. */
export interface Told {
  readonly content: readonly ContentBlock[];
  readonly _meta: { readonly 'vivarium/live': object };
}

export interface Standing {
  readonly status: string;
  readonly session: string;
  readonly generation: number;
  readonly refs?: number[];
  readonly truncated?: boolean;
}

export async function waitFor(session: Session, run: Run, ctx: Context, ms: number): Promise<Report> {
  await attend(session, run, ctx, ms);
  return reportRun(session, run, listenerOf(ctx));
}

/** With a sign of life now and then; a call that is cancelled stops what it waits for. */
export async function attend(session: Session, run: Run, ctx: Context, ms: number): Promise<void> {
  const stop = (): void => void session.stop(run, 'cancelled');
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
  // Nobody gets this answer: what was printed is kept for the next one.
  if (ctx.signal.aborted) throw ctx.signal.reason;
}

/** Who must hear what everyone must: a connection where there are any, otherwise whoever it is that calls. */
export function listenerOf({ sessionId, principal }: Pick<Context, 'sessionId' | 'principal'>): string {
  return JSON.stringify([principal?.id ?? null, sessionId ?? null]);
}

/** With what this caller has not heard yet. */
export function heard(session: Session, ctx: Context, words: string): string {
  const listener = listenerOf(ctx);
  const losses = session.losses.take(listener).map((one) => `[STATE LOST] ${one}`);
  return [words, ...losses, ...session.remarks.take(listener).map((one) => `[NOTE] ${one}`)].join('\n');
}

export function answer(session: Session, run: Run, report: Report): Told {
  const pictures = run.pictures.splice(0).map(({ mimeType, data }): ContentBlock => ({ type: 'image', mimeType, data }));
  const more = { refs: report.refs, truncated: report.truncated };
  if (report.failed)
    throw new ToolError(session.terms.mask(report.text), { meta: standing(session, report.status, more), content: pictures });
  return saying(session, report.status, report.text, more, pictures);
}

export function saying(
  session: Session,
  status: string,
  words: string,
  more: { readonly refs?: readonly number[]; readonly truncated?: boolean } = {},
  content: readonly ContentBlock[] = [],
): Told {
  return { content: [{ type: 'text', text: session.terms.mask(words) }, ...content], _meta: standing(session, status, more) };
}

export function standing(
  session: Session,
  status: string,
  { refs = [], truncated = false }: { refs?: readonly number[]; truncated?: boolean } = {},
): Told['_meta'] {
  const { handle: name, generation } = session;
  const all: Standing = {
    status,
    session: name,
    generation,
    ...(refs.length > 0 && { refs: refs.slice(0, 50) }),
    ...(truncated && { truncated }),
  };
  return { 'vivarium/live': all };
}

export async function asking(session: Session, op: string, fields: object, ctx: Context): Promise<object> {
  try {
    return await session.ask(op, fields);
  } catch (error) {
    const words = heard(session, ctx, error instanceof Error ? error.message : String(error));
    throw new ToolError(session.terms.mask(words), {
      meta: standing(session, 'error'),
    });
  }
}
