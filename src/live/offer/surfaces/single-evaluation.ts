// Evaluation for surfaces without a way to come back for the result: waits until it ends.
import type { ContentBlock } from '../../../protocol/types.ts';
import type { Context } from '../../../server/context.ts';
import { ToolError } from '../../../server/tool.ts';
import { inOneLine } from '../../../text/one-line.ts';
import type { Outcome } from '../../image/engine.ts';
import type { CallerSessions } from '../../session/caller-sessions.ts';
import type { Session } from '../../session/session.ts';
import { notesFor } from '../report.ts';
import { attend, listenerOf } from '../tool-results.ts';

export interface Ran {
  readonly session: Session;
  readonly outcome: Outcome;
  /** Background output since the last answer, and the output of this evaluation. */
  readonly printed: string;
  /** stderr, where it is kept separate. */
  readonly complaints: string;
  /** Lost images since this client's last answer; if this evaluation lost its image, that is the last. */
  readonly lost: readonly string[];
  readonly pictures: readonly ContentBlock[];
}

const forEver = 2 ** 31 - 1;

export async function runWhole(
  place: CallerSessions,
  ctx: Context,
  code: string,
  wishes: { readonly package?: string | undefined; readonly apart?: boolean } = {},
): Promise<Ran> {
  const session = await place.sessionFor(ctx, undefined, undefined, true);
  const run = begin(session, code, { ...place.evaluateOptions({ package: wishes.package }), apart: wishes.apart === true });
  await attend(session, run, ctx, forEver);
  // It paused, and this surface has no way to resume it.
  if (!run.over) await session.stop(run);
  run.shown = true;
  // The answer is exactly what the surface's documents show: remarks are for whoever started the server.
  for (const note of notesFor(session, listenerOf(ctx))) process.stderr.write(`${inOneLine(session.terms.mask(note))}\n`);
  const before = session.background.take(session.terms.unfinished, true).text;
  const printed = `${before}${before === '' || before.endsWith('\n') ? '' : '\n'}${run.printed.take(session.terms.unfinished, !run.over).text}`;
  const pictures = run.pictures.splice(0).map(({ mimeType, data }): ContentBlock => ({ type: 'image', mimeType, data }));
  const outcome = run.outcome ?? { status: 'stopped', why: 'interrupted', goesOn: true };
  const complaints = run.complaints?.take(session.terms.unfinished, !run.over).text ?? '';
  return { session, outcome, printed, complaints, lost: session.losses.take(listenerOf(ctx)), pictures };
}

function begin(session: Session, code: string, asked: Parameters<Session['evaluate']>[1]): ReturnType<Session['evaluate']> {
  try {
    return session.evaluate(code, asked);
  } catch (error) {
    throw new ToolError((error as Error).message);
  }
}

/** Text for an evaluation that neither returned a value nor threw. */
export function stoppedText({ outcome, session, lost }: Ran): { readonly type: string; readonly message: string } | undefined {
  const kept = 'The session and its values were kept.';
  switch (outcome.status) {
    case 'stopped':
      return {
        type: outcome.why,
        message:
          outcome.why === 'timeout'
            ? `It took too long and was stopped. ${kept}`
            : `It was stopped ${outcome.why === 'cancelled' ? 'by cancellation' : 'on request'}. ${kept}`,
      };
    case 'memory':
      return { type: 'out-of-memory', message: `Memory ran out in ${outcome.where}. ${kept}` };
    case 'lost':
      return { type: 'state-lost', message: lost.at(-1) ?? `generation ${session.generation}: ${outcome.reason}` };
    default:
      return undefined;
  }
}
