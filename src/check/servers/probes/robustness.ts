// What a server survives, and how it ends when it is told to.

import { settledWithin } from '../../../text/timeouts.ts';
import { legacy } from '../../model/requirement.ts';
import { isModern } from '../../model/revision.ts';
import { parseJson } from '../../model/trace.ts';
import { isHttpPeer } from '../peer/http.ts';
import type { Peer } from '../peer/peer.ts';
import { isSsePeer } from '../peer/sse.ts';
import { isPipePeer } from '../peer/stdio.ts';
import type { Probe, ProbeContext } from '../probe.ts';

export const robustnessProbes: readonly Probe[] = [
  {
    name: 'bytes that are no message',
    judges: ['jsonrpc/request/answered'],
    apart: 'other',
    async run(context) {
      for (const [what, bytes] of hostile) await survives(context, what, bytes);
    },
  },
  {
    name: 'many requests at once',
    judges: ['jsonrpc/request/answered'],
    apart: 'other',
    run: flood,
  },
  {
    name: 'a message in pieces',
    judges: ['jsonrpc/request/answered'],
    transports: ['stdio'],
    apart: 'other',
    async run({ other, judge, timeoutMs }) {
      const peer = await other();
      if (peer === undefined || !isPipePeer(peer)) return;
      const line = Buffer.from(`${JSON.stringify({ jsonrpc: '2.0', id: 'pièces', method: method(peer), params: paramsOf(peer) })}\n`);
      // Also in the middle of a character.
      const middle = line.indexOf(0xc3) + 1;
      peer.write([line.subarray(0, 5), line.subarray(5, middle), line.subarray(middle)]);
      const reply = await peer.see(({ value }) => (value as { id?: unknown } | null)?.id === 'pièces', timeoutMs);
      judge.verdict('jsonrpc/request/answered', reply !== undefined, 'a request that came in pieces is not answered', [
        line.toString('utf8'),
      ]);
    },
  },
  {
    name: 'SIGTERM',
    judges: ['stdio/exit-on-sigterm'],
    transports: ['stdio'],
    revisions: legacy,
    apart: true,
    run: terminate,
  },
  {
    name: 'lengths that lie',
    judges: ['jsonrpc/request/answered'],
    transports: ['http', 'sse'],
    apart: 'other',
    run: lie,
  },
];

const deep = `{"jsonrpc":"2.0","method":"notifications/vivarium","params":{"a":${'['.repeat(5_000)}${']'.repeat(5_000)}}}`;
const long = `{"jsonrpc":"2.0","method":"notifications/vivarium","params":{"a":"${'x'.repeat(1024 * 1024)}"}}`;

const hostile: readonly (readonly [what: string, bytes: Buffer])[] = [
  ['bytes that are not UTF-8', Buffer.from([0x7b, 0xff, 0xfe, 0x22, 0xc3, 0x28, 0x7d])],
  ['words', Buffer.from('this is no JSON')],
  ['half of a message', Buffer.from('{"jsonrpc":"2.0","method":')],
  ['a number', Buffer.from('42')],
  ['an empty list', Buffer.from('[]')],
  ['a message 5,000 levels deep', Buffer.from(deep)],
  ['a message of a megabyte', Buffer.from(long)],
  ['members named __proto__', Buffer.from('{"jsonrpc":"2.0","method":"__proto__","params":{"__proto__":{"a":1},"constructor":{}}}')],
];

const method = (peer: Peer): string => (isModern(peer.revision) ? 'server/discover' : 'ping');

function paramsOf(peer: Peer): object | undefined {
  if (!isModern(peer.revision)) return undefined;
  return { _meta: { 'io.modelcontextprotocol/protocolVersion': peer.revision, 'io.modelcontextprotocol/clientCapabilities': {} } };
}

async function survives({ other, judge, timeoutMs }: ProbeContext, what: string, bytes: Buffer): Promise<void> {
  const peer = await other();
  if (peer === undefined) return;
  const sent = await peer.raw(bytes, { wild: true });
  const answer = await peer.request(method(peer), undefined, { timeoutMs });
  const isWell = answer.message !== undefined;
  const why = answer.silence?.message ?? '';
  judge.verdict('jsonrpc/request/answered', isWell, `after ${what} a request is not answered: ${why}`, [
    ...sent.sent.slice(0, 1),
    ...answer.sent,
  ]);
}

async function flood({ other, judge, timeoutMs }: ProbeContext): Promise<void> {
  const peer = await other();
  if (peer === undefined) return;
  const began = performance.now();
  if ((await peer.request(method(peer), undefined, { timeoutMs })).message === undefined) return;
  // They may stand in a row, and the machine may be busy: as many as are answered in half of the time that is waited.
  const length = Math.min(100, Math.floor((2 * timeoutMs) / (performance.now() - began)));
  const answers = await Promise.all(Array.from({ length }, () => peer.request(method(peer), undefined, { timeoutMs: 4 * timeoutMs })));
  const silent = answers.filter(({ message }) => message === undefined);
  judge.verdict(
    'jsonrpc/request/answered',
    silent.length === 0,
    `of ${length} requests at once ${silent.length} are not answered`,
    // One of them alone shows nothing.
    silent.slice(0, 1).flatMap(({ sent }) => sent.map(({ text }) => `${length} times ${text ?? ''}`)),
  );
}

/** In the middle of its work; one that does not end is not asked about anything else. */
async function terminate({ connect, judge, capabilities }: ProbeContext): Promise<void> {
  const peer = await connect('SIGTERM');
  if (peer === undefined || !isPipePeer(peer)) return;
  // It kills outright there.
  if (process.platform === 'win32') return judge.unsure('stdio/exit-on-sigterm', 'there is no SIGTERM on Windows');
  const feature = ['tools', 'resources', 'prompts'].find((one) => capabilities[one] !== undefined);
  const asked = Array.from({ length: 8 }, () => (feature === undefined ? peer.request('ping') : peer.request(`${feature}/list`, {})));
  await settledWithin(100, Promise.race(asked));
  peer.signal('SIGTERM');
  const how = await peer.exit(5_000);
  await Promise.all(how === undefined ? [] : asked);
  const rest = peer.conversation.happenings.find(({ what }) => what === 'unfinished-line')?.detail ?? '';
  // What the signal itself ended could not finish anything.
  const isHalf = rest !== '' && parseJson(rest) === undefined && how?.signal === undefined;
  const evidence = isHalf ? [rest.slice(0, 400)] : [];
  judge.verdict('stdio/exit-on-sigterm', how !== undefined, 'the server runs on for 5 seconds after SIGTERM');
  if (isHalf) judge.broken('stdio/exit-on-sigterm', 'after SIGTERM the last message on standard output is half written', evidence);
}

/** By what they say of the length of a body, and its own bytes. */
const lies: readonly (readonly [what: string, headers: (length: number) => readonly string[], body?: (body: string) => string])[] = [
  ['a Content-Length above that of the body', (length) => [`Content-Length: ${length + 64}`]],
  ['a Content-Length below that of the body', (length) => [`Content-Length: ${length - 8}`]],
  ['two different lengths', (length) => [`Content-Length: ${length}`, `Content-Length: ${length + 1}`]],
  ['a Content-Length below zero', () => ['Content-Length: -1']],
  [
    'a Content-Length beside Transfer-Encoding',
    () => ['Content-Length: 5', 'Transfer-Encoding: chunked'],
    (body) => `${body.length.toString(16)}\r\n${body}\r\n0\r\n\r\n`,
  ],
];

async function lie({ other, judge, timeoutMs }: ProbeContext): Promise<void> {
  for (const [what, headers, form = (body: string) => body] of lies) {
    const peer = await other();
    if (peer === undefined || !(isHttpPeer(peer) || isSsePeer(peer))) return;
    const message = JSON.stringify({ jsonrpc: '2.0', id: 'lies', method: method(peer), params: paramsOf(peer) });
    const sent = await peer.sendMalformed(headers(message.length), form(message), 200);
    const answer = await peer.request(method(peer), undefined, { timeoutMs });
    const isWell = answer.message !== undefined;
    const why = answer.silence?.message ?? '';
    judge.verdict('jsonrpc/request/answered', isWell, `after ${what} a request is not answered: ${why}`, [sent, ...answer.sent]);
  }
}
