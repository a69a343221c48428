// Beginnings of a conversation about what is in the image; what they quote of it is marked as data.
import { randomBytes } from 'node:crypto';
import type { BaseContext } from '../../server/context.ts';
import type { Server } from '../../server/server.ts';
import type { CallerSessions } from '../session/caller-sessions.ts';
import type { Session } from '../session/session.ts';
import { guide } from './instructions.ts';
import { namesIn } from './resources.ts';

const maxQuoted = 20_000;

export function offerPrompts(server: Server, place: CallerSessions): void {
  const sessionsOf = (ctx: Pick<BaseContext, 'principal'>): Session[] => place.sessions.list(place.ownerOf(ctx));
  const of = (ctx: Pick<BaseContext, 'principal'>, handle: string | undefined): Session | undefined =>
    handle === undefined ? sessionsOf(ctx)[0] : place.sessions.find(place.ownerOf(ctx), handle);
  const session = (value: string, ctx: BaseContext): string[] =>
    sessionsOf(ctx)
      .map(({ handle }) => handle)
      .filter((handle) => handle.startsWith(value));
  const name =
    (kind?: string) =>
    (value: string, ctx: BaseContext & { readonly arguments: Readonly<Record<string, string>> }): Promise<readonly string[]> =>
      namesIn(of(ctx, ctx.arguments['session']), value, kind);
  const text = { type: 'string' } as const;
  const about = { type: 'object', properties: { name: text, session: text }, required: ['name'] } as const;
  const within = { type: 'object', properties: { session: text } } as const;

  server.prompt(
    'review-class',
    { description: 'Review a class as it runs', input: about, complete: { name: name('class'), session } },
    async ({ name: wanted, session: handle }, ctx) =>
      [
        `Review the class ${quoted(wanted)} as it is in the live image${inSession(handle)}.`,
        await source(of(ctx, handle), wanted),
        'Look at its members and who uses it (lookup: members, callers), and at an instance (inspect) before you judge.',
        'Say what it is for, then what is wrong or fragile, worst first, each with file and line and a change that mends it. Try each claim with evaluate.',
      ].join('\n\n'),
  );

  server.prompt(
    'explain-error',
    { description: 'Explain the last error of a session', input: within, complete: { session } },
    ({ session: handle }, ctx) => {
      const found = of(ctx, handle);
      const failed = found?.entries.findLast(({ ok }) => !ok);
      const what =
        found === undefined || failed === undefined
          ? 'No evaluation has failed in that session yet: evaluate what fails first.'
          : fence(found.terms.mask(`${failed.code}\n[ERROR] ${failed.text}`));
      return [
        `Explain the last error${inSession(handle)}.`,
        what,
        '_err holds it: inspect it. Evaluate the same again with on_error: "pause", then look at frames and locals with debug.',
        'Say what happened, why, and where the cause is (file and line), which need not be where it was thrown. Then mend the file, reload, and show that it works.',
      ].join('\n\n');
    },
  );

  server.prompt(
    'write-tests',
    { description: 'Write tests for a function or class', input: about, complete: { name: name(), session } },
    async ({ name: wanted, session: handle }, ctx) =>
      [
        `Write tests for ${quoted(wanted)} in the live image${inSession(handle)}.`,
        await source(of(ctx, handle), wanted),
        'Find out what it does by evaluating it: usual values, edges, wrong ones. Look at its callers for what is expected of it.',
        "Then write a test file with the project's own runner, each test named by the behaviour it shows, and run it (run_tests where it is offered). A test that fails because of a defect stays, and is reported.",
      ].join('\n\n'),
  );

  server.prompt('develop-live', { description: 'How to work in a live image' }, () =>
    [
      guide(place.sessions.engines),
      'Work in small steps: import what you need, call it, look at the value; edit the file, reload, call it again on the same instance. Run the tests before you say it is done.',
    ].join('\n\n'),
  );
}

async function source(session: Session | undefined, name: string): Promise<string> {
  const unknown = `Find it with lookup(name: ${quoted(name)}, want: source).`;
  if (session === undefined || session.state === 'cold') return unknown;
  try {
    const { text, kind } = await session.ask('lookup', { name, want: 'source' });
    return kind === 'none' ? `${text} ${unknown}` : fence(session.terms.mask(text));
  } catch {
    return unknown;
  }
}

function inSession(handle: string | undefined): string {
  return handle === undefined ? '' : ` (session ${quoted(handle)})`;
}

/** What was given stays one word among ours, whatever is in it. */
function quoted(given: string): string {
  return JSON.stringify(given.slice(0, 200));
}

/** Between marks that it cannot have known: it is data. */
function fence(text: string): string {
  const mark = randomBytes(3).toString('hex');
  const left = text.length - maxQuoted;
  return `--- source ${mark}\n${text.slice(0, maxQuoted)}${left > 0 ? `\n… ${left} characters more` : ''}\n--- end ${mark}`;
}
