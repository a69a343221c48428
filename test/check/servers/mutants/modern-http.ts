// Mutants of 2026-07-28 over HTTP: headers that repeat the body, statuses, and no sessions.
import {
  type Around,
  type Arrival,
  amending,
  type HttpMutant,
  isStream,
  json,
  methodOf,
  paramsOf,
  refusal,
  restated,
  restating,
  streaming,
} from './http-mutant.ts';
import type { Body } from './mutant.ts';

const revision = '2026-07-28';
const version = 'mcp-protocol-version';
const isOld = (arrival: Arrival): boolean => methodOf(arrival) === 'initialize';

/** Responses with such an error have another status. */
function statusOf(code: number, status: number): HttpMutant['around'] {
  return () => async (_, next) => {
    const response = await next();
    if (response.status < 400) return response;
    const text = await response.text();
    return new Response(text, { status: text.includes(`"code":${code}`) ? status : response.status, headers: response.headers });
  };
}

/** Of this revision alone; what it does otherwise is done by `own`, which may leave it to the server. */
function alone(own: (arrival: Arrival, next: () => Promise<Response>) => Response | Promise<Response> | undefined): HttpMutant['around'] {
  return () => (arrival, next) => {
    const given = own(arrival, next);
    if (given !== undefined) return given;
    if (arrival.method !== 'POST') return new Response(null, { status: 405, headers: { allow: 'POST' } });
    if (isOld(arrival)) return refusal(arrival, 400, -32022, 'Only 2026-07-28 is supported');
    arrival.headers.delete('mcp-session-id');
    arrival.headers.delete('last-event-id');
    return next();
  };
}

/** What a server with a marked parameter checks; each mutant lacks one of these. */
type Laxity = 'validated' | 'missing-refused' | 'invalid-characters' | 'absent-not-expected' | 'null-not-expected' | 'numeric-comparison';
const marked = {
  name: 'marked',
  annotations: { readOnlyHint: true },
  inputSchema: { type: 'object', properties: { size: { type: 'integer', 'x-mcp-header': 'Size' } } },
};

/** A server with one more tool, whose parameter is repeated in a header. */
function withMarked(lax: Laxity | undefined): HttpMutant['around'] {
  return () => async (arrival, next) => {
    if (methodOf(arrival) === 'tools/call' && paramsOf(arrival)['name'] === 'marked') return callMarked(arrival, lax);
    const response = await next();
    if (methodOf(arrival) !== 'tools/list' || response.status !== 200 || isStream(response)) return response;
    const message = (await response.json()) as { result?: { tools?: Body[] } };
    message.result?.tools?.push(marked);
    return json(message);
  };
}

function callMarked(arrival: Arrival, lax: Laxity | undefined): Response {
  const header = arrival.headers.get('mcp-param-size');
  const { size } = (paramsOf(arrival)['arguments'] ?? {}) as Body;
  const mismatch = (): Response => refusal(arrival, 400, -32020, 'Header mismatch');
  const result = { content: [{ type: 'text', text: 'done' }], resultType: 'complete' };
  const done = (isError = false): Response => json({ jsonrpc: '2.0', id: arrival.value['id'], result: { ...result, isError } });
  if (size === undefined) return lax === 'absent-not-expected' ? mismatch() : done();
  if (size === null) return lax === 'null-not-expected' ? mismatch() : done(true);
  if (header === null) return lax === 'missing-refused' ? done(typeof size !== 'number') : mismatch();
  if (header.startsWith('=?base64?!')) return lax === 'invalid-characters' ? done() : mismatch();
  const isSame = lax === 'numeric-comparison' ? header === String(size) : Number(header) === size;
  if (!isSame) return lax === 'validated' && Number.isInteger(size) ? done() : mismatch();
  return done(typeof size !== 'number');
}

const laxities: readonly (readonly [Laxity, string])[] = [
  ['validated', 'does not compare a parameter with its header'],
  ['missing-refused', 'does not miss the header of a parameter'],
  ['invalid-characters', 'takes a header that is no Base64'],
  ['absent-not-expected', 'wants a header for a parameter that is not given'],
  ['null-not-expected', 'wants a header for null'],
  ['numeric-comparison', 'compares numbers as text'],
];

export const modernHttpMutants: readonly HttpMutant[] = [
  ...laxities.map(
    ([lax, does]): HttpMutant => ({
      id: lax === 'numeric-comparison' ? `http/headers/${lax}` : `http/param-headers/${lax}`,
      does,
      revision,
      around: withMarked(lax),
    }),
  ),
  {
    id: 'meta/request/incomplete-status',
    does: 'answers requests without _meta with 200',
    revision,
    around: restating(({ value }) => String(value['id']).startsWith('without-'), 200),
  },
  { id: 'meta/capability/missing-status', does: 'answers a missing capability with 200', revision, around: statusOf(-32021, 200) },
  { id: 'http/method-not-found', does: 'answers unknown methods with 200', revision, around: statusOf(-32601, 200) },
  { id: 'http/version-header/unsupported', does: 'answers unknown versions with 404', revision, around: statusOf(-32022, 404) },
  {
    id: 'http/version-header/mismatch',
    does: 'does not compare versions',
    revision,
    around: amending((headers, arrival) => {
      const meta = paramsOf(arrival)['_meta'] as Body | undefined;
      if (headers.get(version) === '2025-11-25' && meta !== undefined)
        headers.set(version, String(meta['io.modelcontextprotocol/protocolVersion']));
    }),
  },
  {
    id: 'http/version-header/missing',
    does: 'does not miss the version in the header',
    revision,
    around: alone(({ headers, value }) => {
      if (value['method'] === 'server/discover' && !headers.has(version)) headers.set(version, revision);
      return undefined;
    }),
  },
  {
    id: 'http/era/get-405',
    does: 'answers GET with 404',
    revision,
    around: alone(({ method }) => (method === 'GET' ? new Response(null, { status: 404 }) : undefined)),
  },
  {
    id: 'http/era/session-ignored',
    does: 'refuses session ids',
    revision,
    around: alone((arrival) => (arrival.headers.has('mcp-session-id') ? refusal(arrival, 400, -32600) : undefined)),
  },
  {
    id: 'http/era/last-event-id-ignored',
    does: 'refuses ids of events',
    revision,
    around: alone((arrival) => (arrival.headers.has('last-event-id') ? refusal(arrival, 400, -32600) : undefined)),
  },
  {
    id: 'http/headers/case',
    does: 'compares names of headers with their case',
    revision,
    around: () => (arrival, next) => (arrival.raw.includes('MCP-METHOD') ? refusal(arrival, 400, -32020) : next()),
  },
  {
    id: 'http/headers/mismatch',
    twins: ['http/headers/mismatch-error'],
    does: 'does not read Mcp-Method',
    revision,
    around: amending((headers, arrival) => headers.has(version) && headers.set('mcp-method', methodOf(arrival))),
  },
  {
    id: 'http/headers/mismatch-error',
    does: 'refuses a wrong Mcp-Method with -32600',
    revision,
    around:
      () =>
      async (arrival, next): Promise<Response> => {
        const response = await next();
        const isWrong = arrival.headers.get('mcp-method') !== methodOf(arrival) && response.status === 400;
        return isWrong && methodOf(arrival) === 'server/discover' && arrival.headers.has('mcp-method')
          ? refusal(arrival, 400, -32600)
          : response;
      },
  },
  {
    id: 'http/headers/decoded',
    does: 'does not decode names',
    revision,
    around: (): Around => (arrival, next) =>
      arrival.headers.get('mcp-name')?.startsWith('=?base64?') === true ? refusal(arrival, 400, -32020) : next(),
  },
  {
    id: 'http/stream/accel-buffering',
    does: 'lets proxies hold its streams',
    revision,
    around: () => async (_, next) => {
      const response = await next();
      if (!isStream(response)) return response;
      const changed = restated(response, 200);
      changed.headers.delete('x-accel-buffering');
      return changed;
    },
  },
  {
    id: 'http/stream/related',
    does: 'reports the progress of another request',
    revision,
    also: ['progress/stops', 'progress/token/in-progress', 'progress/increases', 'progress/token/known'],
    around: streaming((text) => text.replaceAll('"progressToken":"call-2"', '"progressToken":"call-3"')),
  },
];
