// Who works where: the session a call means, and the limits its wishes are held to.
import type { Context } from '../server/context.ts';
import { ToolError } from '../server/tool.ts';
import type { Asked, Session } from './session.ts';
import type { Sessions } from './sessions.ts';

export interface WorkplaceOptions {
  readonly sessions: Sessions;
  readonly waitMs: number;
  readonly timeoutMs: number;
  /** There is one client, and everything without a handle is its own. */
  readonly single: boolean;
  /** Where saved sessions are kept. */
  readonly stateFolder: string;
}

export class Workplace {
  readonly sessions: Sessions;
  readonly waitMs: number;
  readonly timeoutMs: number;
  readonly stateFolder: string;
  readonly #single: boolean;

  constructor({ sessions, waitMs, timeoutMs, single, stateFolder }: WorkplaceOptions) {
    this.sessions = sessions;
    this.waitMs = waitMs;
    this.timeoutMs = timeoutMs;
    this.stateFolder = stateFolder;
    this.#single = single;
  }

  ownerOf({ principal }: Pick<Context, 'principal'>): string {
    return this.#single ? 'local' : (principal?.id ?? 'anonymous');
  }

  /** The one that was named, or the caller's own: of its connection, where it has one, otherwise a new one each time. */
  sessionFor(ctx: Context, handle?: string, language?: string): Session {
    const owner = this.ownerOf(ctx);
    try {
      if (handle !== undefined && handle !== 'main') return this.sessions.get(owner, handle);
      const own = this.#ownName(ctx);
      return (own === undefined ? undefined : this.sessions.find(owner, own)) ?? this.sessions.open(owner, language, own);
    } catch (error) {
      throw new ToolError((error as Error).message);
    }
  }

  asked({
    timeout_ms = this.timeoutMs,
    language,
    package: pack,
  }: {
    timeout_ms?: number | undefined;
    language?: string | undefined;
    package?: string | undefined;
  }): Asked {
    return { timeoutMs: Math.min(timeout_ms, this.timeoutMs), language, package: pack };
  }

  #ownName({ sessionId }: Context): string | undefined {
    if (this.#single) return 'main';
    return sessionId === undefined ? undefined : `main-${sessionId.slice(0, 12)}`;
  }
}
