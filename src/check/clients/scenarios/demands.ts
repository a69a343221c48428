// Harder questions for a client in the revisions with a handshake: with progress, taken back, in a batch, with tools, as a task nobody offered.

import type { LedgerRequest } from '../../model/ledger.ts';
import { legacy } from '../../model/requirement.ts';
import { traitsOf } from '../../model/revision.ts';
import type { Message } from '../../model/trace.ts';
import { at, brief, isRecord, type Json } from '../../model/value.ts';
import type { Judge } from '../../model/verdict.ts';
import { tool } from '../default-server.ts';
import { type AskOptions, busiest, type Link, type Played, type Scenario, type Turn } from '../scenario.ts';

interface Asker {
  ask(method: string, params: Json, options?: AskOptions): Promise<Message | undefined>;
  notify(method: string, params: Json): void;
}

const words = (role: string, text: string): Json => ({ role, content: { type: 'text', text } });
const use: Json = { type: 'tool_use', id: 'use-1', name: 'look_up', input: {} };
const given: Json = { type: 'tool_result', toolUseId: 'use-1', content: [{ type: 'text', text: 'green' }] };
const prompt: Json = { messages: [words('user', 'Name a fern.')], maxTokens: 20 };
const withTools: Json = { ...prompt, tools: [tool('look_up')] };
const page = '/for-the-user';

/** The questions under ids of their own, so that each is found again. */
const [required, missing, mixed, augmented, shown, cancelled] = ['required', 'missing', 'mixed', 'augmented', 'shown', 'cancelled'].map(
  (name) => `check-${name}`,
) as [string, string, string, string, string, string];
const batched = ['check-batch-1', 'check-batch-2'];

/** Once on each connection, on whichever stream there is first. */
const begun = new WeakMap<Link, Promise<void>>();

function demandOnce(asker: Asker, link: Link): Promise<void> {
  const work = begun.get(link) ?? demand(asker, link);
  begun.set(link, work);
  return work;
}

async function demand(asker: Asker, link: Link): Promise<void> {
  const { declared } = link;
  const { revision } = link.seen().conversation;
  const [samples, elicits] = [declared['sampling'] !== undefined, declared['elicitation'] !== undefined];
  if (samples) await asker.ask('sampling/createMessage', { ...prompt, _meta: { progressToken: 'check-progress-1' } });
  if (declared['roots'] !== undefined) await asker.ask('roots/list', { _meta: { progressToken: 'check-progress-2' } });
  if (samples || elicits) {
    const asked = samples
      ? asker.ask('sampling/createMessage', prompt, { id: cancelled, timeoutMs: 700 })
      : asker.ask(
          'elicitation/create',
          { message: 'Which fern?', requestedSchema: { type: 'object', properties: {} } },
          { id: cancelled, timeoutMs: 700 },
        );
    asker.notify('notifications/cancelled', { requestId: cancelled, reason: 'no longer wanted' });
    await asked;
  }
  if (traitsOf(revision).batches && link.canSpeak) await batch(link);
  if (!traitsOf(revision).richElicitation) return;
  if (samples && at(declared, 'tasks', 'requests', 'sampling', 'createMessage') === undefined)
    await asker.ask('sampling/createMessage', { ...prompt, task: { ttl: 1000 } }, { id: augmented, wild: true });
  if (at(declared, 'elicitation', 'url') !== undefined && link.origin !== undefined)
    await asker.ask(
      'elicitation/create',
      { mode: 'url', message: 'Open this', url: `${link.origin}${page}`, elicitationId: 'check-1' },
      { id: shown },
    );
  if (at(declared, 'sampling', 'tools') === undefined) return;
  const ask = (id: string, more: Json) => asker.ask('sampling/createMessage', { ...withTools, ...more }, { id, wild: id !== required });
  await ask(required, { toolChoice: { mode: 'required' } });
  const before = [words('user', 'Which?'), { role: 'assistant', content: [use] }];
  await ask(missing, { messages: [...before, words('user', 'Well?')] });
  await ask(mixed, { messages: [...before, { role: 'user', content: [given, { type: 'text', text: 'Well?' }] }] });
}

async function batch(link: Link): Promise<void> {
  link.raw(JSON.stringify(batched.map((id) => ({ jsonrpc: '2.0', id, method: 'ping' }))));
  const isAnswered = () => batched.every((id) => link.seen().ledger.requests.some((one) => one.id === id && one.replies.length > 0));
  for (let waited = 0; waited < 1_000 && !isAnswered(); waited += 25) await new Promise((resolve) => setTimeout(resolve, 25));
}

export const demands: Scenario = {
  name: 'demands',
  judges: [
    'jsonrpc/batch/received',
    'cancellation/no-response',
    'sampling/tools/choice-required',
    'sampling/errors/result-missing',
    'sampling/errors/results-mixed',
    'elicitation/url/not-fetched',
    'tasks/capability',
    'tasks/augment/ignored',
  ],
  revisions: legacy,
  capabilities: { prompts: undefined },
  tools: () => [
    {
      tool: tool('ask_more'),
      async call(turn: Turn) {
        await demandOnce(turn, turn.link);
        return { result: { content: [{ type: 'text', text: 'asked' }] } };
      },
    },
  ],
  visit: ({ url }) => (url.pathname === page ? { status: 200 } : undefined),
  ready: (link) => demandOnce(link, link),
  judge(played, judge) {
    const link = busiest(played.links);
    if (link === undefined) return;
    const asked = (id: string): LedgerRequest | undefined => link.ledger.requests.find((one) => one.id === id);
    takenBack(asked(cancelled), judge);
    inBatch(batched.map(asked), judge);
    withToolsAsked(asked, judge);
    notAsTask(asked(augmented), judge);
    fetched(asked(shown), played, judge);
  },
};

function takenBack(asked: LedgerRequest | undefined, judge: Judge): void {
  if (asked?.cancelledAt === undefined) return;
  const [reply] = asked.replies;
  const id = 'cancellation/no-response';
  if (reply === undefined) return judge.kept(id);
  // An answer that was already on its way is not a fault.
  if (reply.at - asked.cancelledAt < 300) return judge.unsure(id, 'the answer and the cancellation met on the way');
  judge.broken(id, 'a request is answered long after it was cancelled', [asked.message, reply]);
}

function inBatch(asked: readonly (LedgerRequest | undefined)[], judge: Judge): void {
  if (asked.some((one) => one === undefined)) return;
  const waiting = asked.filter((one) => one?.replies.length === 0);
  judge.verdict(
    'jsonrpc/batch/received',
    waiting.length === 0,
    `${waiting.length} of ${asked.length} pings in a batch are not answered`,
    asked.flatMap((one) => (one === undefined ? [] : [one.message])).slice(0, 1),
  );
}

function withToolsAsked(asked: (id: string) => LedgerRequest | undefined, judge: Judge): void {
  const first = asked(required);
  const result = at(first?.replies[0]?.value, 'result');
  if (first !== undefined && isRecord(result)) {
    const content = Array.isArray(result['content']) ? result['content'] : [result['content']];
    const isUsed = content.some((one) => at(one, 'type') === 'tool_use');
    judge.verdict('sampling/tools/choice-required', isUsed, 'no tool is used, though the choice is required', [
      first.message,
      first.replies[0]!,
    ]);
  }
  for (const [id, name] of [
    ['sampling/errors/result-missing', missing],
    ['sampling/errors/results-mixed', mixed],
  ] as const) {
    const one = asked(name);
    const reply = one?.replies[0];
    if (one === undefined || reply === undefined) continue;
    const said = at(reply.value, 'error') ?? at(reply.value, 'result');
    judge.verdict(id, at(said, 'code') === -32602, `the answer is ${brief(said)}`, [one.message, reply]);
  }
}

/** LedgerRequest of a client that does no tasks. */
function notAsTask(asked: LedgerRequest | undefined, judge: Judge): void {
  const reply = asked?.replies[0];
  if (asked === undefined || reply === undefined) return;
  const isTask = at(reply.value, 'result', 'task') !== undefined;
  judge.verdict('tasks/capability', !isTask, 'a request is carried out as a task, which was not declared', [asked.message, reply]);
  const isDone = at(reply.value, 'result', 'content') !== undefined;
  if (!isTask) judge.verdict('tasks/augment/ignored', isDone, `the answer is ${brief(at(reply.value, 'error'))}`, [asked.message, reply]);
}

function fetched(asked: LedgerRequest | undefined, { exchanges }: Played, judge: Judge): void {
  if (asked === undefined || asked.replies.length === 0) return;
  const [visit] = exchanges.filter(({ request }) => new URL(request.url).pathname === page);
  judge.verdict('elicitation/url/not-fetched', visit === undefined, 'the page was fetched', visit === undefined ? [] : [visit]);
}
