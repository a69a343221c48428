// One call of a tool as a proper client makes it: with the headers its schema asks for, and with answers to what it requires.

import { isModern } from '../model/revision.ts';
import type { ToolCall } from '../model/surface.ts';
import { asRecord, isRecord, type Json } from '../model/value.ts';
import { headerValue } from './peer/headers.ts';
import { resultOf } from './peer/manners.ts';
import type { Answer, Peer, SendOptions } from './peer/peer.ts';

const maxRounds = 4;

export async function callTool(peer: Peer, call: ToolCall, options: SendOptions = {}): Promise<Answer> {
  const headers = { ...paramHeaders(call), ...options.headers };
  const params: Json = { name: call.name, arguments: call.arguments };
  let answer = await peer.request('tools/call', params, { ...options, headers });
  for (let round = 0; round < maxRounds && answer.result?.['resultType'] === 'input_required'; round += 1) {
    const more = inputs(answer.result, peer.declared);
    // Each round is a separate request and needs a separate token.
    const token = options.token === undefined ? {} : { token: `${options.token}-${round}` };
    answer = await peer.request('tools/call', { ...params, ...more }, { ...options, ...token, headers });
  }
  if (answer.message === undefined && peer.gone === undefined && !isModern(peer.revision)) {
    await peer.notify('notifications/cancelled', { requestId: Number(idOf(answer)), reason: 'it takes too long' });
  }
  return answer;
}

function idOf({ sent }: Answer): unknown {
  return asRecord(sent[0]?.value)['id'];
}

/** What a client that offers everything answers to a result that requires input. */
export function inputs(result: Json, declared: Json): Json {
  const requests = Object.entries(asRecord(result['inputRequests']));
  const given = requests.flatMap(([key, one]) => {
    const { method, params } = asRecord(one);
    const made = resultOf(String(method), asRecord(params), declared);
    return made === undefined ? [] : [[key, made]];
  });
  const state = result['requestState'];
  return {
    ...(requests.length > 0 && { inputResponses: Object.fromEntries(given) }),
    ...(typeof state === 'string' && { requestState: state }),
  };
}

/** For parameters that are marked, wherever plain properties lead. */
export function paramHeaders({ tool, arguments: given }: ToolCall): Record<string, string> {
  const headers: Record<string, string> = {};
  const walk = (schema: unknown, value: unknown, depth: number): void => {
    if (depth > 8 || !isRecord(value)) return;
    for (const [name, inner] of Object.entries(asRecord(asRecord(schema)['properties']))) {
      const here = value[name];
      const mark = asRecord(inner)['x-mcp-header'];
      if (typeof mark === 'string' && mark !== '' && here !== undefined && here !== null && typeof here !== 'object') {
        headers[`mcp-param-${mark.toLowerCase()}`] = headerValue(String(here));
      }
      walk(inner, here, depth + 1);
    }
  };
  walk(tool['inputSchema'], given, 0);
  return headers;
}
