// Keys of _meta, wherever they stand.
import type { Rule } from '../../model/rule.ts';
import { isRecord } from '../../model/value.ts';

const label = /^[a-zA-Z](?:[a-zA-Z0-9-]*[a-zA-Z0-9])?$/;
const name = /^(?:[a-zA-Z0-9](?:[\w.-]*[a-zA-Z0-9])?)?$/;
const traceparent = /^[0-9a-f]{2}-[0-9a-f]{32}-[0-9a-f]{16}-[0-9a-f]{2}(?:-.*)?$/;
/** Endings of domain names that a prefix written forwards would have last. */
const forwards = /\.(?:com|org|net|io|dev|ai)$/;

export const meta: Rule = {
  judges: ['meta/keys/prefix', 'meta/keys/labels', 'meta/keys/name', 'meta/keys/reverse-dns', 'meta/trace-context'],
  apply({ ledger }, judge) {
    for (const message of ledger.received) {
      for (const [key, value] of metaEntries(message.value, 0)) {
        const slash = key.indexOf('/');
        if (slash !== -1) {
          const labels = key.slice(0, slash).split('.');
          judge.verdict(
            'meta/keys/prefix',
            labels.every((one) => one !== ''),
            `the prefix of the key "${key}"`,
            [message],
          );
          const isMade = labels.every((one) => one === '' || label.test(one));
          judge.verdict('meta/keys/labels', isMade, `the labels of the key "${key}"`, [message]);
          judge.verdict(
            'meta/keys/reverse-dns',
            !forwards.test(key.slice(0, slash)),
            `the prefix of the key "${key}" is no reversed domain name`,
            [message],
          );
        }
        judge.verdict('meta/keys/name', name.test(key.slice(slash + 1)), `the name of the key "${key}"`, [message]);
        if (key === 'traceparent') {
          judge.verdict(
            'meta/trace-context',
            typeof value === 'string' && traceparent.test(value),
            `traceparent is ${JSON.stringify(value)}`,
            [message],
          );
        }
      }
    }
  },
};

const maxDepth = 30;

function* metaEntries(value: unknown, depth: number): Generator<[string, unknown]> {
  if (depth > maxDepth) return;
  if (Array.isArray(value)) for (const one of value) yield* metaEntries(one, depth + 1);
  if (!isRecord(value)) return;
  for (const [key, inner] of Object.entries(value)) {
    // Data that a tool made is its own affair.
    if (key === 'structuredContent' || key === 'inputSchema' || key === 'outputSchema' || key === 'data') continue;
    if (key === '_meta' && isRecord(inner)) yield* Object.entries(inner);
    else yield* metaEntries(inner, depth + 1);
  }
}
