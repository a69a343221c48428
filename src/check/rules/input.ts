// Results that require input, and subscriptions: how a server of 2026-07-28 speaks without requests of its own.
import { methodOf } from '../ledger.ts';
import type { Rule, Seen } from '../rule.ts';
import { asList, asRecord, at, brief, isRecord } from '../value.ts';
import type { Judge } from '../verdict.ts';

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
    'versioning/extensions/identifiers',
  ],
  apply(seen, judge) {
    const { ledger, conversation, greeting } = seen;
    if (conversation.revision < '2026-07-28') return;
    for (const { message, method } of ledger.questions) judge.broken('input/only-way', `the server sends the request ${method}`, [message]);
    if (ledger.questions.length === 0 && ledger.received.length > 0) judge.kept('input/only-way');
    for (const [message, asked] of ledger.answered) {
      const result = at(message.value, 'result');
      if (message.direction !== 'received' || !isRecord(result) || result['resultType'] !== 'input_required') continue;
      const evidence = [asked.message, message];
      judge.verdict('input/supported-requests', retried.has(asked.method), `${asked.method} requires input`, evidence);
      const requests = result['inputRequests'];
      const isSomething = requests !== undefined || typeof result['requestState'] === 'string';
      judge.verdict('input/something', isSomething, 'neither inputRequests nor requestState', evidence);
      const declared = asRecord(at(asked.params, '_meta', 'io.modelcontextprotocol/clientCapabilities'));
      judge.kept('input/keys');
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
}
