// Requests of a client in 2026-07-28, and what its messages carry with them in any revision.

import { methodOf } from '../../model/ledger.ts';
import { isModern } from '../../model/revision.ts';
import type { Rule, Seen } from '../../model/rule.ts';
import { at, brief, isRecord } from '../../model/value.ts';
import type { Judge } from '../../model/verdict.ts';

const prefix = 'io.modelcontextprotocol/';

export const requests: Rule = {
  judges: [
    'jsonrpc/request/id-in-flight',
    'jsonrpc/direction/no-client-responses',
    'meta/request/protocol-version',
    'meta/request/client-capabilities',
    'meta/request/client-info',
    'discover/called',
    'progress/token/type',
    'cancellation/own-requests',
    'cancellation/in-progress',
    'versioning/extensions/identifiers',
  ],
  apply(seen, judge) {
    const { ledger, conversation } = seen;
    for (const { token, message } of ledger.questions) {
      if (token === undefined) continue;
      const isToken = typeof token === 'string' || Number.isInteger(token);
      judge.verdict('progress/token/type', isToken, `the token is ${brief(token)}`, [message]);
    }
    if (!isModern(conversation.revision)) return;
    inFlight(seen, judge);
    metadata(seen, judge);
    cancelled(seen, judge);
    const responses = conversation.messages.filter(
      ({ direction, value }) =>
        direction === 'received' && isRecord(value) && !('method' in value) && ('result' in value || 'error' in value),
    );
    for (const message of responses) judge.broken('jsonrpc/direction/no-client-responses', 'the client sends a response', [message]);
    if (responses.length === 0 && ledger.questions.length > 0) judge.kept('jsonrpc/direction/no-client-responses');
  },
};

function inFlight({ ledger, conversation: { messages } }: Seen, judge: Judge): void {
  const { questions } = ledger;
  questions.forEach(({ id, message }, index) => {
    const place = messages.indexOf(message);
    const same = questions.slice(0, index).find((one) => {
      const [reply] = one.replies;
      return one.id === id && one.cancelledAt === undefined && (reply === undefined || messages.indexOf(reply) > place);
    });
    const evidence = same === undefined ? [message] : [same.message, message];
    judge.verdict(
      'jsonrpc/request/id-in-flight',
      same === undefined,
      `the id ${brief(id)} belongs to a request that still waits`,
      evidence,
    );
  });
}

function metadata({ ledger }: Seen, judge: Judge): void {
  for (const { method, params, message } of ledger.questions) {
    const meta = isRecord(params['_meta']) ? params['_meta'] : {};
    const told = (name: string): unknown => meta[`${prefix}${name}`];
    judge.verdict('meta/request/protocol-version', typeof told('protocolVersion') === 'string', `${method} names no version`, [message]);
    judge.verdict('meta/request/client-capabilities', isRecord(told('clientCapabilities')), `${method} tells no capabilities`, [message]);
    judge.verdict('meta/request/client-info', isRecord(told('clientInfo')), `${method} does not say who the client is`, [message]);
    if (method === 'server/discover') judge.kept('discover/called');
    const extensions = at(told('clientCapabilities'), 'extensions');
    for (const name of Object.keys(isRecord(extensions) ? extensions : {})) {
      const isNamed = /^[a-zA-Z][\w.-]*\/[\w.-]+$/.test(name);
      judge.verdict('versioning/extensions/identifiers', isNamed, `the extension ${brief(name)}`, [message]);
    }
  }
}

function cancelled({ ledger }: Seen, judge: Judge): void {
  for (const message of ledger.notifications) {
    if (methodOf(message) !== 'notifications/cancelled') continue;
    const id = at(message.value, 'params', 'requestId');
    const own = ledger.questions.find((one) => one.id === id);
    judge.verdict('cancellation/own-requests', own !== undefined, `the client cancels ${brief(id)}, which it did not send`, [message]);
    if (own === undefined) continue;
    const [reply] = own.replies;
    const isOver = reply !== undefined && reply.at < message.at - 100;
    judge.verdict('cancellation/in-progress', !isOver, `the client cancels ${brief(id)}, which was answered`, [own.message, message]);
  }
}
