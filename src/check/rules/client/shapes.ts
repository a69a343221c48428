// Every message of a client by the schema of its revision; what has a requirement of its own is left to it.

import { methodOf } from '../../model/ledger.ts';
import type { RequirementId } from '../../model/requirement-id.ts';
import type { Rule } from '../../model/rule.ts';
import { asList, at, brief, isRecord } from '../../model/value.ts';
import { checkMessage } from '../../schemas/message.ts';
import type { Issue } from '../../schemas/shape.ts';

const results: ReadonlyMap<string, RequirementId> = new Map<string, RequirementId>([
  ['roots/list', 'roots/list/shape'],
  ['sampling/createMessage', 'sampling/result/shape'],
  ['elicitation/create', 'elicitation/result/shape'],
  ['tasks/get', 'tasks/shape'],
  ['tasks/result', 'tasks/shape'],
  ['tasks/list', 'tasks/shape'],
  ['tasks/cancel', 'tasks/shape'],
]);
const calls: ReadonlyMap<string, RequirementId> = new Map<string, RequirementId>([
  ['notifications/progress', 'progress/shape'],
  ['notifications/tasks/status', 'tasks/shape'],
]);
/** Judged by rules of their own: the envelope, the handshake, _meta and tokens. */
const elsewhere =
  /^(?:\/jsonrpc|\/id|\/method|\/params|\/error.*|\/params\/(?:protocolVersion|capabilities|clientInfo(?:\/.*)?|_meta.*|progressToken|requestId)|\/result|\/result\/(?:roots\/\d+\/uri|task\/.*))$/;

export const shapes: Rule = {
  judges: ['jsonrpc/schema', ...new Set([...results.values(), ...calls.values()]), 'roots/uri'],
  apply({ ledger, conversation }, judge) {
    const { revision } = conversation;
    for (const message of ledger.received) {
      const asked = ledger.answered.get(message);
      const isResult = isRecord(at(message.value, 'result'));
      if (!isResult && methodOf(message) === '') continue;
      if (isResult && asked === undefined) continue;
      const method = asked?.method ?? methodOf(message);
      const id = (isResult ? results.get(method) : calls.get(method)) ?? 'jsonrpc/schema';
      const issues = checkMessage({ revision, from: 'client', message: message.value, answers: asked?.method });
      const own = issues.filter((issue) => !isElsewhere(issue));
      const what = own.slice(0, 3).map((issue) => `${issue.path} ${issue.message}`);
      judge.verdict(id, own.length === 0, what.join('; '), asked === undefined ? [message] : [asked.message, message]);
      if (isResult && method === 'roots/list') {
        for (const root of asList(at(message.value, 'result', 'roots'))) {
          const uri = at(root, 'uri');
          const isFile = typeof uri === 'string' && uri.startsWith('file://');
          judge.verdict('roots/uri', isFile, `the URI of a root is ${brief(uri)}`, [message]);
        }
      }
    }
  },
};

function isElsewhere({ path, kind }: Issue): boolean {
  return elsewhere.test(path) || kind === 'format';
}
