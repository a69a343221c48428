// The stream that answers a POST: what comes on it, in which order, and how it ends.
import type { LedgerRequest } from '../../model/ledger.ts';
import type { Rule } from '../../model/rule.ts';
import type { Exchange } from '../../model/trace.ts';
import { at } from '../../model/value.ts';
import type { Judge } from '../../model/verdict.ts';

export const streams: Rule = {
  judges: [
    'http/stream/response',
    'http/stream/messages-first',
    'http/stream/related',
    'http/stream/not-closed-early',
    'http/stream/closed-after',
    'http/stream/primed',
    'http/stream/closed-to-poll',
    'http/stream/retry',
    'http/stream/batched',
  ],
  apply({ conversation, ledger }, judge) {
    if (conversation.transport !== 'http') return;
    for (const exchange of conversation.exchanges) {
      const asked = ledger.requests.filter(({ message }) => message.exchange === exchange);
      const type = (exchange.response?.headers['content-type'] ?? '').toLowerCase();
      if (!type.startsWith('text/event-stream') || asked.length === 0 || exchange.request.method !== 'POST') continue;
      ending(exchange, asked, judge);
      const [first] = exchange.response?.events ?? [];
      // Nobody can tell what would have come on a stream that was closed before it began.
      if (first !== undefined) {
        const isPrimed = first.id !== undefined && first.id !== '' && (first.data ?? '') === '';
        judge.verdict('http/stream/primed', isPrimed, 'the stream begins with another event than one with an id and empty data', [
          exchange,
        ]);
      }
      for (const message of ledger.received.filter((one) => one.exchange === exchange)) {
        if (message.member !== undefined) judge.kept('http/stream/batched');
        if (typeof at(message.value, 'method') !== 'string') continue;
        judge.kept('http/stream/messages-first');
        const token = at(message.value, 'params', 'progressToken');
        const owner = token === undefined ? undefined : ledger.requests.find((one) => one.token === token);
        const isOwn = owner === undefined || asked.includes(owner);
        judge.verdict('http/stream/related', isOwn, 'progress of another request', [message]);
      }
    }
  },
};

function ending(exchange: Exchange, asked: readonly LedgerRequest[], judge: Judge): void {
  const { response, failure } = exchange;
  if (response?.endedAt === undefined || failure?.reason === 'closed-by-client') {
    const answered = asked.every(({ replies }) => replies.length > 0);
    const last = Math.max(...asked.flatMap(({ replies }) => replies.map(({ at: when }) => when)));
    const isKept = answered && response?.endedAt !== undefined && response.endedAt - last > 1_500;
    if (isKept) judge.broken('http/stream/closed-after', 'the stream stays open after the response', [exchange]);
    return;
  }
  const onStream = asked.every(({ replies }) => replies.some((one) => one.exchange === exchange));
  const answered = asked.every(({ replies }) => replies.length > 0);
  judge.verdict('http/stream/not-closed-early', onStream, 'the stream ended before the response', [exchange]);
  judge.verdict('http/stream/response', answered, 'there is no response, neither on the stream nor after it was resumed', [exchange]);
  if (onStream) {
    judge.kept('http/stream/closed-after');
    return;
  }
  judge.kept('http/stream/closed-to-poll');
  const hasRetry = response.events.some(({ retry }) => retry !== undefined);
  judge.verdict('http/stream/retry', hasRetry, 'the connection was closed without an event that has a retry field', [exchange]);
}
