// JSON-RPC: what a server makes of batches, of bytes that are no message, and of methods it does not have.

import { isModern } from '../../model/revision.ts';
import { at, isRecord } from '../../model/value.ts';
import { type Answer, answerFrom, isReplyTo, type Peer } from '../peer/peer.ts';
import { inWords, type Probe, shown } from '../probe.ts';

export const baseProbes: readonly Probe[] = [
  {
    name: 'unknown method',
    judges: ['errors/method-not-found'],
    async run({ peer, judge }) {
      const answer = await peer.request('vivarium/no-such-method');
      judge.verdict('errors/method-not-found', answer.error?.code === -32601, `an unknown method gets ${inWords(answer)}`, shown(answer));
    },
  },
  {
    name: 'undeclared methods',
    judges: ['errors/method-not-found'],
    async run({ peer, judge, capabilities, revision }) {
      const methods: [string, string][] = [
        ['tools', 'tools/list'],
        ['prompts', 'prompts/list'],
        ['resources', 'resources/list'],
      ];
      if (!isModern(revision)) methods.push(['logging', 'logging/setLevel']);
      for (const [capability, method] of methods) {
        if (capabilities[capability] !== undefined) continue;
        const answer = await peer.request(method, method === 'logging/setLevel' ? { level: 'error' } : {});
        const isRefused = answer.error?.code === -32601;
        judge.verdict('errors/method-not-found', isRefused, `${method}, which is not declared, gets ${inWords(answer)}`, shown(answer));
      }
    },
  },
  {
    name: 'params without what they need',
    judges: ['errors/invalid-params'],
    async run({ peer, judge, capabilities, isModern, transport }) {
      const id = 'errors/invalid-params';
      const [method] = [
        ['tools', 'tools/call'],
        ['resources', 'resources/read'],
        ['prompts', 'prompts/get'],
        ['completions', 'completion/complete'],
      ].flatMap(([capability = '', name = '']) => (capabilities[capability] === undefined ? [] : [name]));
      if (method === undefined) return judge.unsure(id, 'the server has no method with params');
      // Over HTTP the header that repeats a name would be missed first.
      const isList = isModern && transport === 'http' && method !== 'completion/complete';
      const asked = isList ? `${method.split('/')[0]}/list` : method;
      const answer = await peer.request(asked, isList ? { cursor: 7 } : {}, { wild: true });
      judge.verdict(id, answer.error?.code === -32602, `${asked} with wrong params gets ${inWords(answer)}`, shown(answer));
    },
  },
  {
    name: 'batch',
    judges: ['jsonrpc/batch/received'],
    revisions: ['2025-03-26'],
    async run({ peer, judge, timeoutMs }) {
      const batch = ['first', 'second'].map((id) => ({ jsonrpc: '2.0', id, method: 'ping' }));
      const answer = await peer.raw(JSON.stringify(batch), { reply: 'first' });
      const second = await peer.see((message) => isReplyTo(message.value, 'second'), timeoutMs);
      const isUnderstood = answer.message !== undefined && isRecord(at(answer.message.value, 'result')) && second !== undefined;
      judge.verdict('jsonrpc/batch/received', isUnderstood, `a batch of two pings gets ${inWords(answer)}`, shown(answer));
    },
  },
  {
    name: 'no JSON',
    judges: ['errors/parse'],
    apart: 'other',
    async run({ other, judge }) {
      const peer = await other();
      if (peer === undefined) return;
      const answer = await refusalOf(peer, '{"jsonrpc":"2.0","id":77,"method":"ping"');
      judge.verdict('errors/parse', answer.error?.code === -32700, `half of a message gets ${inWords(answer)}`, shown(answer));
    },
  },
  {
    name: 'no message',
    judges: ['errors/invalid-request'],
    apart: 'other',
    async run({ other, judge }) {
      const peer = await other();
      if (peer === undefined) return;
      const answer = await refusalOf(peer, '{"hello":"world"}');
      judge.verdict(
        'errors/invalid-request',
        answer.error?.code === -32600,
        `an object that is no message gets ${inWords(answer)}`,
        shown(answer),
      );
    },
  },
];

/** What bytes that are no request get: on a pipe, before something that was sent after them is answered, or soon after. */
async function refusalOf(peer: Peer, bytes: string): Promise<Answer> {
  const from = peer.conversation.messages.length;
  const sent = await peer.raw(bytes, { wild: true });
  if (peer.transport === 'http') return sent;
  await peer.settle();
  const { messages } = peer.conversation;
  const message = await peer.see((one) => messages.indexOf(one) >= from && isReplyTo(one.value, null), 300);
  return answerFrom(sent.sent, message, 'no answer', sent.exchange);
}
