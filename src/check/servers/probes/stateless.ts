// 2026-07-28 without a handshake: what each request must carry, and what a server may not remember.

import { asList, at, type Json } from '../../model/value.ts';
import { requestMeta } from '../peer/peer.ts';
import { inWords, type Probe, type ProbeContext, shown } from '../probe.ts';

const revisions = ['2026-07-28'] as const;
const prefix = 'io.modelcontextprotocol/';

export const statelessProbes: readonly Probe[] = [
  {
    name: 'discover',
    judges: ['discover/implemented'],
    revisions,
    async run({ peer, judge }) {
      const answer = await peer.request('server/discover', {});
      judge.verdict('discover/implemented', answer.result !== undefined, `server/discover gets ${inWords(answer)}`, shown(answer));
    },
  },
  {
    name: 'unsupported version',
    judges: ['versioning/unsupported', 'http/version-header/unsupported'],
    revisions,
    async run({ peer, judge, transport }) {
      const meta = { [`${prefix}protocolVersion`]: '1999-01-01' };
      const answer = await peer.request('server/discover', {}, { meta, wild: true, headers: { 'mcp-protocol-version': '1999-01-01' } });
      const supported = asList(at(answer.error?.data, 'supported'));
      const isRight = answer.error?.code === -32022 && supported.length > 0 && supported.every((one) => typeof one === 'string');
      judge.verdict('versioning/unsupported', isRight, `the version 1999-01-01 gets ${inWords(answer)}`, shown(answer));
      if (transport !== 'http') return;
      const status = answer.exchange?.response?.status;
      judge.verdict(
        'http/version-header/unsupported',
        isRight && status === 400,
        `the version 1999-01-01 gets ${inWords(answer)}`,
        shown(answer),
      );
    },
  },
  {
    name: 'initialize without a handshake',
    judges: ['versioning/initialize-refused', 'versioning/dual-era'],
    revisions,
    apart: true,
    async run({ begin, judge, startTimeoutMs }) {
      const peer = begin('initialize');
      const params = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'vivarium-check', version: '1.0.0' } };
      const headers = { 'mcp-protocol-version': undefined, 'mcp-method': undefined, 'mcp-name': undefined };
      const answer = await peer.request('initialize', params, { meta: null, headers, wild: true, timeoutMs: startTimeoutMs });
      if (answer.result !== undefined) {
        judge.kept('versioning/dual-era', shown(answer));
        judge.inapplicable('versioning/initialize-refused', 'the server has a handshake as well');
        return;
      }
      const names = JSON.stringify([answer.error?.message, answer.error?.data]).includes('2026-07-28');
      judge.verdict('versioning/initialize-refused', names, `initialize gets ${inWords(answer)}`, shown(answer));
    },
  },
  {
    name: 'incomplete _meta',
    judges: ['meta/request/incomplete', 'meta/request/incomplete-status', 'stateless/no-prior-context'],
    revisions,
    async run(context) {
      for (const missing of ['protocolVersion', 'clientCapabilities']) await incomplete(context, missing);
    },
  },
  {
    name: 'requests of several clients',
    judges: ['stateless/many-conversations'],
    revisions,
    async run({ peer, judge }) {
      const metas = ['one', 'two'].map((name) => ({
        [`${prefix}clientInfo`]: { name, version: '1' },
        [`${prefix}clientCapabilities`]: {},
      }));
      const answers = await Promise.all(metas.map((meta) => peer.request('server/discover', {}, { meta })));
      // A server that has no such method says so to both.
      const isServed = answers.every(({ result, error }) => result !== undefined || error?.code === -32601);
      judge.verdict(
        'stateless/many-conversations',
        isServed,
        'requests of two clients on one connection are not both served',
        shown(...answers),
      );
    },
  },
  {
    name: 'a request before any other',
    judges: ['stateless/any-connection'],
    revisions,
    apart: true,
    async run({ begin, judge, capabilities, startTimeoutMs }) {
      const method = ['tools', 'prompts', 'resources'].find((one) => capabilities[one] !== undefined);
      if (method === undefined) return judge.unsure('stateless/any-connection', 'the server has no list to ask for');
      const peer = begin('first request');
      const answer = await peer.request(`${method}/list`, {}, { timeoutMs: startTimeoutMs });
      judge.verdict(
        'stateless/any-connection',
        answer.result !== undefined,
        `${method}/list as the first request gets ${inWords(answer)}`,
        shown(answer),
      );
    },
  },
];

async function incomplete({ peer, judge, transport, revision }: ProbeContext, missing: string): Promise<void> {
  const full = requestMeta({ revision, capabilities: {} });
  const meta: Json = Object.fromEntries(Object.entries(full).filter(([key]) => key !== prefix + missing));
  const body = { jsonrpc: '2.0', id: `without-${missing}`, method: 'server/discover', params: { _meta: meta } };
  const answer = await peer.raw(JSON.stringify(body), { reply: body.id, wild: true });
  const what = `a request without ${missing} gets ${inWords(answer)}`;
  // A missing version over HTTP may as well be a header that has no counterpart in the body.
  const isRefused = answer.error?.code === -32602 || (missing === 'protocolVersion' && answer.error?.code === -32020);
  judge.verdict('meta/request/incomplete', isRefused, what, shown(answer));
  if (missing === 'clientCapabilities') judge.verdict('stateless/no-prior-context', answer.error !== undefined, what, shown(answer));
  if (transport !== 'http') return;
  judge.verdict('meta/request/incomplete-status', answer.exchange?.response?.status === 400, what, shown(answer));
}
