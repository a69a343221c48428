// A recording as the part of a server: what it says to whom, and when its turn is.
import { isDeepStrictEqual } from 'node:util';
import type { Entry } from './recording.ts';

type Message = Readonly<Record<string, unknown>>;

/** Something the server said. */
interface Line {
  readonly at: number;
  readonly raw: string;
  readonly message: Message | undefined;
  /** The message of the client it belongs to: nothing is said before that has come. */
  readonly cause: Cue | undefined;
  said: boolean;
}

/** Something the client said. */
interface Cue {
  readonly at: number;
  readonly message: Message;
  /** What came in its place, once it has. */
  met?: Message;
}

/** How long the rest of what the client said in the recording is waited for, before things are said in another order. */
const patienceMs = 100;

export class ReplayScript {
  readonly #cues: Cue[] = [];
  readonly #lines: Line[] = [];
  readonly #say: (raw: string, to: Message | undefined) => void;
  #timer: ReturnType<typeof setTimeout> | undefined;

  /** `say` is told what to send, and the request it belongs to. */
  constructor(entries: readonly Entry[], say: (raw: string, to: Message | undefined) => void) {
    this.#say = say;
    for (const [at, { from, raw }] of entries.entries()) {
      if (raw === undefined) continue;
      for (const message of messagesIn(raw)) {
        if (from === 'client') this.#cues.push({ at, message });
        else this.#lines.push({ at, raw, message, cause: this.#causeOf(message), said: false });
      }
      if (from === 'server' && messagesIn(raw).length === 0 && raw.trim() !== '')
        this.#lines.push({ at, raw, message: undefined, cause: this.#cues.at(-1), said: false });
    }
  }

  /** What the server said before anybody spoke to it. */
  begin(): void {
    this.#advance(false);
  }

  /** Undefined when the recording knows what to say; otherwise what is wrong. */
  hear(message: Message): string | undefined {
    const cue = this.#meet(message);
    if (cue === undefined) {
      if (typeof message['method'] !== 'string' || message['id'] === undefined) return undefined;
      return this.#again(message)
        ? undefined
        : `Not in the recording: ${message['method']} ${JSON.stringify(core(message).params).slice(0, 200)}`;
    }
    cue.met = message;
    this.#advance(false);
    return undefined;
  }

  /** Everything that can be said is. */
  finish(): void {
    this.#advance(true);
  }

  #causeOf(message: Message): Cue | undefined {
    const { id, method, params } = message as { id?: unknown; method?: unknown; params?: { progressToken?: unknown } };
    if (method === undefined) return this.#cues.findLast((cue) => cue.message['id'] === id && cue.message['method'] !== undefined);
    const token = method === 'notifications/progress' ? params?.progressToken : undefined;
    const owner = token === undefined ? undefined : this.#cues.findLast((cue) => tokenOf(cue.message) === token);
    return owner ?? this.#cues.at(-1);
  }

  /** The same message; of those that only introduce a client, and of notifications, the next of its method. */
  #meet(message: Message): Cue | undefined {
    const open = this.#cues.filter((cue) => cue.met === undefined);
    const { method, id } = message;
    if (method === undefined) return open.find((cue) => cue.message['method'] === undefined && cue.message['id'] === id);
    const same = open.filter((cue) => cue.message['method'] === method);
    return same.find((cue) => isDeepStrictEqual(core(cue.message), core(message))) ?? (introduces(message) ? same[0] : undefined);
  }

  /** Asked once more what it has answered already. */
  #again(message: Message): boolean {
    const cue = this.#cues.find(
      (one) => one.message['method'] === message['method'] && isDeepStrictEqual(core(one.message), core(message)),
    );
    const line =
      cue &&
      this.#lines.find((one) => one.cause === cue && one.message?.['id'] === cue.message['id'] && one.message?.['method'] === undefined);
    if (line === undefined) return false;
    this.#say(renamed(line, cue as Cue, message), message);
    return true;
  }

  /** In the order of the recording, as far as the client keeps to it. */
  #advance(loosely: boolean): void {
    clearTimeout(this.#timer);
    for (const line of this.#lines) {
      if (line.said) continue;
      const due = line.cause === undefined || line.cause.met !== undefined;
      const inOrder = this.#cues.every((cue) => cue.at > line.at || cue.met !== undefined);
      if (!due) continue;
      if (!inOrder && !loosely) {
        this.#timer = setTimeout(() => this.#advance(true), patienceMs);
        return;
      }
      line.said = true;
      const met = line.cause?.met;
      this.#say(met === undefined ? line.raw : renamed(line, line.cause as Cue, met), met);
    }
  }
}

/** With the id and the progress token of whoever asks now; nothing else of it is touched. */
function renamed({ raw, message }: { readonly raw: string; readonly message: Message | undefined }, cue: Cue, met: Message): string {
  if (message === undefined) return raw;
  const isAnswer = message['method'] === undefined && message['id'] === cue.message['id'];
  const [before, now] = [tokenOf(cue.message), tokenOf(met)];
  const params = message['params'] as Message | undefined;
  const isProgress = message['method'] === 'notifications/progress' && params?.['progressToken'] === before && now !== undefined;
  if (isAnswer && message['id'] !== met['id']) return JSON.stringify({ ...message, id: met['id'] });
  if (isProgress && before !== now) return JSON.stringify({ ...message, params: { ...params, progressToken: now } });
  return raw;
}

/** Who asks does not change what is answered. */
function introduces({ method, id }: Message): boolean {
  return id === undefined || method === 'initialize' || method === 'server/discover' || method === 'ping';
}

function tokenOf(message: Message): unknown {
  return (message['params'] as { _meta?: { progressToken?: unknown } } | undefined)?._meta?.progressToken;
}

/** What a request asks for, without what differs each time. */
function core({ method, params }: Message): { readonly method: unknown; readonly params: object } {
  const { _meta, ...rest } = (params ?? {}) as Message;
  return { method, params: rest };
}

/** One, several of a batch, or none. */
export function messagesIn(raw: string): Message[] {
  try {
    const value: unknown = JSON.parse(raw);
    return (Array.isArray(value) ? value : [value]).filter((one): one is Message => typeof one === 'object' && one !== null);
  } catch {
    return [];
  }
}
