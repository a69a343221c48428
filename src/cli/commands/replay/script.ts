// A recording as the part of a server: what it says to whom, and when its turn is.
import type { Entry } from '../record/recording.ts';
import { jsonText } from './json-text.ts';

type Message = Readonly<Record<string, unknown>>;

/** Something the server said: a message, several in a batch, or no message at all. */
interface Line {
  readonly at: number;
  readonly raw: string;
  readonly messages: readonly Message[];
  /** The messages of the client it belongs to: nothing is said before they have come. */
  readonly causes: readonly Cue[];
}

/** Something the client said. */
interface Cue {
  readonly at: number;
  readonly message: Message;
  readonly lines: Line[];
  /** What came in its place, once it has. */
  met?: Message;
}

/** How long the rest of what the client said in the recording is waited for, before things are said in another order. */
const patienceMs = 100;

export class ReplayScript {
  readonly #cues: Cue[] = [];
  /** By what they ask for, and by their method alone: a recording may be long. */
  readonly #alike: Map<string, Cue[]> = new Map();
  readonly #byMethod: Map<unknown, Cue[]> = new Map();
  /** Unsaid, and nothing is missing but their turn. */
  #due: Line[] = [];
  /** Of the first cue that has not come. */
  #open = 0;
  readonly #say: (raw: string, to: Message | undefined) => void;
  #timer: ReturnType<typeof setTimeout> | undefined;

  /** `say` is told what to send, and the request it belongs to. */
  constructor(entries: readonly Entry[], say: (raw: string, to: Message | undefined) => void) {
    this.#say = say;
    const byId = new Map<unknown, Cue>();
    const byToken = new Map<unknown, Cue>();
    for (const [at, { from, raw }] of entries.entries()) {
      if (typeof raw !== 'string' || raw.trim() === '') continue;
      const messages = messagesIn(raw);
      if (from === 'client') for (const message of messages) this.#expect({ at, message, lines: [] }, byId, byToken);
      else {
        const owners =
          messages.length === 0 ? [this.#cues.at(-1)] : messages.map((one) => causeOf(one, byId, byToken) ?? this.#cues.at(-1));
        const causes = [...new Set(owners.filter((one) => one !== undefined))];
        const line = { at, raw, messages, causes };
        for (const cue of causes) cue.lines.push(line);
        if (causes.length === 0) this.#due.push(line);
      }
    }
  }

  #expect(cue: Cue, byId: Map<unknown, Cue>, byToken: Map<unknown, Cue>): void {
    const { message } = cue;
    const { method, id } = message;
    this.#cues.push(cue);
    gather(this.#alike, keyOf(message), cue);
    if (method === undefined) return;
    gather(this.#byMethod, method, cue);
    byId.set(id, cue);
    const token = tokenOf(message);
    if (token !== undefined) byToken.set(token, cue);
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
        : `Not in the recording: ${message['method']} ${jsonText(core(message).params).slice(0, 200)}`;
    }
    cue.met = message;
    while (this.#cues[this.#open]?.met !== undefined) this.#open += 1;
    this.#due.push(...cue.lines.filter(({ causes }) => causes.every(({ met }) => met !== undefined)));
    this.#due.sort((a, b) => a.at - b.at);
    this.#advance(false);
    return undefined;
  }

  /** Everything that can be said is. */
  finish(): void {
    this.#advance(true);
  }

  /** The same message; of those that only introduce a client, and of notifications, the next of its method. */
  #meet(message: Message): Cue | undefined {
    const isOpen = ({ met }: Cue): boolean => met === undefined;
    const same = this.#alike.get(keyOf(message))?.find(isOpen);
    return same ?? (introduces(message) ? this.#byMethod.get(message['method'])?.find(isOpen) : undefined);
  }

  /** Asked once more what it has answered already: as it did last, since that is how things stand. */
  #again(message: Message): boolean {
    const lineOf = (one: Cue): Line | undefined => one.lines.find(({ messages }) => messages.some((each) => answers(each, one)));
    const cue = this.#alike.get(keyOf(message))?.findLast((one) => lineOf(one) !== undefined);
    const line = cue === undefined ? undefined : lineOf(cue);
    if (cue === undefined || line === undefined) return false;
    const answer = line.messages.find((one) => answers(one, cue)) as Message;
    const raw = line.messages.length === 1 ? line.raw : jsonText(answer);
    this.#say(renamed(raw, [answer], [{ ...cue, met: message }]), message);
    return true;
  }

  /** In the order of the recording, as far as the client keeps to it. */
  #advance(loosely: boolean): void {
    clearTimeout(this.#timer);
    const open = this.#cues[this.#open]?.at ?? Number.POSITIVE_INFINITY;
    const ready = loosely ? this.#due : this.#due.filter(({ at }) => at < open);
    this.#due = loosely ? [] : this.#due.filter(({ at }) => at >= open);
    if (this.#due.length > 0) this.#timer = setTimeout(() => this.#advance(true), patienceMs);
    for (const { raw, messages, causes } of ready) this.#say(renamed(raw, messages, causes), causes[0]?.met);
  }
}

function gather(lists: Map<unknown, Cue[]>, key: unknown, cue: Cue): void {
  const list = lists.get(key);
  if (list === undefined) lists.set(key, [cue]);
  else list.push(cue);
}

function causeOf(message: Message, byId: ReadonlyMap<unknown, Cue>, byToken: ReadonlyMap<unknown, Cue>): Cue | undefined {
  const { id, method, params } = message as { id?: unknown; method?: unknown; params?: { progressToken?: unknown } };
  if (method === undefined) return byId.get(id);
  return method === 'notifications/progress' ? byToken.get(params?.progressToken) : undefined;
}

function answers(message: Message, cue: Cue): boolean {
  return message['method'] === undefined && message['id'] === cue.message['id'];
}

/** With the ids and the progress tokens of whoever asks now; nothing else of it is touched. */
function renamed(raw: string, messages: readonly Message[], causes: readonly Cue[]): string {
  const now = messages.map((message) => {
    const asked = causes.find((cue) => answers(message, cue));
    if (asked?.met !== undefined) return asked.met['id'] === message['id'] ? message : { ...message, id: asked.met['id'] };
    const params = message['params'] as Message | undefined;
    const token = params?.['progressToken'];
    if (message['method'] !== 'notifications/progress' || token === undefined) return message;
    const owner = causes.find((cue) => tokenOf(cue.message) === token);
    const other = owner?.met === undefined ? undefined : tokenOf(owner.met);
    return other === undefined || other === token ? message : { ...message, params: { ...params, progressToken: other } };
  });
  if (now.every((message, at) => message === messages[at])) return raw;
  return jsonText(now.length === 1 && !raw.trimStart().startsWith('[') ? now[0] : now);
}

/** Who asks does not change what is answered. */
function introduces({ method, id }: Message): boolean {
  if (method === undefined) return false;
  return id === undefined || method === 'initialize' || method === 'server/discover' || method === 'ping';
}

function tokenOf(message: Message): unknown {
  return (message['params'] as { _meta?: { progressToken?: unknown } } | undefined)?._meta?.progressToken;
}

/** The same for two messages that ask for the same; an answer is known by its id. */
function keyOf(message: Message): string {
  const { method, id } = message;
  return method === undefined ? `answer ${jsonText(id)}` : jsonText(core(message), { sorted: true });
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
