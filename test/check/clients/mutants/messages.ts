// Clients whose messages are no proper ones, in any revision.
import { members } from '../model/hands.ts';
import { extra, habits, type Mutant, on, onError, onResult, sending } from './mutant.ts';

const revision = '2025-11-25';
const modern = '2026-07-28';
const isPong = (result: object): boolean => Object.keys(result).length === 0;
const isRoots = (result: Record<string, unknown>): boolean => result['roots'] !== undefined;
const note = 'notifications/roots/list_changed';
const metaKey = (key: string) =>
  on('prompts/list', (_, params) => Object.assign(params, { _meta: { ...members(params['_meta']), [key]: 1 } }));

export const messages: readonly Mutant[] = [
  {
    id: 'jsonrpc/conformance',
    does: 'sends an object that is no message',
    revision,
    hands: extra(() => ({ jsonrpc: '2.0', id: 900 })),
  },
  { id: 'jsonrpc/version', does: 'says 1.0', revision, hands: on('prompts/list', (message) => Object.assign(message, { jsonrpc: '1.0' })) },
  {
    id: 'jsonrpc/schema',
    does: 'reads a resource by a number',
    revision,
    hands: on('resources/read', (_, params) => Object.assign(params, { uri: 7 })),
  },
  { id: 'jsonrpc/utf-8', does: 'writes bytes that are no UTF-8', revision, hands: extra(() => Buffer.from([0x22, 0xff, 0x22, 0x0a])) },
  {
    id: 'jsonrpc/request/id-type',
    does: 'uses an id with a fraction',
    revision,
    hands: extra((message) => ({ ...message, id: 1.5 })),
  },
  { id: 'jsonrpc/request/id-not-null', does: 'uses the id null', revision, hands: extra((message) => ({ ...message, id: null })) },
  { id: 'jsonrpc/request/id-unique', does: 'uses an id twice', revision, hands: extra((message) => message) },
  {
    id: 'jsonrpc/request/id-in-flight',
    does: 'uses an id twice before the answer',
    revision: modern,
    also: ['progress/token/unique'],
    hands: sending((message) => (members(message['params'])['name'] === 'never_answers' ? [message, message] : [message])),
  },
  {
    id: 'jsonrpc/request/method',
    does: 'names a method by a number',
    revision,
    hands: extra(() => ({ jsonrpc: '2.0', id: 901, method: 7 })),
  },
  {
    id: 'jsonrpc/request/params',
    does: 'sends params in a list',
    revision,
    hands: extra((message) => ({ ...message, id: 902, params: [] })),
  },
  {
    id: 'jsonrpc/request/answered',
    does: 'never answers for its roots',
    revision,
    hands: sending((message) => (isRoots(members(message['result'])) ? [] : [message])),
  },
  {
    id: 'jsonrpc/response/id',
    does: 'answers under no id',
    revision,
    also: ['jsonrpc/request/answered', 'ping/answered', 'jsonrpc/notification/unanswered'],
    hands: onResult(isRoots, (_, message) => Object.assign(message, { id: null })),
  },
  {
    id: 'jsonrpc/response/once',
    does: 'answers twice',
    revision,
    hands: sending((message) => (isRoots(members(message['result'])) ? [message, message] : [message])),
  },
  {
    id: 'jsonrpc/response/solicited',
    does: 'answers what nobody asked',
    revision,
    hands: extra(() => ({ jsonrpc: '2.0', id: 'nobody', result: {} })),
  },
  {
    id: 'jsonrpc/response/result-or-error',
    does: 'gives a result and an error',
    revision,
    hands: onResult(isPong, (_, message) => Object.assign(message, { error: { code: 1, message: 'Both' } })),
  },
  {
    id: 'jsonrpc/response/result-object',
    does: 'gives a text for a result',
    revision,
    hands: onResult(isPong, (_, message) => Object.assign(message, { result: 'pong' })),
  },
  {
    id: 'jsonrpc/notification/no-id',
    does: 'gives a notification an id',
    revision,
    hands: extra(() => ({ jsonrpc: '2.0', id: 903, method: note })),
  },
  { id: 'jsonrpc/notification/unanswered', does: 'answers notifications', revision, hands: habits({ answersNotifications: true }) },
  {
    id: 'jsonrpc/notification/method',
    does: 'names a notification by a number',
    revision,
    hands: extra(() => ({ jsonrpc: '2.0', method: 7 })),
  },
  {
    id: 'jsonrpc/notification/params',
    does: 'notifies with a text',
    revision,
    hands: extra(() => ({ jsonrpc: '2.0', method: note, params: 'none' })),
  },
  {
    id: 'jsonrpc/batch/not-initialize',
    does: 'begins with a batch',
    revision: '2025-03-26',
    hands: sending((message) => (message['method'] === 'initialize' ? [[message]] : [message])),
  },
  {
    id: 'jsonrpc/batch/undefined',
    does: 'sends a batch',
    revision,
    hands: extra((message) => [{ ...message, id: 904 }]),
  },
  {
    id: 'jsonrpc/batch/received',
    does: 'does not read batches',
    revision: '2025-03-26',
    hands: habits({ batches: false }),
  },
  {
    id: 'jsonrpc/direction/no-client-responses',
    does: 'sends a response',
    revision: modern,
    also: ['jsonrpc/response/solicited'],
    hands: extra(() => ({ jsonrpc: '2.0', id: 'nobody', result: {} })),
  },
  {
    id: 'jsonrpc/result-type/absent',
    does: 'asks again when there is no resultType',
    revision: modern,
    hands: habits({ repeatsOlderResults: true }),
  },
  {
    id: 'jsonrpc/result-type/unknown',
    does: 'uses results of any type',
    revision: modern,
    hands: habits({ readsUnknownResults: true }),
  },
  { id: 'errors/shape', does: 'sends errors without a message', revision, hands: onError((error) => delete error['message']) },
  {
    id: 'errors/code-integer',
    does: 'sends codes as text',
    revision,
    also: [
      'errors/method-not-found/client',
      'sampling/errors/result-missing',
      'tasks/errors/unknown',
      'tasks/errors/cursor',
      'tasks/cancel/finished',
    ],
    hands: onError((error) => Object.assign(error, { code: String(error['code']) })),
  },
  {
    id: 'errors/message',
    does: 'sends errors of many lines',
    revision,
    hands: onError((error) => Object.assign(error, { message: 'No.\nAnd again:\nno.' })),
  },
  {
    id: 'errors/method-not-found/client',
    does: 'has another code for what it does not know',
    revision,
    hands: onError((error) => error['code'] === -32601 && Object.assign(error, { code: -32603 })),
  },
  { id: 'meta/keys/prefix', does: 'has a prefix with an empty label', revision, hands: metaKey('org..a/a') },
  { id: 'meta/keys/labels', does: 'has a label that begins with a digit', revision, hands: metaKey('1a.org/a') },
  { id: 'meta/keys/name', does: 'has a key that ends with a dash', revision, hands: metaKey('example.org/a-') },
  { id: 'meta/keys/reverse-dns', does: 'writes a domain name forwards', revision, hands: metaKey('example.com/a') },
  {
    id: 'meta/trace-context',
    does: 'has a traceparent of its own make',
    revision: modern,
    hands: on('prompts/list', (_, params) => Object.assign(members(params['_meta']), { traceparent: 'nonsense' })),
  },
  ...(
    [
      ['protocol-version', 'protocolVersion'],
      ['client-capabilities', 'clientCapabilities'],
      ['client-info', 'clientInfo'],
    ] as const
  ).map(([id, member]): Mutant => {
    return {
      id: `meta/request/${id}`,
      does: `leaves ${member} out`,
      revision: modern,
      hands: on('prompts/list', (_, params) => delete members(params['_meta'])[`io.modelcontextprotocol/${member}`]),
    };
  }),
  {
    id: 'ping/empty',
    does: 'answers pings with something',
    revision,
    hands: onResult(isPong, (result) => Object.assign(result, { pong: true })),
  },
  {
    id: 'ping/answered',
    does: 'refuses pings',
    revision,
    hands: onResult(isPong, (_, message) => {
      delete message['result'];
      message['error'] = { code: -32603, message: 'No' };
    }),
  },
];
