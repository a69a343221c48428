// Parameters that are repeated in headers, in 2026-07-28: plain, in Base64, absent; and tools whose marks break the rules.
import type { RequirementId } from '../../model/requirement-id.ts';
import { asRecord, brief, type Json } from '../../model/value.ts';
import { tool } from '../default-server.ts';
import { busiest, type OfferedTool, type Scenario } from '../scenario.ts';

const done = { result: { content: [{ type: 'text', text: 'done' }] } };
const marked = (name: string, example: unknown, type = 'string'): OfferedTool => ({
  tool: tool(
    name,
    { region: { type, 'x-mcp-header': 'Region' }, plain: { type: 'string' } },
    { ...(example !== undefined && { region: example }), plain: 'x' },
  ),
  call: () => done,
});
const base64 = (text: string): string => `=?base64?${Buffer.from(text).toString('base64')}?=`;

const looksEncoded = '=?base64?SGVsbG8=?=';
/** What must stand in the header, by tool. */
const expected: readonly (readonly [name: string, value: unknown, header: string | undefined, ids: readonly RequirementId[]])[] = [
  ['plain_value', 'us-west1', 'us-west1', ['http/param-headers/supported']],
  ['umlaut', 'Zürich', base64('Zürich'), ['http/param-headers/base64', 'http/param-headers/encoded', 'http/param-headers/marks']],
  ['blanks', ' padded ', base64(' padded '), ['http/param-headers/encoded']],
  ['looks_encoded', looksEncoded, base64(looksEncoded), ['http/param-headers/marks-escaped']],
  ['nothing', null, undefined, ['http/param-headers/null-omitted']],
  ['absent', undefined, undefined, ['http/param-headers/absent-omitted']],
];

const invalid: readonly OfferedTool[] = [
  { tool: tool('invalid_empty', { region: { type: 'string', 'x-mcp-header': '' } }, { region: 'x' }), call: () => done },
  { tool: tool('invalid_object', { region: { type: 'object', 'x-mcp-header': 'Region' } }, { region: {} }), call: () => done },
  { tool: tool('invalid_characters', { region: { type: 'string', 'x-mcp-header': 'Bad Name' } }, { region: 'x' }), call: () => done },
];

export const paramHeaders: Scenario = {
  name: 'param-headers',
  judges: [
    ...new Set(expected.flatMap(([, , , ids]) => ids)),
    'http/param-headers/tool-rejected',
    'http/param-headers/safe-integer',
    'http/headers/name-encoded',
  ],
  revisions: ['2026-07-28'],
  transports: ['http'],
  conformance: 'http-custom-headers',
  tools: () => [
    ...expected.map(([name, value]) => marked(name, value)),
    marked('counted', 42, 'integer'),
    { tool: tool('größe'), call: () => done },
    ...invalid,
  ],
  judge({ links }, judge) {
    const calls = (busiest(links)?.ledger.questions ?? []).filter(({ method }) => method === 'tools/call');
    for (const [name, value, header, ids] of expected) {
      const call = calls.find(({ params }) => params['name'] === name);
      if (call === undefined) continue;
      const args: Json = asRecord(call.params['arguments']);
      // A driver may have other arguments than ours.
      if (args['region'] !== value) continue;
      const given = call.message.exchange?.request.headers['mcp-param-region'];
      for (const id of ids) judge.verdict(id, given === header, `Mcp-Param-Region is ${brief(given)} for ${brief(value)}`, [call.message]);
    }
    const counted = calls.find(({ params }) => params['name'] === 'counted');
    const count = asRecord(counted?.params['arguments'])['region'];
    if (counted !== undefined && typeof count === 'number')
      judge.verdict('http/param-headers/safe-integer', Number.isSafeInteger(count), `the integer is ${count}`, [counted.message]);
    const named = calls.find(({ params }) => params['name'] === 'größe');
    if (named !== undefined) {
      const given = named.message.exchange?.request.headers['mcp-name'];
      judge.verdict('http/headers/name-encoded', given === base64('größe'), `Mcp-Name is ${brief(given)}`, [named.message]);
    }
    const wrong = calls.find(({ params }) => String(params['name']).startsWith('invalid_'));
    if (wrong !== undefined) judge.broken('http/param-headers/tool-rejected', `${String(wrong.params['name'])} is called`, [wrong.message]);
    else if (named !== undefined) judge.kept('http/param-headers/tool-rejected');
  },
};
