// What was agreed on at the beginning, and whether the server keeps to it.

import { methodOf } from '../../model/ledger.ts';
import { all } from '../../model/requirement.ts';
import { isModern } from '../../model/revision.ts';
import type { Rule, Seen } from '../../model/rule.ts';
import type { Message } from '../../model/trace.ts';
import { asRecord, at, brief, isRecord, type Json } from '../../model/value.ts';
import type { Judge } from '../../model/verdict.ts';
import { isDefined } from '../../schemas/message.ts';

export const lifecycle: Rule = {
  judges: [
    'lifecycle/result/protocol-version',
    'lifecycle/result/capabilities',
    'lifecycle/result/server-info',
    'lifecycle/initialize/first',
    'lifecycle/version/respected',
    'lifecycle/capabilities/respected',
    'lifecycle/before-initialized/quiet',
  ],
  apply(seen, judge) {
    const { ledger } = seen;
    const asked = ledger.requests.find(({ method, message }) => method === 'initialize' && message.wild !== true);
    const [reply] = asked?.replies ?? [];
    const result = at(reply?.value, 'result');
    if (asked !== undefined && reply !== undefined && isRecord(result)) initialized(result, [asked.message, reply], judge);
    if (!isModern(seen.conversation.revision)) {
      capabilities(seen, judge);
      versions(seen, judge);
      quiet(seen, judge);
    }
  },
};

function initialized(result: Json, evidence: readonly Message[], judge: Judge): void {
  const { protocolVersion, capabilities: offered, serverInfo } = result;
  judge.verdict(
    'lifecycle/result/protocol-version',
    typeof protocolVersion === 'string',
    `protocolVersion is ${brief(protocolVersion)}`,
    evidence,
  );
  judge.verdict('lifecycle/result/capabilities', isRecord(offered), `capabilities are ${brief(offered)}`, evidence);
  const { name, version } = asRecord(serverInfo);
  const isNamed = typeof name === 'string' && typeof version === 'string';
  judge.verdict('lifecycle/result/server-info', isNamed, `serverInfo is ${brief(serverInfo)}`, evidence);
}

/** Nothing before the handshake, and no method of another revision. */
function versions({ ledger, conversation, greeting }: Seen, judge: Judge): void {
  if (greeting === undefined) return;
  const { messages, revision } = conversation;
  const start = messages.findIndex(({ direction, value }) => direction === 'sent' && at(value, 'method') === 'initialize');
  const early = messages.slice(0, Math.max(start, 0)).find((one) => ledger.received.includes(one));
  judge.verdict('lifecycle/initialize/first', early === undefined, 'a message before initialize', early === undefined ? [] : [early]);
  let strange = 0;
  for (const message of ledger.received) {
    const method = methodOf(message);
    if (method === '' || isDefined(revision, 'server', method) || !all.some((other) => isDefined(other, 'server', method))) continue;
    strange += 1;
    judge.broken('lifecycle/version/respected', `${method} belongs to another revision`, [message]);
  }
  if (strange === 0) judge.kept('lifecycle/version/respected');
}

/** What a message of the server presupposes: a capability of the client, or one of its own. */
const client: ReadonlyMap<string, string> = new Map([
  ['roots/list', 'roots'],
  ['sampling/createMessage', 'sampling'],
  ['elicitation/create', 'elicitation'],
]);
const own: ReadonlyMap<string, string> = new Map([
  ['notifications/message', 'logging'],
  ['notifications/tools/list_changed', 'tools.listChanged'],
  ['notifications/prompts/list_changed', 'prompts.listChanged'],
  ['notifications/resources/list_changed', 'resources.listChanged'],
  ['notifications/resources/updated', 'resources.subscribe'],
]);

function capabilities({ ledger, greeting, declared }: Seen, judge: Judge): void {
  if (greeting === undefined) return;
  const id = 'lifecycle/capabilities/respected';
  for (const { method, message } of ledger.questions) {
    const needed = client.get(method);
    if (needed !== undefined) judge.verdict(id, declared[needed] !== undefined, `${method}, though the client has no ${needed}`, [message]);
  }
  for (const message of ledger.notifications) {
    const method = methodOf(message);
    const needed = own.get(method);
    if (needed === undefined) continue;
    const value = at(greeting.capabilities, ...needed.split('.'));
    judge.verdict(id, value !== undefined && value !== false, `${method}, though the server declares no ${needed}`, [message]);
  }
  judge.kept(id);
}

function quiet({ ledger, conversation }: Seen, judge: Judge): void {
  const { messages } = conversation;
  const ready = messages.findIndex(({ direction, value }) => direction === 'sent' && at(value, 'method') === 'notifications/initialized');
  if (ready === -1) return;
  const early = ledger.questions.filter(({ method, message }) => method !== 'ping' && messages.indexOf(message) < ready);
  for (const { message, method } of early) {
    judge.broken('lifecycle/before-initialized/quiet', `${method} before notifications/initialized`, [message]);
  }
}
