// Cancellations by the server: of requests it has sent itself, or of subscriptions.

import { methodOf } from '../../model/ledger.ts';
import { isModern } from '../../model/revision.ts';
import type { Rule } from '../../model/rule.ts';
import type { Message } from '../../model/trace.ts';
import { at, brief } from '../../model/value.ts';

export const cancellation: Rule = {
  judges: [
    'cancellation/own-requests',
    'cancellation/in-progress',
    'cancellation/request-id/given',
    'cancellation/request-id/no-task',
    'cancellation/tasks',
    'cancellation/server/nothing-else',
    'cancellation/server/names-listen',
  ],
  apply({ ledger, conversation }, judge) {
    const isStateless = isModern(conversation.revision);
    for (const message of ledger.notifications) {
      if (methodOf(message) !== 'notifications/cancelled') continue;
      const id = at(message.value, 'params', 'requestId');
      if (isStateless) {
        const asked = ledger.requests.find((one) => one.id === id);
        const isListen = asked?.method === 'subscriptions/listen';
        judge.verdict('cancellation/server/names-listen', isListen, `the server cancels ${brief(id)}, which is no subscription`, [message]);
        judge.verdict('cancellation/server/nothing-else', asked === undefined || isListen, `the server cancels the request ${brief(id)}`, [
          message,
        ]);
        continue;
      }
      judge.verdict('cancellation/request-id/given', id !== undefined, 'a cancellation without the id of its request', [message]);
      if (id === undefined) continue;
      const own = ledger.questions.find((one) => one.id === id);
      judge.verdict('cancellation/own-requests', own !== undefined, `the server cancels ${brief(id)}, which it did not send`, [message]);
      if (own === undefined) continue;
      const [reply] = own.replies;
      // The two may pass each other on the way: what counts is that the server answered something that was sent after the reply.
      const place = (one: Message) => conversation.messages.indexOf(one);
      const isOver =
        reply !== undefined &&
        ledger.requests.some(({ message: later, replies: [first] }) => {
          return first !== undefined && place(later) > place(reply) && place(first) < place(message);
        });
      judge.verdict('cancellation/in-progress', !isOver, `the server cancels ${brief(id)}, which was answered`, [own.message, message]);
      const isTask = own.params['task'] !== undefined;
      judge.verdict('cancellation/request-id/no-task', !isTask, 'a task is cancelled by the id of its request', [message]);
      judge.verdict('cancellation/tasks', !isTask, 'a task is cancelled by a notification', [message]);
    }
  },
};
