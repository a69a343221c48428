// Tasks of 2025-11-25 that need something of the client: what they ask, what they say of themselves meanwhile, and what comes after.

import type { ToolCall } from '../../model/surface.ts';
import type { Message } from '../../model/trace.ts';
import { asRecord, at, brief, type Json } from '../../model/value.ts';
import { resultOf } from '../peer/manners.ts';
import type { Peer } from '../peer/peer.ts';
import type { Probe, ProbeContext } from '../probe.ts';

const related = 'io.modelcontextprotocol/related-task';
const judges = ['tasks/input/status', 'tasks/input/related', 'tasks/input/left'] as const;
const maxCalls = 4;
/** Milliseconds for all of them, between two questions about one, and for what follows an answer. */
const budget = 3_000;
const pause = 50;
const after = 1_000;

export const askingTaskProbes: readonly Probe[] = [
  {
    name: 'tasks that ask',
    judges,
    revisions: ['2025-11-25'],
    capability: 'tasks.requests.tools.call',
    apart: true,
    run: tasksThatAsk,
  },
];

async function tasksThatAsk({ connect, judge, calls, timeoutMs }: ProbeContext): Promise<void> {
  const able = calls.filter(({ tool }) => ['optional', 'required'].includes(String(asRecord(tool['execution'])['taskSupport'])));
  const manner = ({ method }: Json) => (isQuestion(method) ? 'later' : undefined);
  const peer = able.length === 0 ? undefined : await connect('tasks that ask', { manner });
  const some = able.slice(0, maxCalls);
  const share = Math.min(budget, 2 * timeoutMs) / some.length;
  for (const call of some) {
    if (peer === undefined || peer.gone !== undefined) break;
    if (await tried(peer, call, performance.now() + share, judge)) return;
  }
  for (const id of judges) judge.inapplicable(id, 'no task that could be tried asks for anything');
}

/** Roots are asked for at the beginning as well, for no task at all. */
function isQuestion(method: unknown): boolean {
  return method === 'elicitation/create' || method === 'sampling/createMessage';
}

/** Whether it asked. */
async function tried(peer: Peer, { name, arguments: given }: ToolCall, end: number, judge: ProbeContext['judge']): Promise<boolean> {
  const from = peer.conversation.messages.length;
  const made = await peer.request('tools/call', { name, arguments: given, task: { ttl: 60_000 } });
  const taskId = at(made.result, 'task', 'taskId');
  if (typeof taskId !== 'string') return false;
  const get = async () => (await peer.request('tasks/get', { taskId })).message;
  const status = (message: Message | undefined) => at(message?.value, 'result', 'status');
  // A server may keep its question until somebody waits for the result.
  let isAwaited = false;
  const question = async (until: number, answered: number): Promise<Message | undefined> => {
    for (;;) {
      const asked = peer.conversation.messages
        .slice(from)
        .filter(({ direction, value }) => direction === 'received' && isQuestion(at(value, 'method')));
      if (asked.length > answered) return asked[answered];
      const now = status(await get());
      if (now === 'input_required' && !isAwaited) {
        isAwaited = true;
        void peer.request('tasks/result', { taskId }, { timeoutMs: 10_000 });
      }
      if ((now !== 'working' && now !== 'input_required') || performance.now() > until || peer.gone !== undefined) return undefined;
      await new Promise((resolve) => setTimeout(resolve, pause));
    }
  };
  let asked = await question(end, 0);
  if (asked === undefined) return false;
  for (let count = 1; asked !== undefined && count < 4; count += 1) {
    // Nothing else is under way on this connection.
    const tag = at(asked.value, 'params', '_meta', related, 'taskId');
    judge.verdict('tasks/input/related', tag === taskId, `a question of the task ${taskId} names the task ${brief(tag)}`, [
      ...made.sent,
      asked,
    ]);
    const meanwhile = await get();
    if (meanwhile !== undefined) {
      const isSaid = status(meanwhile) === 'input_required';
      judge.verdict('tasks/input/status', isSaid, `while it asks, the task is ${brief(status(meanwhile))}`, [asked, meanwhile]);
    }
    const { method, params } = asRecord(asked.value);
    const result = resultOf(String(method), asRecord(params), peer.declared) ?? {};
    const reply = { ...result, _meta: { [related]: { taskId } } };
    await peer.raw(JSON.stringify({ jsonrpc: '2.0', id: at(asked.value, 'id'), result: reply }));
    const last = asked;
    asked = await left(peer, { last, get, next: () => question(performance.now(), count) }, judge);
  }
  return true;
}

interface Waiting {
  readonly last: Message;
  get(): Promise<Message | undefined>;
  next(): Promise<Message | undefined>;
}

/** The next question, if there is one; without one the task must go on. */
async function left(peer: Peer, { last, get, next }: Waiting, judge: ProbeContext['judge']): Promise<Message | undefined> {
  const until = performance.now() + after;
  for (;;) {
    const more = await next();
    if (more !== undefined) return more;
    const now = await get();
    const isLeft = at(now?.value, 'result', 'status') !== 'input_required';
    if (!isLeft && performance.now() < until && peer.gone === undefined) {
      await new Promise((resolve) => setTimeout(resolve, pause));
      continue;
    }
    if (now !== undefined) judge.verdict('tasks/input/left', isLeft, 'with its answer the task still says that it needs one', [last, now]);
    return undefined;
  }
}
