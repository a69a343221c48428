// Questions to the user: forms that ask for no secrets, pages with a proper address.

import { isLoopback } from '../../../text/loopback.ts';
import { methodOf } from '../../model/ledger.ts';
import { isModern, traitsOf } from '../../model/revision.ts';
import type { Rule, Seen } from '../../model/rule.ts';
import type { Message } from '../../model/trace.ts';
import { asList, asRecord, at, brief, isRecord, type Json } from '../../model/value.ts';
import type { Judge } from '../../model/verdict.ts';
import { questionsOf } from './asking.ts';

const secret = /pass(?:word|phrase|code)|\bsecret\b|api[-_ ]?key|access[-_ ]?token|private[-_ ]?key|credit[-_ ]?card|\bcvv\b|\bssn\b/i;

export const elicitation: Rule = {
  judges: [
    'elicitation/request/message',
    'elicitation/form/params',
    'elicitation/form/sensitive',
    'elicitation/form/no-links',
    'elicitation/modes/undeclared',
    'elicitation/url/params',
    'elicitation/url/valid',
    'elicitation/url/https',
    'elicitation/complete/id',
    'elicitation/required/list',
    'elicitation/required/url-mode',
  ],
  apply(seen, judge) {
    for (const { method, params, message, declared } of questionsOf(seen)) {
      if (method !== 'elicitation/create') continue;
      const mode = params['mode'] ?? 'form';
      const isNamed = (mode === 'form' || mode === 'url') && typeof params['message'] === 'string';
      judge.verdict('elicitation/request/message', isNamed, `mode is ${brief(mode)}, message is ${brief(params['message'])}`, [message]);
      // An empty declaration means forms alone.
      const own = asRecord(declared['elicitation']);
      const isDeclared =
        declared['elicitation'] !== undefined &&
        (mode === 'url' ? own['url'] !== undefined : own['form'] !== undefined || own['url'] === undefined);
      judge.verdict('elicitation/modes/undeclared', isDeclared, `elicitation by ${brief(mode)}, which the client did not declare`, [
        message,
      ]);
      if (mode === 'url') page(params, message, seen, judge);
      else form(params, message, judge);
    }
    required(seen, judge);
    completed(seen, judge);
  },
};

function form(params: Json, message: Message, judge: Judge): void {
  const { requestedSchema, message: text } = params;
  judge.verdict('elicitation/form/params', isRecord(requestedSchema), `requestedSchema is ${brief(requestedSchema)}`, [message]);
  const fields = Object.entries(asRecord(asRecord(requestedSchema)['properties']));
  const asked = fields.find(([name, schema]) => secret.test(`${name} ${String(asRecord(schema)['title'] ?? '')}`));
  judge.verdict('elicitation/form/sensitive', asked === undefined, `a form asks for ${brief(asked?.[0])}`, [message]);
  const texts = [text, ...fields.flatMap(([, schema]) => [asRecord(schema)['title'], asRecord(schema)['description']])];
  judge.verdict(
    'elicitation/form/no-links',
    !texts.some((one) => /https?:\/\//i.test(String(one ?? ''))),
    'a form has an address to click',
    [message],
  );
}

function page(params: Json, message: Message, { conversation }: Seen, judge: Judge): void {
  const { url, message: text, elicitationId } = params;
  const isComplete =
    typeof url === 'string' && typeof text === 'string' && (isModern(conversation.revision) || typeof elicitationId === 'string');
  judge.verdict('elicitation/url/params', isComplete, `the params are ${brief(params)}`, [message]);
  if (typeof url !== 'string') return;
  judge.verdict('elicitation/url/valid', URL.canParse(url), `the url is ${brief(url)}`, [message]);
  if (!URL.canParse(url)) return;
  const { protocol, hostname } = new URL(url);
  judge.verdict('elicitation/url/https', protocol === 'https:' || isLoopback(hostname), `the url is ${brief(url)}`, [message]);
}

function required({ ledger, conversation }: Seen, judge: Judge): void {
  if (!traitsOf(conversation.revision).urlRequiredError) return;
  for (const message of ledger.received) {
    if (at(message.value, 'error', 'code') !== -32042) continue;
    const listed = asList(at(message.value, 'error', 'data', 'elicitations'));
    judge.verdict('elicitation/required/list', listed.length > 0, 'the error lists no pages', [message]);
    const isUrl = listed.every((one) => asRecord(one)['mode'] === 'url' && typeof asRecord(one)['elicitationId'] === 'string');
    judge.verdict('elicitation/required/url-mode', isUrl, `the pages are ${brief(listed)}`, [message]);
  }
}

function completed({ ledger }: Seen, judge: Judge): void {
  const known = new Set<unknown>(ledger.questions.map(({ params }) => params['elicitationId']));
  for (const message of ledger.received) {
    for (const one of asList(at(message.value, 'error', 'data', 'elicitations'))) known.add(asRecord(one)['elicitationId']);
  }
  for (const message of ledger.notifications) {
    if (methodOf(message) !== 'notifications/elicitation/complete') continue;
    const id = at(message.value, 'params', 'elicitationId');
    judge.verdict('elicitation/complete/id', typeof id === 'string' && known.has(id), `the elicitationId ${brief(id)} is of no request`, [
      message,
    ]);
  }
}
