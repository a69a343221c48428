// Mutants of the beginning and of the envelope that need more than one message: handshakes, requests of the server, content of prompts.
import { after, asks, type Body, type Mutant, onError, onReply, onResult, perConnection } from './mutant.ts';

const revision = '2025-11-25';
const modern = '2026-07-28';
const note = (method: string, params: Body = {}): Body => ({ jsonrpc: '2.0', method, params });

export const beginningMutants: readonly Mutant[] = [
  {
    id: 'meta/trace-context',
    does: 'has a traceparent that is none',
    revision: modern,
    meddle: onResult('prompts/list', (result) => Object.assign(result['_meta'] as Body, { traceparent: 'here' })),
  },
  {
    id: 'versioning/extensions/identifiers',
    does: 'has an extension without a prefix',
    revision: modern,
    meddle: onResult('server/discover', (result) => Object.assign(result['capabilities'] as Body, { extensions: { mine: {} } })),
  },
  {
    id: 'stateless/no-prior-context',
    does: 'remembers capabilities',
    revision: modern,
    also: ['meta/request/incomplete'],
    meddle: onReply(({ params, message }) =>
      JSON.stringify(params).includes('clientCapabilities') || message['error'] === undefined || params['_meta'] === undefined
        ? message
        : { jsonrpc: '2.0', id: message['id'], result: { resultType: 'complete' } },
    ),
  },
  {
    id: 'errors/mcp-range/meaning',
    does: 'speaks of headers on a pipe',
    revision: modern,
    meddle: onError('prompts/get', (error) => ({ ...error, code: -32020 })),
  },
  {
    id: 'json-schema/validated',
    twins: ['json-schema/dialect/2020-12'],
    does: 'misses nothing that is missing',
    revision,
    meddle: onResult(
      'tools/call',
      (result, { name, arguments: given }) =>
        name === 'greet' && JSON.stringify(given) === '{}' && Object.assign(result, { isError: false }),
    ),
  },
  {
    id: 'jsonrpc/schema',
    does: 'gives instructions in a number',
    revision,
    meddle: onResult('initialize', (result) => Object.assign(result, { instructions: 7 })),
  },
  {
    id: 'jsonrpc/request/method',
    does: 'asks by a number',
    revision,
    meddle: after('tools/list', () => ({ jsonrpc: '2.0', id: 'mine', method: 7 })),
  },
  {
    id: 'jsonrpc/notification/method',
    does: 'tells by a number',
    revision,
    meddle: after('tools/list', () => ({ jsonrpc: '2.0', method: 7 })),
  },
  {
    id: 'jsonrpc/request/params',
    does: 'asks with a list of params',
    revision,
    also: ['jsonrpc/schema'],
    meddle: () => {
      const { in: keep, out } = asks('roots/list', {})();
      return {
        in: (line) => keep?.(line),
        out(line) {
          const given = out?.(line);
          return Array.isArray(given) ? given.map((one: string) => one.replace('"params":{}', '"params":[]')) : given;
        },
      };
    },
  },
  {
    id: 'lifecycle/initialize/first',
    does: 'speaks before it is spoken to',
    revision,
    also: ['lifecycle/capabilities/respected'],
    meddle: () => ({ greeting: '{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}\n' }),
  },
  {
    id: 'lifecycle/result/protocol-version',
    does: 'does not say which version it speaks, the second time',
    revision,
    also: ['lifecycle/version/other'],
    meddle: perConnection((number) => (number === 0 ? {} : onResult('initialize', (result) => delete result['protocolVersion'])())),
  },
  {
    id: 'lifecycle/version/echoed',
    does: 'offers a version, and answers it with another',
    revision,
    meddle: onResult('initialize', (result, { protocolVersion: asked }) => {
      if (asked === '1999-01-01') result['protocolVersion'] = '2025-03-26';
      if (asked === '2025-03-26') result['protocolVersion'] = revision;
    }),
  },
  {
    id: 'discover/implemented',
    does: 'does not know server/discover',
    revision: modern,
    // What it does not tell of at all it does not declare either.
    also: ['completion/capability'],
    meddle: onReply(({ method, message }) =>
      method === 'server/discover' && message['result'] !== undefined
        ? { jsonrpc: '2.0', id: message['id'], error: { code: -32601, message: 'Method not found' } }
        : message,
    ),
  },
  {
    id: 'lifecycle/result/capabilities',
    does: 'does not tell its capabilities',
    revision,
    also: [
      ...(['tools', 'resources', 'prompts', 'completion', 'logging'] as const).map((one) => `${one}/capability` as const),
      'errors/method-not-found',
      'lifecycle/capabilities/respected',
    ],
    meddle: onResult('initialize', (result) => delete result['capabilities']),
  },
  {
    id: 'lifecycle/version/respected',
    does: 'speaks of what another revision has',
    revision: '2025-06-18',
    also: ['jsonrpc/schema'],
    meddle: after('tools/list', () => note('notifications/elicitation/complete', { elicitationId: 'e' })),
  },
  {
    id: 'lifecycle/capabilities/respected',
    does: 'tells of tools that it did not promise to tell of',
    revision,
    meddle: onReply(({ method, message }) => {
      if (method === 'initialize' && message['result'] !== undefined) ((message['result'] as Body)['capabilities'] as Body)['tools'] = {};
      return method === 'prompts/list' ? [message, note('notifications/tools/list_changed')] : message;
    }),
  },
  {
    id: 'prompts/content/audio',
    does: 'gives audio that is not base64',
    revision,
    meddle: onResult('prompts/get', (result, { name }) => {
      if (name === 'show') result['messages'] = [{ role: 'user', content: { type: 'audio', data: '<wav>', mimeType: 'audio/wav' } }];
    }),
  },
  {
    id: 'prompts/content/resource-data',
    does: 'embeds a resource without data',
    revision,
    also: ['prompts/get/shape'],
    meddle: onResult('prompts/get', (result, { name }) => {
      const resource = { uri: 'honest://text', mimeType: 'text/plain' };
      if (name === 'show') result['messages'] = [{ role: 'user', content: { type: 'resource', resource } }];
    }),
  },
];
