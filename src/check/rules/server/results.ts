// What every result of 2026-07-28 carries: its type, how long it may be kept, and who made it.
import { isModern } from '../../model/revision.ts';
import type { Rule, Seen } from '../../model/rule.ts';
import type { Message } from '../../model/trace.ts';
import { at, brief, isRecord, type Json } from '../../model/value.ts';
import type { Judge } from '../../model/verdict.ts';

const cacheable: ReadonlySet<string> = new Set([
  'server/discover',
  'tools/list',
  'prompts/list',
  'resources/list',
  'resources/templates/list',
  'resources/read',
]);

export const results: Rule = {
  judges: [
    'jsonrpc/result-type/present',
    'jsonrpc/result-type/known',
    'caching/hints',
    'caching/ttl-not-negative',
    'caching/pages/same-scope',
    'caching/pages/different-ttl',
    'caching/with-list-changed',
    'caching/without-list-changed',
    'discover/server-info',
    'meta/result/server-info',
  ],
  apply(seen, judge) {
    const { ledger, conversation, greeting } = seen;
    if (!isModern(conversation.revision)) return;
    for (const [message, asked] of ledger.answered) {
      const result = at(message.value, 'result');
      if (message.direction !== 'received' || !isRecord(result) || asked.message.wild === true) continue;
      const evidence = [asked.message, message];
      const type = result['resultType'];
      judge.verdict('jsonrpc/result-type/present', typeof type === 'string', `the result of ${asked.method} has no resultType`, evidence);
      const extensions = Object.keys((greeting?.capabilities['extensions'] as Json | undefined) ?? {});
      const isKnown = type === 'complete' || type === 'input_required' || extensions.length > 0;
      if (typeof type === 'string') judge.verdict('jsonrpc/result-type/known', isKnown, `the resultType is ${brief(type)}`, evidence);
      const info = at(result, '_meta', 'io.modelcontextprotocol/serverInfo');
      const id = asked.method === 'server/discover' ? 'discover/server-info' : 'meta/result/server-info';
      judge.verdict(id, isRecord(info), `the result of ${asked.method} does not say who the server is`, evidence);
      if (cacheable.has(asked.method) && type !== 'input_required') hints(result, asked.method, evidence, judge);
    }
    pages(seen, judge);
  },
};

function hints(result: Json, method: string, evidence: readonly Message[], judge: Judge): void {
  const { ttlMs, cacheScope } = result;
  const complete = typeof ttlMs === 'number' && (cacheScope === 'public' || cacheScope === 'private');
  judge.verdict('caching/hints', complete, `${method}: ttlMs is ${brief(ttlMs)}, cacheScope is ${brief(cacheScope)}`, evidence);
  if (typeof ttlMs === 'number') judge.verdict('caching/ttl-not-negative', ttlMs >= 0, `ttlMs is ${ttlMs}`, evidence);
}

function pages({ ledger, greeting }: Seen, judge: Judge): void {
  for (const method of ['tools/list', 'prompts/list', 'resources/list', 'resources/templates/list']) {
    const asked = ledger.requests.filter((one) => one.method === method && isRecord(at(one.replies[0]?.value, 'result')));
    if (asked.length === 0) continue;
    const kind = method.split('/')[0] as string;
    const isAnnounced = at(greeting?.capabilities, kind, 'listChanged') === true;
    judge.kept(isAnnounced ? 'caching/with-list-changed' : 'caching/without-list-changed');
    if (!asked.some(({ params }) => params['cursor'] !== undefined)) continue;
    const scopes = new Set(asked.map(({ replies }) => at(replies[0]?.value, 'result', 'cacheScope')));
    const evidence = asked.slice(0, 2).flatMap(({ message, replies }) => [message, ...replies]);
    judge.verdict('caching/pages/same-scope', scopes.size === 1, `pages of ${method} have the scopes ${brief([...scopes])}`, evidence);
    const ttls = new Set(asked.map(({ replies }) => at(replies[0]?.value, 'result', 'ttlMs')));
    if (ttls.size > 1) judge.kept('caching/pages/different-ttl');
  }
}
