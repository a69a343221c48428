// A client's side of one connection, as the probes use it: whatever carries it, whichever revision it speaks.

import type { Revision } from '../../../protocol/revision.ts';
import { isAlike, isForeign } from '../../model/ledger.ts';
import type { Transport } from '../../model/requirement.ts';
import { isModern, traitsOf } from '../../model/revision.ts';
import type { Greeting } from '../../model/rule.ts';
import type { Conversation, Exchange, Message } from '../../model/trace.ts';
import { asRecord, isRecord, type Json } from '../../model/value.ts';
import type { Pace } from '../../wire/pace.ts';

export interface SendOptions {
  /** Of the request; a new one otherwise. */
  readonly id?: unknown;
  /** Replaces `_meta` of a stateless request; null leaves it out. */
  readonly meta?: Json | null;
  /** Added to the headers, or taken from them with undefined. */
  readonly headers?: Readonly<Record<string, string | undefined>>;
  readonly timeoutMs?: number;
  /** Improper on purpose. */
  readonly wild?: boolean;
  readonly token?: string | number;
}

export interface Answer {
  readonly sent: readonly Message[];
  readonly message?: Message;
  readonly result?: Json;
  readonly error?: { readonly code: unknown; readonly message: unknown; readonly data: unknown };
  readonly exchange?: Exchange;
  /** Why there is no reply. */
  readonly silence?: Silence;
}

export interface Silence {
  /** It took too long, or it cannot come any more. */
  readonly reason: 'timeout' | 'ended';
  readonly message: string;
}

/** There was no handshake. */
export interface Refused<P extends Peer = Peer> {
  readonly reason: 'timeout' | 'refused';
  readonly message: string;
  readonly peer: P;
}

export interface Peer {
  readonly conversation: Conversation;
  readonly transport: Transport;
  readonly revision: Revision;
  readonly greeting: Greeting;
  /** What it told the server of itself. */
  readonly declared: Json;
  /** Why nothing more can be asked of it. */
  readonly gone: string | undefined;
  request(method: string, params?: Json, options?: SendOptions): Promise<Answer>;
  notify(method: string, params?: Json, options?: SendOptions): Promise<Answer>;
  /** Bytes as they are: a line without its end on stdio, the body of a POST over HTTP. Awaits the reply to `id`, or any when it is null. */
  raw(bytes: Buffer | string, options?: RawOptions): Promise<Answer>;
  /** True once a request sent now is answered: everything sent before has been read by then. */
  settle(): Promise<boolean>;
  /** The first received message that matches, past or future. */
  see(wanted: (message: Message) => boolean, timeoutMs: number): Promise<Message | undefined>;
  /** Milliseconds in which a server may end by itself. */
  close(timeoutMs?: number): Promise<void>;
}

/** A peer over HTTP can also send a false Content-Length; returns what was sent and what came back, in words. */
export interface MalformedSender {
  sendMalformed(lengths: readonly string[], body: string, timeoutMs: number): Promise<string>;
}

export interface RawOptions extends SendOptions {
  /** The reply that is waited for; none when undefined. */
  readonly reply?: string | number | null;
}

/** How a peer presents itself. */
export interface Presentation {
  readonly name: string;
  readonly revision: Revision;
  readonly capabilities: Json;
  readonly timeoutMs: number;
  /** Also for the first answer, which may include starting. */
  readonly startTimeoutMs: number;
  readonly headers: Readonly<Record<string, string>>;
  /** Names of those that the user gave, in small letters. */
  readonly secrets?: readonly string[];
  /** Shared by all connections of a run. */
  readonly pace: Pace;
  /** Its own answer to a question of the server, 'later' for none yet, undefined for that of a well-behaved client. */
  readonly manner?: (question: Json) => Json | 'later' | undefined;
}

export const clientInfo: Json = { name: 'vivarium-check', version: '1.0.0' };

/** Everything a client of the revision can offer. */
export function fullCapabilities(revision: Revision): Json {
  if (!traitsOf(revision).forms) return { roots: { listChanged: true }, sampling: {} };
  if (!traitsOf(revision).richElicitation) return { roots: { listChanged: true }, sampling: {}, elicitation: {} };
  if (isModern(revision)) return { roots: {}, sampling: { tools: {}, context: {} }, elicitation: { form: {}, url: {} } };
  return { roots: { listChanged: true }, sampling: { tools: {}, context: {} }, elicitation: { form: {}, url: {} } };
}

const prefix = 'io.modelcontextprotocol/';

export function requestMeta(presentation: Pick<Presentation, 'revision' | 'capabilities'>, token?: string | number): Json {
  return {
    [`${prefix}protocolVersion`]: presentation.revision,
    [`${prefix}clientInfo`]: clientInfo,
    [`${prefix}clientCapabilities`]: presentation.capabilities,
    ...(token !== undefined && { progressToken: token }),
  };
}

/** The parameters with what the revision wants in every request. */
export function withMeta(params: Json | undefined, presentation: Presentation, { meta, token }: SendOptions): Json | undefined {
  if (isModern(presentation.revision)) {
    if (meta === null) return params;
    return { ...params, _meta: { ...requestMeta(presentation, token), ...asRecord(params?.['_meta']), ...meta } };
  }
  const own = { ...asRecord(params?.['_meta']), ...meta, ...(token !== undefined && { progressToken: token }) };
  return Object.keys(own).length === 0 ? params : { ...params, _meta: own };
}

/** No reply will come. */
export function noReply(message: string): Silence {
  return { reason: 'ended', message };
}

export function answerFrom(
  sent: readonly Message[],
  message: Message | undefined,
  silence: Silence | string | undefined,
  exchange?: Exchange,
): Answer {
  const carried = exchange === undefined ? {} : { exchange };
  if (message === undefined) {
    const why = typeof silence === 'string' ? noReply(silence) : silence;
    return { sent, ...(why !== undefined && { silence: why }), ...carried };
  }
  const value = asRecord(message.value);
  const error = value['error'];
  if (isRecord(error)) {
    return { sent, message, error: { code: error['code'], message: error['message'], data: error['data'] }, ...carried };
  }
  return { sent, message, ...(isRecord(value['result']) && { result: value['result'] }), ...carried };
}

export function isReply(value: unknown): boolean {
  return isRecord(value) && !('method' in value) && ('result' in value || 'error' in value) && !isForeign({ value });
}

/** Under the id of the request, or one that differs from it only by its type: that is a fault of its own, for a rule to name. */
export function isReplyTo(value: unknown, id: unknown): boolean {
  const own = asRecord(value)['id'] ?? null;
  return isReply(value) && (own === id || isAlike(own, id));
}

/** A result; errors without an id may be about anything. */
export function isResult(value: unknown): boolean {
  return isReply(value) && asRecord(value)['result'] !== undefined;
}
