// Progress of a request: for a token that was given, upwards, and only until the reply.
import { methodOf } from '../../model/ledger.ts';
import type { Rule } from '../../model/rule.ts';
import { at, brief } from '../../model/value.ts';

export const progress: Rule = {
  judges: [
    'progress/token/type',
    'progress/token/unique',
    'progress/token/known',
    'progress/token/in-progress',
    'progress/increases',
    'progress/stops',
  ],
  apply({ ledger, conversation }, judge) {
    const last = new Map<unknown, number>();
    for (const message of ledger.notifications) {
      if (methodOf(message) !== 'notifications/progress') continue;
      const token = at(message.value, 'params', 'progressToken');
      const isToken = typeof token === 'string' || Number.isInteger(token);
      judge.verdict('progress/token/type', isToken, `the token is ${brief(token)}`, [message]);
      if (!isToken) continue;
      const index = conversation.messages.indexOf(message);
      const asked = ledger.requests.findLast((one) => one.token === token && conversation.messages.indexOf(one.message) < index);
      if (asked === undefined) {
        judge.broken('progress/token/known', `progress for the token ${brief(token)}, which no request gave`, [message]);
        continue;
      }
      judge.kept('progress/token/known');
      const value = at(message.value, 'params', 'progress');
      const before = last.get(token);
      if (typeof value === 'number') {
        const evidence = [asked.message, message];
        if (before !== undefined) judge.verdict('progress/increases', value > before, `progress ${value} after ${before}`, evidence);
        last.set(token, Math.max(value, before ?? value));
      }
      const [reply] = asked.replies;
      // The request of a task is answered long before its work is done.
      const isTask = at(reply?.value, 'result', 'task') !== undefined;
      const isLate = reply !== undefined && !isTask && conversation.messages.indexOf(reply) < index;
      judge.verdict(
        'progress/stops',
        !isLate,
        'progress after the reply',
        reply === undefined ? [message] : [asked.message, reply, message],
      );
      judge.verdict('progress/token/in-progress', !isLate, 'progress of work that is over', [asked.message, message]);
    }
    const tokens = new Set<unknown>();
    for (const { token, message } of ledger.questions) {
      if (token === undefined) continue;
      judge.verdict('progress/token/unique', !tokens.has(token), `the token ${brief(token)} was given before`, [message]);
      tokens.add(token);
    }
    // One value alone can neither rise nor fall.
    if (last.size > 0) judge.kept('progress/increases');
  },
};
