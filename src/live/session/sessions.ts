// All sessions of a server: unguessable handles, bound to their owner, closed when idle.
import { randomBytes } from 'node:crypto';
import type { Engine } from '../image/engine.ts';
import { Session } from './session.ts';
import type { SessionTerms } from './session-terms.ts';

/** A program that runs without us and can be worked in. */
export interface AttachableProgram {
  /** Of its session. */
  readonly handle: string;
  readonly engine: Engine;
}

export interface SessionsOptions {
  readonly engines: readonly Engine[];
  /** Engines that are not installed here. */
  readonly absent?: readonly Engine[];
  readonly terms: SessionTerms;
  readonly maxSessions: number;
  /** Sessions idle for longer are closed. */
  readonly idleMs: number;
  readonly programs?: () => readonly AttachableProgram[];
}

/** There never was a session of this name, or it was closed long ago. */
export class NoSession extends Error {
  readonly reason = 'no-session';
}

const maxGraves = 200;

export class Sessions {
  readonly #options: SessionsOptions;
  readonly #sessions: Map<string, Session> = new Map();
  /** Why closed sessions are gone, for callers that still use their handles. */
  readonly #graves: Map<string, { readonly text: string; readonly generation: number; readonly asked: boolean }> = new Map();
  readonly #timer: ReturnType<typeof setInterval>;
  onChange: (session: Session, names: readonly string[]) => void = () => undefined;

  constructor(options: SessionsOptions) {
    this.#options = options;
    this.#timer = setInterval(() => this.#expire(), Math.min(30_000, Math.max(50, options.idleMs / 4)));
    this.#timer.unref();
  }

  get engines(): readonly Engine[] {
    return this.#options.engines;
  }

  get languages(): readonly string[] {
    return this.#options.engines.map(({ language }) => language);
  }

  /** Throws for a language that is not offered. */
  check(language: string): Engine {
    const { engines, absent = [] } = this.#options;
    const isMeant = ({ language: own, aliases = [] }: Engine): boolean => own === language || aliases.includes(language);
    const engine = engines.find(isMeant);
    if (engine !== undefined) return engine;
    const missing = absent.find(isMeant);
    const why = missing?.problem?.();
    if (missing !== undefined && why !== undefined) throw new Error(`${missing.title} cannot be had here: ${why}`);
    throw new Error(`There is no language "${language}", only ${this.languages.join(', ')}`);
  }

  /** The sessions of one owner. */
  list(owner: string): Session[] {
    return [...this.#sessions.values()].filter((one) => one.owner === owner);
  }

  /** `image`: a saved image to start from. */
  open(owner: string, language?: string, handle: string = `s-${randomBytes(9).toString('base64url')}`, image?: string): Session {
    const { engines, maxSessions } = this.#options;
    if (this.#sessions.size >= maxSessions) {
      throw new Error(`There are ${this.#sessions.size} sessions already, and no more are allowed: close one (sessions, action: close)`);
    }
    const engine = language === undefined ? engines[0] : this.check(language);
    if (engine === undefined) throw new Error('There is no language at all');
    return this.#add(owner, handle, engine, image);
  }

  programs(): readonly AttachableProgram[] {
    return this.#options.programs?.() ?? [];
  }

  #add(owner: string, handle: string, engine: Engine, image?: string): Session {
    const session = new Session(handle, owner, engine, this.#options.terms, image);
    // A session of this name existed before: its users must learn that this is a new one.
    const grave = this.#graves.get(keyOf(owner, handle));
    if (grave !== undefined) {
      this.#graves.delete(keyOf(owner, handle));
      session.generation = grave.generation + 1;
      // Not a loss where it was closed on request.
      if (grave.asked) session.remarks.add(`generation ${session.generation}: the ${handle} before this one was closed`);
      else session.losses.add(`generation ${session.generation}: ${grave.text}`);
    }
    session.onChange = (names) => this.onChange(session, names);
    this.#sessions.set(keyOf(owner, handle), session);
    return session;
  }

  /** Throws where this owner has no such session; the message says why it is gone. */
  get(owner: string, handle: string): Session {
    const found = this.#sessions.get(keyOf(owner, handle));
    if (found !== undefined) return found;
    const program = this.programs().find((one) => one.handle === handle);
    if (program !== undefined) return this.#add(owner, handle, program.engine);
    const grave = this.#graves.get(keyOf(owner, handle));
    if (grave !== undefined) throw new Error(grave.text);
    throw new NoSession(`There is no session ${handle}; sessions(action: list) shows those there are`);
  }

  find(owner: string, handle: string): Session | undefined {
    return this.#sessions.get(keyOf(owner, handle));
  }

  /** False where it is gone already. */
  async close(owner: string, handle: string, why?: string): Promise<boolean> {
    const key = keyOf(owner, handle);
    const session = this.#sessions.get(key);
    if (session === undefined) return false;
    this.#sessions.delete(key);
    // An attached program can be attached to again under the same name.
    if (session.engine.foreign === true) {
      await session.close();
      return true;
    }
    const text = `The session ${handle} is gone: ${why ?? 'it was closed'}. Open another one; what it held is lost.`;
    this.#graves.set(key, { text, generation: session.generation, asked: why === undefined });
    for (const oldest of this.#graves.keys()) {
      if (this.#graves.size <= maxGraves) break;
      this.#graves.delete(oldest);
    }
    await session.close();
    await this.#letGo(session.engine);
    return true;
  }

  /** Closes the warm image of a language that no session uses any more. */
  async #letGo({ language }: Engine): Promise<void> {
    const isUsed = [...this.#sessions.values()].some(({ engine }) => engine.foreign !== true && engine.language === language);
    if (!isUsed) await this.#options.terms.warmPool.letGo(language);
  }

  /** Closes the sessions of this name that are idle. */
  async leave(name: string): Promise<void> {
    const left = [...this.#sessions.values()].filter(({ handle, state }) => handle === name && (state === 'idle' || state === 'cold'));
    await Promise.all(left.map(({ owner, handle }) => this.close(owner, handle, 'its connection ended')));
  }

  async closeAll(): Promise<void> {
    clearInterval(this.#timer);
    const all = [...this.#sessions.values()];
    this.#sessions.clear();
    await Promise.all([...all.map((session) => session.close()), this.#options.terms.warmPool.close()]);
  }

  #expire(): void {
    const { idleMs } = this.#options;
    const before = performance.now() - idleMs;
    for (const session of [...this.#sessions.values()]) {
      const { state, lastUsed, owner, handle } = session;
      if (lastUsed > before || state === 'busy' || state === 'paused' || state === 'starting') continue;
      void this.close(owner, handle, `nobody used it for ${Math.round(idleMs / 60_000)} minutes`);
    }
  }
}

/** Nothing that a name may hold makes one owner another. */
function keyOf(owner: string, handle: string): string {
  return JSON.stringify([owner, handle]);
}
