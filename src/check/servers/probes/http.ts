// Streamable HTTP: the endpoint, its statuses, its doors.

import { connect as connectTcp } from 'node:net';
import { networkInterfaces } from 'node:os';
import { isLoopbackUrl } from '../../../text/loopback.ts';
import { settledWithin } from '../../../text/timeouts.ts';
import { isModern } from '../../model/revision.ts';
import type { Exchange } from '../../model/trace.ts';
import { isHttpPeer } from '../peer/http.ts';
import { inWords, type Probe, type ProbeContext, shown } from '../probe.ts';

const transports = ['http'] as const;
const stateful = ['2025-03-26', '2025-06-18', '2025-11-25'] as const;

export const httpProbes: readonly Probe[] = [
  {
    name: 'endpoint',
    judges: ['http/endpoint', 'http/get/stream-or-405'],
    transports,
    async run({ peer, judge, isModern }) {
      if (!isHttpPeer(peer)) return;
      const answer = await peer.request(isModern ? 'server/discover' : 'ping');
      judge.verdict('http/endpoint', answer.message !== undefined, `POST gets ${inWords(answer)}`, shown(answer));
      if (isModern) return;
      const exchange = await peer.listen();
      const status = exchange.response?.status;
      const isStream = status === 200 && /^text\/event-stream/i.test(exchange.response?.headers['content-type'] ?? '');
      const what = `GET gets HTTP ${status ?? exchange.failure?.message} ${exchange.response?.headers['content-type'] ?? ''}`;
      judge.verdict('http/get/stream-or-405', isStream || status === 405, what, [exchange]);
      // 405 says that there is something at this path, 404 that there is nothing.
      judge.verdict('http/endpoint', status !== 404, `POST is served, and ${what}`, [exchange]);
    },
  },
  {
    name: 'notification',
    judges: ['http/post/accepted'],
    transports,
    async run({ peer, judge }) {
      const answer = await peer.notify('notifications/cancelled', { requestId: 'vivarium-none', reason: 'nothing' });
      const { response } = answer.exchange ?? {};
      const isEmpty = response?.status === 202 && response.body.length === 0;
      judge.verdict(
        'http/post/accepted',
        isEmpty,
        `a notification gets HTTP ${response?.status} with ${response?.body.length} bytes`,
        shown(answer),
      );
    },
  },
  {
    name: 'refused notification',
    judges: ['http/post/refused'],
    transports,
    apart: true,
    async run({ connect, judge, isModern }) {
      const peer = await connect('refused notification');
      if (peer === undefined || !isHttpPeer(peer)) return;
      if (isModern || peer.session === undefined)
        return judge.unsure('http/post/refused', 'nothing is known that the server cannot accept');
      const answer = await peer.notify(
        'notifications/cancelled',
        { requestId: 'none' },
        { wild: true, headers: { 'mcp-session-id': 'no-such-session' } },
      );
      const status = answer.exchange?.response?.status ?? 0;
      judge.verdict(
        'http/post/refused',
        status >= 400,
        `a notification in a session that does not exist gets HTTP ${status}`,
        shown(answer),
      );
    },
  },
  {
    name: 'origin',
    judges: ['http/origin/validated', 'http/origin/refused'],
    transports: ['http', 'sse'],
    apart: true,
    run: origin,
  },
  {
    name: 'other addresses',
    judges: ['http/localhost'],
    transports: ['http', 'sse'],
    apart: true,
    run: addresses,
  },
  {
    name: 'version header',
    judges: ['http/version-header/invalid', 'http/version-header/absent'],
    transports,
    revisions: ['2025-06-18', '2025-11-25'],
    apart: true,
    async run({ connect, judge }) {
      const peer = await connect('version header');
      if (peer === undefined) return;
      const wrong = await peer.request('ping', undefined, { wild: true, headers: { 'mcp-protocol-version': '1999-01-01' } });
      const status = wrong.exchange?.response?.status;
      judge.verdict(
        'http/version-header/invalid',
        status === 400,
        `the version 1999-01-01 in the header gets ${inWords(wrong)}`,
        shown(wrong),
      );
      const absent = await peer.request('ping', undefined, { wild: true, headers: { 'mcp-protocol-version': undefined } });
      judge.verdict(
        'http/version-header/absent',
        absent.result !== undefined,
        `a request without the header gets ${inWords(absent)}`,
        shown(absent),
      );
    },
  },
  {
    name: 'sessions',
    judges: [
      'security/session/not-guessable',
      'http/session/unique-secure',
      'http/session/required',
      'http/session/ended',
      'http/session/delete-refused',
    ],
    transports,
    revisions: stateful,
    apart: true,
    run: sessions,
  },
];

async function origin({ connect, judge, transport, url }: ProbeContext): Promise<void> {
  const peer = await connect('origin');
  if (peer === undefined) return;
  if (transport === 'sse') return judge.unsure('http/origin/validated', 'not asked on HTTP+SSE');
  const answer = await peer.request(isModern(peer.revision) ? 'server/discover' : 'ping', undefined, {
    wild: true,
    headers: { origin: 'https://evil.example.com' },
  });
  const status = answer.exchange?.response?.status ?? 0;
  const isRefused = status >= 400;
  const what = `a request from the origin https://evil.example.com gets ${inWords(answer)}`;
  // A server for everybody may allow every origin; one on this machine must not.
  if (!isRefused && !isLoopbackUrl(url)) {
    judge.unsure('http/origin/validated', 'a public server may allow every origin');
    judge.unsure('http/origin/refused', 'a public server may allow every origin');
    return;
  }
  judge.verdict('http/origin/validated', isRefused, what, shown(answer));
  if (isRefused) judge.verdict('http/origin/refused', status === 403, what, shown(answer));
}

/** Whether the port is open on an address that other machines can reach. */
async function addresses({ judge, url }: ProbeContext): Promise<void> {
  const id = 'http/localhost';
  if (!isLoopbackUrl(url)) return judge.inapplicable(id, 'the server does not run on this machine, as far as its address tells');
  const outside = Object.values(networkInterfaces()).flatMap((list) =>
    (list ?? []).filter(({ internal, family }) => !internal && family === 'IPv4'),
  );
  const [own] = outside;
  if (own === undefined) return judge.unsure(id, 'this machine has no address that others can reach');
  const { port, protocol } = new URL(url ?? '');
  const number = Number(port === '' ? (protocol === 'https:' ? 443 : 80) : port);
  const isOpen = await new Promise<boolean>((resolve) => {
    const socket = connectTcp({ host: own.address, port: number, timeout: 1_000 });
    const end = (open: boolean) => {
      socket.destroy();
      resolve(open);
    };
    socket.once('connect', () => end(true));
    socket.once('error', () => end(false));
    socket.once('timeout', () => end(false));
  });
  judge.verdict(id, !isOpen, `the port ${number} is open on ${own.address} too`, []);
}

async function sessions({ connect, judge, capabilities }: ProbeContext): Promise<void> {
  const [peer, other] = [await connect('session'), await connect('other session')];
  if (peer === undefined || other === undefined || !isHttpPeer(peer) || !isHttpPeer(other)) return;
  const { session } = peer;
  if (session === undefined) {
    for (const id of ['unique-secure', 'required', 'ended', 'delete-refused'] as const)
      judge.inapplicable(`http/session/${id}`, 'the server gives no session id');
    return;
  }
  const isSecure = session !== other.session && session.length >= 16;
  const isMade = isRule(session, other.session ?? '');
  judge.verdict('security/session/not-guessable', !isMade, `two sessions have the ids ${session} and ${other.session}`, []);
  judge.verdict('http/session/unique-secure', isSecure && !isMade, `two sessions have the ids ${session} and ${other.session}`, []);
  // A ping may be answered to everybody.
  const method = ['tools', 'resources', 'prompts'].find((one) => capabilities[one] !== undefined);
  const without = await peer.request(
    method === undefined ? 'ping' : `${method}/list`,
    {},
    { wild: true, headers: { 'mcp-session-id': undefined } },
  );
  const status = without.exchange?.response?.status;
  judge.verdict('http/session/required', status === 400, `a request without a session id gets ${inWords(without)}`, shown(without));
  const { 'content-type': _, ...headers } = peer.headers();
  const flow = peer.call('DELETE', { headers });
  await flow.head;
  await settledWithin(3_000, flow.end);
  const ended: Exchange = flow.exchange;
  if (ended.response?.status === 405) {
    judge.kept('http/session/delete-refused', [ended]);
    return judge.unsure('http/session/ended', 'the server does not let a client end a session');
  }
  const after = await peer.request('ping', undefined, { wild: true });
  const isGone = after.exchange?.response?.status === 404;
  judge.verdict('http/session/ended', isGone, `a request in a session that was ended gets ${inWords(after)}`, [ended, ...shown(after)]);
  peer.session = undefined;
}

/** Whether one follows from the other by counting. */
function isRule(one: string, other: string): boolean {
  if (one === other || one.length < 8) return true;
  const [first, second] = [one, other].map((text) => /(?<!\d)\d+$/.exec(text)?.[0] ?? '');
  if (first === undefined || second === undefined || one.length !== other.length) return false;
  const start = one.slice(0, one.length - first.length);
  return start !== '' && start === other.slice(0, other.length - second.length) && Math.abs(Number(first) - Number(second)) < 1_000;
}
