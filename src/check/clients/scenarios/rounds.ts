// Results that need input, in 2026-07-28: what was asked for is answered by the same request, sent again.

import type { RequirementId } from '../../model/requirement-id.ts';
import { asList, asRecord, at, brief, type Json } from '../../model/value.ts';
import { checkMessage } from '../../schemas/message.ts';
import { tool } from '../default-server.ts';
import { busiest, type MockReply, type OfferedTool, type Scenario, type Turn } from '../scenario.ts';

const state = 'b64:eyJyb3VuZCI6MX0= %7B"q":"ü"%7D  ';
const form = {
  method: 'elicitation/create',
  params: {
    mode: 'form',
    message: 'Which fern?',
    requestedSchema: { type: 'object', properties: { name: { type: 'string' } }, required: ['name'] },
  },
};
const sample = {
  method: 'sampling/createMessage',
  params: { messages: [{ role: 'user', content: { type: 'text', text: 'Name a fern.' } }], maxTokens: 20 },
};
const roots = { method: 'roots/list', params: {} };

const done: MockReply = { result: { content: [{ type: 'text', text: 'done' }] } };
const needs = (requests: Json, given?: string): MockReply => ({
  result: {
    resultType: 'input_required',
    ...(Object.keys(requests).length > 0 && { inputRequests: requests }),
    ...(given !== undefined && { requestState: given }),
  },
});

/** Only what the client said it can do is asked of it. */
function wanted({ link }: Turn): Json {
  const { declared } = link;
  const parts: Record<string, Json> = {};
  if (declared['elicitation'] !== undefined) parts['fern'] = form;
  if (declared['sampling'] !== undefined) parts['word'] = sample;
  if (declared['roots'] !== undefined) parts['places'] = roots;
  return parts;
}

const isAgain = ({ params }: Turn): boolean => params['inputResponses'] !== undefined || params['requestState'] !== undefined;

const offered: readonly OfferedTool[] = [
  { tool: tool('test_mrtr_echo_state'), call: (turn) => (isAgain(turn) ? done : needs(wanted(turn), state)) },
  { tool: tool('test_mrtr_unrelated'), call: () => done },
  {
    tool: tool('test_mrtr_no_state'),
    call(turn) {
      const requests = wanted(turn);
      return isAgain(turn) || Object.keys(requests).length === 0 ? done : needs(requests);
    },
  },
  { tool: tool('test_mrtr_state_only'), call: (turn) => (isAgain(turn) ? done : needs({}, state)) },
  {
    tool: tool('test_mrtr_no_result_type'),
    call: () => ({ result: { resultType: undefined, content: [{ type: 'text', text: 'older' }] } }),
  },
  { tool: tool('last'), call: () => done },
];

export const rounds: Scenario = {
  name: 'rounds',
  judges: [
    'input/state/opaque',
    'input/retry/inputs',
    'input/retry/state-echoed',
    'input/retry/no-state',
    'input/retry/new-id',
    'input/retry/same-request',
    'jsonrpc/result-type/absent',
    'roots/list/shape',
    'roots/uri',
    'roots/capability',
    'sampling/result/shape',
    'sampling/capability',
    'elicitation/result/shape',
    'elicitation/capability',
    'elicitation/request/no-mode-is-form',
  ],
  revisions: ['2026-07-28'],
  conformance: 'sep-2322-client-request-state',
  tools: () => offered,
  judge({ links }, judge) {
    const link = busiest(links);
    if (link === undefined) return;
    const calls = link.ledger.questions.filter(({ method }) => method === 'tools/call');
    const of = (name: string) => calls.filter(({ params }) => params['name'] === name);
    for (const name of ['test_mrtr_echo_state', 'test_mrtr_no_state', 'test_mrtr_state_only'] as const) {
      const [first, again] = of(name);
      const result = asRecord(at(first?.replies[0]?.value, 'result'));
      if (first === undefined || result['resultType'] !== 'input_required') continue;
      if (again === undefined) {
        judge.unsure('input/retry/inputs', `${name} was not tried again`);
        continue;
      }
      const evidence = [first.replies[0]!, again.message];
      judge.verdict('input/retry/new-id', again.id !== first.id, `the retry has the same id ${brief(again.id)}`, evidence);
      const keys = Object.keys(asRecord(result['inputRequests']));
      const responses = asRecord(again.params['inputResponses']);
      const missing = keys.filter((key) => responses[key] === undefined);
      if (keys.length > 0)
        judge.verdict('input/retry/inputs', missing.length === 0, `there is no input for ${missing.join(', ')}`, evidence);
      const given = again.params['requestState'];
      if (name === 'test_mrtr_no_state')
        judge.verdict('input/retry/no-state', given === undefined, `requestState is ${brief(given)}`, evidence);
      else {
        judge.verdict('input/retry/state-echoed', given === state, `requestState is ${brief(given)}`, evidence);
        judge.verdict('input/state/opaque', given === undefined || given === state, `requestState is ${brief(given)}`, evidence);
      }
      inputs(again.message.value, responses, judge);
    }
    for (const { params, message } of [...of('test_mrtr_unrelated'), ...of('last')]) {
      const isClean = params['inputResponses'] === undefined && params['requestState'] === undefined;
      judge.verdict('input/retry/same-request', isClean, 'inputs of another request are sent', [message]);
    }
    const older = of('test_mrtr_no_result_type');
    if (older.length > 1)
      judge.broken('jsonrpc/result-type/absent', 'a result without resultType is not taken for complete', [older[1]!.message]);
    else if (older.length === 1 && of('last').length > 0) judge.kept('jsonrpc/result-type/absent');
  },
};

const kinds: readonly (readonly [key: string, shape: RequirementId, capability: RequirementId])[] = [
  ['fern', 'elicitation/result/shape', 'elicitation/capability'],
  ['word', 'sampling/result/shape', 'sampling/capability'],
  ['places', 'roots/list/shape', 'roots/capability'],
];

function inputs(value: unknown, responses: Json, judge: Parameters<NonNullable<Scenario['judge']>>[1]): void {
  const issues = checkMessage({ revision: '2026-07-28', from: 'client', message: value });
  for (const [key, shape, capability] of kinds) {
    if (responses[key] === undefined) continue;
    const own = issues.filter(({ path, kind }) => path.startsWith(`/params/inputResponses/${key}`) && kind !== 'format');
    judge.verdict(shape, own.length === 0, own.map(({ path, message }) => `${path} ${message}`).join('; '), []);
    judge.kept(capability);
  }
  for (const root of asList(at(responses['places'], 'roots'))) {
    const uri = at(root, 'uri');
    judge.verdict('roots/uri', typeof uri === 'string' && uri.startsWith('file://'), `the URI of a root is ${brief(uri)}`, []);
  }
}
