// The session that a call refers to, and the limits on its options.
import { createHash } from 'node:crypto';
import { join } from 'node:path';
import type { Context } from '../../server/context.ts';
import { ToolError } from '../../server/tool.ts';
import type { ProjectFolder } from './project-folder.ts';
import type { EvaluateOptions, Session } from './session.ts';
import { NoSession, type Sessions } from './sessions.ts';
import { TestRuns } from './test-runs.ts';

export interface CallerSessionsOptions {
  readonly sessions: Sessions;
  readonly waitMs: number;
  readonly timeoutMs: number;
  /** There is one client; calls without a handle use its session. */
  readonly single: boolean;
  /** Callers cannot name a session: those without a connection of their own share one. Default: false. */
  readonly nameless?: boolean;
  /** Each owner has one session, whatever connection a call comes by. Default: false. */
  readonly perOwner?: boolean;
  /** Where saved sessions are kept. */
  readonly stateFolder: string;
  readonly home: ProjectFolder;
  /** Only images of ours can be reached, no attached programs. */
  readonly harmless: boolean;
}

export class CallerSessions {
  readonly sessions: Sessions;
  readonly waitMs: number;
  readonly timeoutMs: number;
  readonly stateFolder: string;
  readonly #single: boolean;
  readonly #nameless: boolean;
  readonly #perOwner: boolean;
  readonly home: ProjectFolder;
  readonly tests: TestRuns = new TestRuns();
  /** Annotations of read-only tools; nothing is promised where programs can be attached. */
  readonly looks: { readonly annotations?: { readonly readOnlyHint: true } };

  constructor({
    sessions,
    waitMs,
    timeoutMs,
    single,
    nameless = false,
    perOwner = false,
    stateFolder,
    home,
    harmless,
  }: CallerSessionsOptions) {
    this.home = home;
    this.looks = harmless ? { annotations: { readOnlyHint: true } } : {};
    this.sessions = sessions;
    this.waitMs = waitMs;
    this.timeoutMs = timeoutMs;
    this.stateFolder = stateFolder;
    this.#single = single;
    this.#nameless = nameless;
    this.#perOwner = perOwner || single;
  }

  ownerOf({ principal }: Pick<Context, 'principal'>): string {
    return this.#single ? 'local' : (principal?.id ?? 'anonymous');
  }

  /** The named session, or the one of the caller's connection; without either, a new one where `opens`. */
  async sessionFor(ctx: Context, handle?: string, language?: string, opens = false): Promise<Session> {
    await this.home.settle(ctx);
    const owner = this.ownerOf(ctx);
    try {
      if (language !== undefined) this.sessions.check(language);
      if (handle !== undefined && handle !== 'main') return this.sessions.get(owner, handle);
      const own = this.#ownName(ctx, language);
      // Every call would open another, empty session.
      if (own === undefined && !opens) throw new Error('Say which session: evaluate opens one and names it');
      return (own === undefined ? undefined : this.sessions.find(owner, own)) ?? this.sessions.open(owner, language, own);
    } catch (error) {
      const { message: text } = error as Error;
      const structured = error instanceof NoSession ? { structured: { status: 'error', reason: error.reason, text } } : {};
      throw new ToolError(text, structured);
    }
  }

  /** Folder of saved sessions, per project and owner. */
  folderOf(ctx: Pick<Context, 'principal'>): string {
    const name = (text: string): string => createHash('sha256').update(text).digest('hex').slice(0, 16);
    return join(this.stateFolder, name(this.home.folder), name(this.ownerOf(ctx)));
  }

  evaluateOptions({
    timeout_ms = this.timeoutMs,
    language,
    package: pack,
    in: within,
  }: {
    timeout_ms?: number | undefined;
    language?: string | undefined;
    package?: string | undefined;
    in?: string | undefined;
  }): EvaluateOptions {
    return { timeoutMs: Math.min(timeout_ms, this.timeoutMs), language, package: pack, within };
  }

  /** Whether a call without a handle opens a session, whose handle the answer must then name. */
  isNew(ctx: Context): boolean {
    return this.#ownName(ctx, undefined) === undefined;
  }

  /** The connection has ended. Running evaluations go on under their handle until the session is idle. */
  async leave(sessionId: string): Promise<void> {
    if (!this.#perOwner) await this.sessions.leave(nameOf(sessionId));
  }

  /** One session for each language. */
  #ownName({ sessionId }: Context, language: string | undefined): string | undefined {
    if (!this.#perOwner && !this.#nameless && sessionId === undefined) return undefined;
    const own = this.#perOwner || sessionId === undefined ? 'main' : nameOf(sessionId);
    const named = language === undefined ? undefined : this.sessions.check(language);
    return named === undefined || named === this.sessions.engines[0] ? own : `${own}-${named.language}`;
  }
}

function nameOf(sessionId: string): string {
  return `main-${sessionId.slice(0, 12)}`;
}
