// The six tools of a live image, small enough that a model reads them all.
import type { Server } from '../../server/server.ts';
import { ToolError } from '../../server/tool.ts';
import type { CallerSessions } from '../session/caller-sessions.ts';
import type { Run } from '../session/run.ts';
import type { EvaluateOptions, Session } from '../session/session.ts';
import { debugTool } from './debug-tool.ts';
import { membersText, pausedText } from './report.ts';
import { testsAfter } from './run-tests.ts';
import { sessionsTool } from './sessions-tool.ts';
import type { TestTerms } from './test-process.ts';
import { askImage, failure, okResult, resultOptions, runResult, waitFor, withNotices } from './tool-results.ts';

const text = { type: 'string' } as const;
const handle = { type: 'string', description: 'default: your own' } as const;

const maxWaitMs = 600_000;
const goingOn = 'give it as session to go on with what is in it; without one, every call begins anew';

export function offerTools(server: Server, place: CallerSessions, tests: TestTerms): void {
  server.tool(
    'evaluate',
    {
      description: 'Run code in the live image, where it stays; without code, wait for what runs.',
      input: {
        type: 'object',
        properties: {
          code: text,
          cell: { type: 'integer' },
          session: handle,
          language: text,
          wait_ms: { type: 'integer', minimum: 0, description: 'then [RUNNING] (20000)' },
          timeout_ms: { type: 'integer', minimum: 1, description: 'interrupts it' },
          package: text,
          in: { type: 'string', description: 'module to run in' },
          on_error: { type: 'string', enum: ['report', 'pause'] },
        },
      } as const,
      ...resultOptions,
    },
    async (args, ctx) => {
      // Some models call it that.
      const code = args.code ?? (args as { readonly expression?: string }).expression;
      const session = await place.sessionFor(ctx, args.session, args.language, code !== undefined);
      if (args.in !== undefined && !session.engine.features.scopes) throw new ToolError(noScopes(session));
      const run =
        code === undefined ? awaited(session, args.cell) : begin(session, code, { ...place.evaluateOptions(args), onError: args.on_error });
      const later = code === undefined && args.cell === undefined;
      const report = await waitFor(session, run, ctx, Math.min(args.wait_ms ?? place.waitMs, maxWaitMs), later);
      const named =
        args.session === undefined && place.isNew(ctx) ? `${report.text}\n[SESSION] ${session.handle}: ${goingOn}` : report.text;
      return runResult(session, run, { ...report, text: named });
    },
  );

  server.tool(
    'inspect',
    {
      description: 'Look into an expression, or #12 as shown before; changes nothing.',
      input: {
        type: 'object',
        properties: {
          target: text,
          path: { type: 'array', items: text },
          offset: { type: 'integer', minimum: 0 },
          session: text,
        },
        required: ['target'],
      } as const,
      ...resultOptions,
      ...place.looks,
    },
    async ({ target, path = [], offset = 0, session: name }, ctx) => {
      const session = await place.sessionFor(ctx, name);
      const ref = /^#(\d+)$/.exec(target.trim())?.[1];
      const fields = { target: ref === undefined ? target : Number(ref), path, offset };
      const { view } = await askImage(session, 'inspect', fields, ctx);
      const refs = [view.ref, ...view.members.map((one) => one.ref)].filter((one) => one !== undefined);
      const truncated = view.total > offset + view.members.length;
      const members = view.members.map(({ key }) => key);
      return okResult(session, 'ok', withNotices(session, ctx, membersText(view)), { refs, truncated, members });
    },
  );

  server.tool(
    'lookup',
    {
      description: 'What a name is, without running it; or search for names.',
      input: {
        type: 'object',
        properties: { name: text, want: { type: 'string', enum: ['summary', 'source', 'members', 'callers', 'search'] }, session: text },
        required: ['name'],
      } as const,
      ...resultOptions,
      ...place.looks,
    },
    async ({ name, want = 'summary', session: own }, ctx) => {
      const session = await place.sessionFor(ctx, own);
      const { text: found } = await askImage(session, 'lookup', { name, want }, ctx);
      return okResult(session, 'ok', withNotices(session, ctx, found));
    },
  );

  server.tool(
    'reload',
    {
      description: 'Swap edited files (default: all) into the running program, keeping its state.',
      input: {
        type: 'object',
        properties: {
          files: { type: 'array', items: text },
          test: { type: 'boolean', description: 'run its tests' },
          session: text,
        },
      } as const,
      ...resultOptions,
      annotations: { destructiveHint: false, idempotentHint: true },
    },
    async ({ files, test = false, session: own }, ctx) => {
      const session = await place.sessionFor(ctx, own);
      const { text: said, failed, same, changed } = await askImage(session, 'reload', { files }, ctx);
      if (failed) throw failure(session, test ? `${said}\nNo test was run.` : said);
      if (!test) return okResult(session, 'ok', withNotices(session, ctx, said));
      const tested = await testsAfter(place, tests, session, changed, ctx).catch(asWords);
      const { report, text: told } = tested;
      const words = withNotices(session, ctx, `${same && report !== undefined ? 'Nothing that is loaded changed.' : said}\n${told}`);
      if ('isStopped' in tested) throw failure(session, words);
      if (report === undefined) return okResult(session, 'ok', words);
      const { passed, failed: bad, skipped } = report;
      return okResult(session, bad > 0 ? 'failed' : 'passed', words, { passed, failed: bad, skipped });
    },
  );
  debugTool(server, place);
  sessionsTool(server, place);
}

/** The files are swapped in, whatever became of the tests. */
function asWords(error: unknown): { readonly report?: undefined; readonly text: string; readonly isStopped: true } {
  if (error instanceof ToolError) return { text: error.message, isStopped: true };
  throw error;
}

function noScopes({ engine }: Session): string {
  const instead = engine.features.packages ? ': give package' : '';
  return `in takes a module of JavaScript or TypeScript; ${engine.title} has none${instead}`;
}

function awaited(session: Session, cell: number | undefined): Run {
  const run = cell === undefined ? session.current : session.evaluation(cell);
  if (run !== undefined) return run;
  throw new ToolError(
    cell === undefined
      ? `Nothing runs in ${session.handle}: give code`
      : `Cell ${cell} of ${session.handle} was told of, or never asked for`,
  );
}

function begin(session: Session, code: string, asked: EvaluateOptions): Run {
  const { state, running } = session;
  if (state === 'paused' && running?.pause !== undefined) throw new ToolError(session.terms.mask(pausedText(running.pause, session)));
  try {
    return session.evaluate(code, asked);
  } catch (error) {
    throw new ToolError((error as Error).message);
  }
}
