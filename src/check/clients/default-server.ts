// What the server that we are offers unless a scenario says otherwise, and its ordinary answer to every request.

import type { Revision } from '../../protocol/revision.ts';
import { isModern, traitsOf } from '../model/revision.ts';
import { asRecord, type Json } from '../model/value.ts';
import type { MockReply, OfferedTool, Scenario, Turn } from './scenario.ts';

export const serverInfo: Json = { name: 'vivarium-check', version: '1.0.0' };

const text = (said: string): MockReply => ({ result: { content: [{ type: 'text', text: said }] } });

/** Arguments are in `examples`, where a test driver of the client finds them. */
export function tool(name: string, properties: Json = {}, example: Json = {}, more: Json = {}): Json {
  return {
    name,
    description: `Call ${name} with the arguments in examples.`,
    inputSchema: { type: 'object', properties, examples: [example] },
    ...more,
  };
}

export const ordinaryTools: readonly OfferedTool[] = [
  {
    tool: tool('add_numbers', { a: { type: 'number' }, b: { type: 'number' } }, { a: 5, b: 3 }),
    call: ({ params }) => text(String(Number(asRecord(params['arguments'])['a']) + Number(asRecord(params['arguments'])['b']))),
  },
  {
    tool: tool('echo', { text: { type: 'string' } }, { text: 'a fern' }),
    call: ({ params }) => text(JSON.stringify(params['arguments'] ?? {})),
  },
];

export const resources: readonly Json[] = [
  { uri: 'check://ferns', name: 'ferns', mimeType: 'text/plain' },
  { uri: 'check://mosses', name: 'mosses', mimeType: 'text/plain' },
];
export const prompts: readonly Json[] = [
  { name: 'greet', description: 'Greets' },
  { name: 'part', description: 'Says goodbye' },
];

export function capabilitiesOf({ capabilities }: Scenario, revision: Revision): Json {
  const offered: Json = {
    tools: {},
    resources: {},
    prompts: {},
    logging: {},
    ...(traitsOf(revision).completionsCapability && { completions: {} }),
  };
  return { ...offered, ...capabilities };
}

/** Of the revision that is judged: methods of others do not exist. */
export function ordinary(
  scenario: Scenario,
  revision: Revision,
  { method, params, link }: Pick<Turn, 'method' | 'params' | 'link'>,
): MockReply {
  const tools = scenario.tools?.(revision, link.origin ?? '') ?? ordinaryTools;
  switch (method) {
    case 'initialize':
      if (isModern(revision)) break;
      return { result: { protocolVersion: revision, capabilities: capabilitiesOf(scenario, revision), serverInfo } };
    case 'server/discover':
      if (!isModern(revision)) break;
      return cached({ supportedVersions: [revision], capabilities: capabilitiesOf(scenario, revision) });
    case 'ping':
    case 'logging/setLevel':
    case 'resources/subscribe':
    case 'resources/unsubscribe':
      if (isModern(revision)) break;
      return { result: {} };
    case 'tools/list':
      return cached({ tools: tools.map((one) => one.tool) });
    case 'resources/list':
      return cached({ resources });
    case 'resources/templates/list':
      return cached({ resourceTemplates: [] });
    case 'prompts/list':
      return cached({ prompts });
    case 'resources/read':
      return cached({ contents: [{ uri: params['uri'] ?? '', mimeType: 'text/plain', text: 'green' }] });
    case 'prompts/get':
      return { result: { messages: [{ role: 'user', content: { type: 'text', text: 'Hello' } }] } };
    case 'completion/complete':
      return { result: { completion: { values: [] } } };
    case 'tools/call':
      return { error: { code: -32602, message: `Unknown tool: ${String(params['name'])}` } };
    default:
  }
  return { error: { code: -32601, message: `Method not found: ${method}` } };
}

function cached(result: Json): MockReply {
  return { result: { ...result, ttlMs: 0, cacheScope: 'private' } };
}

/** With what every result of the revision has, unless the scenario gave it. */
export function completed(result: Json, revision: Revision): Json {
  if (isModern(revision)) {
    return { resultType: 'complete', ...result, _meta: { 'io.modelcontextprotocol/serverInfo': serverInfo, ...asRecord(result['_meta']) } };
  }
  const { ttlMs, cacheScope, ...rest } = result;
  return rest;
}
