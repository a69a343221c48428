// Log messages: declared, at the level that was asked for, and where they belong.

import { methodOf } from '../../model/ledger.ts';
import { isModern } from '../../model/revision.ts';
import type { Rule, Seen } from '../../model/rule.ts';
import type { Message } from '../../model/trace.ts';
import { at, isRecord } from '../../model/value.ts';
import type { Judge } from '../../model/verdict.ts';

const levels = ['debug', 'info', 'notice', 'warning', 'error', 'critical', 'alert', 'emergency'];

export const logging: Rule = {
  judges: ['logging/capability', 'logging/set-level/respected', 'logging/request/asked-for', 'logging/request/same-stream'],
  apply(seen, judge) {
    const { ledger, greeting, conversation } = seen;
    const logs = ledger.notifications.filter((message) => methodOf(message) === 'notifications/message');
    for (const message of logs) {
      if (greeting !== undefined) {
        judge.verdict(
          'logging/capability',
          greeting.capabilities['logging'] !== undefined,
          'a log message, though logging is not declared',
          [message],
        );
      }
      if (isModern(conversation.revision)) perRequest(message, seen, judge);
      else respected(message, seen, judge);
    }
    if (isModern(conversation.revision) && logs.length === 0 && ledger.requests.length > 0) judge.kept('logging/request/asked-for');
  },
};

function respected(message: Message, { ledger, conversation }: Seen, judge: Judge): void {
  const index = conversation.messages.indexOf(message);
  const set = ledger.requests.findLast(({ method, replies, message: asked }) => {
    const [reply] = replies;
    return (
      method === 'logging/setLevel' &&
      reply !== undefined &&
      isRecord(at(reply.value, 'result')) &&
      asked.wild !== true &&
      conversation.messages.indexOf(reply) < index
    );
  });
  if (set === undefined) return;
  const level = String(at(message.value, 'params', 'level'));
  const isLoud = levels.indexOf(level) >= levels.indexOf(String(set.params['level']));
  judge.verdict('logging/set-level/respected', isLoud, `a message of ${level} after the level was set to ${String(set.params['level'])}`, [
    set.message,
    message,
  ]);
}

function perRequest(message: Message, { ledger, conversation }: Seen, judge: Judge): void {
  const key = 'io.modelcontextprotocol/logLevel';
  const index = conversation.messages.indexOf(message);
  const open = ledger.requests.filter(({ message: asked, replies }) => {
    const [reply] = replies;
    const isBefore = conversation.messages.indexOf(asked) < index && (reply === undefined || conversation.messages.indexOf(reply) > index);
    return isBefore && (message.exchange === undefined || asked.exchange === message.exchange);
  });
  const isAsked = open.some(({ params }) => at(params, '_meta', key) !== undefined);
  judge.verdict('logging/request/asked-for', isAsked, 'a log message, though no request that is being worked on named a level', [message]);
  const isListen = open.length > 0 && open.every(({ method }) => method === 'subscriptions/listen');
  const isTagged = at(message.value, 'params', '_meta', 'io.modelcontextprotocol/subscriptionId') !== undefined;
  judge.verdict(
    'logging/request/same-stream',
    !(isListen && message.exchange !== undefined) && !isTagged,
    'a log message on the stream of a subscription',
    [message],
  );
}
