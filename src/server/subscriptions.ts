// subscriptions/listen: how a modern client hears of changes, on a request that stays open.

import { faults } from '../jsonrpc/error.ts';
import type { Params } from '../jsonrpc/message.ts';
import { metaKeys } from '../protocol/revision.ts';
import type { SubscriptionFilter } from '../protocol/types.ts';
import type { Reply } from './answer.ts';
import type { Call } from './call.ts';
import type { Change } from './core.ts';
import { hiddenFrom } from './resources.ts';
import { messageOf } from './session.ts';

const lists = [
  ['toolsListChanged', 'tools'],
  ['promptsListChanged', 'prompts'],
  ['resourcesListChanged', 'resources'],
] as const;
const maxUris = 1_000;
/** Far fewer than may run: a connection full of listeners would serve nothing else. */
const maxListeners = 256;

/** Acknowledges what is honoured, then stays open until the client cancels or the server ends it. */
export function listen(call: Call, params: Params | undefined): Reply | Promise<Reply> {
  const { core, session, requestId } = call;
  const asked = params?.['notifications'] as SubscriptionFilter;
  const odd = lists.find(([member]) => asked[member] !== undefined && typeof asked[member] !== 'boolean');
  if (odd !== undefined) return { error: faults.invalidParams(`${odd[0]} must be a boolean`) };
  const uris = asked.resourceSubscriptions;
  if (uris !== undefined && !(Array.isArray(uris) && uris.length <= maxUris && uris.every((uri) => typeof uri === 'string'))) {
    return { error: faults.invalidParams(`resourceSubscriptions must be at most ${maxUris} URIs`) };
  }
  if (session.listeners.size >= maxListeners) {
    return { error: faults.invalidRequest(`At most ${maxListeners} subscriptions may be open on a connection`) };
  }
  const undeclared = [...core.listenMembers].find(
    ([member, extension]) => asked[member] !== undefined && call.declares(extension) === undefined,
  );
  if (undeclared !== undefined) return { error: faults.missingCapability({ extensions: { [undeclared[1]]: {} } }) };
  const wide = [...core.listenMembers.keys()].find((member) => !isListening(asked[member], core.listenAll.has(member)));
  if (wide !== undefined) return { error: faults.invalidParams(`${wide} must be a list of at most ${maxUris} strings`) };
  if (session.ending) return { error: faults.invalidRequest('The server is closing') };
  const honoured = subset(call, asked);
  const tag = { [metaKeys.subscriptionId]: requestId };
  call.send({
    jsonrpc: '2.0',
    method: 'notifications/subscriptions/acknowledged',
    params: { _meta: tag, notifications: honoured },
  });
  return new Promise((resolve) => {
    session.listeners.set(requestId, {
      tell(change) {
        if (!wants(honoured, change)) return;
        const { method, params: about } = messageOf(change);
        call.send({ jsonrpc: '2.0', method, params: { ...about, _meta: tag } });
      },
      end() {
        session.listeners.delete(requestId);
        // The pages disagree on how a server ends it on a pipe; a client that accepts either is served by both.
        // A stream of its own says it by ending.
        if (!session.streams)
          call.send({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId, reason: 'The server is closing' } });
        resolve({ result: core.stamp({ resultType: 'complete', _meta: tag }) });
      },
    });
    call.signal.addEventListener('abort', () => {
      session.listeners.delete(requestId);
      // It has been answered by nothing; but this says that nobody works on it any more.
      resolve({ result: {} });
    });
  });
}

/** Names of things, or everything where the extension says that everyone may hear it. */
function isListening(value: unknown, all: boolean): boolean {
  if (value === undefined || (all && value === true)) return true;
  return Array.isArray(value) && value.length <= maxUris && value.every((one) => typeof one === 'string');
}

/** Only what this server offers; extensions add members of their own. */
function subset(call: Call, asked: SubscriptionFilter): SubscriptionFilter {
  const { core } = call;
  const honoured: Record<string, unknown> = {};
  for (const [member, capability] of lists) if (core.announces && asked[member] === true && core.has(capability)) honoured[member] = true;
  if (core.announces && asked.resourceSubscriptions !== undefined && core.has('resources'))
    honoured['resourceSubscriptions'] = asked.resourceSubscriptions.filter((uri) => !hiddenFrom(core, call.principal, uri));
  for (const member of core.listenMembers.keys()) if (asked[member] !== undefined) honoured[member] = asked[member];
  return honoured;
}

function wants(filter: SubscriptionFilter, change: Change): boolean {
  if (change.kind === 'updated') return filter.resourceSubscriptions?.includes(change.uri) === true;
  if (change.kind === 'list') return filter[`${change.of}ListChanged`] === true;
  const value = filter[change.member];
  return Array.isArray(value) ? value.includes(change.value) : value === true;
}
