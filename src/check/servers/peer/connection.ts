// What every connection has, whatever carries it: its record, what it says of itself, requests with their ids, and waiting for replies.

import { isForeign } from '../../model/ledger.ts';
import type { Transport } from '../../model/requirement.ts';
import { isModern } from '../../model/revision.ts';
import type { Greeting } from '../../model/rule.ts';
import { type Conversation, type Message, Recorder } from '../../model/trace.ts';
import { at, brief, isRecord, type Json } from '../../model/value.ts';
import { greet, type NoGreeting } from './greet.ts';
import { replyTo } from './manners.ts';
import {
  type Answer,
  isReplyTo,
  isResult,
  noReply,
  type Peer,
  type Presentation,
  type RawOptions,
  type Refused,
  type SendOptions,
  withMeta,
} from './peer.ts';
import { createWaiting, type Waiting, type WaitOptions } from './waiting.ts';

/** A peer but for what its transport has to do. */
export interface Connection<T extends Transport> extends Omit<Peer, 'raw' | 'close'> {
  readonly transport: T;
  readonly conversation: Recorder;
  greeting: Greeting;
  gone: string | undefined;
  readonly waiting: Waiting;
  /** The reply to a request; at once nothing where its first answer has quite another id. */
  reply(id: unknown, options: WaitOptions): ReturnType<Waiting['wait']>;
  /** Nothing more will come; the first reason stands. */
  leave(why: string): void;
  /** A request as it is written, with its id. */
  compose(method: string, params?: Json, options?: SendOptions): { readonly id: unknown; readonly text: string };
}

export type Raw = (bytes: Buffer | string, options?: RawOptions) => Promise<Answer>;

const nothing: Greeting = { capabilities: {}, info: {}, instructions: undefined, revision: '', supported: undefined, result: {} };

/** `raw` may not be used before the connection is there. */
export function createConnection<T extends Transport>(transport: T, presentation: Presentation, raw: Raw): Connection<T> {
  const { revision, capabilities } = presentation;
  const conversation = new Recorder(presentation.name, transport, revision);
  const waiting = createWaiting(conversation, presentation.timeoutMs);
  let count = 0;
  const connection: Connection<T> = {
    conversation,
    transport,
    revision,
    declared: capabilities,
    greeting: nothing,
    gone: undefined,
    waiting,
    async reply(id, options) {
      // Nothing else was asked that a result could answer.
      const isAlone = count === 1;
      const wanted = ({ value }: Message) => isReplyTo(value, id) || (isAlone && count === 1 && isResult(value));
      const { message, silence } = await waiting.wait(wanted, options);
      if (message === undefined || isReplyTo(message.value, id)) return { message, silence };
      const why = `it answers under the id ${brief(at(message.value, 'id'))}, and was asked under ${brief(id)}`;
      return { message: undefined, silence: noReply(why) };
    },
    leave(why) {
      connection.gone ??= why;
      waiting.giveUp(connection.gone);
    },
    compose(method, params, options = {}) {
      count += 1;
      const id = 'id' in options ? options.id : count;
      const full = withMeta(params, presentation, options);
      return { id, text: JSON.stringify({ jsonrpc: '2.0', id, method, ...(full !== undefined && { params: full }) }) };
    },
    async request(method, params, options = {}) {
      const { id, text } = connection.compose(method, params, options);
      return raw(text, { ...options, reply: id as string | number });
    },
    async notify(method, params, options = {}) {
      const full = transport === 'stdio' && isModern(revision) ? params : withMeta(params, presentation, options);
      return raw(JSON.stringify({ jsonrpc: '2.0', method, ...(full !== undefined && { params: full }) }), options);
    },
    async settle() {
      return (await connection.request(isModern(revision) ? 'server/discover' : 'ping')).message !== undefined;
    },
    async see(wanted, timeoutMs) {
      const known = conversation.messages.find((one) => one.direction === 'received' && wanted(one));
      if (known !== undefined) return known;
      return (await waiting.wait(wanted, { from: conversation.messages.length, timeoutMs, exact: true })).message;
    },
  };
  return connection;
}

/** With the handshake of its revision, unless there is a reason why there is none; it is closed then. */
export async function shakeHands<P extends Peer & { greeting: Greeting }>(
  peer: P,
  presentation: Presentation,
  problem?: NoGreeting,
): Promise<P | Refused<P>> {
  const greeting = problem ?? (await greet(peer, presentation));
  if (!('reason' in greeting)) {
    peer.greeting = greeting;
    return peer;
  }
  const { gone } = peer;
  const message = `${gone ?? greeting.message}${chatter(peer.conversation)}`;
  await peer.close();
  return { reason: gone === undefined ? greeting.reason : 'refused', message, peer };
}

/** A program that prints something else, or its messages in some other way, is seen to do so. */
function chatter({ messages, transport }: Conversation): string {
  const noise = messages.filter(({ direction, value }) => direction === 'received' && (value === undefined || isForeign({ value })));
  const [first] = noise;
  if (transport !== 'stdio' || first === undefined) return '';
  const count = noise.length === 1 ? '1 line on its standard output is' : `${noise.length} lines on its standard output are`;
  return `; ${count} no message, the first ${brief(first.text ?? first.bytes.toString('latin1'))}`;
}

/** The serialized reply of a well-behaved client to a request of the server; undefined when no reply is due. */
export function replyOf(message: Message, { revision, capabilities, manner }: Presentation): string | undefined {
  const { direction, value } = message;
  if (direction !== 'received' || isModern(revision) || isForeign(message)) return undefined;
  const own = isRecord(value) && typeof value['method'] === 'string' && 'id' in value ? manner?.(value) : undefined;
  if (own === 'later') return undefined;
  const reply = own ?? replyTo(value, capabilities);
  return reply === undefined ? undefined : JSON.stringify(reply);
}

export const toBuffer = (bytes: Buffer | string): Buffer => (typeof bytes === 'string' ? Buffer.from(bytes) : bytes);
