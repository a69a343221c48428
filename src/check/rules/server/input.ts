// Results that require input, and subscriptions: how a server of 2026-07-28 speaks without requests of its own.

import { repeatedMember } from '../../model/duplicate-members.ts';
import { type LedgerRequest, methodOf } from '../../model/ledger.ts';
import { isModern } from '../../model/revision.ts';
import type { Rule, Seen } from '../../model/rule.ts';
import type { Message } from '../../model/trace.ts';
import { asList, asRecord, at, brief, isRecord, type Json } from '../../model/value.ts';
import type { Judge } from '../../model/verdict.ts';

const retried: ReadonlySet<string> = new Set(['tools/call', 'prompts/get', 'resources/read']);
const kinds: ReadonlySet<string> = new Set(['elicitation/create', 'sampling/createMessage', 'roots/list']);
const subscriptionId = 'io.modelcontextprotocol/subscriptionId';

export const input: Rule = {
  judges: [
    'input/only-way',
    'input/supported-requests',
    'input/something',
    'input/kinds',
    'input/keys',
    'input/undeclared',
    'meta/capability/undeclared',
    'subscriptions/requested-only',
    'subscriptions/acknowledged',
    'subscriptions/nothing-before',
    'meta/subscription-id',
    'subscriptions/ended',
    'cancellation/server/teardown',
    'versioning/extensions/identifiers',
    'versioning/extensions/fallback',
  ],
  apply(seen, judge) {
    const { ledger, conversation, greeting } = seen;
    if (!isModern(conversation.revision)) return;
    for (const { message, method } of ledger.questions) judge.broken('input/only-way', `the server sends the request ${method}`, [message]);
    if (ledger.questions.length === 0 && ledger.received.length > 0) judge.kept('input/only-way');
    for (const [message, asked] of ledger.answered) {
      const result = at(message.value, 'result');
      if (message.direction !== 'received' || !isRecord(result)) continue;
      const evidence = [asked.message, message];
      extended(seen, asked, result, evidence, judge);
      if (result['resultType'] !== 'input_required') continue;
      judge.verdict('input/supported-requests', retried.has(asked.method), `${asked.method} requires input`, evidence);
      const requests = result['inputRequests'];
      const isSomething = requests !== undefined || typeof result['requestState'] === 'string';
      judge.verdict('input/something', isSomething, 'neither inputRequests nor requestState', evidence);
      const declared = asRecord(at(asked.params, '_meta', 'io.modelcontextprotocol/clientCapabilities'));
      const twice = repeatedMember(message.text ?? '', ['result', 'inputRequests']);
      judge.verdict('input/keys', twice === undefined, `two inputRequests have the key ${brief(twice)}`, evidence);
      for (const one of Object.values(asRecord(requests))) {
        const method = String(asRecord(one)['method']);
        judge.verdict('input/kinds', kinds.has(method), `an input request is for ${method}`, evidence);
        const needed = method.split('/')[0] ?? '';
        const isDeclared = declared[needed] !== undefined;
        if (kinds.has(method)) {
          judge.verdict('input/undeclared', isDeclared, `${method}, though the client did not declare ${needed}`, evidence);
          if (!isDeclared) judge.broken('meta/capability/undeclared', `${method}, though the client did not declare ${needed}`, evidence);
        }
      }
    }
    subscriptions(seen, judge);
    for (const name of Object.keys(asRecord(greeting?.capabilities['extensions']))) {
      judge.verdict('versioning/extensions/identifiers', /^[a-zA-Z][\w.-]*\/[\w.-]+$/.test(name), `the extension ${brief(name)}`, []);
    }
  },
};

/** A client that declared no extension gets nothing that only an extension explains. */
function extended({ greeting }: Seen, { params, message }: LedgerRequest, result: Json, evidence: readonly Message[], judge: Judge): void {
  const known = Object.keys(asRecord(greeting?.capabilities['extensions']));
  const own = at(params, '_meta', 'io.modelcontextprotocol/clientCapabilities', 'extensions');
  const type = result['resultType'];
  if (known.length === 0 || message.wild === true || Object.keys(asRecord(own)).length > 0 || typeof type !== 'string') return;
  const isCore = type === 'complete' || type === 'input_required';
  const what = `the resultType ${brief(type)} for a client without extensions`;
  judge.verdict('versioning/extensions/fallback', isCore, what, evidence);
}

/** Which member of the filter asks for a notification. */
const filters: ReadonlyMap<string, string> = new Map([
  ['notifications/tools/list_changed', 'toolsListChanged'],
  ['notifications/prompts/list_changed', 'promptsListChanged'],
  ['notifications/resources/list_changed', 'resourcesListChanged'],
  ['notifications/resources/updated', 'resourceSubscriptions'],
]);

function subscriptions({ ledger, conversation }: Seen, judge: Judge): void {
  const listens = ledger.requests.filter(({ method }) => method === 'subscriptions/listen');
  for (const message of ledger.notifications) {
    const method = methodOf(message);
    const filter = filters.get(method);
    if (filter === undefined && method !== 'notifications/subscriptions/acknowledged') continue;
    const tag = at(message.value, 'params', '_meta', subscriptionId);
    const own = listens.find(({ id, message: asked }) =>
      message.exchange === undefined ? id === tag : asked.exchange === message.exchange,
    );
    judge.verdict(
      'meta/subscription-id',
      tag !== undefined && own !== undefined && own.id === tag,
      `${method} has the subscription ${brief(tag)}`,
      [message],
    );
    if (filter === undefined) continue;
    const wanted = asRecord(own?.params['notifications'])[filter];
    const uri = at(message.value, 'params', 'uri');
    const isWanted = Array.isArray(wanted) ? wanted.some((one) => String(uri).startsWith(String(one))) : wanted === true;
    judge.verdict('subscriptions/requested-only', own !== undefined && isWanted, `${method} was not asked for`, [message]);
    if (own === undefined) continue;
    const isReady = ledger.notifications.some(
      (one) =>
        methodOf(one) === 'notifications/subscriptions/acknowledged' &&
        at(one.value, 'params', '_meta', subscriptionId) === own.id &&
        conversation.messages.indexOf(one) < conversation.messages.indexOf(message),
    );
    judge.verdict('subscriptions/nothing-before', isReady, `${method} before the acknowledgement`, [message]);
  }
  for (const { id, message, replies } of listens) {
    const [reply] = replies;
    if (message.wild === true || at(reply?.value, 'error') !== undefined) continue;
    const first = ledger.notifications.find((one) =>
      message.exchange === undefined
        ? at(one.value, 'params', '_meta', subscriptionId) === id || methodOf(one) === 'notifications/subscriptions/acknowledged'
        : one.exchange === message.exchange,
    );
    if (first === undefined && asList(replies).length === 0) {
      judge.broken('subscriptions/acknowledged', 'the subscription was not acknowledged', [message]);
      continue;
    }
    const isFirst =
      first !== undefined &&
      methodOf(first) === 'notifications/subscriptions/acknowledged' &&
      at(first.value, 'params', '_meta', subscriptionId) === id;
    judge.verdict(
      'subscriptions/acknowledged',
      isFirst,
      `the first message of the subscription is ${first === undefined ? 'its end' : methodOf(first)}`,
      first === undefined ? [message] : [message, first],
    );
    if (isFirst) judge.kept('subscriptions/nothing-before');
    judge.kept('subscriptions/requested-only');
  }
  for (const asked of listens) if (asked.message.wild !== true && asked.cancelledAt === undefined) ended(asked, ledger, judge);
}

/** What a server owes to a subscription that it took, and that it ends by itself. */
function ended({ id, message, replies: [reply] }: LedgerRequest, { notifications, conversation }: Seen['ledger'], judge: Judge): void {
  const names = (method: string, ...path: string[]) =>
    notifications.find((one) => methodOf(one) === method && at(one.value, 'params', ...path) === id);
  const taken = names('notifications/subscriptions/acknowledged', '_meta', subscriptionId);
  const told = names('notifications/cancelled', 'requestId');
  const { exchange } = message;
  const isClosed = exchange?.response?.endedAt !== undefined && exchange.failure === undefined;
  if (taken === undefined || (reply === undefined && told === undefined && !isClosed)) return;
  const end = exchange ?? reply ?? told ?? taken;
  // Who closed the input of the server ended it himself: what is said then is as it should be, but nobody is owed it.
  const over = conversation.happenings.find(({ what }) => what === 'end-of-input' || what === 'signal')?.at;
  const isOver = over !== undefined && [reply, told].every((one) => one === undefined || one.at >= over);
  // A stream of its own says it by ending: the schema has the notification on stdio alone.
  if (exchange === undefined && (told !== undefined || !isOver))
    judge.verdict('cancellation/server/teardown', told !== undefined, 'a subscription ends without notifications/cancelled', [
      message,
      end,
    ]);
  const isAnswered = isRecord(at(reply?.value, 'result'));
  if (!isAnswered && isOver) return;
  judge.verdict('subscriptions/ended', isAnswered, 'a subscription ends, and its request has no answer', [message, end]);
}
