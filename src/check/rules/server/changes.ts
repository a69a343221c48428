// Changes that a server promised to tell of: they show when it is asked twice, and so does that nothing was told.

import { type LedgerRequest, methodOf } from '../../model/ledger.ts';
import { isModern } from '../../model/revision.ts';
import type { Rule, Seen } from '../../model/rule.ts';
import type { Message } from '../../model/trace.ts';
import { asList, asRecord, at, brief, isRecord } from '../../model/value.ts';
import type { Judge } from '../../model/verdict.ts';

const kinds = ['tools', 'resources', 'prompts'] as const;

export const changes: Rule = {
  judges: ['tools/list-changed/sent', 'resources/list-changed/sent', 'prompts/list-changed/sent', 'resources/updated/sent'],
  apply(seen, judge) {
    for (const message of seen.ledger.notifications) {
      const [, name, what] = methodOf(message).split('/');
      const kind = kinds.find((one) => one === name);
      if (what === 'list_changed' && kind !== undefined) judge.kept(`${kind}/list-changed/sent`);
      if (kind === 'resources' && what === 'updated') judge.kept('resources/updated/sent');
    }
    for (const kind of kinds) {
      if (at(seen.greeting?.capabilities, kind, 'listChanged') === true) lists(kind, seen, judge);
    }
    if (at(seen.greeting?.capabilities, 'resources', 'subscribe') === true) contents(seen, judge);
  },
};

function lists(kind: (typeof kinds)[number], seen: Seen, judge: Judge): void {
  const { ledger } = seen;
  const key = kind === 'resources' ? 'uri' : 'name';
  const whole = ledger.requests.filter(({ method, params, message, replies: [reply] }) => {
    const result = at(reply?.value, 'result');
    if (method !== `${kind}/list` || message.wild === true || params['cursor'] !== undefined) return false;
    return isRecord(result) && Array.isArray(result[kind]) && result['nextCursor'] === undefined;
  });
  const names = ({ replies: [reply] }: LedgerRequest): string =>
    JSON.stringify(
      asList(at(reply?.value, 'result', kind))
        .map((one) => String(asRecord(one)[key]))
        .sort(),
    );
  for (const [index, later] of whole.entries()) {
    const before = whole[index - 1];
    if (before === undefined || names(before) === names(later) || !isHeard(`${kind}ListChanged`, before, later, seen)) continue;
    const isTold = isToldAfter(before, seen, (message) => methodOf(message) === `notifications/${kind}/list_changed`);
    const evidence = [before, later].flatMap(({ message, replies }) => [message, ...replies.slice(0, 1)]);
    judge.verdict(`${kind}/list-changed/sent`, isTold, `${kind}/list gives another list, and nothing told of it`, evidence);
  }
}

/** Something that was read after a subscription and then was another, and stayed so: what is new at each reading is no change. */
function contents(seen: Seen, judge: Judge): void {
  const { ledger, conversation } = seen;
  if (isModern(conversation.revision)) return;
  const place = (message: Message | undefined) => (message === undefined ? -1 : conversation.messages.indexOf(message));
  for (const {
    method,
    params,
    replies: [reply],
  } of ledger.requests) {
    if (method !== 'resources/subscribe' || !isRecord(at(reply?.value, 'result'))) continue;
    const { uri } = params;
    const end = ledger.requests.find(
      (one) => one.method === 'resources/unsubscribe' && one.params['uri'] === uri && place(one.message) > place(reply),
    );
    const reads = ledger.requests.filter(({ method: what, params: of, message, replies: [given] }) => {
      if (what !== 'resources/read' || of['uri'] !== uri || !isRecord(at(given?.value, 'result'))) return false;
      return place(message) > place(reply) && (end === undefined || place(message) < place(end.message));
    });
    const text = (asked: LedgerRequest | undefined): string => JSON.stringify(at(asked?.replies[0]?.value, 'result', 'contents'));
    reads.forEach((second, index) => {
      const [first, third] = [reads[index - 1], reads[index + 1]];
      if (first === undefined || third === undefined || text(first) === text(second) || text(second) !== text(third)) return;
      if (!isHeard(undefined, first, third, seen)) return;
      const isTold = isToldAfter(first, seen, (message) => {
        const changed = at(message.value, 'params', 'uri');
        return methodOf(message) === 'notifications/resources/updated' && String(changed).startsWith(String(uri));
      });
      const evidence = [first, second].flatMap(({ message, replies }) => [message, ...replies.slice(0, 1)]);
      judge.verdict('resources/updated/sent', isTold, `${brief(uri)} has changed, and nothing told of it`, evidence);
    });
  }
}

function isToldAfter({ replies: [reply] }: LedgerRequest, { ledger, conversation }: Seen, isIt: (message: Message) => boolean): boolean {
  const from = reply === undefined ? 0 : conversation.messages.indexOf(reply);
  // A notification may be ahead of the list that was made before it.
  return ledger.notifications.some((message) => isIt(message) && conversation.messages.indexOf(message) > from - 8);
}

/** Whether there was a way to tell all the time, and the server has said something since. */
function isHeard(filter: string | undefined, before: LedgerRequest, later: LedgerRequest, { ledger, conversation }: Seen): boolean {
  const [from, to] = [before.replies[0], later.replies[0]];
  if (from === undefined || to === undefined) return false;
  const place = (message: Message) => conversation.messages.indexOf(message);
  const isOver = ledger.requests.some(({ message, replies: [reply] }) => reply !== undefined && place(message) > place(to));
  if (!isOver) return false;
  if (isModern(conversation.revision)) return filter !== undefined && listens(filter, from, to, ledger.requests);
  if (conversation.transport !== 'http') return true;
  return conversation.exchanges.some(({ request, response, at: begun }) => {
    if (request.method !== 'GET' || response?.status !== 200 || !/^text\/event-stream/i.test(response.headers['content-type'] ?? ''))
      return false;
    return begun < from.at && (response.endedAt === undefined || response.endedAt > to.at);
  });
}

function listens(filter: string, from: Message, to: Message, requests: readonly LedgerRequest[]): boolean {
  return requests.some(({ method, params, message, replies: [end] }) => {
    if (method !== 'subscriptions/listen' || asRecord(params['notifications'])[filter] !== true) return false;
    const closed = message.exchange?.response?.endedAt;
    return message.at < from.at && (end === undefined || end.at > to.at) && (closed === undefined || closed > to.at);
  });
}
