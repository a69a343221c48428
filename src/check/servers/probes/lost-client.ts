// A client that is lost in the middle of its calls, over HTTP of 2026-07-28: it has cancelled them, and nothing more is said of them.

import { settledWithin } from '../../../text/timeouts.ts';
import type { Message } from '../../model/trace.ts';
import { at, brief } from '../../model/value.ts';
import { noCallableTool } from '../../model/verdict.ts';
import { isHttpPeer } from '../peer/http.ts';
import type { Probe, ProbeContext } from '../probe.ts';
import { callTool, paramHeaders } from '../tool-call.ts';

const id = 'cancellation/disconnect';
const maxCalls = 4;

export const lostClientProbes: readonly Probe[] = [
  { name: 'a lost client', judges: [id], transports: ['http'], revisions: ['2026-07-28'], capability: 'tools', apart: true, run: lose },
];

async function lose({ connect, judge, calls, timeoutMs }: ProbeContext): Promise<void> {
  const some = calls.slice(0, maxCalls);
  const peer = some.length === 0 ? undefined : await connect('lost client');
  if (peer === undefined || !isHttpPeer(peer)) return judge.unsure(id, noCallableTool);
  const lost = some.map((call, index) => {
    const name = `lost-${index}`;
    return {
      name,
      ...peer.open('tools/call', { name: call.name, arguments: call.arguments }, { id: name, token: name, headers: paramHeaders(call) }),
    };
  });
  await Promise.all(lost.map(({ flow }) => settledWithin(30, flow.head)));
  for (const { flow } of lost) flow.abort();
  // What is still said of them has only the streams of others left.
  for (const [index, call] of some.entries())
    await callTool(peer, call, { token: `found-${index}`, timeoutMs: Math.min(timeoutMs, 1_000) });
  const isOfLost = ({ direction, exchange, value }: Message) =>
    direction === 'received' &&
    lost.some(({ name, flow }) => {
      const isReply = at(value, 'method') === undefined && at(value, 'id') === name;
      return exchange !== flow.exchange && (isReply || at(value, 'params', 'progressToken') === name);
    });
  const said = peer.conversation.messages.find(isOfLost);
  if (said === undefined)
    return judge.unsure(id, 'nothing more was heard of the calls, and whether work goes on inside of a server does not show');
  const [name] = [at(said.value, 'params', 'progressToken') ?? at(said.value, 'id')];
  const sent = lost.find((one) => one.name === name)?.sent ?? [];
  judge.broken(id, `after its stream was closed something is said of the request ${brief(name)}`, [...sent, said]);
}
