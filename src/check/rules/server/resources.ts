// Resources and prompts: addresses, data, and what is told about changes.
import { methodOf } from '../../model/ledger.ts';
import type { Rule, Seen } from '../../model/rule.ts';
import type { Message } from '../../model/trace.ts';
import { asList, asRecord, at, brief, isRecord } from '../../model/value.ts';
import type { Judge } from '../../model/verdict.ts';

/** A scheme, and then only what RFC 3986 allows. */
const uri = /^[a-zA-Z][a-zA-Z0-9+.-]*:(?:[\w.~:/?#[\]@!$&'()*+,;=-]|%[0-9a-fA-F]{2})*$/;
const base64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;
const mimeType = /^[\w!#$&^.+-]+\/[\w!#$&^.+-]+(?:\s*;.*)?$/;
const known: ReadonlySet<string> = new Set(['http', 'https', 'file', 'git']);

export const resources: Rule = {
  judges: [
    'resources/custom-scheme',
    'resources/read/one-form',
    'resources/security/binary',
    'prompts/content/image',
    'prompts/content/audio',
    'prompts/content/resource-uri',
    'prompts/content/resource-type',
    'prompts/content/resource-data',
    'prompts/capability-respected',
    'completion/most',
  ],
  apply(seen, judge) {
    const { ledger, greeting } = seen;
    for (const [message, { method, message: request }] of ledger.answered) {
      const result = at(message.value, 'result');
      if (message.direction !== 'received' || !isRecord(result)) continue;
      const evidence = [request, message];
      if (method === 'resources/list') for (const one of asList(result['resources'])) address(asRecord(one)['uri'], evidence, judge);
      if (method === 'resources/read') for (const one of asList(result['contents'])) contents(one, evidence, judge);
      if (method === 'prompts/get') for (const one of asList(result['messages'])) prompt(asRecord(one)['content'], evidence, judge);
      if (method === 'tools/call') for (const one of asList(result['content'])) oneForm(asRecord(one)['resource'], evidence, judge);
      if (method === 'completion/complete') {
        const values = asList(at(result, 'completion', 'values'));
        judge.verdict('completion/most', values.length <= 100, `there are ${values.length} values`, evidence);
      }
    }
    for (const message of ledger.notifications) {
      if (!methodOf(message).startsWith('notifications/prompts/') || greeting === undefined) continue;
      const isSaid = at(greeting.capabilities, 'prompts', 'listChanged') === true;
      judge.verdict('prompts/capability-respected', isSaid, 'prompts/list_changed, though the server declares no prompts.listChanged', [
        message,
      ]);
    }
    if (seen.greeting !== undefined) quietAbout(seen, judge);
  },
};

function quietAbout({ ledger }: Seen, judge: Judge): void {
  if (!ledger.notifications.some((message) => methodOf(message).startsWith('notifications/prompts/')))
    judge.kept('prompts/capability-respected');
}

function address(value: unknown, evidence: readonly Message[], judge: Judge): void {
  if (typeof value !== 'string') return;
  const scheme = value.split(':')[0]?.toLowerCase() ?? '';
  if (!known.has(scheme)) judge.verdict('resources/custom-scheme', uri.test(value), `the uri ${brief(value)}`, evidence);
}

/** Where it holds anything at all. */
function oneForm(contents: unknown, evidence: readonly Message[], judge: Judge): void {
  const { uri: where, text, blob } = asRecord(contents);
  if (text === undefined && blob === undefined) return;
  const what = `the contents of ${brief(where)} hold both text and a blob`;
  judge.verdict('resources/read/one-form', text === undefined || blob === undefined, what, evidence);
}

function contents(value: unknown, evidence: readonly Message[], judge: Judge): void {
  oneForm(value, evidence, judge);
  const { blob } = asRecord(value);
  if (typeof blob === 'string') judge.verdict('resources/security/binary', base64.test(blob), `the blob ${brief(blob, 40)}`, evidence);
}

function prompt(value: unknown, evidence: readonly Message[], judge: Judge): void {
  const { type, data, mimeType: mime, resource } = asRecord(value);
  if (type === 'image' || type === 'audio') {
    const isRight = typeof data === 'string' && base64.test(data) && typeof mime === 'string' && mimeType.test(mime);
    judge.verdict(`prompts/content/${type}`, isRight, `data is ${brief(data, 40)}, mimeType is ${brief(mime)}`, evidence);
  }
  if (type !== 'resource') return;
  oneForm(resource, evidence, judge);
  const { uri: where, mimeType: kind, text, blob } = asRecord(resource);
  judge.verdict('prompts/content/resource-uri', typeof where === 'string' && uri.test(where), `the uri is ${brief(where)}`, evidence);
  judge.verdict(
    'prompts/content/resource-type',
    typeof kind === 'string' && mimeType.test(kind),
    `the mimeType is ${brief(kind)}`,
    evidence,
  );
  const isData = typeof text === 'string' ? blob === undefined : typeof blob === 'string' && base64.test(blob);
  judge.verdict('prompts/content/resource-data', isData, `the resource is ${brief(resource)}`, evidence);
}
