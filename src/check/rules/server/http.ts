// Streamable HTTP as it was seen: types, streams, events, sessions.
import { isModern } from '../../model/revision.ts';
import type { Rule, Seen } from '../../model/rule.ts';
import type { Exchange, Message } from '../../model/trace.ts';
import { asRecord, at, brief } from '../../model/value.ts';
import type { Judge } from '../../model/verdict.ts';

export const http: Rule = {
  judges: [
    'http/post/content-type',
    'http/post/refused-body',
    'http/stream/accel-buffering',
    'http/get/messages',
    'http/get/no-responses',
    'http/get/unrelated',
    'http/get/server-closes',
    'http/resume/event-ids',
    'http/resume/ids-unique',
    'http/session/assigned',
    'http/session/visible-ascii',
    'sse/message-event',
  ],
  apply(seen, judge) {
    const { conversation } = seen;
    if (conversation.transport === 'sse') return events(seen, judge);
    if (conversation.transport !== 'http') return;
    for (const exchange of conversation.exchanges) {
      const { request, response } = exchange;
      if (response === undefined) continue;
      if (request.method === 'POST') post(exchange, seen, judge);
      if (request.method === 'GET' && isStream(exchange)) standalone(exchange, seen, judge);
      if (isStream(exchange)) {
        const value = response.headers['x-accel-buffering'];
        judge.verdict('http/stream/accel-buffering', value?.toLowerCase() === 'no', `X-Accel-Buffering is ${brief(value)}`, [exchange]);
      }
      const session = response.headers['mcp-session-id'];
      if (session === undefined || isModern(conversation.revision)) continue;
      judge.kept('http/session/assigned');
      judge.verdict('http/session/visible-ascii', /^[\x21-\x7e]+$/.test(session), `the session id is ${brief(session)}`, [exchange]);
    }
    eventIds(seen, judge);
  },
};

function post(exchange: Exchange, { conversation }: Seen, judge: Judge): void {
  const { response } = exchange;
  const sent = conversation.messages.find((one) => one.exchange === exchange && one.direction === 'sent');
  const isRequest = typeof at(sent?.value, 'method') === 'string' && 'id' in asRecord(sent?.value);
  if (response === undefined) return;
  if (response.status >= 400) {
    const error = conversation.messages.find((one) => one.exchange === exchange && at(one.value, 'error') !== undefined);
    if (error !== undefined && !isRequest) judge.kept('http/post/refused-body');
    return;
  }
  if (!isRequest || exchange.wild || response.status !== 200) return;
  const type = response.headers['content-type'] ?? '';
  const isKnown = /^(?:application\/json|text\/event-stream)\s*(?:;|$)/i.test(type);
  judge.verdict('http/post/content-type', isKnown, `the type of the response is ${brief(type)}`, [exchange]);
}

function standalone(exchange: Exchange, { conversation, ledger }: Seen, judge: Judge): void {
  const carried = ledger.received.filter((one) => one.exchange === exchange);
  const isResumed = exchange.request.headers['last-event-id'] !== undefined;
  if (exchange.response?.endedAt !== undefined && exchange.failure === undefined) judge.kept('http/get/server-closes');
  for (const message of carried) {
    if (typeof at(message.value, 'method') === 'string') {
      judge.kept('http/get/messages');
      const token = at(message.value, 'params', 'progressToken');
      const isBusy = ledger.requests.some((one) => token !== undefined && one.token === token);
      if (!isResumed) judge.verdict('http/get/unrelated', !isBusy, 'progress of a request on the stream of a GET', [message]);
    } else if (!isResumed) judge.broken('http/get/no-responses', 'a response on the stream of a GET', [message]);
  }
  if (!carried.some(isResponse) && conversation.messages.length > 2) judge.kept('http/get/no-responses');
}

function isResponse({ value }: Message): boolean {
  return at(value, 'method') === undefined;
}

function eventIds({ conversation }: Seen, judge: Judge): void {
  const seen = new Map<string, Exchange>();
  for (const exchange of conversation.exchanges) {
    // What is resumed is sent again, under the same ids.
    if (exchange.request.headers['last-event-id'] !== undefined) continue;
    for (const { id } of exchange.response?.events ?? []) {
      if (id === undefined || id === '') continue;
      judge.kept('http/resume/event-ids');
      const before = seen.get(id);
      const evidence = before === undefined ? [exchange] : [before, exchange];
      judge.verdict('http/resume/ids-unique', before === undefined, `the id ${brief(id)} of an event occurs twice`, evidence);
      seen.set(id, exchange);
    }
  }
}

function events({ conversation }: Seen, judge: Judge): void {
  for (const exchange of conversation.exchanges) {
    if (exchange.request.method !== 'GET') continue;
    for (const { event, data } of exchange.response?.events ?? []) {
      if (event === 'endpoint' || data === undefined) continue;
      const isMessage = event === undefined || event === 'message';
      judge.verdict('sse/message-event', isMessage, `a message in an event named ${brief(event)}`, [exchange]);
    }
  }
}

function isStream({ response }: Exchange): boolean {
  return (response?.headers['content-type'] ?? '').toLowerCase().startsWith('text/event-stream');
}
