// Tools that run as tasks, in 2025-11-25: how a client calls them, looks after them, and comes by what they gave.
import { methodOf } from '../../model/ledger.ts';
import { at, brief, type Json } from '../../model/value.ts';
import type { Judge } from '../../model/verdict.ts';
import { tool } from '../default-server.ts';
import {
  busiest,
  type Link,
  type MockReply,
  type OfferedTool,
  type Played,
  type Responder,
  type Scenario,
  type Turn,
} from '../scenario.ts';

const related = 'io.modelcontextprotocol/related-task';
const pollInterval = 150;
const content = { content: [{ type: 'text', text: 'done' }] };
const cursor = ' 1/=%20 ';

interface Work {
  readonly taskId: string;
  readonly name: string;
  readonly createdAt: string;
  polls: number;
}

/** Beside the connection they were asked for on. */
const works = new WeakMap<Link, Map<unknown, Work>>();

function worksOf(link: Link): Map<unknown, Work> {
  const found = works.get(link) ?? new Map<unknown, Work>();
  works.set(link, found);
  return found;
}

const offered = (name: string, taskSupport?: string): OfferedTool => ({
  tool: tool(name, {}, {}, taskSupport === undefined ? {} : { execution: { taskSupport } }),
  call({ params, link }: Turn): MockReply {
    if (params['task'] === undefined) return { result: content };
    const all = worksOf(link);
    const work = { taskId: `check-${name}-${all.size + 1}`, name, createdAt: new Date().toISOString(), polls: 0 };
    all.set(work.taskId, work);
    return { result: { task: taskOf(work) } };
  },
});

/** The second time one asks it is done, or needs something. */
function taskOf({ taskId, name, createdAt, polls }: Work): Json {
  const status = polls < 2 ? 'working' : name === 'needs_input' && polls < 100 ? 'input_required' : 'completed';
  return { taskId, status, createdAt, lastUpdatedAt: createdAt, ttl: 60_000, pollInterval };
}

function find(turn: Turn): Work | MockReply {
  return worksOf(turn.link).get(turn.params['taskId']) ?? { error: { code: -32602, message: 'Unknown task' } };
}

const get: Responder = (turn) => {
  const work = find(turn);
  if (!('taskId' in work)) return work;
  work.polls += 1;
  if (work.name === 'told_of' && work.polls === 1 && turn.link.canSpeak) turn.link.notify('notifications/tasks/status', taskOf(work));
  return { result: taskOf(work) };
};

const result: Responder = async (turn) => {
  const work = find(turn);
  if (!('taskId' in work)) return work;
  if (work.name === 'needs_input' && turn.link.declared['elicitation'] !== undefined) {
    const requestedSchema = { type: 'object', properties: { name: { type: 'string' } } };
    const question = { message: 'Which fern?', requestedSchema, _meta: { [related]: { taskId: work.taskId } } };
    // On another stream than that of the request, where there is one.
    await (turn.link.canSpeak ? turn.link : turn).ask('elicitation/create', question, { id: `check-elicit-${work.taskId}` });
  }
  work.polls = 100;
  return { result: { ...content, _meta: { [related]: { taskId: work.taskId } } } };
};

const list: Responder = (turn) => {
  const tasks = [...worksOf(turn.link).values()].map(taskOf);
  if (turn.params['cursor'] === undefined) return { result: { tasks: tasks.slice(0, 1), nextCursor: cursor } };
  return turn.params['cursor'] === cursor ? { result: { tasks: tasks.slice(1) } } : { error: { code: -32602, message: 'Invalid cursor' } };
};

export const tasks: Scenario = {
  name: 'tasks',
  judges: [
    'tasks/tool/forbidden',
    'tasks/tool/required',
    'tasks/poll/interval',
    'tasks/poll/until-terminal',
    'tasks/poll/beside-notifications',
    'tasks/notification/not-relied-on',
    'tasks/input/result-called',
    'tasks/streams/any',
    'tasks/list/opaque',
  ],
  revisions: ['2025-11-25'],
  capabilities: { tasks: { list: {}, cancel: {}, requests: { tools: { call: {} } } } },
  tools: () => [
    offered('must_be_task', 'required'),
    offered('told_of', 'required'),
    offered('needs_input', 'required'),
    offered('may_be_task', 'optional'),
    offered('never_task', 'forbidden'),
    offered('says_nothing'),
  ],
  answers: { 'tasks/get': get, 'tasks/result': result, 'tasks/list': list, 'tasks/cancel': (turn) => get(turn) },
  judge(played, judge) {
    const questions = busiest(played.links)?.ledger.questions ?? [];
    for (const { params, message } of questions.filter(({ method }) => method === 'tools/call')) {
      const isTask = params['task'] !== undefined;
      const name = String(params['name']);
      if (name === 'never_task' || name === 'says_nothing')
        judge.verdict('tasks/tool/forbidden', !isTask, `${name} is called as a task`, [message]);
      if (['must_be_task', 'told_of', 'needs_input'].includes(name))
        judge.verdict('tasks/tool/required', isTask, `${name} is not called as a task`, [message]);
    }
    for (const name of ['must_be_task', 'told_of', 'needs_input']) polled(played, name, judge);
    for (const { method, params, message } of questions) {
      if (method !== 'tasks/list' || params['cursor'] === undefined) continue;
      judge.verdict('tasks/list/opaque', params['cursor'] === cursor, `the cursor is ${brief(params['cursor'])}`, [message]);
    }
    answered(played, judge);
  },
};

function polled({ links }: Played, name: string, judge: Judge): void {
  const link = busiest(links);
  const made = link?.ledger.questions.find(
    ({ params, replies }) => params['name'] === name && at(replies[0]?.value, 'result', 'task') !== undefined,
  );
  if (link === undefined || made === undefined) return;
  const taskId = at(made.replies[0]?.value, 'result', 'task', 'taskId');
  const of = (method: string) => link.ledger.questions.filter((one) => one.method === method && one.params['taskId'] === taskId);
  const [gets, results] = [of('tasks/get'), of('tasks/result')];
  gets.slice(1).forEach(({ message }, index) => {
    const waited = message.at - (gets[index]?.message.at ?? 0);
    judge.verdict('tasks/poll/interval', waited >= pollInterval - 40, `${Math.round(waited)} ms of ${pollInterval} between two polls`, [
      message,
    ]);
  });
  const last = at(gets.at(-1)?.replies[0]?.value, 'result', 'status');
  const isFound = results.length > 0 || (last !== undefined && last !== 'working');
  const evidence = [made.message, ...gets.slice(-1).map(({ message }) => message)];
  judge.verdict('tasks/poll/until-terminal', isFound, 'the task is left while it works', evidence);
  if (name === 'must_be_task')
    judge.verdict('tasks/notification/not-relied-on', isFound, 'nobody asks on without a notification', evidence);
  const notice = link.conversation.messages.find(
    (one) => one.direction === 'sent' && methodOf(one) === 'notifications/tasks/status' && at(one.value, 'params', 'taskId') === taskId,
  );
  if (notice !== undefined) {
    const isOn = [...gets, ...results].some(({ message }) => message.at > notice.at);
    judge.verdict('tasks/poll/beside-notifications', isOn, 'nobody asks on after a notification', [notice]);
  }
  const isWanted = gets.some(({ replies }) => at(replies[0]?.value, 'result', 'status') === 'input_required');
  if (isWanted)
    judge.verdict('tasks/input/result-called', results.length > 0, 'tasks/result is not called for a task that needs input', evidence);
}

function answered({ links, transport }: Played, judge: Judge): void {
  const asked = busiest(links)?.ledger.requests.find(({ id }) => String(id).startsWith('check-elicit-'));
  if (asked === undefined || transport !== 'http') return;
  judge.verdict('tasks/streams/any', asked.replies.length > 0, 'a request on another stream is not answered', [asked.message]);
}
