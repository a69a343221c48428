// The surface of the Pharo guide: an expression and its print string, the version, a class, a review.
import type { Context } from '../../../server/context.ts';
import type { Contents } from '../../../server/resource.ts';
import { ToolError } from '../../../server/tool.ts';
import type { CallerSessions } from '../../session/caller-sessions.ts';
import type { Session } from '../../session/session.ts';
import { type Ran, runWhole, stoppedText } from './single-evaluation.ts';
import type { Surface } from './surface.ts';

export const pharo: Surface = {
  language: 'smalltalk',
  server: { announces: 'denied', errorDetails: 'message' },
  offer(server, place) {
    server.tool(
      'evaluate',
      {
        description: 'Evaluate a Pharo expression',
        input: {
          type: 'object',
          properties: { expression: { type: 'string', description: 'Pharo expression to evaluate' } },
          required: ['expression'],
        } as const,
      },
      async ({ expression }, ctx) => {
        const ran = await runWhole(place, ctx, expression);
        const { mask } = ran.session.terms;
        const more = [...notesOf(ran).map((note) => ({ type: 'text', text: mask(note) }) as const), ...ran.pictures];
        if (ran.outcome.status === 'ok') return [mask(ran.outcome.value.text), ...more];
        throw new ToolError(mask(`Error: ${faultText(ran)}`), { content: more });
      },
    );

    const version = { name: 'System Version', description: 'Current Pharo version', mimeType: 'text/plain' };
    server.resource('pharo://system/version', version, async (_, ctx) => {
      const session = await sessionOf(place, ctx);
      // Also while something runs.
      await session.ask('ping', {});
      return contents(ctx.uri, version.mimeType, session.version.split(',', 1)[0] ?? '');
    });

    const details = { name: 'Class Details', description: 'Get details for a Pharo class', mimeType: 'application/json' };
    server.resource('pharo://class/{className}', details, async ({ className }, ctx) => {
      const found = await classDetails(await sessionOf(place, ctx), className);
      return found === undefined ? undefined : contents(ctx.uri, details.mimeType, found);
    });

    const className = { type: 'string', description: 'The class to review' } as const;
    server.prompt(
      'review-class',
      { description: 'Review a Pharo class', input: { type: 'object', properties: { className }, required: ['className'] } as const },
      (args) => ({
        description: `Code review for ${args.className}`,
        messages: [{ role: 'user', content: { type: 'text', text: `Please review the class ${args.className}.` } }],
      }),
    );
  },
};

function faultText(ran: Ran): string {
  const { outcome } = ran;
  if (outcome.status !== 'error') return stoppedText(ran)?.message ?? '';
  const { type, message } = outcome.fault;
  return message === '' ? type : message;
}

/** The value stands alone; what else there is to say stands beside it. */
function notesOf({ printed, lost, outcome }: Ran): string[] {
  const losses = (outcome.status === 'lost' ? lost.slice(0, -1) : lost).map((one) => `[STATE LOST] ${one}`);
  return [...losses, ...(printed === '' ? [] : [`Transcript:\n${printed.replace(/\n$/, '')}`])];
}

/** With the type that the guide shows, which no revision has and none forbids. */
function contents(uri: string, mimeType: string, said: string): Contents {
  return { uri, mimeType, type: 'text', text: said } as Contents;
}

function sessionOf(place: CallerSessions, ctx: Context): Promise<Session> {
  return place.sessionFor(ctx, undefined, undefined, true);
}

/** Undefined, which is "not found", where there is no such class. */
async function classDetails(session: Session, name: string): Promise<string | undefined> {
  const look = async (want: string): Promise<string | undefined> => {
    const found = await session.ask('lookup', { name, want });
    return found.kind === 'class' ? session.terms.mask(found.text) : undefined;
  };
  const details = await look('details');
  if (details === undefined || isJson(details)) return details;
  // An image that has no such form tells the same in words.
  const [members, source] = [await look('members'), await look('source')];
  return JSON.stringify({ name, summary: details, members, source });
}

function isJson(text: string): boolean {
  try {
    return typeof JSON.parse(text) === 'object';
  } catch {
    return false;
  }
}
