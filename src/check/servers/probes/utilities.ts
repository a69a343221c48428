// Ping, logging, pagination, cancellation, roots: what every connection needs besides the features.

import { legacy } from '../../model/requirement.ts';
import { asList, asRecord, at, brief } from '../../model/value.ts';
import { noCallableTool } from '../../model/verdict.ts';
import { inWords, type Probe, type ProbeContext, shown } from '../probe.ts';
import { callTool } from '../tool-call.ts';

export const utilityProbes: readonly Probe[] = [
  {
    name: 'ping',
    judges: ['ping/answered', 'ping/empty'],
    revisions: legacy,
    async run({ peer, judge }) {
      const answer = await peer.request('ping');
      judge.verdict('ping/answered', answer.result !== undefined, `a ping gets ${inWords(answer)}`, shown(answer));
      if (answer.result === undefined) return;
      const isEmpty = Object.keys(answer.result).every((key) => key === '_meta');
      judge.verdict('ping/empty', isEmpty, `the result of a ping is ${brief(answer.result)}`, shown(answer));
    },
  },
  {
    name: 'log levels',
    judges: ['logging/set-level/answered', 'logging/set-level/invalid', 'logging/set-level/respected'],
    revisions: legacy,
    capability: 'logging',
    run: levels,
  },
  {
    name: 'log level of a request',
    judges: ['logging/request/invalid', 'logging/capability'],
    revisions: ['2026-07-28'],
    capability: 'logging',
    async run({ peer, judge, calls }) {
      const key = 'io.modelcontextprotocol/logLevel';
      const answer = await peer.request('tools/list', {}, { meta: { [key]: 'vivarium-none' }, wild: true });
      judge.verdict(
        'logging/request/invalid',
        answer.error?.code === -32602,
        `the level vivarium-none gets ${inWords(answer)}`,
        shown(answer),
      );
      for (const call of calls.slice(0, 8)) await callTool(peer, call, { meta: { [key]: 'debug' }, timeoutMs: 2_000 });
    },
  },
  {
    name: 'pages',
    judges: ['pagination/stable', 'pagination/ends', 'pagination/invalid-cursor', 'pagination/invalid-cursor/survived'],
    run: pages,
  },
  {
    name: 'changed roots',
    judges: ['roots/list-changed/handled'],
    revisions: legacy,
    async run({ peer, judge }) {
      await peer.notify('notifications/roots/list_changed');
      judge.verdict('roots/list-changed/handled', await peer.settle(), 'after notifications/roots/list_changed a ping is not answered', []);
    },
  },
  {
    name: 'cancellations of nothing',
    judges: ['cancellation/invalid/unknown', 'cancellation/invalid/completed', 'cancellation/invalid/malformed', 'cancellation/races'],
    apart: 'other',
    run: vainCancellations,
  },
  {
    name: 'cancelled calls',
    judges: ['cancellation/no-response', 'stdio/cancellation/silent'],
    run: cancelled,
  },
];

async function levels({ peer, judge, calls }: ProbeContext): Promise<void> {
  const from = peer.conversation.messages.length;
  const isHeard = () => peer.conversation.messages.slice(from).some(({ value }) => at(value, 'method') === 'notifications/message');
  const answer = await peer.request('logging/setLevel', { level: 'error' });
  const isEmpty = answer.result !== undefined && Object.keys(answer.result).every((key) => key === '_meta');
  judge.verdict('logging/set-level/answered', isEmpty, `logging/setLevel gets ${inWords(answer)}`, shown(answer));
  for (const call of calls.slice(0, 8)) await callTool(peer, call, { timeoutMs: 2_000 });
  // Whether there was anything to suppress is seen at the lowest level, which is also where the rest goes on.
  const isQuiet = !isHeard();
  await peer.request('logging/setLevel', { level: 'debug' });
  if (isQuiet) {
    for (const call of calls.slice(0, 8)) await callTool(peer, call, { timeoutMs: 2_000 });
    if (isHeard()) judge.kept('logging/set-level/respected');
  }
  const wrong = await peer.request('logging/setLevel', { level: 'vivarium-none' }, { wild: true });
  judge.verdict('logging/set-level/invalid', wrong.error?.code === -32602, `the level vivarium-none gets ${inWords(wrong)}`, shown(wrong));
}

async function pages({ peer, judge, capabilities }: ProbeContext): Promise<void> {
  const kinds = (['tools', 'resources', 'prompts'] as const).filter((kind) => capabilities[kind] !== undefined);
  const [first] = kinds;
  if (first === undefined) {
    for (const id of ['pagination/stable', 'pagination/ends', 'pagination/invalid-cursor', 'pagination/invalid-cursor/survived'] as const)
      judge.inapplicable(id, 'the server has no lists');
    return;
  }
  const wrong = await peer.request(`${first}/list`, { cursor: 'vivarium-no-such-cursor' });
  judge.verdict(
    'pagination/invalid-cursor',
    wrong.error?.code === -32602,
    `a cursor that was not given gets ${inWords(wrong)}`,
    shown(wrong),
  );
  const isWell = wrong.message !== undefined && (await peer.settle());
  judge.verdict('pagination/invalid-cursor/survived', isWell, 'after a cursor that was not given the server does not answer', shown(wrong));
  let isPaged = false;
  for (const kind of kinds) {
    const key = kind === 'resources' ? 'uri' : 'name';
    const seen = new Set<string>();
    const cursors = new Set<string>();
    let cursor: string | undefined;
    for (let page = 0; page < 50; page += 1) {
      const answer = await peer.request(`${kind}/list`, cursor === undefined ? {} : { cursor });
      const names = asList(answer.result?.[kind]).map((one) => String(asRecord(one)[key]));
      const twice = names.find((name) => seen.has(name));
      if (twice !== undefined && page > 0) judge.broken('pagination/ends', `${twice} is on two pages of ${kind}/list`, shown(answer));
      for (const name of names) seen.add(name);
      const next = answer.result?.['nextCursor'];
      if (typeof next !== 'string') break;
      isPaged = true;
      if (page === 0) {
        const [once, again] = [await peer.request(`${kind}/list`, { cursor: next }), await peer.request(`${kind}/list`, { cursor: next })];
        const isSame = JSON.stringify(once.result?.[kind]) === JSON.stringify(again.result?.[kind]);
        judge.verdict('pagination/stable', isSame, 'the same cursor leads to two different pages', shown(once, again));
      }
      if (cursors.has(next)) {
        judge.broken('pagination/ends', `the cursor ${brief(next)} comes again`, shown(answer));
        break;
      }
      cursors.add(next);
      cursor = next;
    }
    judge.kept('pagination/ends');
  }
  if (!isPaged) judge.inapplicable('pagination/stable', 'no list has a second page');
}

async function vainCancellations({ other, judge, isModern }: ProbeContext): Promise<void> {
  const peer = await other();
  if (peer === undefined) return;
  const done = await peer.request(isModern ? 'server/discover' : 'ping');
  const id = at(done.sent[0]?.value, 'id');
  for (const [name, params] of [
    ['unknown', { requestId: 'vivarium-none', reason: 'nothing' }],
    ['completed', { requestId: id }],
    ['malformed', { requestId: { no: 'id' } }],
  ] as const) {
    await peer.notify('notifications/cancelled', params, { wild: name === 'malformed' });
    const before = peer.conversation.messages.length;
    const isWell = await peer.settle();
    const replies = peer.conversation.messages
      .slice(before)
      .filter(({ direction, value }) => direction === 'received' && at(value, 'error') !== undefined && (at(value, 'id') ?? null) === null);
    const isIgnored = isWell && (replies.length === 0 || peer.transport !== 'stdio');
    judge.verdict(`cancellation/invalid/${name}`, isIgnored, isWell ? 'it is answered' : 'after it the server does not answer', replies);
  }
  judge.verdict('cancellation/races', await peer.settle(), 'the server does not answer after cancellations that came too late', []);
}

async function cancelled({ peer, judge, calls, isModern, transport, surface }: ProbeContext): Promise<void> {
  const ids = ['cancellation/no-response', 'stdio/cancellation/silent'] as const;
  const [call] = calls;
  if (call === undefined || (isModern && transport === 'http')) {
    const why = call === undefined ? noCallableTool : 'over HTTP a cancelled request has no stream left';
    for (const id of ids) judge.unsure(id, why);
    return;
  }
  let heard: Promise<number | undefined> = Promise.resolve(undefined);
  const answers = await Promise.all(
    calls.slice(0, 6).map(async (one, index, all) => {
      const id = `cancelled-${index}`;
      const asked = peer.request('tools/call', { name: one.name, arguments: one.arguments }, { id, timeoutMs: 400 });
      await peer.notify('notifications/cancelled', { requestId: id, reason: 'a test' });
      // On a pipe what is answered now was read after all cancellations.
      if (index === all.length - 1 && transport === 'stdio') heard = settledAt(peer, isModern);
      return asked;
    }),
  );
  const silent = answers.filter(({ message }) => message === undefined).length;
  const read = await heard;
  // Answers and cancellations may pass each other on the way; what comes long after the server has read on did not.
  const late = answers.find(({ message }) => message !== undefined && read !== undefined && message.at - read > 100);
  for (const id of ids) {
    if (late !== undefined) judge.broken(id, 'a cancelled call was answered long after its cancellation was read', shown(late));
    else if (silent > 0) judge.kept(id);
    else if (answers.length === surface.tools.length) judge.inapplicable(id, 'every tool answers before a cancellation could be read');
    else judge.unsure(id, 'every call was answered before its cancellation could be read');
  }
}

async function settledAt(peer: ProbeContext['peer'], isModern: boolean): Promise<number | undefined> {
  return (await peer.request(isModern ? 'server/discover' : 'ping')).message?.at;
}
