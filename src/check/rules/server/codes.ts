// Which error codes a server may send, by the ranges of the revision.
import type { Rule } from '../../model/rule.ts';
import { at } from '../../model/value.ts';

const defined: ReadonlySet<number> = new Set([-32020, -32021, -32022]);
const standard: ReadonlySet<number> = new Set([-32700, -32600, -32601, -32602, -32603]);

export const codes: Rule = {
  judges: ['errors/legacy-range', 'errors/mcp-range', 'errors/mcp-range/meaning', 'errors/retired-codes', 'errors/own-codes'],
  apply({ ledger }, judge) {
    for (const message of ledger.received) {
      const code = at(message.value, 'error', 'code');
      if (typeof code !== 'number') continue;
      const evidence = [...(ledger.answered.get(message) === undefined ? [] : [ledger.answered.get(message)!.message]), message];
      const isRetired = code === -32002 || code === -32042;
      judge.verdict('errors/retired-codes', !isRetired, `the code ${code} belongs to earlier revisions`, evidence);
      const isLegacy = code >= -32019 && code <= -32000;
      if (!isRetired) judge.verdict('errors/legacy-range', !isLegacy, `the code ${code} is in the range that is no longer used`, evidence);
      const isReserved = code >= -32099 && code <= -32020;
      if (!isRetired)
        judge.verdict('errors/mcp-range', !isReserved || defined.has(code), `the specification defines no code ${code}`, evidence);
      const isForeign = code >= -32768 && code < -32099 && !standard.has(code);
      judge.verdict('errors/own-codes', !isForeign, `the code ${code} is in the range of JSON-RPC`, evidence);
      if (code === -32020 && message.exchange === undefined) {
        judge.broken('errors/mcp-range/meaning', 'the code -32020 is about headers, and there are none', evidence);
      } else judge.kept('errors/mcp-range/meaning');
    }
  },
};
