// Mutants of what is recommended, on stdio: codes of errors, names, cursors, what is checked before it is used.
import type { RequirementId } from '../../../../src/check/model/requirement-id.ts';
import { after, type Body, type Mutant, onCall, onError, onReply, onRequest, onResult, perConnection, type Revision } from './mutant.ts';

const revision = '2025-11-25';
const modern = '2026-07-28';
const list = (result: Body, key: string): Body[] => result[key] as Body[];
const internal = (error: Body): Body => ({ ...error, code: -32603 });
const note = (method: string, params: Body = {}): Body => ({ jsonrpc: '2.0', method, params });

/** An error of one method gets another code: the id, the method, and which of its errors. */
const codes: readonly (readonly [id: RequirementId, does: string, method: string, is: (params: Body) => boolean, revision?: Revision])[] = [
  ['errors/invalid-params', 'answers wrong params', 'tools/call', ({ name }) => name === undefined],
  ['tools/call/unknown-name', 'answers unknown tools', 'tools/call', ({ name }) => name === 'vivarium-no-such-tool'],
  ['resources/read/not-found-legacy', 'answers missing resources', 'resources/read', () => true],
  ['prompts/get/unknown-name', 'answers unknown prompts', 'prompts/get', ({ name }) => name === 'vivarium-no-such-prompt'],
  [
    'prompts/get/missing-arguments',
    'answers missing arguments of prompts',
    'prompts/get',
    ({ arguments: given }) => JSON.stringify(given) === '{}',
  ],
  ['completion/errors/unknown-prompt', 'completes unknown prompts', 'completion/complete', ({ argument }) => argument !== undefined],
  ['completion/errors/missing-arguments', 'completes without an argument', 'completion/complete', ({ argument }) => argument === undefined],
  ['logging/set-level/invalid', 'answers unknown levels', 'logging/setLevel', () => true],
  ['logging/request/invalid', 'answers unknown levels of a request', 'tools/list', ({ cursor }) => cursor === undefined, modern],
  ['pagination/invalid-cursor', 'answers wrong cursors', 'tools/list', ({ cursor }) => cursor !== undefined],
];

/** A tool that nobody calls, with such a name. */
const names: readonly (readonly [id: RequirementId, does: string, name: string])[] = [
  ['tools/names/length', 'has a tool with a name of 129 characters', 'a'.repeat(129)],
  ['tools/names/characters', 'has a tool with a name beyond ASCII', 'grüßen'],
  ['tools/names/no-specials', 'has a tool with a blank in its name', 'greet all'],
  ['tools/names/unique', 'has two tools of one name', 'greet'],
];

/** In place of an error a result. */
const lenient: readonly (readonly [id: RequirementId, does: string, method: string, is: (params: Body) => boolean, result: Body])[] = [
  [
    'prompts/get/arguments-validated',
    'takes every argument of a prompt',
    'prompts/get',
    ({ arguments: given }) => typeof (given as Body | undefined)?.['topic'] === 'object',
    { messages: [] },
  ],
  [
    'completion/validated',
    'completes whatever it is asked',
    'completion/complete',
    ({ ref }) => typeof ref === 'number',
    { completion: { values: [] } },
  ],
];

export const recommendedMutants: readonly Mutant[] = [
  ...codes.map(
    ([id, does, method, is, of = revision]): Mutant => ({
      id,
      does: `${does} with -32603`,
      revision: of,
      meddle: onError(method, (error, params) => (is(params) ? internal(error) : undefined)),
    }),
  ),
  ...names.map(
    ([id, does, name]): Mutant => ({
      id,
      does,
      revision,
      meddle: onResult('tools/list', (result) => list(result, 'tools').push({ name, inputSchema: { type: 'object' } })),
    }),
  ),
  ...lenient.map(
    ([id, does, method, is, result]): Mutant => ({
      id,
      does,
      revision,
      meddle: onError(method, (_, params) => (is(params) ? result : undefined)),
    }),
  ),
  ...(['unknown', 'completed', 'malformed'] as const).map(
    (kind): Mutant => ({
      id: `cancellation/invalid/${kind}`,
      does: `answers cancellations (${kind})`,
      revision,
      meddle: () => ({
        echo(line) {
          if (!line.includes('"notifications/cancelled"')) return undefined;
          const found = line.includes('vivarium-none') ? 'unknown' : line.includes('{"no":') ? 'malformed' : 'completed';
          const isOther = line.includes('"reason"') && found !== 'unknown';
          return found === kind && !isOther ? '{"jsonrpc":"2.0","id":null,"error":{"code":-32602,"message":"No such request"}}' : undefined;
        },
      }),
    }),
  ),
  {
    id: 'errors/parse',
    does: 'answers bytes that are no JSON with -32603',
    revision,
    meddle: onError('', (error) => (error['code'] === -32700 ? internal(error) : undefined)),
  },
  {
    id: 'errors/invalid-request',
    does: 'answers what is no message with -32603',
    revision,
    meddle: onError('', (error) => (error['code'] === -32600 ? internal(error) : undefined)),
  },
  {
    id: 'errors/legacy-range',
    does: 'sends -32010',
    revision: modern,
    meddle: onError('prompts/get', (error) => ({ ...error, code: -32010 })),
  },
  {
    id: 'errors/own-codes',
    does: 'sends -32500',
    revision: modern,
    meddle: onError('prompts/get', (error) => ({ ...error, code: -32500 })),
  },
  {
    id: 'errors/message',
    does: 'explains itself at length',
    revision,
    meddle: onError('vivarium/no-such-method', (error) => ({ ...error, message: 'no '.repeat(100) })),
  },
  {
    id: 'lifecycle/before-initialized/quiet',
    does: 'asks for roots before it may',
    revision,
    meddle: () => {
      const { in: watch, out } = after('initialize', () => ({ jsonrpc: '2.0', id: 'mine', method: 'roots/list' }))();
      return { in: (line) => (line.includes('"id":"mine"') ? undefined : watch?.(line)), out: (line) => out?.(line) };
    },
  },
  {
    id: 'lifecycle/version/other-latest',
    does: 'offers its oldest version',
    revision,
    meddle: onResult('initialize', (result, { protocolVersion }) => {
      if (protocolVersion === '1999-01-01') result['protocolVersion'] = '2024-11-05';
    }),
  },
  {
    id: 'lifecycle/errors/version-mismatch',
    does: 'ends at an unknown version',
    revision,
    also: ['lifecycle/version/other', 'jsonrpc/request/answered'],
    meddle: () => ({ dies: (line) => line.includes('1999-01-01') }),
  },
  {
    id: 'discover/server-info',
    does: 'does not say who it is',
    revision: modern,
    meddle: onResult('server/discover', (result) => delete result['_meta']),
  },
  {
    id: 'meta/result/server-info',
    does: 'says who it is once only',
    revision: modern,
    meddle: onResult('prompts/list', (result) => delete result['_meta']),
  },
  {
    id: 'versioning/initialize-refused',
    does: 'refuses initialize without a word about versions',
    revision: modern,
    meddle: onReply(({ method, message }) =>
      method === 'initialize' ? { jsonrpc: '2.0', id: message['id'], error: { code: -32601, message: 'No' } } : message,
    ),
  },
  {
    id: 'stateless/many-conversations',
    does: 'serves one client on a connection',
    revision: modern,
    meddle: onReply(({ params, message }) =>
      JSON.stringify(params).includes('"name":"two"')
        ? { jsonrpc: '2.0', id: message['id'], error: { code: -32603, message: 'Somebody else' } }
        : message,
    ),
  },
  {
    id: 'stateless/any-connection',
    does: 'wants to be discovered first',
    revision: modern,
    meddle: () => {
      let isKnown = false;
      return onReply(({ method, message }) => {
        isKnown ||= method === 'server/discover';
        return isKnown || method === 'initialize'
          ? message
          : { jsonrpc: '2.0', id: message['id'], error: { code: -32603, message: 'Not discovered' } };
      })();
    },
  },
  {
    id: 'meta/keys/reverse-dns',
    does: 'writes its domain forwards',
    revision,
    meddle: onResult('tools/list', (result) => Object.assign(result, { _meta: { 'example.com/a': 1 } })),
  },
  {
    id: 'json-schema/dialect/recommended',
    does: 'has a schema of draft 7',
    revision,
    meddle: onResult('tools/list', (result) =>
      Object.assign(list(result, 'tools')[2] as Body, {
        inputSchema: { $schema: 'http://json-schema.org/draft-07/schema#', type: 'object' },
      }),
    ),
  },
  {
    id: 'tools/list/order',
    does: 'lists its tools in another order to others',
    revision: modern,
    meddle: perConnection((number) => (number === 0 ? {} : onResult('tools/list', (result) => list(result, 'tools').reverse())())),
  },
  {
    id: 'tools/names/case',
    does: 'takes names in any case',
    revision,
    meddle: onReply(({ method, params, message }) =>
      method === 'tools/call' && params['name'] === 'GREET'
        ? { jsonrpc: '2.0', id: message['id'], result: { content: [{ type: 'text', text: 'Hello' }] } }
        : message,
    ),
  },
  {
    id: 'tools/call/invalid-in-result',
    does: 'refuses arguments by an error',
    revision,
    meddle: onReply(({ method, params, message }) =>
      method === 'tools/call' && params['name'] === 'greet' && (message['result'] as Body | undefined)?.['isError'] === true
        ? { jsonrpc: '2.0', id: message['id'], error: { code: -32602, message: 'No' } }
        : message,
    ),
  },
  {
    id: 'tools/call/failure-in-result',
    does: 'fails by an error',
    revision,
    meddle: onReply(({ method, params, message }) =>
      method === 'tools/call' && params['name'] === 'measure' && params['task'] === undefined
        ? { jsonrpc: '2.0', id: message['id'], error: { code: -32603, message: 'It failed' } }
        : message,
    ),
  },
  {
    id: 'tools/call/structured-as-text',
    does: 'has its structured content in no text',
    revision,
    meddle: onResult('tools/call', (result, { name }) => name === 'measure' && Object.assign(result, { content: [] })),
  },
  {
    id: 'tools/call/embedded-capability',
    does: 'embeds resources, and declares none',
    revision,
    also: ['resources/capability', 'errors/method-not-found'],
    meddle: onReply(({ method, params, message }) => {
      const result = message['result'] as Body | undefined;
      if (method === 'initialize' && result !== undefined) delete (result['capabilities'] as Body)['resources'];
      if (method === 'tools/call' && params['name'] === 'work' && result !== undefined)
        result['content'] = [{ type: 'resource', resource: { uri: 'honest://text', text: 'A text' } }];
      return message;
    }),
  },
  {
    id: 'prompts/capability-respected',
    does: 'tells of prompts that it did not promise to tell of',
    revision,
    also: ['lifecycle/capabilities/respected'],
    meddle: onReply(({ method, message }) => {
      if (method === 'initialize' && message['result'] !== undefined) ((message['result'] as Body)['capabilities'] as Body)['prompts'] = {};
      return method === 'prompts/list' ? [message, note('notifications/prompts/list_changed')] : message;
    }),
  },
  {
    id: 'completion/errors/unsupported',
    does: 'answers completion, which it does not have, with -32603',
    revision,
    meddle: onReply(({ method, message }) => {
      if (method === 'initialize' && message['result'] !== undefined)
        delete ((message['result'] as Body)['capabilities'] as Body)['completions'];
      return method === 'completion/complete' ? { jsonrpc: '2.0', id: message['id'], error: { code: -32603, message: 'No' } } : message;
    }),
  },
  {
    id: 'logging/set-level/respected',
    does: 'logs as it likes',
    revision,
    meddle: onRequest('logging/setLevel', (message) =>
      JSON.stringify(message).includes('"error"') ? { ...message, params: { level: 'debug' } } : message,
    ),
  },
  {
    id: 'pagination/invalid-cursor/survived',
    does: 'ends at a wrong cursor',
    revision,
    also: ['pagination/invalid-cursor', 'jsonrpc/request/answered'],
    meddle: () => ({ dies: (line) => line.includes('vivarium-no-such-cursor') }),
  },
  {
    id: 'roots/list-changed/handled',
    does: 'ends when roots change',
    revision,
    also: ['jsonrpc/request/answered'],
    meddle: () => ({ dies: (line) => line.includes('"notifications/roots/list_changed"') }),
  },
  {
    id: 'elicitation/form/no-links',
    does: 'has an address in a form',
    revision,
    meddle: onCall('elicitation/create', (message) => ({
      ...message,
      params: { ...(message['params'] as Body), message: 'See https://example.com/' },
    })),
  },
  {
    id: 'input/responses/validated',
    twins: ['input/responses/malformed'],
    does: 'takes inputs that are no results',
    revision: modern,
    meddle: onError('tools/call', (_, params) =>
      JSON.stringify(params).includes('"no result"') ? { content: [], resultType: 'complete' } : undefined,
    ),
  },
  {
    id: 'input/responses/malformed',
    does: 'asks again when an input is no result',
    revision: modern,
    meddle: onError('tools/call', (_, params) =>
      JSON.stringify(params).includes('"no result"') ? { requestState: 'x', resultType: 'input_required' } : undefined,
    ),
  },
  {
    id: 'input/responses/unexpected',
    does: 'refuses inputs that it does not know',
    revision: modern,
    meddle: onReply(({ params, message }) =>
      JSON.stringify(params['inputResponses'] ?? '').includes('vivarium-none')
        ? { jsonrpc: '2.0', id: message['id'], error: { code: -32602, message: 'Unexpected' } }
        : message,
    ),
  },
  {
    id: 'input/responses/missing',
    does: 'refuses calls that lack an input',
    revision: modern,
    meddle: onReply(({ params, message }) =>
      JSON.stringify(params['inputResponses']) === '{}'
        ? { jsonrpc: '2.0', id: message['id'], error: { code: -32602, message: 'Missing' } }
        : message,
    ),
  },
];
