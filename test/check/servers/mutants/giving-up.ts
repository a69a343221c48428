// Mutants of servers whose questions are not answered, or wrongly: how they give up, and what they take.
import { type Body, type Mutant, onReply, onRequest, parse } from './mutant.ts';

const revision = '2025-11-25';
const modern = '2026-07-28';
const note = (method: string, params: Body): Body => ({ jsonrpc: '2.0', method, params });

/** Gives a call of `ask` up after a while; its own server never hears of it. */
function impatient(cancels: boolean, dies: (line: string, question: unknown) => boolean = () => false): Mutant['meddle'] {
  return () => {
    let write: (message: Body) => void = () => undefined;
    let call: unknown;
    let question: unknown;
    const giveUp = (): void => {
      if (question === undefined) return;
      if (cancels) write(note('notifications/cancelled', { requestId: question, reason: 'It takes too long' }));
      write({ jsonrpc: '2.0', id: call, result: { content: [{ type: 'text', text: 'Nobody answers' }], isError: true } });
    };
    return {
      begin(given) {
        write = given;
      },
      in(line) {
        const message = parse(line);
        if (String(message?.['id']).startsWith('held-ask')) call = message?.['id'];
        // The server behind it waits for ever.
        return question !== undefined && message?.['id'] === question ? undefined : line;
      },
      out(line) {
        const message = parse(line);
        if (call === undefined || message?.['method'] !== 'elicitation/create') return line;
        question = message['id'];
        setTimeout(giveUp, 100);
        return line;
      },
      dies: (line) => dies(line, question),
    };
  };
}

export const givingUpMutants: readonly Mutant[] = [
  { id: 'lifecycle/timeouts/cancelled', does: 'gives up without a word', revision, meddle: impatient(false) },
  {
    id: 'cancellation/late-response',
    does: 'ends at a late answer',
    revision,
    also: ['jsonrpc/request/answered'],
    meddle: impatient(true, (line, question) => question !== undefined && parse(line)?.['id'] === question),
  },
  {
    id: 'elicitation/form/validated-by-server',
    does: 'takes whatever is in a form',
    revision: modern,
    meddle: onRequest(
      'tools/call',
      (message) => JSON.parse(JSON.stringify(message).replace('"content":{"name":7}', '"content":{"name":"x"}')) as Body,
    ),
  },
  {
    id: 'elicitation/form/validated-by-server',
    does: 'takes whatever is in a form, by a question of its own',
    revision,
    meddle: () => ({ in: (line) => line.replace('"content":{"name":7}', '"content":{"name":"x"}') }),
  },
  {
    id: 'input/not-assumed',
    does: 'refuses a call anew while it waits for input',
    revision: modern,
    meddle: () => {
      let isWaiting = false;
      return onReply(({ method, params, message }) => {
        if (method !== 'tools/call' || params['name'] !== 'ask' || String(message['id']).startsWith('cancelled-')) return message;
        if (params['inputResponses'] !== undefined) isWaiting = false;
        const isRequired = (message['result'] as Body | undefined)?.['resultType'] === 'input_required';
        if (!isRequired) return message;
        if (isWaiting) return { jsonrpc: '2.0', id: message['id'], error: { code: -32603, message: 'Answer first' } };
        isWaiting = true;
        return message;
      })();
    },
  },
  {
    id: 'input/state/request',
    does: 'takes the state of another call',
    revision: modern,
    meddle: onReply(({ method, params, message }) => {
      const isForeign =
        method === 'tools/call' && JSON.stringify(params['arguments'] ?? {}).includes('other') && params['requestState'] !== undefined;
      if (!isForeign || message['error'] === undefined) return message;
      return { jsonrpc: '2.0', id: message['id'], result: { content: [], resultType: 'complete' } };
    }),
  },
];
