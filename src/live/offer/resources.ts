// Resources of live images. Names in URIs are data, never code; every caller reads only its own sessions.
import type { BaseContext } from '../../server/context.ts';
import type { Server } from '../../server/server.ts';
import { Refused } from '../image/refusal.ts';
import type { CallerSessions } from '../session/caller-sessions.ts';
import type { Session } from '../session/session.ts';
import { membersText } from './report.ts';
import { sessionEntry } from './tool-results.ts';

export interface Identity {
  readonly name: string;
  readonly version: string;
}

const json = 'application/json';
const maxTranscript = 50_000;
const maxNames = 1_000;

export function offerResources(server: Server, place: CallerSessions, identity: Identity): void {
  const { name, version } = identity;
  const sessionsOf = (ctx: Pick<BaseContext, 'principal'>): Session[] => place.sessions.list(place.ownerOf(ctx));
  const find = (ctx: Pick<BaseContext, 'principal'>, handle: string): Session | undefined =>
    place.sessions.find(place.ownerOf(ctx), handle);
  const session = (value: string, ctx: BaseContext): string[] =>
    sessionsOf(ctx)
      .map(({ handle }) => handle)
      .filter((handle) => handle.startsWith(value));
  const named = (kind: string) => ({
    session,
    name: (value: string, ctx: BaseContext & { readonly arguments: Readonly<Record<string, string>> }) =>
      namesIn(find(ctx, ctx.arguments['session'] ?? '') ?? sessionsOf(ctx)[0], value, kind),
  });

  server.resource('live://system/version', { name: 'version' }, () => `${name} ${version}, Node ${process.version}`);

  server.resource('live://system/info', { name: 'info', description: 'The server and your sessions', mimeType: json }, (_, ctx) => {
    const sessions = sessionsOf(ctx).map(sessionEntry);
    const { platform, arch, version: node } = process;
    return JSON.stringify(
      { name, version, node, platform, arch, cwd: place.home.folder, languages: place.sessions.languages, sessions },
      null,
      1,
    );
  });

  const modules = server.resource(
    'live://modules',
    { name: 'modules', description: 'Files of the project that are loaded' },
    async (_, ctx) => {
      const parts = await Promise.all(sessionsOf(ctx).map(modulesText));
      return parts.length === 0 ? 'No session is open.' : parts.join('\n');
    },
  );

  server.resource(
    'live://session/{session}/transcript',
    {
      name: 'transcript',
      description: 'What was evaluated in a session',
      complete: { session },
      list: (ctx) =>
        sessionsOf(ctx).map(({ handle }) => ({ uri: uriOf('session', handle, 'transcript'), name: `transcript of ${handle}` })),
    },
    ({ session: handle }, ctx) => {
      const found = find(ctx, handle);
      return found && transcriptText(found);
    },
  );

  server.resource(
    'live://session/{session}/definitions',
    {
      name: 'definitions',
      description: 'Names a session defined, and in which cell',
      complete: { session },
      list: (ctx) =>
        sessionsOf(ctx).map(({ handle }) => ({ uri: uriOf('session', handle, 'definitions'), name: `definitions of ${handle}` })),
    },
    ({ session: handle }, ctx) => {
      const found = find(ctx, handle);
      return found && definitionsText(found);
    },
  );

  server.resource(
    'live://class/{session}/{name}',
    { name: 'class', description: 'A class: what it is, its members, its source', complete: named('class') },
    ({ session: handle, name: wanted }, ctx) => lookedUp(find(ctx, handle), wanted, 'class', ['summary', 'members', 'source']),
  );

  server.resource(
    'live://function/{session}/{name}',
    { name: 'function', description: 'A function: what it takes, its source', complete: named('function') },
    ({ session: handle, name: wanted }, ctx) => lookedUp(find(ctx, handle), wanted, 'function', ['summary', 'source']),
  );

  for (const kind of new Set(place.sessions.engines.flatMap(({ kinds = [] }) => kinds))) {
    server.resource(
      `live://${kind}/{session}/{name}` as 'live://kind/{session}/{name}',
      { name: kind, description: `A ${kind}: what it is, its source`, complete: named(kind) },
      ({ session: handle, name: wanted }, ctx) => lookedUp(find(ctx, handle), wanted, kind, ['summary', 'source']),
    );
  }

  server.resource(
    'live://object/{session}/{ref}{?offset}',
    {
      name: 'object',
      description: 'A value by its number (#12 is 12), a page of its members at a time',
      complete: {
        session,
        ref: (value, ctx) => refsIn(find(ctx, ctx.arguments['session'] ?? '') ?? sessionsOf(ctx)[0], value),
        offset: (value) => ['0', '50', '100'].filter((one) => one.startsWith(value)),
      },
    },
    ({ session: handle, ref, offset = '0' }, ctx) => objectText(find(ctx, handle), ref, offset),
  );

  watch(server, place, () => modules.update({}));
}

/** Sends resource updates, and list changes when sessions open or close. */
function watch(server: Server, place: CallerSessions, listChanged: () => void): void {
  const tell = ({ handle }: Session, ...path: string[]): void => server.resourceUpdated(uriOf('session', handle, ...path));
  place.sessions.onChange = (session, names) => {
    for (const name of names.slice(0, maxNames)) {
      for (const kind of ['class', 'function']) server.resourceUpdated(uriOf(kind, session.handle, name));
    }
    tell(session, 'definitions');
  };
  const known = new Map<string, string>();
  const seen = new WeakMap<Session, { cell: number; generation: number }>();
  const look = (owner: string): void => {
    const sessions = place.sessions.list(owner);
    const handles = sessions.map(({ handle }) => handle).join(' ');
    if (handles !== (known.get(owner) ?? '')) listChanged();
    if (handles === '') known.delete(owner);
    else known.set(owner, handles);
    for (const session of sessions) {
      const now = { cell: session.entries.at(-1)?.cell ?? 0, generation: session.generation };
      const before = seen.get(session);
      seen.set(session, now);
      if (before?.cell !== now.cell) tell(session, 'transcript');
      if (before !== undefined && before.generation !== now.generation) tell(session, 'definitions');
    }
  };
  // Sessions only change within requests.
  server.around(async (call, next) => {
    try {
      return await next();
    } finally {
      look(place.ownerOf(call.ctx));
    }
  });
}

function uriOf(kind: string, ...parts: readonly string[]): string {
  return `live://${[kind, ...parts.map(encodeURIComponent)].join('/')}`;
}

async function modulesText(session: Session): Promise<string> {
  const { handle, state } = session;
  if (state === 'cold') return `${handle}: not started`;
  try {
    const { files } = await session.ask('modules', {});
    const shown = files.slice(0, maxNames).map((file) => `  ${file}`);
    const left = files.length - shown.length;
    const head = `${handle}: ${files.length} file${files.length === 1 ? '' : 's'}`;
    return [head, ...shown, ...(left > 0 ? [`  … ${left} more`] : []), ...(await packagesLines(session))].join('\n');
  } catch (error) {
    return `${handle}: ${(error as Error).message}`;
  }
}

async function packagesLines(session: Session): Promise<string[]> {
  if (!session.engine.features.packages) return [];
  const { names } = await session.ask('packages', {});
  return [`  packages: ${names.slice(0, maxNames).join(', ')}`];
}

/** Newest last; of a long one, the end is kept. */
function transcriptText({ entries, handle, generation, terms }: Session): string {
  const lines = entries.map(({ cell, code, ok, text }) => `[${cell}] ${code}\n${ok ? '=>' : '[ERROR]'} ${text}`);
  const kept: string[] = [];
  let length = 0;
  for (const line of lines.reverse()) {
    length += line.length;
    if (length > maxTranscript && kept.length > 0) break;
    kept.unshift(line.length > maxTranscript ? `${line.slice(0, maxTranscript)}…` : line);
  }
  const left = lines.length - kept.length;
  const head = `${handle}, generation ${generation}, ${entries.length} cells${left > 0 ? `; ${left} older ones left out` : ''}`;
  return terms.mask([head, ...kept].join('\n'));
}

function definitionsText({ definitions, handle, generation }: Session): string {
  const all = [...definitions].sort(([a], [b]) => (a < b ? -1 : 1));
  const lines = all.slice(0, maxNames).map(([name, cell]) => `${name}  ${cell === 0 ? 'loaded at the start' : `cell-${cell}`}`);
  const left = all.length - lines.length;
  return [`${handle}, generation ${generation}, ${all.length} names`, ...lines, ...(left > 0 ? [`… ${left} more`] : [])].join('\n');
}

/** Undefined (not found) where the name is not of this kind. */
async function lookedUp(session: Session | undefined, name: string, kind: string, wants: readonly string[]): Promise<string | undefined> {
  if (session === undefined) return undefined;
  const parts: string[] = [];
  for (const want of wants) {
    const found = await session.ask('lookup', { name, want }).catch(() => undefined);
    if (found?.kind !== kind) return undefined;
    parts.push(found.text);
  }
  return session.terms.mask(parts.join('\n\n'));
}

async function objectText(session: Session | undefined, ref: string, from: string): Promise<string | undefined> {
  if (session === undefined || !/^\d{1,9}$/.test(ref) || !/^\d{1,9}$/.test(from)) return undefined;
  const offset = Number(from);
  const fields = { target: Number(ref), path: [], offset };
  const missing = (error: Error): undefined => {
    if (!(error instanceof Refused && error.reason === 'missing-ref')) throw error;
  };
  const answer = await session.ask('inspect', fields).catch(missing);
  if (answer === undefined) return undefined;
  const { total, members } = answer.view;
  const next = offset + members.length;
  const more = total > next ? `\nnext: ${uriOf('object', session.handle, ref)}?offset=${next}` : '';
  return session.terms.mask(`${membersText(answer.view)}${more}`);
}

/** Completion never starts an image. */
export async function namesIn(session: Session | undefined, prefix: string, kind?: string): Promise<readonly string[]> {
  if (session === undefined || session.state === 'cold') return [];
  try {
    return (await session.ask('complete', { prefix, kind })).names;
  } catch {
    return [...session.definitions.keys()].filter((name) => name.startsWith(prefix));
  }
}

/** The newest first. */
async function refsIn(session: Session | undefined, prefix: string): Promise<string[]> {
  if (session === undefined || session.state === 'cold') return [];
  const { newest } = await session.ask('refs', {}).catch(() => ({ newest: 0 }));
  const all: string[] = [];
  for (let ref = newest; ref > 0 && all.length < maxNames; ref--) if (String(ref).startsWith(prefix)) all.push(String(ref));
  return all;
}
