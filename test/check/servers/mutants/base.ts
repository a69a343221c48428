// Mutants of the base protocol: bytes, envelopes, replies, errors, the beginning.
import { after, type Body, type Mutant, onCall, onError, onReply, onResult } from './mutant.ts';

const revision = '2025-11-25';
const modern = '2026-07-28';

export const baseMutants: readonly Mutant[] = [
  { id: 'stdio/stdout-clean', does: 'prints a line when it starts', revision, meddle: () => ({ greeting: 'server is ready\n' }) },
  {
    id: 'stdio/stdout-clean',
    does: 'logs in JSON to standard output',
    revision,
    meddle: () => ({ greeting: '{"level":30,"time":1,"pid":1,"hostname":"here","msg":"server is ready"}\n' }),
  },
  {
    id: 'stdio/no-embedded-newline',
    does: 'writes lists on several lines',
    revision,
    also: ['jsonrpc/request/answered'],
    meddle: onReply(({ method, message }) =>
      method === 'resources/templates/list' ? JSON.stringify(message, null, 1).split('\n') : message,
    ),
  },
  {
    id: 'jsonrpc/utf-8',
    does: 'answers pings in Latin-1',
    revision,
    also: ['jsonrpc/request/answered', 'ping/answered', 'lifecycle/version/other'],
    meddle: () => {
      let count = 0;
      return {
        out(line) {
          if (!line.includes('"result":{}')) return line;
          count += 1;
          return count === 1 ? Buffer.from(line.replace('{}', '{"_meta":{"a":"é"}}'), 'latin1') : line;
        },
      };
    },
  },
  { id: 'stdio/exit-on-eof', does: 'stays when its input ends', revision: modern, meddle: () => ({ stays: true }) },
  {
    id: 'jsonrpc/version',
    does: 'says jsonrpc 1.0',
    revision,
    meddle: onReply(({ method, message }) => (method === 'ping' ? { ...message, jsonrpc: '1.0' } : message)),
  },
  {
    id: 'jsonrpc/conformance',
    does: 'sends an object that is no message',
    revision,
    meddle: after('tools/list', () => ({ jsonrpc: '2.0', hello: true })),
  },
  {
    id: 'jsonrpc/response/once',
    does: 'answers twice',
    revision,
    meddle: onReply(({ method, message }) => (method === 'tools/list' ? [message, message] : message)),
  },
  {
    id: 'jsonrpc/response/solicited',
    does: 'answers what nobody asked',
    revision,
    meddle: after('tools/list', () => ({ jsonrpc: '2.0', id: 'nobody', result: {} })),
  },
  {
    id: 'jsonrpc/response/id',
    does: 'answers numbers with strings',
    revision,
    also: ['jsonrpc/request/answered', 'resources/unsubscribe/answered'],
    meddle: onReply(({ method, message }) => (method === 'resources/unsubscribe' ? { ...message, id: String(message['id']) } : message)),
  },
  {
    id: 'jsonrpc/response/result-or-error',
    does: 'gives a result and an error',
    revision,
    meddle: onReply(({ method, message }) =>
      method === 'resources/unsubscribe' ? { ...message, error: { code: 1, message: 'both' } } : message,
    ),
    also: ['resources/unsubscribe/answered'],
  },
  {
    id: 'jsonrpc/response/result-object',
    does: 'gives a list as a result',
    revision,
    also: ['resources/unsubscribe/answered'],
    meddle: onReply(({ method, message }) => (method === 'resources/unsubscribe' ? { ...message, result: [] } : message)),
  },
  {
    id: 'jsonrpc/request/answered',
    does: 'never answers resources/templates/list',
    revision,
    meddle: onReply(({ method, message }) => (method === 'resources/templates/list' ? undefined : message)),
  },
  {
    id: 'jsonrpc/notification/unanswered',
    does: 'answers notifications',
    revision,
    meddle: () => ({
      out: (line) => line,
      echo: (line) => (line.includes('"notifications/roots/list_changed"') ? '{"jsonrpc":"2.0","id":null,"result":{}}' : undefined),
    }),
  },
  {
    id: 'jsonrpc/notification/no-id',
    does: 'gives notifications ids',
    revision,
    also: ['jsonrpc/schema', 'logging/shape'],
    meddle: onCall('notifications/message', (message) => ({ ...message, id: 7 })),
  },
  {
    id: 'jsonrpc/notification/params',
    does: 'sends params that are a list',
    revision,
    also: ['logging/shape'],
    meddle: onCall('notifications/message', (message) => ({ ...message, params: [] })),
  },
  {
    id: 'jsonrpc/request/id-not-null',
    does: 'asks with the id null',
    revision,
    also: ['elicitation/request/shape', 'jsonrpc/request/answered', 'cancellation/own-requests'],
    meddle: onCall('elicitation/create', (message) => ({ ...message, id: null })),
  },
  {
    id: 'jsonrpc/request/id-type',
    does: 'asks with an id of 1.5',
    revision,
    also: ['elicitation/request/shape', 'cancellation/own-requests'],
    meddle: onCall('elicitation/create', (message) => ({ ...message, id: 1.5 })),
  },
  {
    id: 'jsonrpc/request/id-unique',
    does: 'asks twice under the same id',
    revision,
    meddle: onCall('elicitation/create', (message) => [message, message]),
  },
  {
    id: 'jsonrpc/batch/undefined',
    does: 'sends a batch',
    revision,
    meddle: onReply(({ method, message }) => (method === 'prompts/list' ? JSON.stringify([message]) : message)),
  },
  {
    id: 'jsonrpc/batch/received',
    does: 'does not understand batches',
    revision: '2025-03-26',
    meddle: () => ({ in: (line) => (line.startsWith('[') ? undefined : line) }),
  },
  {
    id: 'errors/method-not-found',
    does: 'answers unknown methods with -32603',
    revision,
    meddle: onError('*', (error) => (error['code'] === -32601 ? { ...error, code: -32603 } : undefined)),
  },
  {
    id: 'errors/code-integer',
    does: 'has codes that are text',
    revision,
    also: ['errors/method-not-found'],
    meddle: onError('vivarium/no-such-method', (error) => ({ ...error, code: 'E1' })),
  },
  {
    id: 'errors/shape',
    does: 'has errors without a message',
    revision,
    meddle: onError('vivarium/no-such-method', ({ message, ...error }) => error),
  },
  {
    id: 'errors/mcp-range',
    does: 'sends -32050',
    revision: modern,
    meddle: onError('prompts/get', (error) => ({ ...error, code: -32050 })),
    also: [],
  },
  {
    id: 'errors/retired-codes',
    does: 'sends -32002',
    revision: modern,
    also: ['resources/read/not-found'],
    meddle: onError('resources/read', (error) => ({ ...error, code: -32002 })),
  },
  {
    id: 'lifecycle/result/server-info',
    does: 'does not say who it is',
    revision,
    meddle: onResult('initialize', (result) => delete result['serverInfo']),
  },
  {
    id: 'lifecycle/version/other',
    does: 'takes every version',
    revision,
    meddle: onResult('initialize', (result, params) => {
      result['protocolVersion'] = params['protocolVersion'];
    }),
  },
  {
    id: 'ping/empty',
    does: 'answers pings with something',
    revision,
    meddle: onResult('ping', (result) => Object.assign(result, { pong: true })),
  },
  {
    id: 'ping/answered',
    does: 'refuses pings',
    revision,
    meddle: onReply(({ method, message }) => (method === 'ping' ? refusal(message) : message)),
  },
  {
    id: 'discover/shape',
    does: 'lists versions as text',
    revision: modern,
    meddle: onResult('server/discover', (result) => Object.assign(result, { instructions: 7 })),
  },
  {
    id: 'jsonrpc/result-type/present',
    does: 'leaves resultType out',
    revision: modern,
    meddle: onResult('prompts/list', (result) => delete result['resultType']),
  },
  {
    id: 'jsonrpc/result-type/known',
    does: 'invents a resultType',
    revision: modern,
    meddle: onResult('prompts/list', (result) => Object.assign(result, { resultType: 'partial' })),
  },
  { id: 'caching/hints', does: 'leaves ttlMs out', revision: modern, meddle: onResult('tools/list', (result) => delete result['ttlMs']) },
  {
    id: 'caching/ttl-not-negative',
    does: 'gives a negative ttlMs',
    revision: modern,
    meddle: onResult('tools/list', (result) => Object.assign(result, { ttlMs: -1 })),
  },
  {
    id: 'versioning/unsupported',
    does: 'takes every version',
    revision: modern,
    meddle: onError('server/discover', (error) => (error['code'] === -32022 ? { ...error, code: -32602 } : undefined)),
  },
  {
    id: 'meta/request/incomplete',
    does: 'serves requests without _meta',
    revision: modern,
    also: ['stateless/no-prior-context'],
    meddle: onError('server/discover', (error) => (error['code'] === -32602 ? { resultType: 'complete' } : undefined)),
  },
  {
    id: 'meta/keys/name',
    does: 'has a key of _meta that ends with a dash',
    revision,
    meddle: onResult('tools/list', (result) => Object.assign(result, { _meta: { 'example.org/a-': 1 } })),
  },
  {
    id: 'meta/keys/labels',
    does: 'has a label that begins with a digit',
    revision,
    meddle: onResult('tools/list', (result) => Object.assign(result, { _meta: { '1a.org/a': 1 } })),
  },
  {
    id: 'meta/keys/prefix',
    does: 'has a prefix with an empty label',
    revision,
    meddle: onResult('tools/list', (result) => Object.assign(result, { _meta: { 'org..a/a': 1 } })),
  },
];

function refusal({ id }: Body): Body {
  return { jsonrpc: '2.0', id, error: { code: -32603, message: 'No' } };
}
