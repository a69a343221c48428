// Mutants of the features: tools, resources, prompts, completion, logging, progress, questions, subscriptions.
import { after, type Body, type Mutant, onCall, onError, onReply, onResult } from './mutant.ts';

const revision = '2025-11-25';
const modern = '2026-07-28';
const list = (result: Body, key: string): Body[] => result[key] as Body[];
const first = (result: Body, key: string): Body => list(result, key)[0] as Body;

export const featureMutants: readonly Mutant[] = [
  {
    id: 'tools/list/shape',
    does: 'has a tool whose description is a number',
    revision,
    meddle: onResult('tools/list', (result) => Object.assign(first(result, 'tools'), { description: 7 })),
  },
  {
    id: 'tools/input-schema',
    does: 'has a tool whose inputSchema is null',
    revision,
    meddle: onResult('tools/list', (result) => Object.assign(list(result, 'tools')[2] as Body, { inputSchema: null })),
  },
  {
    id: 'json-schema/valid',
    does: 'has an inputSchema of an unknown type',
    revision,
    meddle: onResult('tools/list', (result) =>
      Object.assign(list(result, 'tools')[2] as Body, { inputSchema: { type: 'object', properties: { a: { type: 'nonsense' } } } }),
    ),
  },
  {
    id: 'tools/call/shape',
    does: 'gives content of an unknown type',
    revision,
    meddle: onResult(
      'tools/call',
      (result, { name }) => name === 'greet' && result['isError'] !== true && Object.assign(result, { content: [{ type: 'song' }] }),
    ),
  },
  {
    id: 'tools/call/output-schema',
    does: 'gives a text where its schema says number',
    revision,
    meddle: onResult(
      'tools/call',
      (result, { name }) =>
        name === 'measure' &&
        result['isError'] !== true &&
        Object.assign(result, { structuredContent: { degrees: '21' }, content: [{ type: 'text', text: '{"degrees":"21"}' }] }),
    ),
  },
  {
    id: 'tools/call/inputs-validated',
    does: 'takes every argument',
    revision,
    also: ['json-schema/validated', 'json-schema/dialect/2020-12'],
    meddle: onResult('tools/call', (result) => Object.assign(result, { isError: false })),
  },
  {
    id: 'resources/list/shape',
    does: 'has a resource without a name',
    revision,
    meddle: onResult('resources/list', (result) => delete first(result, 'resources')['name']),
  },
  {
    id: 'resources/templates/shape',
    does: 'has a template without a name',
    revision,
    meddle: onResult('resources/templates/list', (result) => delete first(result, 'resourceTemplates')['name']),
  },
  {
    id: 'resources/read/shape',
    does: 'gives contents without a uri',
    revision,
    meddle: onResult('resources/read', (result) => delete first(result, 'contents')['uri']),
  },
  ...(['2024-11-05', '2025-11-25', modern] as const).map(
    (each): Mutant => ({
      id: 'resources/read/one-form',
      does: `gives text and a blob at once in ${each}`,
      revision: each,
      meddle: onResult('resources/read', (result) => Object.assign(first(result, 'contents'), { text: 'a', blob: 'YQ==' })),
    }),
  ),
  {
    id: 'resources/read/one-form',
    also: ['prompts/content/resource-data'],
    does: 'gives text and a blob at once in a result of a tool',
    revision,
    meddle: onResult('tools/call', (result) =>
      Object.assign(result, { content: [{ type: 'resource', resource: { uri: 'honest://text', text: 'a', blob: 'YQ==' } }] }),
    ),
  },
  {
    id: 'resources/security/binary',
    also: ['resources/read/shape'],
    does: 'gives a blob that is not base64',
    revision,
    meddle: onResult(
      'resources/read',
      (result) => first(result, 'contents')['blob'] !== undefined && Object.assign(first(result, 'contents'), { blob: 'ä' }),
    ),
  },
  {
    id: 'resources/read/not-found',
    does: 'answers a missing resource with -32603',
    revision: modern,
    meddle: onError('resources/read', (error) => ({ ...error, code: -32603 })),
  },
  {
    id: 'resources/read/not-empty',
    does: 'answers a missing resource with nothing',
    revision: modern,
    also: ['resources/read/not-found', 'resources/security/uris'],
    meddle: onError('resources/read', () => ({ contents: [], resultType: 'complete', ttlMs: 0, cacheScope: 'private' })),
  },
  {
    id: 'resources/security/uris',
    does: 'reads what is no URI',
    revision,
    meddle: onError('resources/read', (_, { uri }) =>
      String(uri).includes(' ') ? { contents: [{ uri: 'honest://text', text: '' }] } : undefined,
    ),
  },
  {
    id: 'resources/subscribe/answered',
    does: 'refuses subscriptions that it declares',
    revision,
    meddle: onResult('resources/subscribe', (result) => Object.assign(result, { ok: true })),
  },
  {
    id: 'resources/unsubscribe/answered',
    does: 'says more than nothing',
    revision,
    meddle: onResult('resources/unsubscribe', (result) => Object.assign(result, { ok: true })),
  },
  {
    id: 'resources/custom-scheme',
    does: 'has a URI with a blank',
    revision,
    meddle: onResult('resources/list', (result) => list(result, 'resources').push({ uri: 'honest:a b', name: 'blank' })),
  },
  {
    id: 'prompts/list/shape',
    does: 'has arguments that are an object',
    revision,
    meddle: onResult('prompts/list', (result) => Object.assign(list(result, 'prompts')[1] as Body, { arguments: {} })),
  },
  {
    id: 'prompts/get/shape',
    does: 'gives messages without a role',
    revision,
    meddle: onResult('prompts/get', (result) => delete first(result, 'messages')['role']),
  },
  {
    id: 'prompts/content/image',
    does: 'gives an image that is not base64',
    revision,
    meddle: onResult(
      'prompts/get',
      (result) =>
        (first(result, 'messages')['content'] as Body)['type'] === 'image' &&
        Object.assign(first(result, 'messages')['content'] as Body, { data: '<svg>' }),
    ),
  },
  {
    id: 'prompts/content/resource-type',
    does: 'embeds a resource without a type',
    revision,
    meddle: onResult(
      'prompts/get',
      (result) =>
        list(result, 'messages').length > 1 &&
        delete ((list(result, 'messages')[1] as Body)['content'] as { resource: Body }).resource['mimeType'],
    ),
  },
  {
    id: 'prompts/content/resource-uri',
    does: 'embeds a resource without a proper address',
    revision,
    meddle: onResult(
      'prompts/get',
      (result) =>
        list(result, 'messages').length > 1 &&
        Object.assign(((list(result, 'messages')[1] as Body)['content'] as { resource: Body }).resource, { uri: 'no address' }),
    ),
  },
  {
    id: 'completion/shape',
    does: 'completes with numbers',
    revision,
    meddle: onResult('completion/complete', (result) => Object.assign(result, { completion: { values: [1] } })),
  },
  {
    id: 'completion/most',
    does: 'completes with 101 values',
    revision,
    meddle: onResult('completion/complete', (result) =>
      Object.assign(result, { completion: { values: Array.from({ length: 101 }, (_, index) => `v${index}`) } }),
    ),
  },
  {
    id: 'logging/capability',
    does: 'logs without declaring it',
    revision,
    also: ['errors/method-not-found', 'lifecycle/capabilities/respected'],
    meddle: onReply(({ method, message }) => {
      if (method === 'initialize') delete ((message['result'] as Body)['capabilities'] as Body)['logging'];
      return method === 'tools/list'
        ? [message, { jsonrpc: '2.0', method: 'notifications/message', params: { level: 'info', data: 1 } }]
        : message;
    }),
  },
  {
    id: 'logging/shape',
    does: 'logs at a level that does not exist',
    revision,
    also: [],
    meddle: onCall('notifications/message', (message) => ({ ...message, params: { level: 'loud', data: 1 } })),
  },
  {
    id: 'logging/set-level/answered',
    does: 'answers setLevel with something',
    revision,
    meddle: onResult('logging/setLevel', (result) => Object.assign(result, { level: 'error' })),
  },
  {
    id: 'logging/request/asked-for',
    does: 'logs without being asked',
    revision: modern,
    meddle: after('tools/list', () => ({ jsonrpc: '2.0', method: 'notifications/message', params: { level: 'info', data: 'listed' } })),
  },
  {
    id: 'progress/shape',
    does: 'reports progress in words',
    revision,
    meddle: onCall('notifications/progress', (message) => ({ ...message, params: { ...(message['params'] as Body), progress: 'half' } })),
  },
  {
    id: 'progress/increases',
    does: 'reports the same progress twice',
    revision,
    meddle: onCall('notifications/progress', (message) => ({ ...message, params: { ...(message['params'] as Body), progress: 1 } })),
  },
  {
    id: 'progress/token/known',
    does: 'reports progress for a token of its own',
    revision,
    meddle: onCall('notifications/progress', (message) => ({
      ...message,
      params: { ...(message['params'] as Body), progressToken: 'mine' },
    })),
  },
  {
    id: 'progress/token/type',
    does: 'reports progress for a token that is an object',
    revision,
    meddle: onCall('notifications/progress', (message) => ({ ...message, params: { ...(message['params'] as Body), progressToken: {} } })),
  },
  {
    id: 'progress/stops',
    twins: ['progress/token/in-progress'],
    does: 'reports progress after the reply',
    revision,
    meddle: after('tools/call', ({ params }) => {
      const token = (params['_meta'] as Body | undefined)?.['progressToken'] ?? 'none';
      return token === 'none'
        ? '{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}'
        : { jsonrpc: '2.0', method: 'notifications/progress', params: { progressToken: token, progress: 99 } };
    }),
  },
  {
    id: 'tools/capability',
    does: 'has tools and does not say so',
    revision,
    also: ['errors/method-not-found', 'lifecycle/capabilities/respected'],
    meddle: onResult('initialize', (result) => delete (result['capabilities'] as Body)['tools']),
  },
  {
    id: 'prompts/capability',
    does: 'has prompts and does not say so',
    revision,
    also: ['errors/method-not-found'],
    meddle: onResult('initialize', (result) => delete (result['capabilities'] as Body)['prompts']),
  },
  {
    id: 'resources/capability',
    does: 'has resources and does not say so',
    revision,
    also: ['errors/method-not-found'],
    meddle: onResult('initialize', (result) => delete (result['capabilities'] as Body)['resources']),
  },
  {
    id: 'completion/capability',
    does: 'completes and does not say so',
    revision,
    meddle: onResult('initialize', (result) => delete (result['capabilities'] as Body)['completions']),
  },
  {
    id: 'elicitation/request/shape',
    does: 'asks with a message that is a number',
    revision,
    also: ['elicitation/request/message'],
    meddle: onCall('elicitation/create', (message) => ({ ...message, params: { ...(message['params'] as Body), message: 7 } })),
  },
  {
    id: 'elicitation/form/sensitive',
    does: 'asks for a password',
    revision,
    meddle: onCall('elicitation/create', (message) => ({
      ...message,
      params: { ...(message['params'] as Body), requestedSchema: { type: 'object', properties: { password: { type: 'string' } } } },
    })),
  },
  {
    id: 'cancellation/own-requests',
    does: 'cancels what it did not send',
    revision,
    meddle: after('tools/list', () => ({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 'yours' } })),
  },
  {
    id: 'cancellation/server/nothing-else',
    does: 'cancels a request of the client',
    revision: modern,
    also: ['cancellation/server/names-listen'],
    meddle: after('tools/list', ({ message }) => ({
      jsonrpc: '2.0',
      method: 'notifications/cancelled',
      params: { requestId: message['id'] },
    })),
  },
  {
    id: 'subscriptions/acknowledged',
    does: 'does not acknowledge subscriptions',
    revision: modern,
    meddle: onCall('notifications/subscriptions/acknowledged', () => undefined),
  },
  {
    id: 'meta/subscription-id',
    does: 'acknowledges under another id',
    revision: modern,
    also: ['subscriptions/acknowledged', 'subscriptions/listen/shape'],
    meddle: onCall('notifications/subscriptions/acknowledged', (message) => ({
      ...message,
      params: { ...(message['params'] as Body), _meta: { 'io.modelcontextprotocol/subscriptionId': 'other' } },
    })),
  },
  {
    id: 'jsonrpc/direction/no-server-requests',
    does: 'asks by a request of its own',
    revision: modern,
    also: ['input/only-way'],
    meddle: after('tools/list', () => ({ jsonrpc: '2.0', id: 'mine', method: 'roots/list' })),
  },
  {
    id: 'input/something',
    does: 'requires nothing in particular',
    revision: modern,
    meddle: onResult('tools/call', (result, { name }) => {
      if (name !== 'ask' || result['resultType'] !== 'input_required') return;
      delete result['inputRequests'];
      delete result['requestState'];
    }),
  },
  {
    id: 'input/kinds',
    also: ['tools/call/shape'],
    does: 'requires an input of its own invention',
    revision: modern,
    meddle: onResult(
      'tools/call',
      (result) =>
        result['inputRequests'] !== undefined && Object.assign(result, { inputRequests: { mine: { method: 'mine/ask', params: {} } } }),
    ),
  },
  {
    id: 'input/supported-requests',
    does: 'requires input for a list',
    revision: modern,
    meddle: onResult('prompts/list', (result) => Object.assign(result, { resultType: 'input_required', requestState: 'x' })),
    also: [],
  },
];
