// 2026-07-28: subscriptions, and results that require input.

import type { ToolCall } from '../../model/surface.ts';
import { asRecord, at, isRecord, type Json } from '../../model/value.ts';
import { noCallableTool } from '../../model/verdict.ts';
import { misfitting } from '../../schemas/sample.ts';
import { isHttpPeer } from '../peer/http.ts';
import type { Answer } from '../peer/peer.ts';
import { isPipePeer } from '../peer/stdio.ts';
import { inWords, type Probe, type ProbeContext, shown, slow } from '../probe.ts';
import { callTool, inputs, paramHeaders } from '../tool-call.ts';

const revisions = ['2026-07-28'] as const;

export const subscriptionProbes: readonly Probe[] = [
  {
    name: 'a subscription',
    judges: [
      'subscriptions/acknowledged',
      'subscriptions/nothing-before',
      'subscriptions/listen/shape',
      'subscriptions/ended',
      'cancellation/server/teardown',
    ],
    revisions,
    run: listen,
  },
  {
    name: 'calls of a client without capabilities',
    judges: ['meta/capability/undeclared', 'input/undeclared', 'meta/capability/missing', 'meta/capability/missing-status'],
    revisions,
    capability: 'tools',
    run: bare,
  },
  {
    name: 'input that is required',
    judges: [
      'input/not-assumed',
      'input/state/untrusted',
      'input/state/verified',
      'input/state/request',
      'input/responses/validated',
      'input/responses/malformed',
      'input/responses/unexpected',
      'input/responses/missing',
      'elicitation/declined',
      'elicitation/form/validated-by-server',
    ],
    revisions,
    capability: 'tools',
    run: required,
  },
  {
    name: 'extensions',
    judges: ['versioning/extensions/fallback', 'versioning/extensions/identifiers'],
    revisions,
    async run({ capabilities, judge, peer }) {
      if (!isRecord(capabilities['extensions']) || Object.keys(capabilities['extensions']).length === 0) {
        for (const id of this.judges) judge.inapplicable(id, 'the server has no extensions');
        return;
      }
      // This client has none: that it is served at all is the way back to the core.
      judge.verdict('versioning/extensions/fallback', await peer.settle(), 'a client without extensions is not served', []);
    },
  },
];

async function listen({ peer, judge, capabilities, surface }: ProbeContext): Promise<void> {
  const uri = surface.resources.map((one) => one['uri']).find((one) => typeof one === 'string');
  const notifications = {
    ...(capabilities['tools'] !== undefined && { toolsListChanged: true }),
    ...(capabilities['prompts'] !== undefined && { promptsListChanged: true }),
    ...(capabilities['resources'] !== undefined && { resourcesListChanged: true }),
    ...(uri !== undefined && { resourceSubscriptions: [uri] }),
  };
  const id = 'subscription-1';
  const first = (message: { readonly value: unknown }) =>
    at(message.value, 'method') === 'notifications/subscriptions/acknowledged' || at(message.value, 'id') === id;
  let refused: Answer | undefined;
  if (isHttpPeer(peer)) peer.open('subscriptions/listen', { notifications }, { id });
  else
    void peer.request('subscriptions/listen', { notifications }, { id, timeoutMs: 60_000 }).then((answer) => {
      refused = answer;
    });
  const seen = await peer.see(first, 2_000);
  if (seen !== undefined && at(seen.value, 'error', 'code') === -32601) {
    for (const each of ['subscriptions/acknowledged', 'subscriptions/nothing-before', 'subscriptions/listen/shape'] as const)
      judge.inapplicable(each, 'the server has no subscriptions');
    refused = undefined;
  }
  const why = 'the server would have to end a subscription by itself';
  if (seen === undefined || !isPipePeer(peer) || refused !== undefined) {
    judge.unsure('subscriptions/ended', why);
    return judge.unsure('cancellation/server/teardown', why);
  }
  // With the end of input a server ends everything, subscriptions included.
  judge.unsure('subscriptions/ended', why);
  judge.unsure('cancellation/server/teardown', why);
}

async function bare({ peer, judge, calls }: ProbeContext): Promise<void> {
  const meta = { 'io.modelcontextprotocol/clientCapabilities': {} };
  const ids = ['meta/capability/missing', 'meta/capability/missing-status'] as const;
  if (calls.length === 0) {
    for (const id of ['meta/capability/undeclared', 'input/undeclared', ...ids] as const) judge.unsure(id, noCallableTool);
    return;
  }
  let missing = 0;
  for (const call of calls.slice(0, 24)) {
    const answer = await callTool(peer, call, { meta, timeoutMs: 2_000 });
    if (answer.error?.code !== -32021) continue;
    missing += 1;
    const needed = at(answer.error.data, 'requiredCapabilities');
    judge.verdict('meta/capability/missing', isRecord(needed), `${call.name} gets ${inWords(answer)}`, shown(answer));
    const status = answer.exchange?.response?.status;
    if (status !== undefined)
      judge.verdict('meta/capability/missing-status', status === 400, `${call.name} gets ${inWords(answer)}`, shown(answer));
  }
  judge.kept('meta/capability/undeclared');
  if (missing === 0) for (const id of ids) judge.inapplicable(id, 'no tool that may be called needs a capability of the client');
}

/** Looks for a tool that requires input, and answers it wrongly in every way. */
async function required(context: ProbeContext): Promise<void> {
  const { peer, judge, calls } = context;
  for (const call of calls.slice(0, 24)) {
    const params: Json = { name: call.name, arguments: call.arguments };
    const headers = paramHeaders(call);
    const ask = (more: Json, wild = true) => peer.request('tools/call', { ...params, ...more }, { headers, wild, timeoutMs: 2_000 });
    const first = await ask({}, false);
    if (first.result?.['resultType'] !== 'input_required') continue;
    const proper = inputs(first.result, peer.declared);
    await abandoned(context, call.name, ask);
    await wrongly(context, first.result, proper, ask);
    await elsewhere(context, call, proper, headers);
    const state = first.result['requestState'];
    if (typeof state === 'string') {
      const changed = `${state.slice(0, -1)}${state.endsWith('A') ? 'B' : 'A'}`;
      const forged = await ask({ ...proper, requestState: changed });
      const isRefused =
        forged.error !== undefined || forged.result?.['isError'] === true || forged.result?.['resultType'] === 'input_required';
      judge.verdict('input/state/verified', isRefused, `a changed requestState gets ${inWords(forged)}`, shown(forged));
      judge.verdict('input/state/untrusted', isRefused, `a changed requestState gets ${inWords(forged)}`, shown(forged));
    }
    break;
  }
}

/** What was required is never given: the call is made anew, and something else is asked. */
async function abandoned({ peer, judge }: ProbeContext, name: string, ask: (more: Json, wild?: boolean) => Promise<Answer>): Promise<void> {
  const again = await ask({}, false);
  const isWell = again.result !== undefined && (await peer.settle());
  // Whoever is slow has not refused anything.
  if (again.message === undefined && (await peer.settle())) return judge.unsure('input/not-assumed', slow);
  const what = `${name}, called anew while the input that it required is not given, gets ${inWords(again)}`;
  judge.verdict('input/not-assumed', isWell, what, shown(again));
}

/** The state of one call with the arguments of another. */
async function elsewhere(
  { peer, judge }: ProbeContext,
  call: ToolCall,
  proper: Json,
  headers: Readonly<Record<string, string>>,
): Promise<void> {
  const id = 'input/state/request';
  if (proper['requestState'] === undefined) return judge.inapplicable(id, 'the server keeps no state in its client');
  const other = varied(call);
  if (other === undefined) return judge.unsure(id, 'the tool that requires input has no argument that could be another');
  const params = { name: call.name, arguments: other, ...proper };
  const answer = await peer.request('tools/call', params, { headers, wild: true, timeoutMs: 2_000 });
  const isRefused = answer.error !== undefined || answer.result?.['isError'] === true || answer.result?.['resultType'] === 'input_required';
  if (answer.message === undefined) return judge.unsure(id, slow);
  judge.verdict(id, isRefused, `the requestState of another call gets ${inWords(answer)}`, shown(answer));
}

/** With one plain text that is another, and fits as well. */
function varied({ tool, arguments: given }: ToolCall): Json | undefined {
  for (const [name, schema] of Object.entries(asRecord(asRecord(tool['inputSchema'])['properties']))) {
    const { type, enum: choices, const: only, pattern, format, maxLength, 'x-mcp-header': mark } = asRecord(schema);
    const isPlain = type === 'string' && [choices, only, pattern, format, maxLength, mark].every((one) => one === undefined);
    if (isPlain) return { ...given, [name]: `${typeof given[name] === 'string' ? given[name] : ''}other` };
  }
  return undefined;
}

async function wrongly({ judge }: ProbeContext, result: Json, proper: Json, ask: (more: Json) => Promise<Answer>): Promise<void> {
  const state = result['requestState'] === undefined ? {} : { requestState: result['requestState'] };
  const requests = asRecord(result['inputRequests']);
  if (Object.keys(requests).length === 0) return;
  const none = await ask({ ...state, inputResponses: {} });
  const isAgain = none.result?.['resultType'] === 'input_required';
  judge.verdict('input/responses/missing', isAgain, `without its input: ${inWords(none)}`, shown(none));
  const extra = await ask({ ...proper, inputResponses: { ...asRecord(proper['inputResponses']), 'vivarium-none': { action: 'cancel' } } });
  judge.verdict(
    'input/responses/unexpected',
    extra.error === undefined,
    `with an input that nobody asked for: ${inWords(extra)}`,
    shown(extra),
  );
  const bad = await ask({ ...state, inputResponses: Object.fromEntries(Object.keys(requests).map((key) => [key, 'no result'])) });
  const isRefused = bad.error !== undefined || bad.result?.['isError'] === true || bad.result?.['resultType'] === 'input_required';
  judge.verdict('input/responses/malformed', bad.error !== undefined, `an input that is no result gets ${inWords(bad)}`, shown(bad));
  judge.verdict('input/responses/validated', isRefused, `an input that is no result gets ${inWords(bad)}`, shown(bad));
  const forms = Object.entries(requests).filter(([, one]) => asRecord(one)['method'] === 'elicitation/create');
  if (forms.length === 0) return;
  const wrong = forms.flatMap(([key, one]) => {
    const content = misfitting(asRecord(asRecord(one)['params'])['requestedSchema']);
    return content === undefined ? [] : [[key, { action: 'accept', content }] as const];
  });
  if (wrong.length === 0) judge.unsure('elicitation/form/validated-by-server', 'no form that was asked has a field with a type');
  else {
    const given = await ask({ ...proper, inputResponses: { ...asRecord(proper['inputResponses']), ...Object.fromEntries(wrong) } });
    const isSeen = given.error !== undefined || given.result?.['isError'] === true || given.result?.['resultType'] === 'input_required';
    if (given.message === undefined) judge.unsure('elicitation/form/validated-by-server', slow);
    else judge.verdict('elicitation/form/validated-by-server', isSeen, `a form with wrong values gets ${inWords(given)}`, shown(given));
  }
  const no = await ask({
    ...proper,
    inputResponses: { ...asRecord(proper['inputResponses']), ...Object.fromEntries(forms.map(([key]) => [key, { action: 'decline' }])) },
  });
  judge.verdict('elicitation/declined', no.message !== undefined, `a user who declines gets ${inWords(no)}`, shown(no));
}
