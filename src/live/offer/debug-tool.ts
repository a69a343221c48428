// debug: looks around where the program is paused, and lets it go on.
import type { Server } from '../../server/server.ts';
import { ToolError } from '../../server/tool.ts';
import type { ResultOf } from '../image/operations.ts';
import type { CallerSessions } from '../session/caller-sessions.ts';
import { pauseText, valueText } from './report.ts';
import { okResult, resultOptions, runResult, waitFor } from './tool-results.ts';

const steps = ['into', 'over', 'out'] as const;

export function debugTool(server: Server, place: CallerSessions): void {
  server.tool(
    'debug',
    {
      description: 'Look around where it is paused, go on, or pause it.',
      input: {
        type: 'object',
        properties: {
          action: { type: 'string', enum: ['frames', 'eval', 'step', 'restart', 'resume', 'abort', 'pause'] },
          frame: { type: 'integer', minimum: 0 },
          code: { type: 'string' },
          step: { type: 'string', enum: steps },
          restart: { type: 'integer' },
          value: { type: 'string' },
          session: { type: 'string' },
        },
        required: ['action'],
      } as const,
      ...resultOptions,
      annotations: { destructiveHint: false },
    },
    async ({ action, frame = 0, code, step = 'over', restart, value: given, session: name }, ctx) => {
      const session = await place.sessionFor(ctx, name);
      const run = session.running;
      if (run === undefined) throw new ToolError(`Nothing runs in ${session.handle}. evaluate with on_error: "pause" stops at an error.`);
      if (action !== 'pause' && run.pause === undefined) throw new ToolError('It runs and is not paused: debug(action: pause) pauses it.');
      if (action === 'eval' && code === undefined) throw new ToolError('eval needs code');
      if (action === 'restart' && session.engine.features.restarts && restart === undefined)
        throw new ToolError('Say which: restart is its number in [Restarts], and value its value where it takes one');
      if (action === 'abort') {
        await session.stop(run);
        return runResult(session, run, await waitFor(session, run, ctx, place.waitMs));
      }
      const paused = run.pause;
      if (action !== 'frames' && action !== 'eval') run.pause = undefined;
      let answered: ResultOf<'debug'>;
      try {
        answered = await session.ask('debug', { action: action === 'step' ? step : action, frame, code, restart, value: given });
      } catch (error) {
        if (paused !== undefined) run.pause = paused;
        throw new ToolError(session.terms.mask((error as Error).message));
      }
      if (action === 'frames') {
        const { line, more } = pauseText(answered.pause, session);
        return okResult(session, 'paused', [line, ...more].join('\n'));
      }
      if (action === 'eval') {
        const { value, thrown = '' } = answered;
        if (value === undefined) throw new ToolError(session.terms.mask(`[ERROR] ${thrown}`));
        return okResult(session, 'paused', valueText(value), value.ref === undefined ? {} : { refs: [value.ref] });
      }
      return runResult(session, run, await waitFor(session, run, ctx, place.waitMs));
    },
  );
}
