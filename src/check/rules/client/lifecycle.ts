// How a client begins: the handshake, what it says of itself, and whether it keeps to what was agreed on.
import type { Revision } from '../../../protocol/revision.ts';
import { methodOf } from '../../model/ledger.ts';
import { isModern, traitsOf } from '../../model/revision.ts';
import type { Rule, Seen } from '../../model/rule.ts';
import { asRecord, at, brief, isRecord } from '../../model/value.ts';
import type { Judge } from '../../model/verdict.ts';
import { isDefined } from '../../schemas/message.ts';

export const lifecycle: Rule = {
  judges: [
    'lifecycle/initialize/first',
    'lifecycle/initialize/protocol-version',
    'lifecycle/initialize/capabilities',
    'lifecycle/initialize/client-info',
    'lifecycle/initialized/sent',
    'lifecycle/before-answer/pings-only',
    'lifecycle/version/respected',
    'lifecycle/capabilities/respected',
    'prompts/capability-respected',
    'jsonrpc/batch/not-initialize',
    'cancellation/not-initialize',
    'elicitation/modes/at-least-one',
  ],
  apply(seen, judge) {
    if (isModern(seen.conversation.revision)) return;
    handshake(seen, judge);
    agreed(seen, judge);
  },
};

function handshake({ conversation, ledger }: Seen, judge: Judge): void {
  const received = conversation.messages.filter(({ direction, value }) => direction === 'received' && isRecord(value));
  const [first] = received;
  if (first === undefined) return;
  judge.verdict('lifecycle/initialize/first', methodOf(first) === 'initialize', `the first message is ${brief(first.value, 60)}`, [first]);
  const asked = ledger.questions.find(({ method }) => method === 'initialize');
  if (asked === undefined) return;
  const { params, message, replies } = asked;
  const { protocolVersion, capabilities, clientInfo } = params;
  judge.verdict(
    'lifecycle/initialize/protocol-version',
    typeof protocolVersion === 'string',
    `protocolVersion is ${brief(protocolVersion)}`,
    [message],
  );
  judge.verdict('lifecycle/initialize/capabilities', isRecord(capabilities), `capabilities are ${brief(capabilities)}`, [message]);
  const { name, version } = asRecord(clientInfo);
  const isNamed = typeof name === 'string' && typeof version === 'string';
  judge.verdict('lifecycle/initialize/client-info', isNamed, `clientInfo is ${brief(clientInfo)}`, [message]);
  judge.verdict('jsonrpc/batch/not-initialize', message.member === undefined, 'initialize is part of a batch', [message]);
  modes(asRecord(capabilities), conversation.revision, judge);
  const [reply] = replies;
  const cancelled = ledger.notifications.find(
    (one) => methodOf(one) === 'notifications/cancelled' && at(one.value, 'params', 'requestId') === asked.id,
  );
  if (cancelled !== undefined) judge.broken('cancellation/not-initialize', 'initialize is cancelled', [message, cancelled]);
  else judge.kept('cancellation/not-initialize');
  if (reply === undefined || !isRecord(at(reply.value, 'result'))) return;
  const ready = ledger.notifications.find((one) => methodOf(one) === 'notifications/initialized');
  const others = ledger.questions.filter((one) => one !== asked && one.method !== 'ping');
  if (ready !== undefined) judge.kept('lifecycle/initialized/sent');
  // Who leaves at once owes nothing any more.
  else if (others.length > 0)
    judge.broken('lifecycle/initialized/sent', 'requests without notifications/initialized', [reply, others[0]!.message]);
  const { messages } = conversation;
  const early = others.filter((one) => messages.indexOf(one.message) < messages.indexOf(reply));
  for (const one of early)
    judge.broken('lifecycle/before-answer/pings-only', `${one.method} before initialize was answered`, [one.message]);
  if (early.length === 0 && others.length > 0) judge.kept('lifecycle/before-answer/pings-only');
}

function modes(capabilities: ReturnType<typeof asRecord>, revision: Revision, judge: Judge): void {
  const { elicitation } = capabilities;
  if (!isRecord(elicitation) || !traitsOf(revision).richElicitation) return;
  // An empty object stands for forms.
  const isSome = Object.keys(elicitation).length === 0 || 'form' in elicitation || 'url' in elicitation;
  judge.verdict('elicitation/modes/at-least-one', isSome, `elicitation is ${brief(elicitation)}`, []);
}

/** What a message of the client presupposes: a capability of the server, or one of its own. */
const needs: ReadonlyMap<string, string> = new Map([
  ['tools/list', 'tools'],
  ['tools/call', 'tools'],
  ['resources/list', 'resources'],
  ['resources/templates/list', 'resources'],
  ['resources/read', 'resources'],
  ['resources/subscribe', 'resources.subscribe'],
  ['resources/unsubscribe', 'resources.subscribe'],
  ['prompts/list', 'prompts'],
  ['prompts/get', 'prompts'],
  ['logging/setLevel', 'logging'],
  ['completion/complete', 'completions'],
]);

function agreed({ ledger, greeting, declared, conversation }: Seen, judge: Judge): void {
  const ready = ledger.notifications.some((one) => methodOf(one) === 'notifications/initialized');
  if (!ready || greeting === undefined) return;
  const respected = 'lifecycle/capabilities/respected';
  for (const { method, message } of ledger.questions) {
    if (method === 'initialize') continue;
    const isKnown = isDefined(conversation.revision, 'client', method);
    judge.verdict('lifecycle/version/respected', isKnown, `${method} is no request of ${conversation.revision}`, [message]);
    // Completions had no capability in the first revision.
    const needed =
      method === 'completion/complete' && !traitsOf(conversation.revision).completionsCapability ? undefined : needs.get(method);
    if (needed === undefined) continue;
    const value = at(greeting.capabilities, ...needed.split('.'));
    const isOffered = value !== undefined && value !== false;
    if (method.startsWith('prompts/')) {
      judge.verdict('prompts/capability-respected', isOffered, `${method}, though the server has no prompts`, [message]);
    }
    judge.verdict(respected, isOffered, `${method}, though the server declares no ${needed}`, [message]);
  }
  for (const message of ledger.notifications) {
    if (methodOf(message) !== 'notifications/roots/list_changed') continue;
    const isDeclared = at(declared, 'roots', 'listChanged') === true;
    judge.verdict(respected, isDeclared, 'notifications/roots/list_changed, though the client declares no roots.listChanged', [message]);
  }
}
