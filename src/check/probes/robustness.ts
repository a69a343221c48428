// A server on a pipe: how it ends, and what it survives.
import { isModern, type Peer } from '../peer/peer.ts';
import { isPipePeer } from '../peer/stdio.ts';
import type { Context, Probe } from '../probe.ts';

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
    async run({ other, judge }) {
      const peer = await other();
      if (peer === undefined || !isPipePeer(peer)) return;
      const line = Buffer.from(`${JSON.stringify({ jsonrpc: '2.0', id: 'pièces', method: method(peer), params: paramsOf(peer) })}\n`);
      // Also in the middle of a character.
      const middle = line.indexOf(0xc3) + 1;
      peer.write([line.subarray(0, 5), line.subarray(5, middle), line.subarray(middle)]);
      const reply = await peer.see(({ value }) => (value as { id?: unknown } | null)?.id === 'pièces', 2_000);
      judge.verdict('jsonrpc/request/answered', reply !== undefined, 'a request that came in pieces is not answered', [
        line.toString('utf8'),
      ]);
    },
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

async function survives({ other, judge, patience }: Context, what: string, bytes: Buffer): Promise<void> {
  const peer = await other();
  if (peer === undefined) return;
  const sent = await peer.raw(bytes, { wild: true });
  const answer = await peer.request(method(peer), undefined, { patience });
  const isWell = answer.message !== undefined;
  const why = answer.silence ?? '';
  judge.verdict('jsonrpc/request/answered', isWell, `after ${what} a request is not answered: ${why}`, [
    ...sent.sent.slice(0, 1),
    ...answer.sent,
  ]);
}

async function flood({ other, judge }: Context): Promise<void> {
  const peer = await other();
  if (peer === undefined) return;
  const answers = await Promise.all(Array.from({ length: 100 }, () => peer.request(method(peer))));
  const silent = answers.filter(({ message }) => message === undefined);
  judge.verdict(
    'jsonrpc/request/answered',
    silent.length === 0,
    `of 100 requests at once ${silent.length} are not answered`,
    silent[0]?.sent ?? [],
  );
}
