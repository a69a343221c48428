// The messages of one conversation in order, paired: which reply belongs to which request, which progress to which token.
import type { Conversation, Message } from './trace.ts';
import { at, isRecord, type Json } from './value.ts';

export interface LedgerRequest {
  readonly message: Message;
  readonly id: unknown;
  readonly method: string;
  readonly params: Json;
  readonly replies: Message[];
  /** When the one who asked took it back. */
  cancelledAt?: number;
  readonly token: unknown;
}

export interface Ledger {
  readonly conversation: Conversation;
  /** Ours, in order. */
  readonly requests: readonly LedgerRequest[];
  /** The server's. */
  readonly questions: readonly LedgerRequest[];
  readonly notifications: readonly Message[];
  /** From the server, to nothing that was asked. */
  readonly strays: readonly Message[];
  /** From the server: everything that is JSON but no message. */
  readonly malformed: readonly Message[];
  /** From the server: bytes that do not parse as JSON. */
  readonly noise: readonly Message[];
  /** From the server, on a pipe: lines of JSON that are no message, such as those of a logger. */
  readonly foreign: readonly Message[];
  /** Everything from the server that is a message. */
  readonly received: readonly Message[];
  /** What each reply answers. */
  readonly answered: ReadonlyMap<Message, LedgerRequest>;
}

export function openLedger(conversation: Conversation): Ledger {
  const requests: LedgerRequest[] = [];
  const questions: LedgerRequest[] = [];
  const notifications: Message[] = [];
  const strays: Message[] = [];
  const malformed: Message[] = [];
  const noise: Message[] = [];
  const foreign: Message[] = [];
  const received: Message[] = [];
  const answered = new Map<Message, LedgerRequest>();

  for (const message of conversation.messages) {
    const { value, direction } = message;
    const isOurs = direction === 'sent';
    if (!isOurs && conversation.transport === 'stdio' && isForeign(message)) {
      foreign.push(message);
      continue;
    }
    if (!isRecord(value)) {
      if (!isOurs) (value === undefined ? noise : malformed).push(message);
      continue;
    }
    if (typeof value['method'] === 'string') {
      const params = isRecord(value['params']) ? value['params'] : {};
      // With an id or not, a notification asks for nothing.
      if ('id' in value && (isOurs || !value['method'].startsWith('notifications/'))) {
        const token = at(params, '_meta', 'progressToken');
        const asked: LedgerRequest = { message, id: value['id'], method: value['method'], params, replies: [], token };
        (isOurs ? requests : questions).push(asked);
      } else if (isOurs && value['method'] === 'notifications/cancelled') {
        const target = requests.findLast(({ id }) => id === params['requestId']);
        if (target !== undefined) target.cancelledAt ??= message.at;
      } else if (!isOurs) notifications.push(message);
      if (!isOurs) received.push(message);
      continue;
    }
    if ('result' in value || 'error' in value) {
      const list = isOurs ? questions : requests;
      const same = list.filter(({ id }) => id === value['id']);
      // Under "1" what was asked under 1: wrong, and an answer all the same.
      const own = same.length > 0 || isOurs ? same : list.filter(({ id, replies }) => replies.length === 0 && isAlike(id, value['id']));
      // The last one asked before, and of these one that still waits.
      const asked = own.find(({ replies }) => replies.length === 0) ?? own.at(-1);
      if (asked !== undefined) {
        asked.replies.push(message);
        answered.set(message, asked);
      } else if (!isOurs) strays.push(message);
      if (!isOurs) received.push(message);
      continue;
    }
    if (!isOurs) malformed.push(message);
  }
  return { conversation, requests, questions, notifications, strays, malformed, noise, foreign, received, answered };
}

/**
 * JSON that is neither a message nor one gone wrong, and no member of a batch. Without `jsonrpc` only a bare answer is taken for one:
 * loggers write `method` and `id`, too, of what they tell about.
 */
export function isForeign({ value, member }: Pick<Message, 'value' | 'member'>): boolean {
  if (value === undefined || member !== undefined || Array.isArray(value)) return false;
  if (!isRecord(value)) return true;
  const has = (name: string) => Object.hasOwn(value, name);
  const isAnswer = has('id') && (has('result') || has('error')) && Object.keys(value).every((name) => answerMembers.has(name));
  return !has('jsonrpc') && !isAnswer;
}

const answerMembers: ReadonlySet<string> = new Set(['id', 'result', 'error']);

/** Whether it would be a request or a notification, had it a version. */
export function isCallWithoutVersion({ value }: Pick<Message, 'value'>): boolean {
  if (!isRecord(value) || typeof value['method'] !== 'string' || 'jsonrpc' in value) return false;
  return 'id' in value || 'params' in value || value['method'].startsWith('notifications/');
}

/** The same but for its type. */
export function isAlike(id: unknown, other: unknown): boolean {
  const isId = (one: unknown) => typeof one === 'string' || typeof one === 'number';
  return isId(id) && isId(other) && String(id) === String(other);
}

export function methodOf(message: Message): string {
  const method = at(message.value, 'method');
  return typeof method === 'string' ? method : '';
}
