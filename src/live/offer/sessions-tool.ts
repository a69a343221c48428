// sessions: list, open, reset, close, interrupt, save and restore.
import type { Context } from '../../server/context.ts';
import type { Server } from '../../server/server.ts';
import { ToolError } from '../../server/tool.ts';
import type { CallerSessions } from '../session/caller-sessions.ts';
import { imageOf, loadJournal, replay, type Saved, saveJournal } from '../session/journal.ts';
import type { Session } from '../session/session.ts';
import { featuresText } from './features.ts';
import { type LiveResult, listenerOf, okResult, resultOptions, sessionEntry, textResult } from './tool-results.ts';

const actions = ['list', 'open', 'reset', 'close', 'interrupt', 'save', 'restore'] as const;

export function sessionsTool(server: Server, place: CallerSessions): void {
  server.tool(
    'sessions',
    {
      description: 'Sessions; save and restore keep their state, or replay it.',
      input: {
        type: 'object',
        properties: {
          action: { type: 'string', enum: actions },
          session: { type: 'string' },
          language: { type: 'string' },
          name: { type: 'string', description: 'of the saved' },
        },
        required: ['action'],
      } as const,
      ...resultOptions,
    },
    async ({ action, session: handle, language, name }, ctx) => {
      try {
        await place.home.settle(ctx);
        if (action === 'list') return list(place, ctx);
        if (action === 'open') return opened(place.sessions.open(place.ownerOf(ctx), language));
        if (action === 'restore') return await restore(place, ctx, name, language);
        const session = await place.sessionFor(ctx, handle, language);
        return await carryOut(action, session, place, name, ctx);
      } catch (error) {
        throw error instanceof ToolError ? error : new ToolError((error as Error).message);
      }
    },
  );
}

async function carryOut(
  action: 'reset' | 'close' | 'interrupt' | 'save',
  session: Session,
  place: CallerSessions,
  name: string | undefined,
  ctx: Context,
): Promise<LiveResult> {
  const { handle, owner } = session;
  switch (action) {
    case 'interrupt': {
      const tests = place.tests.stop(owner);
      const stopped = await session.stop();
      const told = stopped ? [`Interrupted ${handle}. evaluate without code says what became of it.`] : [];
      if (tests > 0) told.push('The tests that ran were stopped; the call that ran them says so.');
      return okResult(session, session.state, told.join(' ') || `Nothing runs in ${handle}.`);
    }
    case 'reset':
      await session.reset();
      // The caller asked for it: no need to report a loss.
      session.losses.take(listenerOf(ctx));
      return okResult(session, 'ok', `${handle} is empty: generation ${session.generation}.`);
    case 'close':
      await place.sessions.close(owner, handle);
      return okResult(session, 'closed', session.engine.foreign === true ? `${handle} is left, and goes on.` : `${handle} is closed.`);
    case 'save': {
      return okResult(session, 'ok', savedText(await saveJournal(place.folderOf(ctx), session, name), session));
    }
  }
}

function savedText({ name, cells, failed, left, bytes, problem }: Saved, { dropped }: Session): string {
  if (bytes !== undefined) return `Saved as "${name}": the whole image with its values, ${Math.round(bytes / 2 ** 20)} MiB.`;
  const failures = failed === 0 ? '' : ` and ${failed} that failed after doing a part`;
  return [
    `Saved as "${name}": ${cells === 1 ? 'the one cell' : `the ${cells} cells`} that succeeded${failures}, to be run again by restore.`,
    'Values are not saved, only how they were made.',
    ...(left === 0
      ? []
      : [`${left} that ${left === 1 ? 'was' : 'were'} stopped, too long or unreadable ${left === 1 ? 'is' : 'are'} not in it.`]),
    ...(dropped === 0 ? [] : [`The first ${dropped} are not in it.`]),
    ...(problem === undefined ? [] : [`The image itself could not be saved: ${problem}.`]),
  ].join(' ');
}

function list(place: CallerSessions, ctx: Context): LiveResult {
  const all = place.sessions.list(place.ownerOf(ctx));
  const lines = all.map(({ handle, engine, state, generation, entries, queued }) => {
    const waiting = queued === 0 ? '' : `, ${queued} waiting`;
    const what = engine.foreign === true ? engine.title : engine.language;
    return `${handle}  ${what}  ${state}${waiting}  generation ${generation}  ${entries.length} ${entries.length === 1 ? 'cell' : 'cells'}  (${featuresText(engine.features)})`;
  });
  try {
    for (const { handle, engine } of place.sessions.programs())
      if (!all.some((one) => one.handle === handle)) lines.push(`${handle}  ${engine.title}, to be worked in as session "${handle}"`);
  } catch (error) {
    lines.push(`Running programs cannot be attached to: ${(error as Error).message}`);
  }
  const text = lines.length === 0 ? 'No session is open; evaluate opens one.' : lines.join('\n');
  const [first] = all;
  const sessions = all.map(sessionEntry);
  if (first !== undefined) return okResult(first, 'ok', text, { sessions });
  return textResult({ status: 'ok', sessions }, text);
}

function opened(session: Session): LiveResult {
  const { handle, engine } = session;
  return okResult(session, 'ok', `Opened ${handle} (${engine.language}); pass it as session.\nIt can: ${featuresText(engine.features)}.`);
}

async function restore(place: CallerSessions, ctx: Context, name: string | undefined, language: string | undefined): Promise<LiveResult> {
  const folder = place.folderOf(ctx);
  const journal = await loadJournal(folder, name);
  const owner = place.ownerOf(ctx);
  const image = await imageOf(folder, journal);
  let without = journal.image !== undefined && image === undefined ? 'The saved image is gone. ' : '';
  if (image !== undefined && (language === undefined || place.sessions.check(language).language === journal.language)) {
    const whole = place.sessions.open(owner, journal.language, undefined, image);
    try {
      await whole.ask('ping', {});
      return okResult(whole, 'ok', `Restored "${journal.name}" in ${whole.handle}: the whole image with its values.`);
    } catch (error) {
      await place.sessions.close(owner, whole.handle);
      without = `The saved image cannot be used: ${(error as Error).message}. `;
    }
  }
  const session = place.sessions.open(owner, language ?? journal.language);
  const { done, again, failed } = await replay(session, journal, place.timeoutMs, ctx.signal);
  const before = again === 0 ? '' : ` ${again} of them failed, as before.`;
  const end = failed === undefined ? '' : ` Cell ${failed.cell} failed: ${failed.text}. What follows it was not run.`;
  return okResult(
    session,
    failed === undefined ? 'ok' : 'error',
    `${without}Replayed ${done} of ${journal.cells.length} cells of "${journal.name}" in ${session.handle}.${before}${end}`,
  );
}
