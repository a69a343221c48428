// The beginning of a connection: the handshake of the older revisions, or the question that stands in its place.
import { isModern } from '../../model/revision.ts';
import type { Greeting } from '../../model/rule.ts';
import type { HttpResponse } from '../../model/trace.ts';
import { asRecord, brief, isRecord, type Json } from '../../model/value.ts';
import { type Answer, clientInfo, type Peer, type Presentation, type Refused } from './peer.ts';

type Asker = Pick<Peer, 'request' | 'notify'>;

/** Why there is no conversation in this revision. */
export type NoGreeting = Pick<Refused, 'reason' | 'message'>;

export async function greet(peer: Asker, presentation: Presentation): Promise<Greeting | NoGreeting> {
  return isModern(presentation.revision) ? discover(peer, presentation) : initialize(peer, presentation);
}

export function initializeParams({ revision, capabilities }: Pick<Presentation, 'revision' | 'capabilities'>): Json {
  return { protocolVersion: revision, capabilities, clientInfo };
}

async function initialize(peer: Asker, presentation: Presentation): Promise<Greeting | NoGreeting> {
  const answer = await peer.request('initialize', initializeParams(presentation), { timeoutMs: presentation.startTimeoutMs });
  const { result } = answer;
  if (result === undefined) return unanswered('initialize', answer);
  const revision = result['protocolVersion'];
  if (revision !== presentation.revision) return refusal(`it answers ${presentation.revision} with ${brief(revision)}`);
  await peer.notify('notifications/initialized');
  return {
    capabilities: asRecord(result['capabilities']),
    info: asRecord(result['serverInfo']),
    instructions: result['instructions'],
    revision: presentation.revision,
    supported: undefined,
    result,
  };
}

async function discover(peer: Asker, presentation: Presentation): Promise<Greeting | NoGreeting> {
  const answer = await peer.request('server/discover', {}, { timeoutMs: presentation.startTimeoutMs });
  const { result } = answer;
  if (result === undefined)
    return answer.error?.code === -32601 ? undiscovered(peer, presentation, answer) : unanswered('server/discover', answer);
  const listed = Array.isArray(result['supportedVersions']) ? result['supportedVersions'].map(String) : undefined;
  if (listed !== undefined && !listed.includes(presentation.revision)) {
    return refusal(`it lists ${brief(listed)} and not ${presentation.revision}`);
  }
  const info = asRecord(result['_meta'])['io.modelcontextprotocol/serverInfo'] ?? result['serverInfo'];
  return {
    capabilities: asRecord(result['capabilities']),
    info: isRecord(info) ? info : {},
    instructions: result['instructions'],
    revision: presentation.revision,
    supported: listed,
    result,
  };
}

/** A server that speaks the revision and does not tell so: only its results have a type. What it offers is what it lists. */
async function undiscovered(peer: Asker, { revision, timeoutMs }: Presentation, refused: Answer): Promise<Greeting | NoGreeting> {
  const kinds = ['tools', 'resources', 'prompts'];
  const lists = await Promise.all(kinds.map((kind) => peer.request(`${kind}/list`, {}, { timeoutMs: Math.min(timeoutMs, 2_000) })));
  const offered = kinds.filter((kind, index) => {
    const { result } = lists[index] ?? {};
    return typeof result?.['resultType'] === 'string' && Array.isArray(result[kind]);
  });
  if (offered.length === 0) return unanswered('server/discover', refused);
  const capabilities = Object.fromEntries(offered.map((kind) => [kind, {}]));
  return { capabilities, info: {}, instructions: undefined, revision, supported: undefined, result: {} };
}

/** What a reader needs to know to give another address, or to see what stands there. */
function insteadOf({ status, headers }: HttpResponse): string {
  const { location, 'content-type': type } = headers;
  if (status >= 300 && status < 400 && location !== undefined) return `, which leads to ${brief(location)}: give that address`;
  return status === 200 ? ` and ${type === undefined ? 'no content type' : brief(type)}, and no message in it` : '';
}

export function refusal(message: string): NoGreeting {
  return { reason: 'refused', message };
}

function unanswered(method: string, { error, silence, exchange, message }: Answer): NoGreeting {
  if (error !== undefined) return refusal(`it answers ${method} with the error ${brief(error.code)} ${brief(error.message)}`);
  const response = exchange?.response;
  if (response !== undefined && message === undefined)
    return refusal(`it answers ${method} with HTTP ${response.status}${insteadOf(response)}`);
  if (silence?.reason === 'timeout') return { reason: 'timeout', message: silence.message };
  return refusal(silence?.message ?? `it answers ${method} with neither a result nor an error`);
}
