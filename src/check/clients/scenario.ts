// What a scenario is: one start of the client, what we offer it meanwhile, what we ask of it and how we misbehave.
import type { Revision } from '../../protocol/revision.ts';
import type { Transport } from '../model/requirement.ts';
import type { RequirementId } from '../model/requirement-id.ts';
import type { Seen } from '../model/rule.ts';
import type { Exchange, Message } from '../model/trace.ts';
import type { Json } from '../model/value.ts';
import type { Judge } from '../model/verdict.ts';

/** What a request of the client gets. */
export type MockReply =
  | { readonly result: Json }
  | { readonly error: { readonly code: number; readonly message: string; readonly data?: unknown } }
  /** On a pipe: the server is gone. */
  | { readonly exit: number }
  /** No answer at all, or one that comes too late. */
  | { readonly silent: true }
  /** Over HTTP, in place of a message; on a pipe it is silence. */
  | { readonly status: number; readonly headers?: Readonly<Record<string, string>>; readonly body?: string }
  /** Over HTTP: the stream ends before the response, which waits for whoever comes back. */
  | { readonly cut: Json; readonly retry: number };

export type Responder = (turn: Turn) => MockReply | undefined | Promise<MockReply | undefined>;

/** One request of the client, while it is being answered. */
export interface Turn {
  readonly message: Message;
  readonly id: unknown;
  readonly method: string;
  readonly params: Json;
  readonly link: Link;
  /** How often this method was asked on all links of the scenario, this time included. */
  readonly count: number;
  readonly exchange: Exchange | undefined;
  /** On the stream of this request; undefined when there is no reply in time. */
  ask(method: string, params: Json, options?: AskOptions): Promise<Message | undefined>;
  notify(method: string, params: Json): void;
}

export interface AskOptions {
  readonly timeoutMs?: number;
  readonly id?: string | number;
  /** Improper on purpose: no rule of good conduct is judged by it. */
  readonly wild?: boolean;
}

/** One connection of the client: a pipe, a session, or all that is sent without one. */
export interface Link {
  /** The client has ended. */
  readonly isOver: boolean;
  readonly seen: () => Seen;
  /** What the client said of itself. */
  readonly declared: Json;
  /** Whether it is in the revision that is judged. */
  readonly isModern: boolean;
  /** Over HTTP: where we are. */
  readonly origin: string | undefined;
  /** Where there is a stream on which the server may speak unasked. */
  readonly canSpeak: boolean;
  ask(method: string, params: Json, options?: AskOptions): Promise<Message | undefined>;
  notify(method: string, params: Json): void;
  /** Bytes as they are: one line, or one event. */
  raw(text: string): void;
}

/** A request over HTTP, of whatever kind. */
export interface Visit {
  readonly method: string;
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  /** What the scenario keeps in mind. */
  readonly notes: Map<string, unknown>;
  /** How many visits there were before. */
  readonly number: number;
}

export interface OfferedTool {
  readonly tool: Json;
  readonly call?: Responder;
}

export interface Scenario {
  readonly name: string;
  /** Every id it may judge beside the rules. */
  readonly judges: readonly RequirementId[];
  readonly transports?: readonly Transport[];
  readonly revisions?: readonly Revision[];
  /** Its name in the contract of the official conformance suite, for clients that were written for that. */
  readonly conformance?: string;
  /** `origin` is ours over HTTP, and empty elsewhere. */
  readonly tools?: (revision: Revision, origin: string) => readonly OfferedTool[];
  readonly capabilities?: Json;
  /** By method, before the ordinary answer. */
  readonly answers?: Readonly<Record<string, Responder>>;
  /** Over HTTP: what any request gets before anything else looks at it. */
  readonly visit?: (visit: Visit) => Extract<MockReply, { status: number }> | undefined;
  /** Over HTTP: the names of our headers are in upper case. */
  readonly shouts?: boolean;
  /** Over HTTP: answers with streams of events. */
  readonly streams?: boolean;
  /** Once the client is ready. */
  readonly ready?: (link: Link) => Promise<void>;
  /** How the server ends when its input does: at once, or never by itself. */
  readonly stubborn?: boolean;
  /** What the server writes to stderr when it starts. */
  readonly stderr?: string;
  /** The rules of good conduct are not judged by it: we misbehave too much. */
  readonly wild?: boolean;
  judge?(played: Played, judge: Judge): void;
}

/** All that happened in one scenario. */
export interface Played {
  readonly scenario: string;
  readonly revision: Revision;
  readonly transport: Transport;
  /** Those in the revision that is judged, in order. */
  readonly links: readonly Seen[];
  /** Those in another one: attempts. */
  readonly others: readonly Seen[];
  /** All of them, in the order in which they were opened. */
  readonly all: readonly Seen[];
  readonly exchanges: readonly Exchange[];
  readonly process: Ended;
  /** Notes of the scenario itself, by name. */
  readonly notes: ReadonlyMap<string, unknown>;
  readonly known: Known;
}

export interface Ended {
  readonly code: number | null;
  readonly signal: string | null;
  /** It was ended, because it went on for too long or had nothing more to say. */
  readonly stopped: boolean;
  readonly stderr: string;
  readonly failure?: string;
}

/** What earlier scenarios have shown. */
export interface Known {
  readonly revisions: readonly Revision[];
  /** Those that it was offered, whether or not it took them. */
  readonly offered: readonly Revision[];
}

/** The link on which the client did its work: it may have opened others only to look. */
export function busiest(links: readonly Seen[]): Seen | undefined {
  return [...links].sort((a, b) => b.ledger.received.length - a.ledger.received.length)[0];
}
