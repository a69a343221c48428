// Tasks of 2025-11-25 the other way round: what a server asks its client for as a task, and how it then asks about it.

import { settledWithin } from '../../../text/timeouts.ts';
import type { ToolCall } from '../../model/surface.ts';
import type { Message } from '../../model/trace.ts';
import { at, brief } from '../../model/value.ts';
import { fullCapabilities, type Peer } from '../peer/peer.ts';
import { createTaskHand, pollInterval, type TaskHand } from '../peer/task-hand.ts';
import type { Probe, ProbeContext } from '../probe.ts';
import { callable, readSurface } from '../surface.ts';

const revision = '2025-11-25';
const judges = [
  'tasks/poll/interval',
  'tasks/poll/until-terminal',
  'tasks/poll/beside-notifications',
  'tasks/notification/not-relied-on',
  'tasks/input/result-called',
  'tasks/list/opaque',
] as const;
const maxCalls = 4;
/** Milliseconds for the calls of one round. */
const budget = 3_000;

export const serverTaskProbes: readonly Probe[] = [
  { name: 'tasks for the server', judges, revisions: [revision], capability: 'tools', apart: true, run: tasksForServer },
];

async function tasksForServer(context: ProbeContext): Promise<void> {
  const { connect, judge, surface, terms, timeoutMs } = context;
  const requests = { sampling: { createMessage: {} }, elicitation: { create: {} } };
  const capabilities = { ...fullCapabilities(revision), tasks: { list: {}, cancel: {}, requests } };
  const hand = createTaskHand(capabilities);
  const peer = surface.tools.length === 0 ? undefined : await connect('tasks of the client', { capabilities, manner: hand.manner });
  const known = new Set(surface.tools.map(({ name }) => name));
  // What a server has only for clients with tasks comes first.
  const calls = peer === undefined ? [] : callable(await readSurface(peer), terms).toSorted((one, other) => rank(one) - rank(other));
  function rank({ name }: ToolCall): number {
    return known.has(name) ? 1 : 0;
  }
  const end = performance.now() + budget;
  for (const call of calls.slice(0, maxCalls)) {
    if (peer === undefined || peer.gone !== undefined || performance.now() > end) break;
    const calling = ask(peer, call, 2 * Math.min(timeoutMs, budget));
    await settledWithin(Math.min(timeoutMs, budget), calling);
    const [task] = hand.tasks;
    if (task === undefined) continue;
    await untold(peer, hand, task, calling, judge);
    await told(peer, call, hand, Math.min(timeoutMs, 2 * budget), judge);
    return cursors(peer, hand, judge);
  }
  for (const id of judges) judge.inapplicable(id, 'the server asks for nothing as a task');
}

async function ask(peer: Peer, { name, arguments: given }: ToolCall, timeoutMs: number): Promise<Message | undefined> {
  return (await peer.request('tools/call', { name, arguments: given }, { timeoutMs })).message;
}

/** What the server asked about the task. */
function asked({ conversation }: Peer, method: string, task: string): Message[] {
  return conversation.messages.filter(
    ({ direction, value }) =>
      direction === 'received' && at(value, 'method') === method && (task === '' || at(value, 'params', 'taskId') === task),
  );
}

/** A task of which no notification tells. */
async function untold(
  peer: Peer,
  hand: TaskHand,
  task: string,
  calling: Promise<Message | undefined>,
  judge: ProbeContext['judge'],
): Promise<void> {
  const begun = peer.conversation.messages.filter(
    ({ direction, value }) => direction === 'sent' && at(value, 'result', 'task', 'taskId') === task,
  );
  const isAsked = () => asked(peer, 'tasks/get', task).length + asked(peer, 'tasks/result', task).length > 0;
  if (!isAsked()) await relied(peer, hand, task, calling, begun, judge);
  else judge.kept('tasks/notification/not-relied-on', begun);
  const reply = await calling;
  const [gets, results] = [asked(peer, 'tasks/get', task), asked(peer, 'tasks/result', task)];
  if (gets.length === 0) return;
  const evidence = [...begun, ...gets.slice(0, 2), ...(reply === undefined ? [] : [reply])];
  const isDone = gets.length > 1 || results.length > 0;
  if (isDone || reply !== undefined) {
    judge.verdict('tasks/poll/until-terminal', isDone, 'the server stops asking about a task that goes on', evidence);
  } else judge.unsure('tasks/poll/until-terminal', 'the server took longer than was waited for');
  gets.slice(1).forEach((message, index) => {
    const gap = message.at - (replyTo(peer, gets[index])?.at ?? message.at - pollInterval);
    // A little less, for clocks that do not agree.
    const isPatient = gap > 0.8 * pollInterval;
    judge.verdict('tasks/poll/interval', isPatient, `the server asks again after ${Math.round(gap)} ms, pollInterval is ${pollInterval}`, [
      gets[index] as Message,
      message,
    ]);
  });
}

/** It has not asked for long, and does so once it is told: then it counted on that. */
async function relied(
  peer: Peer,
  hand: TaskHand,
  task: string,
  calling: Promise<Message | undefined>,
  begun: readonly Message[],
  judge: ProbeContext['judge'],
): Promise<void> {
  const id = 'tasks/notification/not-relied-on';
  const isOver = (await settledWithin(0, calling)) !== undefined;
  if (isOver) return judge.unsure(id, 'the server does not ask what became of the task');
  const notice = await peer.notify('notifications/tasks/status', { ...hand.told(task), status: 'completed' });
  const isAbout = ({ value }: Message) =>
    /^tasks\/(?:get|result)$/.test(String(at(value, 'method'))) && at(value, 'params', 'taskId') === task;
  const reaction = await Promise.race([peer.see(isAbout, 500), calling]);
  if (reaction === undefined) return judge.unsure(id, 'the server did not ask about the task in time, told or untold');
  judge.broken(id, 'the server asks nothing about a task until it is told of it', [...begun, ...notice.sent, reaction]);
}

/** The same with a notification, and with something that the task needs. */
async function told(peer: Peer, call: ToolCall, hand: TaskHand, timeoutMs: number, judge: ProbeContext['judge']): Promise<void> {
  hand.plan(['working', 'input_required', 'completed']);
  const count = hand.tasks.length;
  const from = peer.conversation.messages.length;
  const calling = ask(peer, call, timeoutMs);
  const begun = await peer.see(
    (message) => at(message.value, 'params', 'task') !== undefined && peer.conversation.messages.indexOf(message) >= from,
    timeoutMs,
  );
  const task = hand.tasks[count];
  if (begun === undefined || task === undefined) {
    await calling;
    return judge.unsure('tasks/poll/beside-notifications', 'the second call asks for no task');
  }
  const notice = await peer.notify('notifications/tasks/status', hand.told(task));
  const reply = await calling;
  const place = (message: Message | undefined) => (message === undefined ? -1 : peer.conversation.messages.indexOf(message));
  const [gets, results] = [asked(peer, 'tasks/get', task), asked(peer, 'tasks/result', task)];
  const since = [...gets, ...results].filter((message) => place(message) > place(notice.sent[0]));
  const what = 'after a notification that the task works the server does not ask about it any more';
  if (since.length > 0 || reply !== undefined) judge.verdict('tasks/poll/beside-notifications', since.length > 0, what, notice.sent);
  else judge.unsure('tasks/poll/beside-notifications', 'the server took longer than was waited for');
  const needed = replyTo(peer, gets[1]);
  if (needed === undefined || at(needed.value, 'result', 'status') !== 'input_required') {
    return judge.unsure('tasks/input/result-called', 'the server did not ask often enough to see that the task needs something');
  }
  const [next] = [...gets, ...results].filter((message) => place(message) > place(needed)).sort((one, other) => place(one) - place(other));
  if (next === undefined) return judge.unsure('tasks/input/result-called', 'the server asks nothing more about the task');
  const isResult = at(next.value, 'method') === 'tasks/result';
  judge.verdict('tasks/input/result-called', isResult, 'the task needs something, and the server goes on asking for its status', [
    needed,
    next,
  ]);
}

function cursors(peer: Peer, hand: TaskHand, judge: ProbeContext['judge']): void {
  const id = 'tasks/list/opaque';
  const used = asked(peer, 'tasks/list', '').filter(({ value }) => at(value, 'params', 'cursor') !== undefined);
  for (const message of used) {
    const cursor = at(message.value, 'params', 'cursor');
    judge.verdict(id, hand.cursors.includes(String(cursor)), `the cursor ${brief(cursor)} was never given`, [message]);
  }
  if (used.length === 0) judge.inapplicable(id, 'the server asks for no second page of tasks');
}

function replyTo({ conversation }: Peer, question: Message | undefined): Message | undefined {
  if (question === undefined) return undefined;
  const id = at(question.value, 'id');
  return conversation.messages.find(
    ({ direction, value }) => direction === 'sent' && at(value, 'id') === id && at(value, 'method') === undefined,
  );
}
