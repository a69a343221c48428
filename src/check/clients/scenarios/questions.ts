// What a server may ask of a client in the revisions with a handshake: what it declared, what it did not, and what nobody has.

import { methodOf } from '../../model/ledger.ts';
import { legacy } from '../../model/requirement.ts';
import type { RequirementId } from '../../model/requirement-id.ts';
import { traitsOf } from '../../model/revision.ts';
import type { Seen } from '../../model/rule.ts';
import type { Message } from '../../model/trace.ts';
import { at, brief, isRecord, type Json } from '../../model/value.ts';
import type { Judge } from '../../model/verdict.ts';
import { tool } from '../default-server.ts';
import { type AskOptions, busiest, type Ended, type Link, type OfferedTool, type Scenario, type Turn } from '../scenario.ts';

interface Asker {
  ask(method: string, params: Json, options?: AskOptions): Promise<Message | undefined>;
  notify(method: string, params: Json): void;
}

const form: Json = {
  message: 'Which fern?',
  requestedSchema: { type: 'object', properties: { name: { type: 'string', default: 'Adiantum' } }, required: ['name'] },
};
const prompt: Json = { messages: [{ role: 'user', content: { type: 'text', text: 'Name a fern.' } }], maxTokens: 20 };

/** On the stream of a call, so that it works where the client opens no other. */
const ask: OfferedTool = {
  tool: tool('ask_everything'),
  async call(turn: Turn) {
    await everything(turn, turn.link);
    return { result: { content: [{ type: 'text', text: 'asked' }] } };
  },
};

async function everything(asker: Asker, link: Link): Promise<void> {
  const { revision } = link.seen().conversation;
  asker.notify('notifications/cancelled', { requestId: 'never-sent', reason: 'to see what happens' });
  asker.notify('notifications/cancelled', { reason: 'no id at all' });
  const pinged = await asker.ask('ping', {});
  if (pinged !== undefined) asker.notify('notifications/cancelled', { requestId: at(pinged.value, 'id') as string });
  await asker.ask('roots/list', {});
  await asker.ask('sampling/createMessage', prompt);
  if (traitsOf(revision).forms) await asker.ask('elicitation/create', form);
  if (traitsOf(revision).richElicitation) {
    await asker.ask('elicitation/create', { mode: 'url', message: 'Open this', url: 'https://example.com/never', elicitationId: 'e1' });
    await asker.ask('sampling/createMessage', { ...prompt, tools: [tool('look_up')], toolChoice: { mode: 'none' } });
    asker.notify('notifications/elicitation/complete', { elicitationId: 'nobody-knows' });
  }
  await asker.ask('check/no-such-method', {});
  await asker.ask('ping', {});
}

const undeclared: readonly (readonly [method: string, capability: string, id: RequirementId])[] = [
  ['roots/list', 'roots', 'roots/capability'],
  ['sampling/createMessage', 'sampling', 'sampling/capability'],
  ['elicitation/create', 'elicitation', 'elicitation/capability'],
];

export const questions: Scenario = {
  name: 'questions',
  judges: [
    'ping/answered',
    'ping/empty',
    'errors/method-not-found/client',
    'roots/capability',
    'roots/errors/unsupported',
    'sampling/capability',
    'sampling/tools/declared',
    'sampling/tools/undeclared-refused',
    'sampling/tools/choice-none',
    'elicitation/capability',
    'elicitation/request/no-mode-is-form',
    'elicitation/modes/undeclared-refused',
    'elicitation/complete/unknown-ignored',
    'cancellation/invalid/unknown',
    'cancellation/invalid/completed',
    'cancellation/invalid/malformed',
    'cancellation/races',
  ],
  conformance: 'elicitation-sep1034-client-defaults',
  revisions: legacy,
  tools: () => [ask, { ...ask, tool: tool('test_client_elicitation_defaults') }],
  async ready(link) {
    // Over HTTP only where the client listens.
    await everything(link, link);
  },
  judge({ links, revision, process }, judge) {
    const link = busiest(links);
    if (link === undefined) return;
    const { ledger, declared } = link;
    const asked = (method: string) => ledger.requests.filter((one) => one.method === method);
    const pings = asked('ping');
    if (pings.length === 0) return;
    for (const { message, replies } of pings) {
      const [reply] = replies;
      judge.verdict(
        'ping/answered',
        at(reply?.value, 'result') !== undefined,
        reply === undefined ? 'a ping is not answered' : 'a ping gets an error',
        reply === undefined ? [message] : [message, reply],
      );
      const result = at(reply?.value, 'result');
      if (isRecord(result)) {
        const { _meta, ...rest } = result;
        judge.verdict('ping/empty', Object.keys(rest).length === 0, `the result of a ping is ${brief(result)}`, [message, reply!]);
      }
    }
    // What was answered after an improper cancellation shows that it did no harm.
    const survived = pings.at(-1)?.replies[0] !== undefined;
    for (const what of ['unknown', 'malformed', 'completed'] as const) {
      judge.verdict(
        `cancellation/invalid/${what}`,
        survived,
        'the client no longer answers',
        pings.slice(-1).map(({ message }) => message),
      );
    }
    judge.verdict('cancellation/races', survived, 'the client no longer answers', []);
    for (const { message, replies } of asked('check/no-such-method')) {
      const [reply] = replies;
      if (reply === undefined) continue;
      const code = at(reply.value, 'error', 'code');
      judge.verdict('errors/method-not-found/client', code === -32601, `the answer is ${brief(at(reply.value, 'error') ?? reply.value)}`, [
        message,
        reply,
      ]);
    }
    for (const [method, capability, id] of undeclared) {
      for (const { message, replies, params } of asked(method)) {
        const [reply] = replies;
        if (reply === undefined || params['mode'] === 'url' || params['tools'] !== undefined) continue;
        const isDone = at(reply.value, 'result') !== undefined;
        const isDeclared = declared[capability] !== undefined;
        if (isDeclared) judge.kept(id);
        else judge.verdict(id, !isDone, `${method} is carried out, though ${capability} is not declared`, [message, reply]);
        if (isDeclared) continue;
        const code = at(reply.value, 'error', 'code');
        if (method === 'roots/list')
          judge.verdict('roots/errors/unsupported', code === -32601, `the answer is ${brief(at(reply.value, 'error'))}`, [message, reply]);
        if (!isDone)
          judge.verdict(
            'errors/method-not-found/client',
            code === -32601,
            `${method}, which is not declared, gets ${brief(at(reply.value, 'error'))}`,
            [message, reply],
          );
      }
    }
    if (traitsOf(revision).richElicitation) newer(link, process, judge);
  },
};

function newer({ ledger, declared, conversation }: Seen, process: Ended, judge: Judge): void {
  for (const { method, params, message, replies } of ledger.requests) {
    const [reply] = replies;
    if (reply === undefined) continue;
    const code = at(reply.value, 'error', 'code');
    const isDone = at(reply.value, 'result') !== undefined;
    const evidence = [message, reply];
    if (method === 'sampling/createMessage' && params['tools'] !== undefined && declared['sampling'] !== undefined) {
      const isDeclared = at(declared, 'sampling', 'tools') !== undefined;
      if (!isDeclared) {
        judge.verdict(
          'sampling/tools/undeclared-refused',
          code !== undefined,
          'tools are accepted, though sampling.tools is not declared',
          evidence,
        );
        const content = at(reply.value, 'result', 'content');
        const uses = (Array.isArray(content) ? content : [content]).some((one) => at(one, 'type') === 'tool_use');
        judge.verdict('sampling/tools/declared', !uses, 'the client samples with tools without declaring it', evidence);
      } else if (isDone) {
        judge.kept('sampling/tools/declared');
        const content = at(reply.value, 'result', 'content');
        const uses = (Array.isArray(content) ? content : [content]).some((one) => at(one, 'type') === 'tool_use');
        judge.verdict('sampling/tools/choice-none', !uses, 'a tool is used, though the choice is none', evidence);
      }
    }
    if (method === 'elicitation/create' && params['mode'] === undefined && declared['elicitation'] !== undefined) {
      const { elicitation } = declared;
      const hasForm = isRecord(elicitation) && (Object.keys(elicitation).length === 0 || 'form' in elicitation);
      if (hasForm)
        judge.verdict(
          'elicitation/request/no-mode-is-form',
          isDone,
          `a request without a mode gets ${brief(at(reply.value, 'error'))}`,
          evidence,
        );
    }
    if (
      method === 'elicitation/create' &&
      params['mode'] === 'url' &&
      declared['elicitation'] !== undefined &&
      at(declared, 'elicitation', 'url') === undefined
    ) {
      judge.verdict(
        'elicitation/modes/undeclared-refused',
        code === -32602,
        `a mode that is not declared gets ${brief(at(reply.value, 'error') ?? at(reply.value, 'result'))}`,
        evidence,
      );
    }
  }
  const isGone = process.code !== 0 && !process.stopped;
  const [told] = ledger.requests.filter(({ method }) => method === 'check/no-such-method');
  const isTold = conversation.messages.some((one) => one.direction === 'sent' && methodOf(one) === 'notifications/elicitation/complete');
  if (isTold && (told !== undefined || isGone) && at(declared, 'elicitation', 'url') !== undefined)
    judge.verdict('elicitation/complete/unknown-ignored', told?.replies[0] !== undefined, 'the client no longer answers', []);
}
