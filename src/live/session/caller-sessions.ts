// Who works where: the session a call means, and the limits its wishes are held to.
import { createHash } from 'node:crypto';
import { join } from 'node:path';
import type { Context } from '../../server/context.ts';
import { ToolError } from '../../server/tool.ts';
import type { ProjectFolder } from './project-folder.ts';
import type { EvaluateOptions, Session } from './session.ts';
import { NoSession, type Sessions } from './sessions.ts';

export interface CallerSessionsOptions {
  readonly sessions: Sessions;
  readonly waitMs: number;
  readonly timeoutMs: number;
  /** There is one client, and everything without a handle is its own. */
  readonly single: boolean;
  /** Nobody can name a session: whoever has no connection of their own has one session all the same. Default: false. */
  readonly nameless?: boolean;
  /** Where saved sessions are kept. */
  readonly stateFolder: string;
  readonly home: ProjectFolder;
  /** No program can be reached but our own. */
  readonly harmless: boolean;
}

export class CallerSessions {
  readonly sessions: Sessions;
  readonly waitMs: number;
  readonly timeoutMs: number;
  readonly stateFolder: string;
  readonly #single: boolean;
  readonly #nameless: boolean;
  readonly home: ProjectFolder;
  /** What tools that only look say of themselves: of a program that is not ours nothing is promised. */
  readonly looks: { readonly annotations?: { readonly readOnlyHint: true } };

  constructor({ sessions, waitMs, timeoutMs, single, nameless = false, stateFolder, home, harmless }: CallerSessionsOptions) {
    this.home = home;
    this.looks = harmless ? { annotations: { readOnlyHint: true } } : {};
    this.sessions = sessions;
    this.waitMs = waitMs;
    this.timeoutMs = timeoutMs;
    this.stateFolder = stateFolder;
    this.#single = single;
    this.#nameless = nameless;
  }

  ownerOf({ principal }: Pick<Context, 'principal'>): string {
    return this.#single ? 'local' : (principal?.id ?? 'anonymous');
  }

  /** The one that was named, or the caller's own: of its connection, where it has one, otherwise a new one each time. */
  async sessionFor(ctx: Context, handle?: string, language?: string, opens = false): Promise<Session> {
    await this.home.settle(ctx);
    const owner = this.ownerOf(ctx);
    try {
      if (language !== undefined) this.sessions.check(language);
      if (handle !== undefined && handle !== 'main') return this.sessions.get(owner, handle);
      const own = this.#ownName(ctx, language);
      // Every call would open another one, only to find nothing in it.
      if (own === undefined && !opens) throw new Error('Say which session: evaluate opens one and names it');
      return (own === undefined ? undefined : this.sessions.find(owner, own)) ?? this.sessions.open(owner, language, own);
    } catch (error) {
      const { message: text } = error as Error;
      const structured = error instanceof NoSession ? { structured: { status: 'error', reason: error.reason, text } } : {};
      throw new ToolError(text, structured);
    }
  }

  /** Where somebody's saved sessions are: nobody else's, and of no other project. */
  folderOf(ctx: Pick<Context, 'principal'>): string {
    const name = (text: string): string => createHash('sha256').update(text).digest('hex').slice(0, 16);
    return join(this.stateFolder, name(this.home.folder), name(this.ownerOf(ctx)));
  }

  evaluateOptions({
    timeout_ms = this.timeoutMs,
    language,
    package: pack,
  }: {
    timeout_ms?: number | undefined;
    language?: string | undefined;
    package?: string | undefined;
  }): EvaluateOptions {
    return { timeoutMs: Math.min(timeout_ms, this.timeoutMs), language, package: pack };
  }

  /** Whether a call that names no session begins one, which nobody can know the name of yet. */
  isNew(ctx: Context): boolean {
    return this.#ownName(ctx, undefined) === undefined;
  }

  /** Its connection has ended. What runs goes on, under its handle, until nobody has used it for long. */
  async leave(sessionId: string): Promise<void> {
    if (!this.#single) await this.sessions.leave(nameOf(sessionId));
  }

  /** One for each language, where there are several. */
  #ownName({ sessionId }: Context, language: string | undefined): string | undefined {
    if (!this.#single && !this.#nameless && sessionId === undefined) return undefined;
    const own = this.#single || sessionId === undefined ? 'main' : nameOf(sessionId);
    const named = language === undefined ? undefined : this.sessions.check(language);
    return named === undefined || named === this.sessions.engines[0] ? own : `${own}-${named.language}`;
  }
}

function nameOf(sessionId: string): string {
  return `main-${sessionId.slice(0, 12)}`;
}
