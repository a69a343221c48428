// HTTP+SSE of 2024-11-05: the stream, the address it names, and the posts.

import { parseJson } from '../../model/trace.ts';
import { isReply } from '../peer/peer.ts';
import { isSsePeer } from '../peer/sse.ts';
import { inWords, type Probe, shown } from '../probe.ts';

export const sseProbes: readonly Probe[] = [
  {
    name: 'stream and endpoint',
    judges: ['sse/stream', 'sse/post', 'sse/endpoint-event'],
    transports: ['sse'],
    async run({ peer, judge }) {
      if (!isSsePeer(peer)) return;
      const { response } = peer.stream.exchange;
      const type = response?.headers['content-type'] ?? '';
      judge.verdict('sse/stream', type.toLowerCase().startsWith('text/event-stream'), `the stream is ${type}`, [peer.stream.exchange]);
      const [first] = response?.events ?? [];
      const isFirst = first?.event === 'endpoint' && peer.endpoint !== undefined;
      judge.verdict('sse/endpoint-event', isFirst, 'the first event does not name the endpoint', [peer.stream.exchange]);
      const answer = await peer.request('ping');
      // What the post itself says to the request was not received on the stream.
      const elsewhere = parseJson(answer.exchange?.response?.body.toString('utf8') ?? '');
      if (answer.message?.form !== 'event' && isReply(elsewhere))
        judge.broken('sse/stream', 'a posted ping is answered by the response to the post', shown(answer));
      const status = answer.exchange?.response?.status ?? 0;
      judge.verdict(
        'sse/post',
        status >= 200 && status < 300 && answer.result !== undefined,
        `a posted ping gets ${inWords(answer)}`,
        shown(answer),
      );
    },
  },
];
