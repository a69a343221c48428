// What a server asks of its client: roots, sampling, elicitation; as requests of its own, or within results that require input.
import type { Rule, Seen } from '../../model/rule.ts';
import type { Message } from '../../model/trace.ts';
import { asList, asRecord, at, brief, isRecord, type Json } from '../../model/value.ts';
import type { Judge } from '../../model/verdict.ts';
import { fitOf } from '../fit.ts';

export interface Question {
  readonly method: string;
  readonly params: Json;
  readonly message: Message;
  /** What the client had declared to whoever asks. */
  readonly declared: Json;
}

/** Of both eras. */
export function questionsOf({ ledger, declared }: Seen): Question[] {
  const found: Question[] = ledger.questions.map(({ method, params, message }) => ({ method, params, message, declared }));
  for (const [message, asked] of ledger.answered) {
    const requests = at(message.value, 'result', 'inputRequests');
    if (message.direction !== 'received' || !isRecord(requests)) continue;
    const own = at(asked.params, '_meta', 'io.modelcontextprotocol/clientCapabilities');
    for (const one of Object.values(requests)) {
      const { method, params } = asRecord(one);
      found.push({ method: String(method), params: asRecord(params), message, declared: isRecord(own) ? own : {} });
    }
  }
  return found;
}

export const asking: Rule = {
  judges: [
    'roots/list/undeclared',
    'sampling/messages/role',
    'sampling/messages/results-only',
    'sampling/messages/balance',
    'sampling/messages/structured',
    'sampling/tools/undeclared',
    'sampling/context/avoided',
  ],
  apply(seen, judge) {
    for (const { method, params, message, declared } of questionsOf(seen)) {
      if (method === 'roots/list') {
        judge.verdict('roots/list/undeclared', declared['roots'] !== undefined, 'roots/list, though the client has none', [message]);
      }
      if (method === 'sampling/createMessage') sampling(params, declared, message, judge);
    }
  },
};

function sampling(params: Json, declared: Json, message: Message, judge: Judge): void {
  const hasTools = params['tools'] !== undefined || params['toolChoice'] !== undefined;
  const isDeclared = at(declared, 'sampling', 'tools') !== undefined;
  judge.verdict(
    'sampling/tools/undeclared',
    !hasTools || isDeclared,
    'tools for sampling, though the client did not declare sampling.tools',
    [message],
  );
  const context = params['includeContext'];
  const isAvoided = context === undefined || context === 'none';
  judge.verdict('sampling/context/avoided', isAvoided, `includeContext is ${brief(context)}`, [message]);
  const blocks = asList(params['messages']).map((one) => {
    const { content } = asRecord(one);
    return (Array.isArray(content) ? content : [content]).map(asRecord);
  });
  for (const one of asList(params['messages'])) {
    const { role, content } = asRecord(one);
    const isMessage = (role === 'user' || role === 'assistant') && content !== undefined;
    judge.verdict('sampling/messages/role', isMessage, `a message has the role ${brief(role)}`, [message]);
  }
  structured(params, blocks.flat(), message, judge);
  blocks.forEach((block, index) => {
    const results = block.filter(({ type }) => type === 'tool_result');
    if (results.length > 0) {
      judge.verdict('sampling/messages/results-only', results.length === block.length, 'results of tools beside other content', [message]);
    }
    const uses = block.filter(({ type }) => type === 'tool_use').map(({ id }) => id);
    if (uses.length === 0) return;
    const answered = new Set((blocks[index + 1] ?? []).filter(({ type }) => type === 'tool_result').map(({ toolUseId }) => toolUseId));
    judge.verdict(
      'sampling/messages/balance',
      uses.every((id) => answered.has(id)),
      'a use of a tool without its result',
      [message],
    );
  });
}

/** Each result by the schema of the tool whose use it answers. */
function structured(params: Json, blocks: readonly Json[], message: Message, judge: Judge): void {
  for (const { type, toolUseId, structuredContent } of blocks) {
    if (type !== 'tool_result' || structuredContent === undefined) continue;
    const use = blocks.find((one) => one['type'] === 'tool_use' && one['id'] === toolUseId);
    const tool = asList(params['tools']).find((one) => asRecord(one)['name'] === use?.['name']);
    const schema = asRecord(tool)['outputSchema'];
    if (use === undefined || !isRecord(schema)) continue;
    const fit = fitOf(schema, structuredContent);
    if (fit === undefined || 'untold' in fit) continue;
    const { problem } = fit;
    judge.verdict('sampling/messages/structured', problem === undefined, `structuredContent: ${problem ?? ''}`, [message]);
  }
}
