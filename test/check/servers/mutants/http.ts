// Mutants of Streamable HTTP with sessions, and of HTTP+SSE.
import {
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
  rewritten,
  standing,
  streaming,
} from './http-mutant.ts';

const revision = '2025-11-25';
const isCall = (arrival: Arrival, name: string): boolean => methodOf(arrival) === 'tools/call' && paramsOf(arrival)['name'] === name;
const isResumed = ({ method, headers }: Arrival): boolean => method === 'GET' && headers.has('last-event-id');
const isPlainGet = (arrival: Arrival): boolean => arrival.method === 'GET' && !isResumed(arrival);
const event = (value: unknown): string => `data: ${JSON.stringify(value)}\n\n`;

/** Sessions under other names: what the client knows becomes what the server knows. */
function renaming(name: (own: string, count: number) => string): HttpMutant['around'] {
  return () => {
    const names = new Map<string, string>();
    return async ({ headers }, next) => {
      const given = headers.get('mcp-session-id');
      const own = [...names].find(([, other]) => other === given)?.[0];
      if (own !== undefined) headers.set('mcp-session-id', own);
      const response = await next();
      const made = response.headers.get('mcp-session-id');
      if (made === null) return response;
      if (!names.has(made)) names.set(made, name(made, names.size));
      const renamed = new Headers(response.headers);
      renamed.set('mcp-session-id', names.get(made) as string);
      return new Response(response.body, { status: response.status, headers: renamed });
    };
  };
}

export const httpMutants: readonly HttpMutant[] = [
  {
    id: 'http/authentication',
    twins: ['security/local/http-restricted'],
    does: 'serves everybody',
    revision,
    around: () => (_, next) => next(),
  },
  {
    id: 'http/endpoint',
    twins: ['http/get/stream-or-405'],
    does: 'does not know its own path when it is asked by GET',
    revision,
    around: () => (arrival, next) => (isPlainGet(arrival) ? new Response(null, { status: 404 }) : next()),
  },
  { id: 'http/origin/validated', does: 'serves pages of every origin', revision, around: amending((headers) => headers.delete('origin')) },
  {
    id: 'http/origin/refused',
    does: 'refuses an origin with 400',
    revision,
    around: restating(({ headers }, status) => headers.has('origin') && status === 403, 400),
  },
  {
    id: 'http/post/accepted',
    does: 'answers notifications with 200',
    revision,
    around: restating((arrival, status) => methodOf(arrival) === 'notifications/cancelled' && status === 202, 200),
  },
  {
    id: 'http/post/refused',
    does: 'accepts notifications in no session',
    revision,
    around: restating(({ headers }) => headers.get('mcp-session-id') === 'no-such-session', 202),
  },
  {
    id: 'http/post/content-type',
    does: 'answers in a type of its own',
    revision,
    around: () => async (arrival, next) => {
      const response = await next();
      if (methodOf(arrival) !== 'prompts/list' || isStream(response)) return response;
      return new Response(response.body, { headers: { 'content-type': 'application/json-rpc' } });
    },
  },
  {
    id: 'http/get/stream-or-405',
    does: 'answers GET with a greeting',
    revision,
    around: () => (arrival, next) => (isPlainGet(arrival) ? json({ hello: true }) : next()),
    also: ['jsonrpc/conformance'],
  },
  {
    id: 'http/get/no-responses',
    does: 'responds on the stream of a GET',
    revision,
    also: ['jsonrpc/response/solicited'],
    around: () => (arrival, next) => (isPlainGet(arrival) ? standing(event({ jsonrpc: '2.0', id: 'nobody', result: {} })) : next()),
  },
  {
    id: 'http/get/unrelated',
    does: 'reports progress on the stream of a GET',
    revision,
    also: ['progress/token/in-progress', 'progress/stops', 'progress/token/known', 'progress/increases', 'http/streams/one-only'],
    around: () => (arrival, next) => {
      const params = { progressToken: 'call-0', progress: 0.5 };
      return isPlainGet(arrival) ? standing(event({ jsonrpc: '2.0', method: 'notifications/progress', params })) : next();
    },
  },
  {
    id: 'http/streams/one-only',
    does: 'tells every stream the same',
    revision,
    around: () => {
      const open = new Set<ReadableStreamDefaultController<Uint8Array>>();
      return (arrival, next) => {
        if (isPlainGet(arrival)) {
          let own: ReadableStreamDefaultController<Uint8Array> | undefined;
          const body = new ReadableStream<Uint8Array>({
            start: (controller) => {
              own = controller;
              open.add(controller);
              controller.enqueue(new TextEncoder().encode(':\n\n'));
            },
            cancel: () => void (own !== undefined && open.delete(own)),
          });
          return new Response(body, { headers: { 'content-type': 'text/event-stream' } });
        }
        if (isCall(arrival, 'measure')) {
          const told = {
            jsonrpc: '2.0',
            method: 'notifications/tools/list_changed',
            params: { _meta: { n: String(arrival.value['id']) } },
          };
          for (const one of open) one.enqueue(new TextEncoder().encode(event(told)));
        }
        return next();
      };
    },
  },
  {
    id: 'http/resume/ids-unique',
    rules: { stream: 'always' },
    does: 'gives every event the same id',
    revision,
    also: ['http/resume/other-stream'],
    around: streaming((text) => text.replaceAll(/^id: ?.*$/gm, 'id: same')),
  },
  {
    id: 'http/resume/other-stream',
    does: 'mixes streams when they are resumed',
    revision,
    also: ['jsonrpc/response/solicited'],
    around: () => async (arrival, next) => {
      const response = await next();
      if (!isResumed(arrival) || !isStream(response)) return response;
      return rewritten(response, (text) => text + event({ jsonrpc: '2.0', id: 'another', result: {} }));
    },
  },
  { id: 'http/session/visible-ascii', does: 'has a blank in session ids', revision, around: renaming((own) => `my ${own}`) },
  {
    id: 'http/session/unique-secure',
    twins: ['security/session/not-guessable'],
    does: 'counts its sessions',
    revision,
    around: renaming((_, count) => `session-of-this-server-${String(count).padStart(6, '0')}`),
  },
  {
    id: 'http/session/ended',
    does: 'does not end sessions',
    revision,
    around: () => (arrival, next) => (arrival.method === 'DELETE' ? new Response(null, { status: 204 }) : next()),
  },
  {
    id: 'http/session/required',
    does: 'answers requests without a session with 404',
    revision,
    around: restating(
      (arrival, status) => status === 400 && methodOf(arrival).endsWith('/list') && !arrival.headers.has('mcp-session-id'),
      404,
    ),
  },
  {
    id: 'http/version-header/invalid',
    does: 'takes every version in the header',
    revision,
    around: amending((headers) => headers.get('mcp-protocol-version') === '1999-01-01' && headers.delete('mcp-protocol-version')),
  },
  {
    id: 'http/version-header/absent',
    does: 'wants the version in a header',
    revision,
    around: () => (arrival, next) =>
      methodOf(arrival) === 'ping' && !arrival.headers.has('mcp-protocol-version') ? refusal(arrival, 400, -32600) : next(),
  },
  {
    id: 'http/stream/primed',
    does: 'does not prime its streams',
    revision,
    around: streaming((text, { method }) =>
      method === 'POST' ? text.replace(/^(?:id: ?[^\n]*\n|retry: ?[^\n]*\n|data: ?\n)+\n/, '') : text,
    ),
  },
  {
    id: 'http/stream/not-closed-early',
    rules: { stream: 'always' },
    does: 'ends a stream before the response',
    revision: '2025-06-18',
    around: () => async (arrival, next) => {
      const response = await next();
      if (!isStream(response) || !isCall(arrival, 'work')) return response;
      return rewritten(response, (text) => text.replaceAll(/^(?:(?:id|event):.*\n)*data: ?\{.*"result".*\n\n/gm, ''));
    },
  },
  {
    id: 'sse/message-event',
    does: 'has events of its own',
    revision: '2024-11-05',
    transport: 'sse',
    around: streaming((text) => (text.includes('-32601') ? `${text}event: note\ndata: {"a":1}\n\n` : text)),
  },
  {
    id: 'sse/stream',
    does: 'answers where it was posted to',
    revision: '2024-11-05',
    transport: 'sse',
    around: () => (arrival, next) =>
      methodOf(arrival) === 'ping' ? json({ jsonrpc: '2.0', id: arrival.value['id'], result: {} }) : next(),
  },
  {
    id: 'sse/endpoint-event',
    does: 'says something before the endpoint',
    revision: '2024-11-05',
    transport: 'sse',
    around: streaming((text) => (text.includes('event: endpoint') ? `event: hello\n\n${text}` : text)),
  },
  {
    id: 'sse/post',
    does: 'answers posts with 500',
    revision: '2024-11-05',
    transport: 'sse',
    also: ['jsonrpc/request/answered', 'ping/answered'],
    around: () => async (arrival, next) => {
      const response = await next();
      return methodOf(arrival) === 'ping' ? restated(response, 500) : response;
    },
  },
];
