// Questions of a server with a handshake, held back or answered wrongly: whether it gives up properly, and whether it looks at what it gets.

import { legacy } from '../../model/requirement.ts';
import type { ToolCall } from '../../model/surface.ts';
import type { Message } from '../../model/trace.ts';
import { asRecord, at, type Json } from '../../model/value.ts';
import { noCallableTool } from '../../model/verdict.ts';
import { misfitting } from '../../schemas/sample.ts';
import { resultOf } from '../peer/manners.ts';
import { isReplyTo, type Peer } from '../peer/peer.ts';
import { inWords, type Probe, type ProbeContext, shown } from '../probe.ts';

const maxCalls = 6;
/** Milliseconds for which a question is held back, and for which all calls together are made. */
const held = 400;
const budget = 3_000;

const judges = [
  'lifecycle/timeouts/established',
  'lifecycle/timeouts/cancelled',
  'cancellation/late-response',
  'elicitation/form/validated-by-server',
] as const;

export const questionProbes: readonly Probe[] = [
  { name: 'questions that are not answered', judges, revisions: legacy, apart: true, run: questions },
];

async function questions({ connect, judge, calls, timeoutMs }: ProbeContext): Promise<void> {
  const manner = ({ method }: Json) => (isQuestion(method) ? 'later' : undefined);
  const peer = calls.length === 0 ? undefined : await connect('held questions', { manner });
  const end = performance.now() + budget;
  for (const call of calls.slice(0, maxCalls)) {
    if (peer === undefined || peer.gone !== undefined || performance.now() > end) break;
    const asked = await ask(peer, call, Math.min(timeoutMs, 1_000));
    if (asked === undefined) continue;
    return answered({ peer, judge, ...asked }, timeoutMs);
  }
  const why = calls.length === 0 ? noCallableTool : 'no tool that was called asks anything';
  for (const id of judges) judge.unsure(id, why);
}

function isQuestion(method: unknown): boolean {
  return method === 'elicitation/create' || method === 'sampling/createMessage';
}

interface LedgerRequest {
  readonly question: Message;
  readonly call: ReturnType<Peer['request']>;
  readonly id: string;
}

/** Undefined when the call ends, or takes its time, without a question. */
async function ask(peer: Peer, { name, arguments: given }: ToolCall, timeoutMs: number): Promise<LedgerRequest | undefined> {
  const id = `held-${name}`;
  const from = peer.conversation.messages.length;
  const call = peer.request('tools/call', { name, arguments: given }, { id, timeoutMs: 10_000 });
  const isNew = (message: Message) => peer.conversation.messages.indexOf(message) >= from;
  const first = await peer.see(
    (message) => isNew(message) && (isReplyTo(message.value, id) || isQuestion(at(message.value, 'method'))),
    timeoutMs,
  );
  if (first !== undefined && isQuestion(at(first.value, 'method'))) return { question: first, call, id };
  if (first === undefined) await peer.notify('notifications/cancelled', { requestId: id, reason: 'it takes too long' });
  return undefined;
}

async function answered(
  { peer, judge, question, call, id }: LedgerRequest & Pick<ProbeContext, 'peer' | 'judge'>,
  timeoutMs: number,
): Promise<void> {
  const questionId = at(question.value, 'id');
  const isTakenBack = ({ value }: Message) =>
    at(value, 'method') === 'notifications/cancelled' && at(value, 'params', 'requestId') === questionId;
  const over = await peer.see((message) => isTakenBack(message) || isReplyTo(message.value, id), held);
  if (over === undefined) {
    const why = 'how long a server waits for an answer nobody knows, and it did not give up in time';
    for (const one of judges.slice(0, 3)) judge.unsure(one, why);
    return validated({ peer, judge, question, call, id }, timeoutMs);
  }
  judge.kept('lifecycle/timeouts/established', [question, over]);
  const cancelled = await peer.see(isTakenBack, 100);
  const isFailure = at(over.value, 'error') !== undefined || at(over.value, 'result', 'isError') === true;
  judge.unsure('elicitation/form/validated-by-server', 'the server no longer waits for an answer');
  if (cancelled === undefined) {
    judge.unsure('cancellation/late-response', 'the server did not cancel its question');
    const what = 'the call is given up, and its question was not cancelled';
    // A call that succeeds may have asked beside its work.
    if (isFailure) judge.broken('lifecycle/timeouts/cancelled', what, [question, over]);
    else judge.unsure('lifecycle/timeouts/cancelled', 'the call did not wait for an answer to its question');
    return;
  }
  judge.kept('lifecycle/timeouts/cancelled', [question, cancelled]);
  const from = peer.conversation.messages.length;
  await peer.raw(JSON.stringify(replyTo(question, resultOf(String(at(question.value, 'method')), paramsOf(question), peer.declared))));
  const isWell = await peer.settle();
  const complaint = peer.conversation.messages
    .slice(from)
    .find(
      ({ direction, value }) =>
        direction === 'received' && at(value, 'error') !== undefined && (at(value, 'id') ?? questionId) === questionId,
    );
  const isIgnored = isWell && (complaint === undefined || peer.transport !== 'stdio');
  const what = isWell ? 'a late answer is complained of' : 'after a late answer the server does not answer any more';
  judge.verdict(
    'cancellation/late-response',
    isIgnored,
    what,
    complaint === undefined ? [question, cancelled] : [question, cancelled, complaint],
  );
}

/** A form that comes back with values of other types than it asked for. */
async function validated(
  { peer, judge, question, call }: LedgerRequest & Pick<ProbeContext, 'peer' | 'judge'>,
  timeoutMs: number,
): Promise<void> {
  const id = 'elicitation/form/validated-by-server';
  const content = misfitting(paramsOf(question)['requestedSchema']);
  const isForm = at(question.value, 'method') === 'elicitation/create' && (paramsOf(question)['mode'] ?? 'form') === 'form';
  const wrong = isForm && content !== undefined;
  const result = wrong ? { action: 'accept', content } : resultOf(String(at(question.value, 'method')), paramsOf(question), peer.declared);
  const sent = await peer.raw(JSON.stringify(replyTo(question, result)), { wild: wrong });
  if (!wrong) return judge.unsure(id, 'no form that was asked has a field with a type');
  const again = peer.see((message) => message !== question && isQuestion(at(message.value, 'method')), Math.min(timeoutMs, 2_000));
  const answer = await Promise.race([call, again.then(() => undefined)]);
  // It may ask again, or take its time.
  if (answer === undefined || answer.message === undefined) return judge.unsure(id, 'the call is not over');
  const isRefused = answer.error !== undefined || answer.result?.['isError'] === true;
  judge.verdict(id, isRefused, `a form with wrong values gets ${inWords(answer)}`, [question, ...sent.sent, ...shown(answer)]);
}

function paramsOf({ value }: Message): Json {
  return asRecord(asRecord(value)['params']);
}

function replyTo({ value }: Message, result: Json | undefined): Json {
  return { jsonrpc: '2.0', id: at(value, 'id'), result: result ?? {} };
}
