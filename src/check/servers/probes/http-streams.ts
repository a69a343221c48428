// Streams of the sessions of Streamable HTTP: resumed, broken off, and each message on one of them only.

import { settledWithin } from '../../../text/timeouts.ts';
import type { Exchange, StreamEvent } from '../../model/trace.ts';
import { at, brief } from '../../model/value.ts';
import { noCallableTool } from '../../model/verdict.ts';
import { type HttpPeer, isHttpPeer } from '../peer/http.ts';
import type { Probe, ProbeContext } from '../probe.ts';

const transports = ['http'] as const;
const revisions = ['2025-03-26', '2025-06-18', '2025-11-25'] as const;

const maxTries = 8;

export const streamProbes: readonly Probe[] = [
  {
    name: 'resuming a stream',
    judges: ['http/resume/offered', 'http/resume/other-stream', 'http/disconnect/not-cancel'],
    transports,
    revisions,
    apart: true,
    run: resume,
  },
  {
    name: 'two streams',
    judges: ['http/streams/one-only'],
    transports,
    revisions,
    apart: true,
    run: twoStreams,
  },
];

async function resume({ connect, judge, calls, surface }: ProbeContext): Promise<void> {
  const peer = await connect('resume');
  if (peer === undefined || !isHttpPeer(peer)) return;
  const ids = ['http/resume/other-stream', 'http/disconnect/not-cancel'] as const;
  let [call] = calls;
  let first = await streamOf(peer, call);
  // What is answered at once may have no stream, or one that need not be resumed.
  for (const other of calls.slice(1, maxTries)) {
    if (startOf(first) !== undefined) break;
    call = other;
    first = await streamOf(peer, call);
  }
  const second = await streamOf(peer, call);
  const start = startOf(first);
  if (first === undefined || second === undefined || start?.id === undefined) {
    const why =
      first === undefined && call === undefined && surface.tools.length > 0 ? noCallableTool : 'no stream of the server has event ids';
    for (const id of ids) judge.unsure(id, why);
    return;
  }
  const exchange = await replay(peer, start.id);
  if (exchange.response?.status !== 200) {
    for (const id of ids) judge.unsure(id, `a stream cannot be resumed: HTTP ${exchange.response?.status}`);
    return;
  }
  judge.kept('http/resume/offered', [exchange]);
  const own = requestId(first);
  const strange = peer.conversation.messages.filter(
    ({ exchange: on, value }) =>
      on === exchange && at(value, 'id') !== undefined && at(value, 'method') === undefined && at(value, 'id') !== own,
  );
  judge.verdict(
    'http/resume/other-stream',
    strange.length === 0,
    `the resumed stream of ${brief(own)} answers ${brief(at(strange[0]?.value, 'id'))}`,
    strange,
  );
  await disconnect(peer, call, judge);
}

/** The first event after which a stream can be resumed. */
function startOf(exchange: Exchange | undefined): StreamEvent | undefined {
  return exchange?.response?.events.find(({ id }) => id !== undefined && id !== '');
}

/** Breaks a stream off after its first event and asks for the rest. */
async function disconnect(peer: HttpPeer, call: ProbeContext['calls'][number] | undefined, judge: ProbeContext['judge']): Promise<void> {
  const id = 'http/disconnect/not-cancel';
  const { flow, id: request } = open(peer, call);
  await flow.head;
  const begun = await until(() => flow.exchange.response?.events.find((one) => one.id !== undefined && one.id !== ''), 1_000);
  flow.abort();
  if (begun?.id === undefined) return judge.unsure(id, 'the stream was over before it could be broken off');
  const { exchange } = await replayed(peer, begun.id, request);
  const reply = peer.conversation.messages.find(
    ({ exchange: on, value, direction }) =>
      direction === 'received' &&
      (on === exchange || on === flow.exchange) &&
      at(value, 'id') === request &&
      at(value, 'method') === undefined,
  );
  judge.verdict(id, reply !== undefined, 'after the connection was lost the response is not to be had', [flow.exchange, exchange]);
}

async function replayed(peer: HttpPeer, id: string, request: unknown): Promise<{ readonly exchange: Exchange }> {
  const { 'content-type': _, ...headers } = peer.headers();
  const flow = peer.call('GET', { headers: { ...headers, accept: 'text/event-stream', 'last-event-id': id } });
  await flow.head;
  await until(
    () => peer.conversation.messages.find(({ exchange, value }) => exchange === flow.exchange && at(value, 'id') === request),
    3_000,
  );
  flow.abort();
  return { exchange: flow.exchange };
}

function open(peer: HttpPeer, call: ProbeContext['calls'][number] | undefined): ReturnType<HttpPeer['open']> {
  return call === undefined ? peer.open('tools/list', {}) : peer.open('tools/call', { name: call.name, arguments: call.arguments });
}

/** A whole exchange that was answered by a stream. */
async function streamOf(peer: HttpPeer, call: ProbeContext['calls'][number] | undefined): Promise<Exchange | undefined> {
  const { flow, id } = open(peer, call);
  await flow.head;
  const isReply = ({ exchange, value }: { readonly exchange?: Exchange; readonly value: unknown }) =>
    exchange === flow.exchange && at(value, 'id') === id && at(value, 'method') === undefined;
  const isEnded = flow.end.then(() => true);
  // A stream that stays open is waited for as long as a rule takes to hold that against it.
  await Promise.race([isEnded, peer.see(isReply, 5_000)]);
  if ((await settledWithin(1_700, isEnded)) === undefined) flow.abort();
  await settledWithin(100, flow.end);
  const { response } = flow.exchange;
  return (response?.events.length ?? 0) > 0 ? flow.exchange : undefined;
}

async function replay(peer: HttpPeer, id: string): Promise<Exchange> {
  const { 'content-type': _, ...headers } = peer.headers();
  const flow = peer.call('GET', { headers: { ...headers, accept: 'text/event-stream', 'last-event-id': id } });
  await flow.head;
  await settledWithin(300, flow.end);
  flow.abort();
  return flow.exchange;
}

function requestId({ request }: Exchange): unknown {
  return at(JSON.parse(request.body?.toString('utf8') ?? 'null'), 'id');
}

async function twoStreams({ connect, judge, calls }: ProbeContext): Promise<void> {
  const id = 'http/streams/one-only';
  const peer = await connect('two streams');
  if (peer === undefined || !isHttpPeer(peer)) return;
  const listening = [await peer.listen(), await peer.listen()].filter(({ response }) => response?.status === 200);
  for (const call of calls.slice(0, 5)) await peer.request('tools/call', { name: call.name, arguments: call.arguments });
  await peer.settle();
  const seen = new Map<string, { readonly exchange: Exchange; readonly when: number }>();
  let twice = 0;
  for (const { exchange, text, direction, value, at: when } of peer.conversation.messages) {
    if (direction !== 'received' || exchange === undefined || text === undefined || at(value, 'method') === undefined) continue;
    const before = seen.get(text);
    // The same words at another time are another message.
    if (before !== undefined && before.exchange !== exchange && when - before.when < 50) {
      twice += 1;
      judge.broken(id, 'the same message on two streams', [before.exchange, exchange]);
    }
    seen.set(text, { exchange, when });
  }
  if (twice > 0) return;
  if (listening.length === 0 || seen.size === 0) judge.unsure(id, 'the server sent nothing of its own while two streams were open');
  else judge.kept(id);
}

async function until<T>(find: () => T | undefined, timeoutMs: number): Promise<T | undefined> {
  const end = performance.now() + timeoutMs;
  for (;;) {
    const found = find();
    if (found !== undefined || performance.now() > end) return found;
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}
