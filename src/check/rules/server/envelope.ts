// JSON-RPC itself: what every message from the server must look like, whatever it says.
import { isCallWithoutVersion } from '../../model/ledger.ts';
import type { Rule, Seen } from '../../model/rule.ts';
import type { Message } from '../../model/trace.ts';
import { asRecord, brief, isRecord } from '../../model/value.ts';
import type { Judge } from '../../model/verdict.ts';

export const envelope: Rule = {
  judges: [
    'jsonrpc/conformance',
    'jsonrpc/version',
    'jsonrpc/request/id-type',
    'jsonrpc/request/id-not-null',
    'jsonrpc/request/method',
    'jsonrpc/request/params',
    'jsonrpc/response/result-or-error',
    'jsonrpc/response/result-object',
    'jsonrpc/notification/no-id',
    'jsonrpc/notification/method',
    'jsonrpc/notification/params',
    'jsonrpc/batch/sent',
    'jsonrpc/batch/undefined',
    'errors/shape',
    'errors/code-integer',
    'errors/data',
    'errors/message',
  ],
  apply(seen, judge) {
    const { ledger, conversation } = seen;
    for (const message of ledger.received) {
      const value = asRecord(message.value);
      judge.verdict('jsonrpc/version', value['jsonrpc'] === '2.0', `"jsonrpc" is ${brief(value['jsonrpc'])}`, [message]);
      if (typeof value['method'] === 'string') call(message, judge);
      else response(message, judge);
      if (message.member !== undefined) judge.kept('jsonrpc/batch/sent');
    }
    for (const message of ledger.foreign) {
      if (isCallWithoutVersion(message)) judge.broken('jsonrpc/version', '"jsonrpc" is undefined', [message]);
    }
    if (malformed(seen, judge) === 0 && ledger.received.length > 0) judge.kept('jsonrpc/conformance');
    const batched = conversation.messages.find(({ direction, member }) => direction === 'received' && member !== undefined);
    if (batched !== undefined) judge.broken('jsonrpc/batch/undefined', 'a batch, which this revision does not have', [batched]);
    else if (ledger.received.length > 0) judge.kept('jsonrpc/batch/undefined');
  },
};

/** How many are no messages for another reason than those that have a requirement of their own. */
function malformed({ ledger, conversation }: Seen, judge: Judge): number {
  let count = 0;
  // What is no message on a pipe is foreign to it altogether: the rules of framing say so.
  const noise = conversation.transport === 'stdio' ? [] : ledger.noise;
  for (const message of [...ledger.malformed, ...noise]) {
    const { value } = message;
    if (isRecord(value) && 'method' in value) {
      const id = 'id' in value ? 'jsonrpc/request/method' : 'jsonrpc/notification/method';
      judge.broken(id, `the method is ${brief(value['method'])}`, [message]);
      continue;
    }
    count += 1;
    judge.broken('jsonrpc/conformance', 'neither a request, nor a notification, nor a response', [message]);
  }
  return count;
}

function call(message: Message, judge: Judge): void {
  const value = asRecord(message.value);
  const { id, method, params } = value;
  const isObject = params === undefined || isRecord(params);
  const isNotification = !('id' in value) || String(method).startsWith('notifications/');
  const kind = isNotification ? 'notification' : 'request';
  judge.kept(`jsonrpc/${kind}/method`);
  judge.verdict(`jsonrpc/${kind}/params`, isObject, `the params of ${String(method)} are ${brief(params)}`, [message]);
  if (isNotification) {
    judge.verdict('jsonrpc/notification/no-id', !('id' in value), `the notification ${String(method)} has the id ${brief(id)}`, [message]);
    return;
  }
  judge.verdict('jsonrpc/request/id-not-null', id !== null, 'a request has the id null', [message]);
  const isId = typeof id === 'string' || (typeof id === 'number' && Number.isInteger(id));
  if (id !== null) judge.verdict('jsonrpc/request/id-type', isId, `a request has the id ${brief(id)}`, [message]);
}

function response(message: Message, judge: Judge): void {
  const value = asRecord(message.value);
  const both = 'result' in value && 'error' in value;
  judge.verdict('jsonrpc/response/result-or-error', !both, 'a response has both a result and an error', [message]);
  if (both) return;
  if ('result' in value) {
    judge.verdict('jsonrpc/response/result-object', isRecord(value['result']), `the result is ${brief(value['result'])}`, [message]);
    return;
  }
  const error = asRecord(value['error']);
  const complete = 'code' in error && typeof error['message'] === 'string';
  judge.verdict('errors/shape', complete, `the error is ${brief(value['error'])}`, [message]);
  if ('code' in error)
    judge.verdict('errors/code-integer', Number.isInteger(error['code']), `the code is ${brief(error['code'])}`, [message]);
  if ('data' in error) judge.kept('errors/data');
  const { message: words } = error;
  if (typeof words !== 'string') return;
  const isShort = words.trim() !== '' && words.length <= 250 && !words.trim().includes('\n');
  judge.verdict('errors/message', isShort, `the message has ${words.length} characters on ${words.split('\n').length} lines`, [message]);
}
