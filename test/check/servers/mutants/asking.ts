// Mutants of what a server asks and tells by itself: sampling, forms, pages, cancellations, subscriptions, inputs.
import type { RequirementId } from '../../../../src/check/model/requirement-id.ts';
import { after, asks, type Body, type Mutant, onCall, onError, onReply } from './mutant.ts';

const revision = '2025-11-25';
const modern = '2026-07-28';
const subscriptionId = 'io.modelcontextprotocol/subscriptionId';
const note = (method: string, params: Body = {}): Body => ({ jsonrpc: '2.0', method, params });
const said = { role: 'user', content: { type: 'text', text: 'Hello' } };
const use = { role: 'assistant', content: { type: 'tool_use', id: 'u', name: 't', input: {} } };
const outcome = { type: 'tool_result', toolUseId: 'u', content: [] };
const schema = { type: 'object', properties: {} };

/** A question of the server, by a request of its own. */
const questions: readonly (readonly [id: RequirementId, does: string, method: string, params: Body, also?: readonly RequirementId[]])[] = [
  ['sampling/request/shape', 'samples without maxTokens', 'sampling/createMessage', { messages: [said] }],
  [
    'sampling/messages/results-only',
    'mixes results of tools with words',
    'sampling/createMessage',
    { maxTokens: 9, messages: [said, use, { role: 'user', content: [outcome, { type: 'text', text: 'and' }] }] },
  ],
  [
    'sampling/messages/balance',
    'leaves a use of a tool without a result',
    'sampling/createMessage',
    { maxTokens: 9, messages: [said, use, said] },
  ],
  [
    'sampling/context/avoided',
    'asks for the context of all servers',
    'sampling/createMessage',
    { maxTokens: 9, messages: [said], includeContext: 'allServers' },
  ],
  [
    'elicitation/request/message',
    'asks without a message',
    'elicitation/create',
    { requestedSchema: schema },
    ['elicitation/request/shape'],
  ],
  ['elicitation/form/params', 'asks by a form without a schema', 'elicitation/create', { message: 'Name?' }, ['elicitation/request/shape']],
  [
    'elicitation/url/params',
    'asks for a page without its address',
    'elicitation/create',
    { mode: 'url', message: 'Go', elicitationId: 'e' },
    ['elicitation/request/shape'],
  ],
  [
    'elicitation/url/valid',
    'asks for a page at no address',
    'elicitation/create',
    { mode: 'url', message: 'Go', elicitationId: 'e', url: 'no address' },
    ['elicitation/request/shape'],
  ],
  [
    'elicitation/url/https',
    'asks for a page without encryption',
    'elicitation/create',
    { mode: 'url', message: 'Go', elicitationId: 'e', url: 'http://example.com/' },
  ],
  [
    'tasks/augment/declared',
    'asks for a task of a client without tasks',
    'sampling/createMessage',
    { maxTokens: 9, messages: [said], task: {} },
  ],
  ['tasks/augment/undeclared', 'asks for a form as a task', 'elicitation/create', { message: 'Name?', requestedSchema: schema, task: {} }],
  [
    'tasks/related/not-in-requests',
    'names the task twice',
    'tasks/get',
    { taskId: 't', _meta: { 'io.modelcontextprotocol/related-task': { taskId: 't' } } },
  ],
];

/** An input that is required beside, or in place of, the one the server wants, of a client with or without capabilities. */
const inputs: readonly (readonly [
  id: RequirementId,
  does: string,
  isBare: boolean,
  method: string,
  params: Body,
  also?: readonly RequirementId[],
])[] = [
  [
    'sampling/messages/role',
    'samples for nobody',
    false,
    'sampling/createMessage',
    { maxTokens: 9, messages: [{ role: 'system', content: said.content }] },
    ['tools/call/shape'],
  ],
  [
    'sampling/tools/undeclared',
    'sends tools for sampling to everybody',
    true,
    'sampling/createMessage',
    { maxTokens: 9, messages: [said], tools: [] },
    ['input/undeclared', 'meta/capability/undeclared'],
  ],
  ['roots/list/undeclared', 'asks everybody for roots', true, 'roots/list', {}, ['input/undeclared', 'meta/capability/undeclared']],
  [
    'elicitation/modes/undeclared',
    'sends forms to everybody',
    true,
    'elicitation/create',
    { message: 'Name?', requestedSchema: schema },
    ['input/undeclared', 'meta/capability/undeclared'],
  ],
];

export const askingMutants: readonly Mutant[] = [
  ...questions.map(([id, does, method, params, also = []]): Mutant => ({ id, does, revision, also, meddle: asks(method, params) })),
  ...inputs.map(
    ([id, does, isBare, method, params, also = []]): Mutant => ({
      id,
      does,
      revision: modern,
      also,
      meddle: onReply((reply) => {
        const { method: asked, message } = reply;
        if (asked !== 'tools/call' || reply.params['name'] !== 'ask' || isOfBare(reply.params) !== isBare) return message;
        if (reply.params['inputResponses'] !== undefined) return message;
        const result = { resultType: 'input_required', inputRequests: { extra: { method, params } } };
        return { jsonrpc: '2.0', id: message['id'], result };
      }),
    }),
  ),
  {
    id: 'input/undeclared',
    twins: ['meta/capability/undeclared'],
    does: 'asks everybody',
    revision: modern,
    also: ['elicitation/modes/undeclared'],
    meddle: () => ({
      in: (line) =>
        line.includes('"name":"ask"') && line.includes('clientCapabilities":{}')
          ? line.replace('clientCapabilities":{}', 'clientCapabilities":{"elicitation":{}}')
          : line,
    }),
  },
  {
    id: 'meta/capability/missing',
    does: 'does not say which capability is missing',
    revision: modern,
    meddle: onError('tools/call', ({ data: _, ...error }) => (error['code'] === -32021 ? error : undefined)),
  },
  {
    id: 'elicitation/complete/id',
    does: 'tells of a page that nobody was sent to',
    revision,
    meddle: after('tools/list', () => note('notifications/elicitation/complete', { elicitationId: 'nobody' })),
  },
  {
    id: 'elicitation/required/list',
    does: 'requires pages, and names none',
    revision,
    meddle: onError('prompts/get', (error) => ({ ...error, code: -32042, data: { elicitations: [] } })),
  },
  {
    id: 'elicitation/required/url-mode',
    does: 'requires a form by an error',
    revision,
    meddle: onError('prompts/get', (error) => ({ ...error, code: -32042, data: { elicitations: [{ mode: 'form', message: 'Name?' }] } })),
  },
  {
    id: 'elicitation/declined',
    does: 'is silent when a user declines',
    revision: modern,
    meddle: () => ({ in: (line) => (line.includes('"action":"decline"') ? undefined : line) }),
  },
  {
    id: 'cancellation/request-id/given',
    does: 'cancels nothing in particular',
    revision,
    meddle: after('tools/list', () => note('notifications/cancelled')),
  },
  {
    id: 'cancellation/request-id/no-task',
    twins: ['cancellation/tasks'],
    does: 'cancels a task by a notification',
    revision,
    meddle: asks('sampling/createMessage', { maxTokens: 9, messages: [said], task: {} }, [
      note('notifications/cancelled', { requestId: 'mine' }),
    ]),
  },
  {
    id: 'cancellation/in-progress',
    does: 'cancels what was answered',
    revision,
    meddle: () => {
      const { in: keep, out } = asks('ping', {}, [note('notifications/cancelled', { requestId: 'mine' })])();
      let held: string | undefined;
      return {
        in: (line) => keep?.(line),
        out(line) {
          const given = out?.(line);
          if (Array.isArray(given)) {
            held = given.at(-1) as string;
            return given.slice(0, -1);
          }
          // With something that is sent much later.
          if (held === undefined || !line.includes('-32601') || given === undefined) return given;
          const late = held;
          held = undefined;
          return [line, late];
        },
      };
    },
  },
  {
    id: 'cancellation/races',
    does: 'ends at a late cancellation',
    revision,
    also: ['jsonrpc/request/answered'],
    meddle: () => ({ dies: (line) => line.includes('"notifications/cancelled"') && line.includes('vivarium-none') }),
  },
  {
    id: 'cancellation/server/names-listen',
    does: 'cancels what nobody asked',
    revision: modern,
    meddle: after('tools/list', () => note('notifications/cancelled', { requestId: 'nobody' })),
  },
  {
    id: 'cancellation/no-response',
    does: 'answers what was cancelled',
    revision,
    meddle: answersCancelled,
  },
  {
    id: 'stdio/cancellation/silent',
    twins: ['cancellation/no-response'],
    does: 'answers what was cancelled',
    revision: modern,
    meddle: answersCancelled,
  },
  {
    id: 'progress/token/unique',
    does: 'gives a token twice',
    revision,
    meddle: asks('ping', { _meta: { progressToken: 1 } }, [
      { jsonrpc: '2.0', id: 'mine-too', method: 'ping', params: { _meta: { progressToken: 1 } } },
    ]),
  },
  {
    id: 'subscriptions/listen/shape',
    does: 'acknowledges in words',
    revision: modern,
    meddle: onCall('notifications/subscriptions/acknowledged', (message) => ({
      ...message,
      params: { ...(message['params'] as Body), notifications: 'all' },
    })),
  },
  {
    id: 'subscriptions/requested-only',
    does: 'tells of a resource that nobody subscribed to',
    revision: modern,
    meddle: onCall('notifications/subscriptions/acknowledged', (message) => [
      message,
      note('notifications/resources/updated', { uri: 'honest://picture', _meta: tag(message) }),
    ]),
  },
  {
    id: 'subscriptions/nothing-before',
    does: 'tells of changes before it acknowledges',
    revision: modern,
    also: ['subscriptions/acknowledged'],
    meddle: onCall('notifications/subscriptions/acknowledged', (message) => [
      note('notifications/tools/list_changed', { _meta: tag(message) }),
      message,
    ]),
  },
  {
    id: 'input/only-way',
    twins: ['jsonrpc/direction/no-server-requests'],
    does: 'pings its client',
    revision: modern,
    meddle: after('tools/list', () => ({ jsonrpc: '2.0', id: 'mine', method: 'ping' })),
  },
  {
    id: 'input/state/verified',
    twins: ['input/state/untrusted'],
    does: 'takes every requestState',
    revision: modern,
    meddle: () => {
      const given = new Set<unknown>();
      return onReply(({ params, message }) => {
        const state = (message['result'] as Body | undefined)?.['requestState'];
        if (state !== undefined) given.add(state);
        if (message['error'] === undefined || params['requestState'] === undefined || given.has(params['requestState'])) return message;
        return { jsonrpc: '2.0', id: message['id'], result: { content: [], resultType: 'complete' } };
      })();
    },
  },
  {
    id: 'logging/request/same-stream',
    does: 'logs to a subscription',
    revision: modern,
    meddle: onCall('notifications/message', (message) => ({
      ...message,
      params: { ...(message['params'] as Body), _meta: { [subscriptionId]: 'another' } },
    })),
  },
  {
    id: 'resources/updated/shape',
    does: 'tells that something has changed',
    revision,
    meddle: after('resources/subscribe', () => note('notifications/resources/updated')),
  },
];

function isOfBare(params: Body): boolean {
  return JSON.stringify(params['_meta'] ?? {}).includes('clientCapabilities":{}');
}

function tag(message: Body): Body {
  return { [subscriptionId]: ((message['params'] as Body)['_meta'] as Body)[subscriptionId] };
}

/** It never hears of the cancellation, and is slow. */
function answersCancelled(): ReturnType<Mutant['meddle']> {
  return {
    in: (line) => (line.includes('"notifications/cancelled"') && line.includes('"cancelled-') ? undefined : line),
    later: (line) => (line.includes('"id":"cancelled-') ? 250 : 0),
  };
}
