// What a server says without being asked: lists and resources that changed, log messages, questions it takes back.
import type { Params, RequestId } from '../jsonrpc/message.ts';
import { metaKeys } from '../protocol/revision.ts';
import type { Events } from './events.ts';
import type { KeptResults } from './result-cache.ts';
import type { Subscriptions } from './subscriptions.ts';
import type { KnownTools } from './tools.ts';

export interface Hearing {
  readonly kept: KeptResults;
  readonly tools: KnownTools;
  readonly events: Events;
  readonly subscriptions: Subscriptions;
  acknowledged(id: RequestId): void;
  cancelled(id: RequestId): void;
}

type List = 'tools' | 'resources' | 'prompts';
const lists: ReadonlyMap<string, List> = new Map([
  ['notifications/tools/list_changed', 'tools'],
  ['notifications/resources/list_changed', 'resources'],
  ['notifications/prompts/list_changed', 'prompts'],
]);

export function hear(method: string, params: Params | undefined, on: Hearing): void {
  const of = lists.get(method);
  if (of !== undefined) changed(of, on);
  else if (method === 'notifications/resources/updated') updated(params?.['uri'], on);
  else if (method === 'notifications/message') logged(params, on);
  else if (method === 'notifications/cancelled') on.cancelled(params?.['requestId'] as RequestId);
  else if (method === 'notifications/subscriptions/acknowledged') {
    on.acknowledged((params?.['_meta'] as Params | undefined)?.[metaKeys.subscriptionId] as RequestId);
  }
  on.events.emit('notification', { method, ...(params !== undefined && { params }) });
}

function changed(of: List, { kept, tools, events }: Hearing): void {
  kept.drop(`${of}/list`);
  if (of === 'resources') kept.drop('resources/templates/list');
  if (of === 'tools') tools.complete = false;
  events.changed(of);
}

function updated(uri: unknown, { kept, events, subscriptions }: Hearing): void {
  if (typeof uri !== 'string') return;
  kept.drop('resources/read', uri);
  events.emit('resourceUpdated', { uri });
  subscriptions.updated(uri);
}

/** Listeners are promised a level. */
function logged(params: Params | undefined, { events }: Hearing): void {
  if (typeof params?.['level'] === 'string') events.emit('log', params as never);
  else events.emit('warning', { code: 'bad-message', message: 'The server sent a log message without a level' });
}
