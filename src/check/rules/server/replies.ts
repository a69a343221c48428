// Each request has one reply, and nothing else has any.
import type { Ledger, LedgerRequest } from '../../model/ledger.ts';
import type { Rule } from '../../model/rule.ts';
import type { Conversation, Happening, Message } from '../../model/trace.ts';
import { asRecord, at, brief } from '../../model/value.ts';
import type { Judge } from '../../model/verdict.ts';

export const replies: Rule = {
  judges: [
    'jsonrpc/request/answered',
    'jsonrpc/request/id-unique',
    'jsonrpc/response/id',
    'jsonrpc/response/once',
    'jsonrpc/response/solicited',
    'jsonrpc/notification/unanswered',
    'jsonrpc/direction/no-server-requests',
  ],
  apply({ ledger, conversation }, judge) {
    const lost = lostAtExit(ledger);
    for (const asked of ledger.requests) {
      const { replies: all, method, id, message } = asked;
      // A stream that is resumed says again what it said.
      const given = all.filter((one, index) => index === 0 || !isResumed(one));
      if (given.length > 1) {
        const evidence = [message, ...given.slice(0, 3)];
        judge.broken('jsonrpc/response/once', `${method} with the id ${brief(id)} has ${given.length} replies`, evidence);
      } else if (given.length === 1) judge.kept('jsonrpc/response/once');
      if (given.length > 0) {
        const other = given.find(({ value }) => at(value, 'id') !== id);
        const what = `asked under ${brief(id)}, answered under ${brief(at(other?.value, 'id'))}`;
        judge.verdict('jsonrpc/response/id', other === undefined, what, other === undefined ? [] : [message, other]);
        judge.kept('jsonrpc/request/answered');
      } else if (!lost.includes(asked) && isOwed(asked, ledger))
        judge.broken('jsonrpc/request/answered', `${method} was never answered`, [message]);
    }
    const [first] = lost;
    if (first !== undefined) {
      const how = firstEnd(conversation)?.detail ?? '';
      const evidence = lost.slice(0, 6).map(({ message }) => message);
      judge.broken('jsonrpc/request/answered', `${first.method} was never answered: the server has gone (${how})`, evidence);
    }
    let answered = 0;
    for (const message of ledger.strays) answered += stray(message, ledger, judge);
    if (ledger.received.length > 0 && ledger.strays.length === answered) judge.kept('jsonrpc/response/solicited');
    if (notifies(conversation) && answered === 0) judge.kept('jsonrpc/notification/unanswered');
    questions(ledger, judge);
  },
};

/** A reply to nothing that was asked; 1 when it answers a notification. */
function stray(message: Message, ledger: Ledger, judge: Judge): number {
  const { conversation } = ledger;
  const id = at(message.value, 'id') ?? null;
  const isError = asRecord(message.value)['error'] !== undefined;
  const sent = conversation.messages.find(
    (one) => one.direction === 'sent' && one.exchange !== undefined && one.exchange === message.exchange,
  );
  if (id === null) {
    // An error about unreadable bytes cannot name a request.
    if (isError && (conversation.wild || (message.exchange?.response?.status ?? 0) >= 400)) return 1;
    // What was sent just before; a request may have followed a notification at once.
    const before = conversation.messages.slice(0, conversation.messages.indexOf(message)).filter((one) => one.direction === 'sent');
    const cause = sent ?? before.slice(-3).findLast(isNotification) ?? before.at(-1);
    if (cause !== undefined && isNotification(cause)) {
      judge.broken('jsonrpc/notification/unanswered', `a reply to ${String(at(cause.value, 'method'))}`, [cause, message]);
      return 1;
    }
    judge.broken('jsonrpc/response/id', 'a response without the id of its request', cause === undefined ? [message] : [cause, message]);
    return 1;
  }
  judge.broken('jsonrpc/response/solicited', `a reply to ${brief(id)}, under which nothing was asked`, [message]);
  return 0;
}

function questions({ questions: asked, conversation }: Ledger, judge: Judge): void {
  const used = new Set<unknown>();
  for (const { id, message, method } of asked) {
    const isId = typeof id === 'string' || Number.isInteger(id);
    if (isId && !isResumed(message))
      judge.verdict('jsonrpc/request/id-unique', !used.has(id), `the id ${brief(id)} was used before`, [message]);
    used.add(id);
    judge.broken('jsonrpc/direction/no-server-requests', `the server asks for ${method}`, [message]);
  }
  if (asked.length === 0 && conversation.messages.length > 1) judge.kept('jsonrpc/direction/no-server-requests');
}

/**
 * What waited when the process ended unasked: however short that was, no answer comes any more. One that is improper counts if nothing
 * was sent after it, as it may be left unanswered by a server that ends of something else.
 */
function lostAtExit(ledger: Ledger): LedgerRequest[] {
  const { conversation, requests } = ledger;
  const ended = firstEnd(conversation);
  if (ended?.what !== 'exit' || ended.signal === 'SIGKILL' || ended.signal === 'SIGTERM' || !hasBegun(conversation)) return [];
  const last = conversation.messages.findLast(({ direction, at: sent }) => direction === 'sent' && sent <= ended.at);
  return requests.filter((asked) => {
    const { message, replies: given } = asked;
    const isCounted = message.at <= ended.at && (message.wild !== true || message === last);
    return isCounted && given.length === 0 && at(message.value, 'jsonrpc') === '2.0' && isAnswerable(asked, ledger);
  });
}

function firstEnd({ happenings }: Conversation): Happening | undefined {
  return happenings.find(({ what }) => what === 'end-of-input' || what === 'signal' || what === 'exit');
}

/** A second instance that exits before its first message never started, so it owes no answer. */
function hasBegun({ messages }: Conversation): boolean {
  return messages.some(({ direction }) => direction === 'received');
}

/** Whether one reply is due to it, sooner or later, and none that cannot be read came in its place. */
function isAnswerable({ message, cancelledAt, method, id }: LedgerRequest, { conversation, malformed }: Ledger): boolean {
  if (message.member !== undefined || cancelledAt !== undefined || method === 'subscriptions/listen') return false;
  if (typeof id !== 'string' && typeof id !== 'number') return false;
  return !conversation.isFull && !malformed.some((one) => at(one.value, 'id') === id);
}

/** Whether a reply was waited for in vain. */
function isOwed(asked: LedgerRequest, ledger: Ledger): boolean {
  const { message, method } = asked;
  const { conversation } = ledger;
  if (message.wild === true || !isAnswerable(asked, ledger)) return false;
  // What runs a server's own code may take as long as it likes.
  if (['tools/call', 'tasks/result', 'resources/read', 'prompts/get', 'completion/complete'].includes(method)) return false;
  const { exchange } = message;
  if (exchange !== undefined && (exchange.failure?.reason === 'closed-by-client' || (exchange.response?.status ?? 0) >= 400)) return false;
  const ended = firstEnd(conversation);
  if (ended?.what === 'exit' && !hasBegun(conversation)) return false;
  // After a signal nothing is owed any more, even if something still comes.
  if (ended?.what === 'signal') return ended.at - message.at > 400;
  const last = conversation.messages.at(-1)?.at ?? 0;
  return Math.max(last, ended?.at ?? 0) - message.at > 400;
}

function isResumed({ exchange }: Message): boolean {
  return exchange?.request.headers['last-event-id'] !== undefined;
}

function notifies({ messages }: Conversation): boolean {
  return messages.some((message) => message.direction === 'sent' && isNotification(message));
}

function isNotification({ value }: Message): boolean {
  return typeof at(value, 'method') === 'string' && !('id' in asRecord(value));
}
