// Every message by the schema of its revision; what has a requirement of its own is left to it.

import { methodOf } from '../../model/ledger.ts';
import type { RequirementId } from '../../model/requirement-id.ts';
import type { Rule } from '../../model/rule.ts';
import type { Message } from '../../model/trace.ts';
import { at, isRecord } from '../../model/value.ts';
import { checkMessage } from '../../schemas/message.ts';
import type { Issue } from '../../schemas/shape.ts';

const results: ReadonlyMap<string, RequirementId> = new Map<string, RequirementId>([
  ['server/discover', 'discover/shape'],
  ['tools/list', 'tools/list/shape'],
  ['tools/call', 'tools/call/shape'],
  ['resources/list', 'resources/list/shape'],
  ['resources/templates/list', 'resources/templates/shape'],
  ['resources/read', 'resources/read/shape'],
  ['prompts/list', 'prompts/list/shape'],
  ['prompts/get', 'prompts/get/shape'],
  ['completion/complete', 'completion/shape'],
  ['tasks/get', 'tasks/shape'],
  ['tasks/result', 'tasks/shape'],
  ['tasks/list', 'tasks/shape'],
  ['tasks/cancel', 'tasks/shape'],
  ['subscriptions/listen', 'subscriptions/listen/shape'],
]);
const calls: ReadonlyMap<string, RequirementId> = new Map<string, RequirementId>([
  ['notifications/message', 'logging/shape'],
  ['notifications/progress', 'progress/shape'],
  ['notifications/resources/updated', 'resources/updated/shape'],
  ['notifications/tasks/status', 'tasks/shape'],
  ['notifications/subscriptions/acknowledged', 'subscriptions/listen/shape'],
  ['sampling/createMessage', 'sampling/request/shape'],
  ['elicitation/create', 'elicitation/request/shape'],
]);
/** Judged by rules of their own: the envelope, types of results, caching, _meta, and tokens. */
const elsewhere =
  /^(?:\/jsonrpc|\/id|\/error.*|\/result\/(?:protocolVersion|serverInfo(?:\/.*)?|capabilities|resultType|ttlMs|cacheScope|_meta.*|task\/.*|createdAt|lastUpdatedAt|status|ttl)|\/params\/(?:_meta.*|progressToken))$/;

export const shapes: Rule = {
  judges: ['jsonrpc/schema', ...new Set([...results.values(), ...calls.values()])],
  apply({ ledger, conversation }, judge) {
    const { revision } = conversation;
    for (const message of ledger.received) {
      const asked = ledger.answered.get(message);
      const isResult = isRecord(at(message.value, 'result'));
      const method = asked?.method ?? methodOf(message);
      const id = (isResult ? results.get(method) : calls.get(method)) ?? 'jsonrpc/schema';
      // What an error looks like is judged elsewhere, and so is what belongs to nothing that was asked.
      if (!isResult && methodOf(message) === '') continue;
      if (isResult && (asked === undefined || asked.message.wild === true)) continue;
      const task = isRecord(at(message.value, 'result', 'task')) && asked?.params['task'] !== undefined;
      const issues = checkMessage({ revision, from: 'server', message: message.value, answers: asked?.method });
      const own = issues.filter((issue) => !isElsewhere(issue, method));
      // A call that became a task has the shape of tasks.
      const judged = task ? 'tasks/shape' : id;
      const evidence: Message[] = asked === undefined ? [message] : [asked.message, message];
      judge.verdict(
        judged,
        own.length === 0,
        own
          .slice(0, 3)
          .map(({ path, message: what }) => `${path} ${what}`)
          .join('; '),
        evidence,
      );
    }
  },
};

function isElsewhere({ path, kind }: Issue, method: string): boolean {
  if (elsewhere.test(path)) return true;
  if (kind === 'format' && !(method === 'resources/templates/list')) return true;
  if (method === 'tools/list' && /^\/result\/tools\/\d+\/inputSchema$/.test(path)) return true;
  return method === 'completion/complete' && path === '/result/completion/values' && kind !== 'missing' && kind !== 'type';
}
