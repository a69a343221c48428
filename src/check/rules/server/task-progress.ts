// Progress of tasks of 2025-11-25: under the token of the request that became the task, and no longer than the task goes on.

import { type LedgerRequest, methodOf } from '../../model/ledger.ts';
import { traitsOf } from '../../model/revision.ts';
import type { Rule, Seen } from '../../model/rule.ts';
import type { Message } from '../../model/trace.ts';
import { at, brief, isRecord } from '../../model/value.ts';

const related = 'io.modelcontextprotocol/related-task';
const terminal: ReadonlySet<unknown> = new Set(['completed', 'failed', 'cancelled']);

export const taskProgress: Rule = {
  judges: ['progress/tasks/same-token', 'progress/tasks/stops'],
  apply(seen, judge) {
    const { ledger, conversation } = seen;
    if (!traitsOf(conversation.revision).tasks) return;
    const made = new Map<unknown, LedgerRequest>();
    for (const [message, asked] of ledger.answered) {
      const id = at(message.value, 'result', 'task', 'taskId');
      if (message.direction === 'received' && asked.params['task'] !== undefined && typeof id === 'string') made.set(id, asked);
    }
    if (made.size === 0) return;
    for (const message of ledger.notifications) {
      if (methodOf(message) !== 'notifications/progress') continue;
      const token = at(message.value, 'params', 'progressToken');
      const named = at(message.value, 'params', '_meta', related, 'taskId');
      // Many take the id of the task itself for the token.
      const [id, asked] =
        [...made].find(([one, { token: own }]) => one === named || one === token || (own !== undefined && own === token)) ?? [];
      if (asked === undefined) continue;
      judge.verdict(
        'progress/tasks/same-token',
        token === asked.token,
        `the request of the task gave the token ${brief(asked.token)}, its progress has ${brief(token)}`,
        [asked.message, message],
      );
      const end = endOf(id, seen);
      const isLate = end !== undefined && isBehind(message, end, seen);
      judge.verdict('progress/tasks/stops', !isLate, 'progress of a task that is over', end === undefined ? [message] : [end, message]);
    }
  },
};

/** The first message that tells that the task is over. */
function endOf(id: unknown, { ledger }: Seen): Message | undefined {
  return ledger.received.find((message) => {
    const asked = ledger.answered.get(message);
    const result = at(message.value, 'result');
    if (methodOf(message) === 'notifications/tasks/status') {
      return at(message.value, 'params', 'taskId') === id && terminal.has(at(message.value, 'params', 'status'));
    }
    if (asked === undefined || asked.params['taskId'] !== id) return false;
    if (asked.method === 'tasks/result') return true;
    return isRecord(result) && terminal.has(result['status']);
  });
}

/** On one wire the order is the server's own; over HTTP a whole question and its answer lie between. */
function isBehind(message: Message, end: Message, { ledger, conversation }: Seen): boolean {
  const place = (one: Message) => conversation.messages.indexOf(one);
  if (place(message) < place(end)) return false;
  if (conversation.transport === 'stdio' || message.exchange === end.exchange) return true;
  return ledger.requests.some(
    ({ message: asked, replies: [reply] }) => reply !== undefined && place(asked) > place(end) && place(reply) < place(message),
  );
}
