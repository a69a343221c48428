// Lists that a client may keep, that break off, that are of a kind nobody knows, or that have changed since; and answers in odd clothes.

import { methodOf } from '../../model/ledger.ts';
import { isModern } from '../../model/revision.ts';
import { at, brief } from '../../model/value.ts';
import { ordinaryTools, resources, tool } from '../default-server.ts';
import { busiest, type Played, type Scenario } from '../scenario.ts';

const questionsOf = ({ links }: Played, method: string) => (busiest(links)?.ledger.questions ?? []).filter((one) => one.method === method);
const ttl = 60;
const done = { result: { content: [{ type: 'text', text: 'done' }] } };

const polling: Scenario = {
  name: 'short-lived',
  judges: ['caching/no-polling'],
  revisions: ['2026-07-28'],
  tools: () => [
    {
      tool: tool('takes_its_time'),
      async call() {
        await new Promise((resolve) => setTimeout(resolve, 6 * ttl));
        return done;
      },
    },
  ],
  answers: { 'resources/list': () => ({ result: { resources, ttlMs: ttl, cacheScope: 'public' } }) },
  judge(played, judge) {
    const [call] = questionsOf(played, 'tools/call');
    const end = call?.replies[0]?.at;
    if (call === undefined || end === undefined) return;
    const again = questionsOf(played, 'resources/list').filter(({ message }) => message.at > call.message.at && message.at < end);
    judge.verdict(
      'caching/no-polling',
      again.length < 3,
      `a list was fetched ${again.length} times while nobody can have wanted it`,
      again.slice(0, 3).map(({ message }) => message),
    );
  },
};

const lostCursor: Scenario = {
  name: 'lost-cursor',
  judges: ['caching/pages/invalid-cursor'],
  revisions: ['2026-07-28'],
  answers: {
    'prompts/list'({ params, count }) {
      const cursor = params['cursor'];
      if (cursor === 'second' && count === 2) return { error: { code: -32602, message: 'Invalid cursor' } };
      if (cursor === 'second') return { result: { prompts: [{ name: 'part' }], ttlMs: 0, cacheScope: 'private' } };
      return { result: { prompts: [{ name: 'greet' }], nextCursor: 'second', ttlMs: 0, cacheScope: 'private' } };
    },
  },
  judge(played, judge) {
    const asked = questionsOf(played, 'prompts/list');
    const lost = asked.findIndex(({ replies }) => at(replies[0]?.value, 'error', 'code') === -32602);
    const [next] = lost < 0 ? [] : asked.slice(lost + 1);
    if (lost < 0) return;
    if (next === undefined) return judge.unsure('caching/pages/invalid-cursor', 'the client did not try again; it may have told its user');
    judge.verdict(
      'caching/pages/invalid-cursor',
      next.params['cursor'] === undefined,
      `after the cursor was refused the client asks with ${brief(next.params['cursor'])}`,
      [asked[lost]!.message, next.message],
    );
  },
};

const strangeResult: Scenario = {
  name: 'strange-result',
  judges: ['jsonrpc/result-type/unknown'],
  revisions: ['2026-07-28'],
  tools: () => ordinaryTools,
  answers: { 'resources/list': () => ({ result: { resultType: 'check_unknown', resources, ttlMs: 0, cacheScope: 'private' } }) },
  judge(played, judge) {
    const [listed] = questionsOf(played, 'resources/list');
    const reply = listed?.replies[0];
    if (listed === undefined || reply === undefined) return;
    const [read] = questionsOf(played, 'resources/read').filter(({ message }) => message.at >= reply.at);
    const later = busiest(played.links)?.ledger.questions.at(-1);
    if (read !== undefined)
      judge.broken('jsonrpc/result-type/unknown', 'a result of a type that nobody knows is used', [reply, read.message]);
    else if (later !== undefined && later !== listed) judge.kept('jsonrpc/result-type/unknown');
    else judge.unsure('jsonrpc/result-type/unknown', 'the client did nothing more');
  },
};

const marks = (isMarked: boolean) =>
  tool('marked_later', { region: { type: 'string', ...(isMarked && { 'x-mcp-header': 'Region' }) } }, { region: 'us-west1' });

const newMarks: Scenario = {
  name: 'new-marks',
  judges: ['http/param-headers/refreshed'],
  revisions: ['2026-07-28'],
  transports: ['http'],
  answers: {
    'tools/list': ({ count }) => ({ result: { tools: [marks(count > 1)], ttlMs: 0, cacheScope: 'private' } }),
    'tools/call'({ exchange }) {
      const isThere = exchange?.request.headers['mcp-param-region'] === 'us-west1';
      return isThere ? done : { error: { code: -32020, message: 'Header mismatch: Mcp-Param-Region is missing' } };
    },
  },
  judge(played, judge) {
    const calls = questionsOf(played, 'tools/call');
    const [refused, again] = calls;
    if (refused === undefined || at(refused.replies[0]?.value, 'error', 'code') !== -32020) return;
    const isDone = at(again?.replies[0]?.value, 'result') !== undefined;
    const what = again === undefined ? 'the request is not repeated' : 'it is repeated without the header';
    judge.verdict(
      'http/param-headers/refreshed',
      isDone,
      what,
      calls.slice(0, 2).map(({ message }) => message),
    );
  },
};

const shouted: Scenario = {
  name: 'shouted-headers',
  judges: ['http/headers/case'],
  revisions: ['2026-07-28'],
  transports: ['http'],
  shouts: true,
  judge(played, judge) {
    const questions = busiest(played.links)?.ledger.questions ?? [];
    const [first] = questions;
    if (first === undefined) return;
    const isRead = questions.some(({ method }) => method !== 'server/discover' && method !== first.method);
    if (isRead) judge.kept('http/headers/case');
    else judge.broken('http/headers/case', 'nothing more came after an answer with headers in upper case', [first.message]);
  },
};

const oddRefusal: Scenario = {
  name: 'odd-refusal',
  judges: ['discover/any-error'],
  revisions: ['2026-07-28'],
  transports: ['stdio'],
  wild: true,
  answers: { 'server/discover': () => ({ error: { code: -32050, message: 'What is this?' } }) },
  judge({ links, others, known }, judge) {
    const asked = busiest(links)?.ledger.questions.find(({ method }) => method === 'server/discover');
    if (asked === undefined || !known.revisions.some((one) => !isModern(one))) return;
    const isTried = others.some(({ ledger }) => ledger.received.some((one) => methodOf(one) === 'initialize'));
    judge.verdict('discover/any-error', isTried, 'no handshake is tried after an error that is not -32601', [asked.message]);
  },
};

export const lists: readonly Scenario[] = [polling, lostCursor, strangeResult, newMarks, shouted, oddRefusal];
