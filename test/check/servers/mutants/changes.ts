// Mutants of what shows only over time or in the bytes themselves: changes nobody is told of, ends of subscriptions, names that occur twice.
import type { Meddling } from '../../pipe-target.ts';
import { asks, type Body, type Mutant, onReply, onResult, parse } from './mutant.ts';

const revision = '2025-11-25';
const modern = '2026-07-28';

/** From the second time on the list has something more. */
const grows = (kind: 'tools' | 'resources' | 'prompts', item: Body): Mutant => ({
  id: `${kind}/list-changed/sent`,
  does: `does not tell of more ${kind}`,
  revision,
  meddle: () => {
    let count = 0;
    return onResult(`${kind}/list`, (result) => {
      count += 1;
      if (count > 1) (result[kind] as Body[]).push(item);
    })();
  },
});

/** Every subscription is over at once, and this is all that is said of it. */
const ending = (last: (id: unknown, meta: Body) => Body) => (): Meddling => {
  const over = new Set<unknown>();
  return {
    out(line) {
      const message = parse(line) ?? {};
      const params = (message['params'] ?? {}) as Body;
      if (message['method'] === 'notifications/subscriptions/acknowledged') {
        const meta = params['_meta'] as Body;
        const id = meta['io.modelcontextprotocol/subscriptionId'];
        over.add(id);
        return [line, JSON.stringify(last(id, meta))];
      }
      const isAboutIt = message['method'] === 'notifications/cancelled' ? over.has(params['requestId']) : over.has(message['id']);
      return isAboutIt ? undefined : line;
    },
  };
};

export const changeMutants: readonly Mutant[] = [
  grows('tools', { name: 'late', description: 'Late', inputSchema: { type: 'object' } }),
  grows('resources', { uri: 'honest://late', name: 'late' }),
  grows('prompts', { name: 'late', description: 'Late' }),
  {
    id: 'resources/updated/sent',
    does: 'does not tell of a resource that has changed',
    revision,
    meddle: () => {
      let count = 0;
      return onReply(({ method, params, message }) => {
        if (method === 'resources/subscribe') count = 1;
        if (method !== 'resources/read' || params['uri'] !== 'honest://text' || message['result'] === undefined || count === 0)
          return message;
        count += 1;
        if (count > 2)
          ((message['result'] as Body)['contents'] as Body[])[0] = { uri: 'honest://text', mimeType: 'text/plain', text: 'Another' };
        return message;
      })();
    },
  },
  {
    id: 'sampling/messages/structured',
    does: 'samples with a result that is not what its tool gives',
    revision,
    meddle: asks('sampling/createMessage', {
      maxTokens: 9,
      tools: [
        {
          name: 'measure',
          inputSchema: { type: 'object' },
          outputSchema: { type: 'object', properties: { degrees: { type: 'number' } }, required: ['degrees'] },
        },
      ],
      messages: [
        { role: 'user', content: { type: 'text', text: 'How warm is it?' } },
        { role: 'assistant', content: { type: 'tool_use', id: 'u', name: 'measure', input: {} } },
        { role: 'user', content: { type: 'tool_result', toolUseId: 'u', content: [], structuredContent: { degrees: 'warm' } } },
      ],
    }),
  },
  {
    id: 'input/keys',
    does: 'requires two inputs under one key',
    revision: modern,
    meddle: onReply(({ message }) => {
      const requests = (message['result'] as Body | undefined)?.['inputRequests'] as Body | undefined;
      const [[key, one] = []] = Object.entries(requests ?? {});
      if (key === undefined) return message;
      const member = `${JSON.stringify(key)}:${JSON.stringify(one)}`;
      return JSON.stringify(message).replace(`{${member}`, () => `{${member},${member}`);
    }),
  },
  {
    id: 'versioning/extensions/fallback',
    does: 'answers as an extension has it',
    revision: modern,
    meddle: onReply(({ method, params, message }) => {
      const result = message['result'] as Body | undefined;
      if (method === 'server/discover' && result !== undefined) {
        (result['capabilities'] as Body)['extensions'] = { 'org.example/later': {} };
      }
      if (method !== 'tools/call' || params['name'] !== 'measure' || result === undefined) return message;
      return { ...message, result: { ...result, resultType: 'later' } };
    }),
  },
  {
    id: 'cancellation/server/teardown',
    does: 'ends subscriptions without a notification',
    revision: modern,
    meddle: ending((id, _meta) => ({ jsonrpc: '2.0', id, result: { resultType: 'complete', _meta } })),
  },
  {
    id: 'subscriptions/ended',
    does: 'ends subscriptions without an answer',
    revision: modern,
    meddle: ending((requestId, _meta) => ({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId, _meta } })),
  },
];
