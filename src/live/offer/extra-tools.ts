// Tools beyond the six, for those who ask for them.

import type { Context } from '../../server/context.ts';
import { VivariumError } from '../../server/index.ts';
import type { Server } from '../../server/server.ts';
import { ToolError } from '../../server/tool.ts';
import { CellFault } from '../image/engine.ts';
import type { Profile } from '../image/operations.ts';
import type { CallerSessions } from '../session/caller-sessions.ts';
import type { Session } from '../session/session.ts';
import { findRunner, noRunner, offerRunTests } from './run-tests.ts';
import type { TestTerms } from './test-process.ts';
import { askImage, failure, type LiveResult, okResult, resultOptions, runResult, waitFor } from './tool-results.ts';

/** `default` has run_tests where the project has a runner for them. */
export type ToolChoice = 'default' | 'all' | readonly string[];

type Offer = (server: Server, place: CallerSessions) => void;

const offers: Readonly<Record<string, Offer>> = { define, complete, check_syntax: checkSyntax, load_file: loadFile, profile, heap };
const text = { type: 'string' } as const;

export function offerExtraTools(server: Server, place: CallerSessions, choice: ToolChoice, tests: TestTerms): void {
  const names = [...Object.keys(offers), 'run_tests'];
  const chosen = choice === 'default' ? ['run_tests'] : choice === 'all' ? names : choice;
  const unknown = chosen.find((name) => !names.includes(name));
  if (unknown !== undefined) throw new VivariumError('ERR_CONFIG', `There is no tool "${unknown}" to add: there are ${names.join(', ')}`);
  for (const name of new Set(chosen)) offers[name]?.(server, place);
  if (!chosen.includes('run_tests')) return;
  const runner = findRunner(tests.home.folder, tests.engines);
  const asked = choice !== 'default' && choice !== 'all';
  const inImage = place.sessions.engines[0]?.testsCode !== undefined;
  // Where the client has yet to name the folder, whoever asked for it gets it.
  if (inImage || runner !== undefined || (asked && tests.home.open)) offerRunTests(server, place, runner, tests);
  else if (asked) throw new VivariumError('ERR_CONFIG', `run_tests ${noRunner(tests.home.folder)}: leave it out`);
}

function define(server: Server, place: CallerSessions): void {
  server.tool(
    'define',
    {
      description: 'Define a function or class; with `on`, replace methods of a class whose instances stay.',
      input: {
        type: 'object',
        properties: { source: text, on: { type: 'string', description: 'class, such as Cart' }, session: text },
        required: ['source'],
      } as const,
      ...resultOptions,
      annotations: { readOnlyHint: false, destructiveHint: true },
    },
    async ({ source, on, session: handle }, ctx) => {
      if (on !== undefined && !/^[\p{ID_Start}$_][\p{ID_Continue}$.]*$/u.test(on))
        throw new ToolError('`on` is the name of a class, such as Cart or app.Cart');
      const session = await place.sessionFor(ctx, handle);
      const code = on === undefined ? source : session.engine.methodsCode?.(on, source);
      if (code === undefined)
        throw new ToolError(
          `Methods are not defined in a class in ${session.engine.title}: give the whole definition as source, without \`on\``,
        );
      return evaluated(place, session, code, ctx);
    },
  );
}

function complete(server: Server, place: CallerSessions): void {
  server.tool(
    'complete',
    {
      description: 'Names that begin so; after a dot, members.',
      input: { type: 'object', properties: { prefix: text, session: text }, required: ['prefix'] } as const,
      ...resultOptions,
      ...place.looks,
    },
    async ({ prefix, session: handle }, ctx) => {
      const session = await place.sessionFor(ctx, handle);
      const { names } = await askImage(session, 'complete', { prefix }, ctx);
      const shown = names.slice(0, 100);
      const left = names.length - shown.length;
      const words = names.length === 0 ? `Nothing begins with ${prefix}` : [...shown, ...(left > 0 ? [`… ${left} more`] : [])].join('\n');
      return okResult(session, 'ok', words, { truncated: left > 0 });
    },
  );
}

function checkSyntax(server: Server, place: CallerSessions): void {
  server.tool(
    'check_syntax',
    {
      description: 'Whether code can be read, without running it.',
      input: { type: 'object', properties: { code: text, language: text, session: text }, required: ['code'] } as const,
      ...resultOptions,
      ...place.looks,
    },
    async ({ code, language, session: handle }, ctx) => {
      const session = await place.sessionFor(ctx, handle, language);
      const { cwd, env, heapMb } = session.terms;
      try {
        // Where only the image itself can read its language.
        if (session.engine.readsInImage === true) {
          const { text: said, fault } = await askImage(session, 'check', { code }, ctx);
          if (fault !== undefined) throw new CellFault(fault);
          return okResult(session, 'ok', said ?? 'It can be read.');
        }
        const { declares } = await session.engine.open({ cwd, env, heapMb }).prepare(code, 0, { language });
        return okResult(session, 'ok', declares.length === 0 ? 'It can be read.' : `It can be read, and declares ${declares.join(', ')}.`);
      } catch (error) {
        if (!(error instanceof CellFault)) throw error;
        const { type, message, frames } = error.fault;
        const [at] = frames;
        const place = at === undefined ? '' : ` (line ${at.line}, column ${at.column})`;
        throw failure(session, `[ERROR] ${type}: ${message}${place}`);
      }
    },
  );
}

function loadFile(server: Server, place: CallerSessions): void {
  server.tool(
    'load_file',
    {
      description: 'Import a file of the project under its own name.',
      input: { type: 'object', properties: { file: text, session: text }, required: ['file'] } as const,
      ...resultOptions,
      annotations: { readOnlyHint: false, destructiveHint: false },
    },
    async ({ file, session: handle }, ctx) => {
      const session = await place.sessionFor(ctx, handle);
      const code = session.engine.loadCode(file);
      if (code === undefined) throw new ToolError(`${file} is no file of ${session.engine.title}`);
      return evaluated(place, session, code, ctx);
    },
  );
}

function profile(server: Server, place: CallerSessions): void {
  server.tool(
    'profile',
    {
      description: 'Run code and say which functions took the time.',
      input: {
        type: 'object',
        properties: { code: text, timeout_ms: { type: 'integer', minimum: 1 }, session: text },
        required: ['code'],
      } as const,
      ...resultOptions,
      annotations: { readOnlyHint: false, destructiveHint: true, openWorldHint: true },
    },
    async ({ code, timeout_ms, session: handle }, ctx) => {
      const session = await place.sessionFor(ctx, handle);
      if (session.state === 'busy' || session.state === 'paused')
        throw new ToolError(`Something runs in ${session.handle} already: wait for it, or interrupt it`);
      await askImage(session, 'profile', { action: 'start' }, ctx);
      const run = session.evaluate(code, place.evaluateOptions({ timeout_ms }));
      let costs: Profile | undefined;
      try {
        const report = await waitFor(session, run, ctx, timeout_ms ?? place.timeoutMs);
        costs = await session.ask('profile', { action: 'stop' }).catch(() => undefined);
        if (report.failed || costs === undefined) return runResult(session, run, report);
        return okResult(session, report.status, `${report.text}\n${costsText(costs)}`, { refs: report.refs, truncated: report.truncated });
      } finally {
        if (costs === undefined) void session.ask('profile', { action: 'stop' }).catch(() => undefined);
      }
    },
  );
}

function costsText({ costs, ms, more }: Profile): string {
  const lines = costs.map(({ name, place, ms: own }) => {
    const share = ms === 0 ? 0 : Math.round((own / ms) * 100);
    return `${own.toFixed(1).padStart(9)} ms ${String(share).padStart(3)} %  ${name}${place === '' ? '' : `  (${place})`}`;
  });
  return [`Own time, of ${ms.toFixed(1)} ms sampled:`, ...lines, ...(more > 0 ? [`… ${more} more`] : [])].join('\n');
}

function heap(server: Server, place: CallerSessions): void {
  server.tool(
    'heap',
    {
      description: 'Memory in use, and how many instances the classes of the session have.',
      input: { type: 'object', properties: { session: text } } as const,
      ...resultOptions,
      ...place.looks,
    },
    async ({ session: handle }, ctx) => {
      const session = await place.sessionFor(ctx, handle);
      const { usedSize, totalSize, classes, more } = await askImage(session, 'heap', {}, ctx);
      const lines = classes.map(({ name, count }) => `${String(count).padStart(9)}  ${name}`);
      const head = `${megabytes(usedSize)} of ${megabytes(totalSize)} MB in use`;
      return okResult(
        session,
        'ok',
        [head, ...(lines.length > 0 ? ['Instances:', ...lines] : []), ...(more > 0 ? [`… ${more} more classes`] : [])].join('\n'),
      );
    },
  );
}

function megabytes(bytes: number): string {
  return (bytes / 1024 / 1024).toFixed(1);
}

async function evaluated(place: CallerSessions, session: Session, code: string, ctx: Context): Promise<LiveResult> {
  const run = session.evaluate(code, place.evaluateOptions({}));
  return runResult(session, run, await waitFor(session, run, ctx, place.waitMs));
}
