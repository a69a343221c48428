// Tasks of a client, in 2025-11-25: what it declared that it carries out as tasks is asked of it as one, looked after, and taken back.

import { type LedgerRequest, methodOf } from '../../model/ledger.ts';
import type { RequirementId } from '../../model/requirement-id.ts';
import type { Seen } from '../../model/rule.ts';
import type { Message } from '../../model/trace.ts';
import { asList, asRecord, at, brief, type Json } from '../../model/value.ts';
import type { Judge } from '../../model/verdict.ts';
import { tool } from '../default-server.ts';
import { type AskOptions, busiest, type Link, type Scenario, type Turn } from '../scenario.ts';

interface Asker {
  ask(method: string, params: Json, options?: AskOptions): Promise<Message | undefined>;
}

const related = 'io.modelcontextprotocol/related-task';
const token = 'check-task-progress';
const [first, second, result, counted, over, away, stays, nobody, noPage] = [
  'first',
  'second',
  'result',
  'counted',
  'over',
  'away',
  'stays',
  'nobody',
  'no-page',
].map((name) => `check-task-${name}`) as [string, string, string, string, string, string, string, string, string];
const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

/** What the client said it can do as a task. */
function demandFor({ declared }: Link): { method: string; params: Json } | undefined {
  const may = (section: string, name: string) => at(declared, 'tasks', 'requests', section, name) !== undefined;
  if (may('sampling', 'createMessage')) {
    const messages = [{ role: 'user', content: { type: 'text', text: 'Name a fern.' } }];
    return { method: 'sampling/createMessage', params: { messages, maxTokens: 20 } };
  }
  if (!may('elicitation', 'create')) return undefined;
  const requestedSchema = { type: 'object', properties: { name: { type: 'string' } } };
  return { method: 'elicitation/create', params: { message: 'Which fern?', requestedSchema } };
}

async function lookAfter(asker: Asker, link: Link): Promise<void> {
  const wanted = demandFor(link);
  if (wanted === undefined) return;
  const { method, params } = wanted;
  const begin = async (id: string, more: Json = {}): Promise<unknown> => {
    const reply = await asker.ask(method, { ...params, ...more, task: { ttl: 60_000 } }, { id });
    return at(reply?.value, 'result', 'task', 'taskId');
  };
  const taskId = await begin(first, { _meta: { progressToken: token } });
  if (taskId === undefined) return;
  // Before it is done, and waited for meanwhile.
  const finished = asker.ask('tasks/result', { taskId }, { id: result });
  await asker.ask('tasks/get', { taskId });
  await finished;
  for (let polls = 0; polls < 20; polls += 1) {
    const reply = await asker.ask('tasks/get', { taskId });
    if (at(reply?.value, 'result', 'status') !== 'working') break;
    await pause(100);
  }
  const other = await begin(second);
  const { declared } = link;
  const [lists, cancels] = [at(declared, 'tasks', 'list') !== undefined, at(declared, 'tasks', 'cancel') !== undefined];
  if (other !== undefined && cancels) {
    await asker.ask('tasks/cancel', { taskId: other }, { id: away });
    await pause(300);
    await asker.ask('tasks/get', { taskId: other }, { id: stays });
  }
  if (other !== undefined) await asker.ask('tasks/get', { taskId, _meta: { [related]: { taskId: other } } }, { id: counted, wild: true });
  if (lists) await asker.ask('tasks/list', {});
  if (cancels) await asker.ask('tasks/cancel', { taskId }, { id: over, wild: true });
  await asker.ask('tasks/get', { taskId: 'check-no-such-task' }, { id: nobody, wild: true });
  if (lists) await asker.ask('tasks/list', { cursor: 'check-no-such-page' }, { id: noPage, wild: true });
}

const begun = new WeakMap<Link, Promise<void>>();

function lookAfterOnce(asker: Asker, link: Link): Promise<void> {
  const work = begun.get(link) ?? lookAfter(asker, link);
  begun.set(link, work);
  return work;
}

export const tasksAsked: Scenario = {
  name: 'tasks-asked',
  judges: [
    'tasks/create/result',
    'tasks/result/final',
    'tasks/result/waits',
    'tasks/related/params-count',
    'tasks/list/complete',
    'tasks/cancel/finished',
    'tasks/cancel/cancelled',
    'tasks/cancel/stays',
    'tasks/errors/unknown',
    'tasks/errors/cursor',
    'progress/tasks/same-token',
    'progress/tasks/stops',
  ],
  revisions: ['2025-11-25'],
  tools: () => [
    {
      tool: tool('ask_for_tasks'),
      async call(turn: Turn) {
        await lookAfterOnce(turn, turn.link);
        return { result: { content: [{ type: 'text', text: 'asked' }] } };
      },
    },
  ],
  ready: (link) => lookAfterOnce(link, link),
  judge({ links }, judge) {
    const link = busiest(links);
    const begun = link?.ledger.requests.find(({ id }) => id === first);
    const reply = begun?.replies[0];
    if (link === undefined || begun === undefined || reply === undefined) return;
    const taskId = at(reply.value, 'result', 'task', 'taskId');
    const said = at(reply.value, 'result') ?? at(reply.value, 'error');
    judge.verdict('tasks/create/result', taskId !== undefined, `the answer is ${brief(said)}`, [begun.message, reply]);
    if (taskId === undefined) return;
    results(begun, link, taskId, judge);
    answers(link, taskId, judge);
    progress(link, taskId, judge);
  },
};

/** What the request itself would have given, and not before it is there. */
function results(begun: LedgerRequest, { ledger }: Seen, taskId: unknown, judge: Judge): void {
  const asked = ledger.requests.find(({ id }) => id === result);
  const reply = asked?.replies[0];
  if (asked === undefined || reply === undefined) return;
  const value = asRecord(at(reply.value, 'result'));
  const member = begun.method === 'elicitation/create' ? 'action' : 'content';
  const evidence = [asked.message, reply];
  const later = ledger.requests.find(
    ({ method, params, replies: [told] }) =>
      method === 'tasks/get' &&
      params['taskId'] === taskId &&
      told !== undefined &&
      told.at > reply.at &&
      at(told.value, 'result', 'status') === 'working',
  );
  const isEarly = later !== undefined || value[member] === undefined;
  judge.verdict('tasks/result/waits', !isEarly, `the answer is ${brief(at(reply.value, 'result') ?? at(reply.value, 'error'))}`, evidence);
  judge.verdict(
    'tasks/result/final',
    value[member] !== undefined,
    `the answer is ${brief(at(reply.value, 'result') ?? at(reply.value, 'error'))}`,
    evidence,
  );
}

function answers({ ledger }: Seen, taskId: unknown, judge: Judge): void {
  const verdict = (id: RequirementId, name: string, isKept: (value: unknown) => boolean): void => {
    const asked = ledger.requests.find((one) => one.id === name);
    const reply = asked?.replies[0];
    if (asked === undefined || reply === undefined) return;
    const said = at(reply.value, 'result') ?? at(reply.value, 'error');
    judge.verdict(id, isKept(said), `the answer is ${brief(said)}`, [asked.message, reply]);
  };
  const isRefused = (said: unknown) => at(said, 'code') === -32602;
  verdict('tasks/related/params-count', counted, (said) => at(said, 'taskId') === taskId);
  // What was done before it could be cancelled shows nothing.
  const isDone = isRefused(at(ledger.requests.find(({ id }) => id === away)?.replies[0]?.value, 'error'));
  if (isDone)
    for (const id of ['tasks/cancel/cancelled', 'tasks/cancel/stays'] as const)
      judge.unsure(id, 'the task was done before it was cancelled');
  else {
    verdict('tasks/cancel/cancelled', away, (said) => at(said, 'status') === 'cancelled');
    verdict('tasks/cancel/stays', stays, (said) => at(said, 'status') === 'cancelled');
  }
  verdict('tasks/cancel/finished', over, isRefused);
  verdict('tasks/errors/unknown', nobody, isRefused);
  verdict('tasks/errors/cursor', noPage, isRefused);
  const listed = ledger.requests.find(({ method, id }) => method === 'tasks/list' && id !== noPage);
  const page = at(listed?.replies[0]?.value, 'result');
  if (listed === undefined || page === undefined || at(page, 'nextCursor') !== undefined) return;
  const isThere = asList(at(page, 'tasks')).some((one) => at(one, 'taskId') === taskId);
  judge.verdict('tasks/list/complete', isThere, 'a task that tasks/get gives is not in the list', [listed.message, listed.replies[0]!]);
}

/** Where there is any progress of the task. */
function progress({ ledger, conversation }: Seen, taskId: unknown, judge: Judge): void {
  const told = ledger.notifications.filter((one) => methodOf(one) === 'notifications/progress');
  const done = conversation.messages.findIndex((one) => {
    const answered = ledger.answered.get(one);
    const task =
      methodOf(one) === 'notifications/tasks/status'
        ? at(one.value, 'params')
        : answered?.method === 'tasks/get'
          ? at(one.value, 'result')
          : undefined;
    return one.direction === 'received' && at(task, 'taskId') === taskId && at(task, 'status') === 'completed';
  });
  for (const message of told) {
    const named = at(message.value, 'params', '_meta', related, 'taskId');
    const isOurs = at(message.value, 'params', 'progressToken') === token;
    if (named === taskId) judge.verdict('progress/tasks/same-token', isOurs, 'progress of a task under another token', [message]);
    if (!isOurs || done < 0) continue;
    judge.verdict('progress/tasks/stops', conversation.messages.indexOf(message) < done, 'progress of a task that is done', [message]);
  }
}
