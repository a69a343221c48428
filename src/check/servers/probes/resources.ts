// Resources: reading what is listed, what is not there, and what must not be read.

import { asList } from '../../model/value.ts';
import { inWords, isSlow, type Probe, type ProbeContext, shown, slow } from '../probe.ts';
import { callTool } from '../tool-call.ts';

const capability = 'resources';
const maxReads = 8;

export const resourceProbes: readonly Probe[] = [
  {
    name: 'reading',
    judges: ['resources/read/shape'],
    capability,
    async run({ peer, surface, judge, timeoutMs }) {
      const uris = surface.resources.map(({ uri }) => uri).filter((uri) => typeof uri === 'string');
      if (uris.length === 0) return judge.unsure('resources/read/shape', 'the server lists no resource');
      for (const uri of uris.slice(0, maxReads)) await peer.request('resources/read', { uri }, { timeoutMs: Math.min(timeoutMs, 3_000) });
    },
  },
  {
    name: 'a resource that is not there',
    judges: ['resources/read/not-found', 'resources/read/not-found-legacy', 'resources/read/not-empty', 'resources/security/uris'],
    capability,
    run: notThere,
  },
  {
    name: 'a path out of the folder',
    judges: ['resources/security/traversal'],
    revisions: ['2026-07-28'],
    capability,
    async run({ peer, surface, judge }) {
      const id = 'resources/security/traversal';
      const file = surface.resources.map(({ uri }) => String(uri)).find((uri) => uri.startsWith('file://'));
      if (file === undefined) return judge.unsure(id, 'the server lists no file');
      const folder = file.slice(0, file.lastIndexOf('/'));
      for (const path of ['/../../../../../../../../etc/hostname', '/%2e%2e/%2e%2e/%2e%2e/%2e%2e/%2e%2e/%2e%2e/etc/hostname'] as const) {
        const answer = await peer.request('resources/read', { uri: folder + path }, { wild: true });
        const isRefused = answer.error !== undefined || asList(answer.result?.['contents']).length === 0;
        judge.verdict(id, isRefused, `${path} is read: ${inWords(answer)}`, shown(answer));
      }
    },
  },
  {
    name: 'subscribing',
    judges: ['resources/subscribe/answered', 'resources/unsubscribe/answered'],
    revisions: ['2024-11-05', '2025-03-26', '2025-06-18', '2025-11-25'],
    capability: 'resources.subscribe',
    async run({ peer, surface, judge, calls, timeoutMs }) {
      const uri = surface.resources.map((one) => one['uri']).find((one) => typeof one === 'string');
      // Whether it changes, and whether that is told, is for a rule to see.
      const readAgain = async (): Promise<void> => {
        const read = () => peer.request('resources/read', { uri }, { timeoutMs: Math.min(timeoutMs, 1_000) });
        const first = await read();
        if (first.result === undefined) return;
        await Promise.all(calls.slice(0, 3).map((call) => callTool(peer, call, { timeoutMs: Math.min(timeoutMs, 1_000) })));
        const second = await read();
        if (JSON.stringify(second.result?.['contents']) !== JSON.stringify(first.result['contents'])) await read();
      };
      for (const what of ['subscribe', 'unsubscribe'] as const) {
        const id = `resources/${what}/answered` as const;
        if (uri === undefined) judge.unsure(id, 'the server lists no resource');
        else {
          const answer = await peer.request(`resources/${what}`, { uri });
          const isEmpty = answer.result !== undefined && Object.keys(answer.result).every((key) => key === '_meta');
          judge.verdict(id, isEmpty, `resources/${what} gets ${inWords(answer)}`, shown(answer));
          if (what === 'subscribe' && isEmpty) await readAgain();
        }
      }
    },
  },
];

async function notThere({ peer, judge, isModern, surface }: ProbeContext): Promise<void> {
  // In a scheme the server has, so that it cannot be refused for that.
  const known = surface.resources.map(({ uri }) => String(uri))[0];
  const uri =
    known?.includes('://') === true ? `${known.slice(0, known.indexOf('://'))}://vivarium-no-such-resource` : 'vivarium://no-such-resource';
  const answer = await peer.request('resources/read', { uri });
  const { code } = answer.error ?? {};
  if (isModern)
    judge.verdict('resources/read/not-found', code === -32602, `a resource that is not there gets ${inWords(answer)}`, shown(answer));
  else
    judge.verdict(
      'resources/read/not-found-legacy',
      code === -32002,
      `a resource that is not there gets ${inWords(answer)}`,
      shown(answer),
    );
  const isEmpty = Array.isArray(answer.result?.['contents']) && answer.result['contents'].length === 0;
  judge.verdict('resources/read/not-empty', !isEmpty, 'a resource that is not there gets an empty list of contents', shown(answer));
  const bad = await peer.request('resources/read', { uri: 'this is no URI' }, { wild: true });
  const gives = asList(bad.result?.['contents']).length > 0;
  if (isSlow(bad, peer)) judge.unsure('resources/security/uris', slow);
  else if (bad.result !== undefined && !gives)
    judge.unsure('resources/security/uris', '"this is no URI" gets no contents, and no error either');
  else judge.verdict('resources/security/uris', bad.error !== undefined, `"this is no URI" gets ${inWords(bad)}`, shown(bad));
}
