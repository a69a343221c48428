// 2026-07-28 over HTTP: headers that repeat what the body says.

import { asRecord, type Json } from '../../model/value.ts';
import { uncallable } from '../../model/verdict.ts';
import { headerValue } from '../peer/headers.ts';
import { type HttpPeer, isHttpPeer } from '../peer/http.ts';
import type { Answer } from '../peer/peer.ts';
import { inWords, type Probe, type ProbeContext, shown } from '../probe.ts';
import { isDualEra } from './eras.ts';

const transports = ['http'] as const;
const revisions = ['2026-07-28'] as const;

export const headerProbes: readonly Probe[] = [
  {
    name: 'unknown method over HTTP',
    judges: ['http/method-not-found'],
    transports,
    revisions,
    async run({ peer, judge }) {
      const answer = await peer.request('vivarium/no-such-method');
      const isRight = answer.error?.code === -32601 && answer.exchange?.response?.status === 404;
      judge.verdict('http/method-not-found', isRight, `an unknown method gets ${inWords(answer)}`, shown(answer));
    },
  },
  {
    name: 'version header and body',
    judges: ['http/version-header/mismatch', 'http/version-header/missing', 'http/version-header/absent-legacy'],
    transports,
    revisions,
    async run(context) {
      const { peer, judge } = context;
      const wrong = await peer.request('server/discover', {}, { wild: true, headers: { 'mcp-protocol-version': '2025-11-25' } });
      judge.verdict('http/version-header/mismatch', isMismatch(wrong), `two different versions get ${inWords(wrong)}`, shown(wrong));
      const missing = await peer.request('server/discover', {}, { wild: true, headers: { 'mcp-protocol-version': undefined } });
      const isServed = missing.result !== undefined;
      if (isServed && (await isDualEra(context))) {
        judge.kept('http/version-header/absent-legacy');
        judge.inapplicable('http/version-header/missing', 'the server serves older clients as well');
      } else
        judge.verdict('http/version-header/missing', !isServed, `a request without the header gets ${inWords(missing)}`, shown(missing));
    },
  },
  {
    name: 'Mcp-Method and Mcp-Name',
    judges: ['http/headers/case', 'http/headers/mismatch', 'http/headers/mismatch-error', 'http/headers/decoded'],
    transports,
    revisions,
    run: names,
  },
  {
    name: 'Mcp-Param',
    judges: [
      'http/param-headers/invalid-characters',
      'http/param-headers/validated',
      'http/param-headers/missing-refused',
      'http/param-headers/null-not-expected',
      'http/param-headers/absent-not-expected',
      'http/headers/numeric-comparison',
    ],
    transports,
    revisions,
    capability: 'tools',
    run: parameters,
  },
  {
    name: 'GET, DELETE and headers of sessions',
    judges: ['http/era/get-405', 'http/era/session-ignored', 'http/era/last-event-id-ignored'],
    transports,
    revisions,
    run: eras,
  },
];

function isMismatch({ error, exchange }: Answer): boolean {
  return exchange?.response?.status === 400 && error?.code === -32020;
}

async function names({ peer, judge, surface }: ProbeContext): Promise<void> {
  const tries: [string, Answer][] = [
    ['a wrong Mcp-Method', await peer.request('server/discover', {}, { wild: true, headers: { 'mcp-method': 'tools/list' } })],
    ['no Mcp-Method', await peer.request('server/discover', {}, { wild: true, headers: { 'mcp-method': undefined } })],
  ];
  const [tool] = surface.tools;
  if (tool !== undefined) {
    const params = { name: 'vivarium-no-such-tool', arguments: {} };
    tries.push(['a wrong Mcp-Name', await peer.request('tools/call', params, { wild: true, headers: { 'mcp-name': 'vivarium-another' } })]);
    // An unknown name, so that nothing is done whatever the server makes of it.
    const encoded = `=?base64?${Buffer.from(params.name).toString('base64')}?=`;
    const same = await peer.request('tools/call', params, { wild: true, headers: { 'mcp-name': encoded } });
    judge.verdict('http/headers/decoded', !isMismatch(same), `an encoded Mcp-Name gets ${inWords(same)}`, shown(same));
  } else judge.unsure('http/headers/decoded', 'the server has no tool');
  for (const [what, answer] of tries) {
    const isRefused = answer.result === undefined && (answer.exchange?.response?.status ?? 0) >= 400;
    judge.verdict('http/headers/mismatch', isRefused, `${what} gets ${inWords(answer)}`, shown(answer));
    judge.verdict('http/headers/mismatch-error', isMismatch(answer), `${what} gets ${inWords(answer)}`, shown(answer));
  }
  const upper = { 'mcp-method': undefined, 'MCP-METHOD': 'server/discover' };
  const cased = await peer.request('server/discover', {}, { headers: upper });
  judge.verdict('http/headers/case', cased.result !== undefined, `MCP-METHOD gets ${inWords(cased)}`, shown(cased));
}

interface Marked {
  readonly tool: Json;
  readonly property: string;
  readonly header: string;
  readonly type: unknown;
}

/** Parameters at the first level that are marked, of tools that may be called. */
function marked({ calls }: ProbeContext): Marked[] {
  return calls.flatMap(({ tool }) =>
    Object.entries(asRecord(asRecord(tool['inputSchema'])['properties'])).flatMap(([property, schema]) => {
      const { 'x-mcp-header': header, type } = asRecord(schema);
      return typeof header === 'string' ? [{ tool, property, header, type }] : [];
    }),
  );
}

async function parameters(context: ProbeContext): Promise<void> {
  const { peer, judge, calls } = context;
  const [one] = marked(context);
  const ids = ['invalid-characters', 'validated', 'missing-refused', 'null-not-expected', 'absent-not-expected'] as const;
  if (one === undefined || !isHttpPeer(peer)) {
    const isMarked = JSON.stringify(context.surface.tools).includes('"x-mcp-header"');
    for (const id of [...ids.map((one) => `http/param-headers/${one}` as const), 'http/headers/numeric-comparison'] as const) {
      if (isMarked) judge.unsure(id, uncallable('no tool with x-mcp-header may be called'));
      else judge.inapplicable(id, 'no tool has x-mcp-header');
    }
    return;
  }
  const call = calls.find(({ tool }) => tool === one.tool);
  const value = one.type === 'integer' ? 42 : one.type === 'boolean' ? true : 'here';
  const name = String(one.tool['name']);
  const header = `mcp-param-${one.header.toLowerCase()}`;
  const given = { ...call?.arguments, [one.property]: value };
  const ask = (args: Json, text: string | undefined) => send(peer, name, args, header, text);
  const wrong = await ask(given, one.type === 'integer' ? '43' : one.type === 'boolean' ? 'false' : 'there');
  judge.verdict('http/param-headers/validated', isMismatch(wrong), `a wrong ${header} gets ${inWords(wrong)}`, shown(wrong));
  const missing = await ask(given, undefined);
  judge.verdict('http/param-headers/missing-refused', isMismatch(missing), `no ${header} gets ${inWords(missing)}`, shown(missing));
  const bad = await ask(given, '=?base64?!!!?=');
  judge.verdict(
    'http/param-headers/invalid-characters',
    bad.result === undefined,
    `${header} in no Base64 gets ${inWords(bad)}`,
    shown(bad),
  );
  const { [one.property]: _, ...without } = given;
  const absent = await ask(without, undefined);
  judge.verdict('http/param-headers/absent-not-expected', !isMismatch(absent), `without the parameter: ${inWords(absent)}`, shown(absent));
  const none = await ask({ ...given, [one.property]: null }, undefined);
  judge.verdict('http/param-headers/null-not-expected', !isMismatch(none), `with null: ${inWords(none)}`, shown(none));
  if (one.type !== 'integer') return judge.inapplicable('http/headers/numeric-comparison', 'no integer is marked');
  const same = await ask(given, '42.0');
  judge.verdict('http/headers/numeric-comparison', !isMismatch(same), `42.0 in the header for 42 gets ${inWords(same)}`, shown(same));
}

function send(peer: HttpPeer, name: string, args: Json, header: string, text: string | undefined): Promise<Answer> {
  return peer.request('tools/call', { name, arguments: args }, { wild: true, headers: { 'mcp-name': headerValue(name), [header]: text } });
}

async function eras(context: ProbeContext): Promise<void> {
  const { peer, judge } = context;
  if (!isHttpPeer(peer)) return;
  if (await isDualEra(context)) {
    for (const id of ['get-405', 'session-ignored', 'last-event-id-ignored'] as const) {
      judge.inapplicable(`http/era/${id}`, 'the server serves older clients as well');
    }
    return;
  }
  for (const method of ['GET', 'DELETE'] as const) {
    const flow = peer.call(method, { headers: { accept: 'text/event-stream' }, wild: true });
    await flow.head;
    const status = flow.exchange.response?.status;
    flow.abort();
    judge.verdict('http/era/get-405', status === 405, `${method} gets HTTP ${status ?? 'nothing'}`, [flow.exchange]);
  }
  for (const [id, headers] of [
    ['session-ignored', { 'mcp-session-id': 'vivarium-none' }],
    ['last-event-id-ignored', { 'last-event-id': 'vivarium-none' }],
  ] as const) {
    const answer = await peer.request('server/discover', {}, { wild: true, headers });
    const isIgnored = answer.result !== undefined && answer.exchange?.response?.headers['mcp-session-id'] === undefined;
    judge.verdict(`http/era/${id}`, isIgnored, `it gets ${inWords(answer)}`, shown(answer));
  }
}
